//! `case when a * b > 10 then a else -1`, with nulls.

use gdf::binaryop::{BinaryOperator, binary_operation, default_output_type};
use gdf::copying::copy_if_else;
use gdf::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (stream, mr) = (Stream::default_for(Device::Cpu)?, gdf::memory::current_resource(Device::Cpu)?);
    let a = gdf::from_options(&[Some(2), Some(5), None, Some(4)], &stream, mr.as_ref())?;
    let b = gdf::from_options(&[Some(3), Some(4), Some(5), None], &stream, mr.as_ref())?;
    let (ten, otherwise) =
        (Scalar::from_value(10, &stream, mr.as_ref())?, Scalar::from_value(-1, &stream, mr.as_ref())?);

    let product_type = default_output_type(BinaryOperator::Mul, a.data_type(), b.data_type())?;
    let product = binary_operation(&a, &b, BinaryOperator::Mul, &product_type)?;
    let large = binary_operation(&product, &ten, BinaryOperator::Greater, &DataType::Boolean)?;
    let result = copy_if_else(&a, &otherwise, &large)?; // a null condition takes the second value
    println!("{}", gdf::pretty::format_column(result.view(), "result", &stream)?);
    assert_eq!(result.null_count(&stream)?, 0);
    Ok(())
}
