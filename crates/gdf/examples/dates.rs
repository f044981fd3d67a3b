//! Computes the days between dates, and the year and the month of each date.

use gdf::binaryop::{div, sub};
use gdf::datetime::{extract_month, extract_year};
use gdf::prelude::*;
use gdf::types::TimeUnit;
use gdf::unary::cast;

fn main() -> gdf::Result<()> {
    let ordered = Column::from_slice_typed(&[20_000, 20_030], &DataType::Date32)?; // days since 1970-01-01
    let shipped = Column::from_slice_typed(&[20_003, 20_061], &DataType::Date32)?;

    let between = sub(&shipped, &ordered)?;
    assert_eq!(between.data_type(), &DataType::Duration(TimeUnit::Second));
    let days = div(&cast(&between, &DataType::Int64)?, 86_400_i64)?;
    let (year, month) = (extract_year(&ordered)?, extract_month(&ordered)?);
    let table = Table::try_new(vec![ordered, days, year, month])?;
    println!("{}", table.display_with(&["ordered", "days", "year", "month"]));
    assert_eq!(table.column(1)?.to_vec::<i64>()?, [Some(3), Some(31)]);
    Ok(())
}
