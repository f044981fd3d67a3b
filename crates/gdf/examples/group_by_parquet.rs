//! Reads a Parquet file, keeps the rows that meet a condition, then groups, aggregates, sorts and prints the rows.

use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::io::{ParquetReader, Predicate, read_csv, write_parquet};
use gdf::sorting::sort;

fn main() -> gdf::io::Result<()> {
    let folder = std::env::temp_dir();
    let (csv, parquet) = (folder.join("gdf-sales.csv"), folder.join("gdf-sales.parquet"));
    std::fs::write(&csv, "city,price\nLyon,2.5\nNantes,4\nLyon,10\nNantes,0.5\n").expect("the file can be written");
    write_parquet(&read_csv(&csv)?, &parquet)?;

    let sales = ParquetReader::open(&parquet)?.predicate(Predicate::gt("price", 1.0)).read()?;
    let wanted = [GroupByAggregation::Sum, GroupByAggregation::Mean, GroupByAggregation::CountAll];
    let request = AggregationRequest::new(sales.column("price")?, wanted);
    let groups = GroupBy::new(sales.select(&["city"])?.table(), NullPolicy::Include).agg(&[request])?;
    println!("{}", sort(&groups, &[], &[])?.display_with(&["city", "sum", "mean", "count"]));
    Ok(())
}
