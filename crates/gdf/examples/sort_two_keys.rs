//! The first rows by two keys: the first descending with nulls last, the second ascending.

use gdf::copying::{OutOfBoundsPolicy, gather};
use gdf::prelude::*;
use gdf::sorting::{NullOrder, Order, sorted_order};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (stream, mr) = (Stream::default_for(Device::Cpu)?, gdf::memory::current_resource(Device::Cpu)?);
    let points = gdf::from_options(&[Some(7), None, Some(9), Some(7)], &stream, mr.as_ref())?;
    let names = gdf::strings_from(&[Some("d"), Some("c"), Some("b"), Some("a")], &stream, mr.as_ref())?;
    let table = Table::try_new(vec![points, names])?;

    // Nulls are placed before values, and then all is reversed: a descending order has them last.
    let nulls = [NullOrder::Before, NullOrder::Before];
    let order = sorted_order(&table, &[Order::Descending, Order::Ascending], &nulls)?;
    let first = gather(&table, &order.slice(0, 3)?, OutOfBoundsPolicy::Error)?;
    println!("{}", gdf::pretty::format_table(&first.view(), &["points", "name"], &stream)?);
    assert_eq!(first.column(0)?.null_count(&stream)?, 0);
    Ok(())
}
