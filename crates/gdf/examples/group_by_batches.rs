//! Reads a file in batches. The partial group-bys of the batches are merged, so that memory holds only one batch at a
//! time.

use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy, PartialGroups};
use gdf::io::CsvReader;

fn main() -> gdf::io::Result<()> {
    let path = std::env::temp_dir().join("gdf-trips.csv");
    std::fs::write(&path, "city,price\nLyon,2.5\nNantes,4\nLyon,10\nNantes,0.5\n").expect("the file can be written");

    let mut parts = Vec::new();
    for batch in CsvReader::open(&path)?.batch_rows(2).scan()? {
        let batch = batch?;
        let sum = AggregationRequest::new(batch.column("price")?, [GroupByAggregation::Sum]);
        parts.push(GroupBy::new(batch.select(&["city"])?.table(), NullPolicy::Include).aggregate_partial(&[sum])?);
    }
    let (cities, sums) = PartialGroups::merge(&parts.iter().collect::<Vec<_>>())?.finalize()?;
    println!("{cities}\n{}", sums[0][0]);
    Ok(())
}
