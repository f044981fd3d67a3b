//! Days between dates, and the day of the month.

use std::sync::Arc;

use gdf::TimeUnit;
use gdf::arrow::array::{ArrayRef, Date32Array};
use gdf::binaryop::{BinaryOperator, binary_operation};
use gdf::prelude::*;
use gdf::unary::cast;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (stream, mr) = (Stream::default_for(Device::Cpu)?, gdf::memory::current_resource(Device::Cpu)?);
    let dates = |days: Vec<i32>| -> gdf::Result<Column> {
        Column::from_arrow(&(Arc::new(Date32Array::from(days)) as ArrayRef), &stream, mr.as_ref())
    };
    let (ordered, shipped) = (dates(vec![20_000, 20_030])?, dates(vec![20_003, 20_061])?); // days since 1970

    let seconds = DataType::Duration(TimeUnit::Second);
    let between = binary_operation(&shipped, &ordered, BinaryOperator::Sub, &seconds)?;
    let day = Scalar::from_value(86_400_i64, &stream, mr.as_ref())?;
    let days = binary_operation(&cast(&between, &DataType::Int64)?, &day, BinaryOperator::Div, &DataType::Int64)?;
    let table = Table::try_new(vec![ordered.clone(), days, gdf::datetime::extract_day(&ordered)?])?;
    println!("{}", gdf::pretty::format_table(&table.view(), &["ordered", "days", "day of month"], &stream)?);
    Ok(())
}
