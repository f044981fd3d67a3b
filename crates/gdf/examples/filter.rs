//! Rows that meet a condition, sorted and printed.

use gdf::binaryop::{BinaryOperator, binary_operation};
use gdf::prelude::*;
use gdf::sorting::{Order, sort};
use gdf::stream_compaction::apply_boolean_mask;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (stream, mr) = (Stream::default_for(Device::Cpu)?, gdf::memory::current_resource(Device::Cpu)?);
    let prices = gdf::from_options(&[Some(2.5), Some(10.0), None, Some(4.0)], &stream, mr.as_ref())?;
    let names = gdf::strings_from(&[Some("tea"), Some("wine"), Some("air"), Some("rice")], &stream, mr.as_ref())?;
    let table = Table::try_new(vec![prices, names])?;

    let limit = Scalar::from_value(3.0, &stream, mr.as_ref())?;
    let expensive = binary_operation(table.column(0)?, &limit, BinaryOperator::Greater, &DataType::Boolean)?;
    let kept = apply_boolean_mask(&table, &expensive)?; // a null price is neither greater nor not: its row goes, too
    let sorted = sort(&kept, &[Order::Descending; 2], &[])?;
    println!("{}", gdf::pretty::format_table(&sorted.view(), &["price", "name"], &stream)?);
    assert_eq!(sorted.num_rows(), 2);
    Ok(())
}
