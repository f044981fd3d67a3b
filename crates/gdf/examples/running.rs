//! A running sum, and the sum of each row with the two before it.

use gdf::binaryop::{BinaryOperator, binary_operation};
use gdf::copying::shift;
use gdf::prelude::*;
use gdf::scan::{NullPolicy, ScanAggregation, ScanType, scan};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (stream, mr) = (Stream::default_for(Device::Cpu)?, gdf::memory::current_resource(Device::Cpu)?);
    let sales = gdf::fixed_width_from_slice(&[4_i64, 1, 7, 2, 9, 3], &stream, mr.as_ref())?;

    let running = scan(&sales, ScanAggregation::Sum, ScanType::Inclusive, NullPolicy::Exclude)?;
    let before = shift(&running, 3, &Scalar::from_value(0_i64, &stream, mr.as_ref())?)?;
    let of_three = binary_operation(&running, &before, BinaryOperator::Sub, &DataType::Int64)?; // exact for integers
    let table = Table::try_new(vec![sales, running, of_three])?;
    println!("{}", gdf::pretty::format_table(&table.view(), &["sales", "running", "of three"], &stream)?);
    Ok(())
}
