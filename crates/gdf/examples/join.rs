//! A left join of two tables: row numbers, by which any columns of both sides are gathered.

use gdf::copying::{OutOfBoundsPolicy, gather};
use gdf::join::{NullEquality, left_join};
use gdf::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (stream, mr) = (Stream::default_for(Device::Cpu)?, gdf::memory::current_resource(Device::Cpu)?);
    let orders = Table::try_new(vec![
        gdf::fixed_width_from_slice(&[3, 1, 2, 3], &stream, mr.as_ref())?,
        gdf::fixed_width_from_slice(&[9.5, 1.0, 4.0, 2.5], &stream, mr.as_ref())?,
    ])?;
    let customers = Table::try_new(vec![
        gdf::fixed_width_from_slice(&[1, 3], &stream, mr.as_ref())?,
        gdf::strings_from(&[Some("Ada"), Some("Grace")], &stream, mr.as_ref())?,
    ])?;

    let (left, right) = left_join(&orders.select(&[0])?, &customers.select(&[0])?, NullEquality::Unequal)?;
    let left = gather(&orders, &left, OutOfBoundsPolicy::Error)?;
    let right = gather(&customers.select(&[1])?, &right, OutOfBoundsPolicy::Nullify)?; // no match: a null row
    let joined = Table::try_new([left.into_columns(), right.into_columns()].concat())?;
    println!("{}", gdf::pretty::format_table(&joined.view(), &["customer", "price", "name"], &stream)?);
    assert_eq!(joined.num_rows(), 4);
    Ok(())
}
