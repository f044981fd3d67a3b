//! Keeps the rows that meet a condition, sorts the rows, and prints the rows.

use gdf::binaryop::gt;
use gdf::prelude::*;
use gdf::sorting::{Order, sort};
use gdf::stream_compaction::apply_boolean_mask;

fn main() -> gdf::Result<()> {
    let prices = Column::from_options(&[Some(2.5), Some(10.0), None, Some(4.0)])?;
    let table = Table::try_new(vec![prices, Column::from_strs(["tea", "wine", "air", "rice"])?])?;

    let expensive = gt(table.column(0)?, 3.0)?;
    let kept = apply_boolean_mask(&table, &expensive)?; // a null price gives null, so its row is removed, too
    let sorted = sort(&kept, &[Order::Descending; 2], &[])?;
    println!("{}", sorted.display_with(&["price", "name"]));
    assert_eq!(sorted.num_rows(), 2);
    Ok(())
}
