//! Filters, gathers and concatenates tables with a column of lists, and turns the elements of the lists into rows.

use gdf::binaryop::gt;
use gdf::concatenate::concatenate;
use gdf::copying::{OutOfBoundsPolicy, gather};
use gdf::core::make_lists_column;
use gdf::lists::{explode, explode_outer};
use gdf::prelude::*;
use gdf::stream_compaction::apply_boolean_mask;

fn main() -> gdf::Result<()> {
    let tags = make_lists_column(&Column::from_slice(&[0, 2, 2, 3])?, Column::from_strs(["new", "red", "old"])?, None)?;
    let table = Table::try_new(vec![Column::from_slice(&[1_i64, 2, 3])?, tags])?;
    let kept = apply_boolean_mask(&table, &gt(table.column(0)?, 1)?)?;
    let back = gather(&table, &Column::from_slice(&[2, 0])?, OutOfBoundsPolicy::Error)?;
    println!("{}", concatenate(&[kept.view(), back.view()])?);
    println!("{}", explode(&table, 1)?);
    println!("{}", explode_outer(&table, 1)?); // includes the row with the empty list
    Ok(())
}
