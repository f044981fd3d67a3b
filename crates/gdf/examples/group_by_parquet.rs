//! A Parquet file, batch by batch: partial group-bys that merge into one, so that memory holds a batch at a time.

use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy, PartialGroups};
use gdf::prelude::*;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: group_by_parquet FILE [KEY VALUE], two columns by number")?;
    let column = |at: usize, otherwise| std::env::args().nth(at).map_or(Ok(otherwise), |text| text.parse::<usize>());
    let (key, value) = (column(2, 0)?, column(3, 1)?);

    let mut parts = Vec::new();
    for batch in ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(path)?)?.build()? {
        let table = Table::from_batch(&batch?)?;
        let keys = table.select(&[key])?;
        let wanted = [GroupByAggregation::Sum, GroupByAggregation::Mean, GroupByAggregation::CountAll];
        let request = AggregationRequest::new(table.column(value)?, wanted);
        parts.push(GroupBy::new(&keys, NullPolicy::Include).aggregate_partial(&[request])?);
    }
    let (keys, results) = PartialGroups::merge(&parts.iter().collect::<Vec<_>>())?.finalize()?;
    let groups = Table::try_new([vec![keys.into_columns()], results].concat().concat())?;
    println!("{}", gdf::sorting::sort(&groups, &[], &[])?.display_with(&["key", "sum", "mean", "count"]));
    Ok(())
}
