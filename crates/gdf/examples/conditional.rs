//! The SQL expression `case when a * b + c > 10 then a else -1`, with nulls.

use gdf::binaryop::{add, gt, mul};
use gdf::copying::copy_if_else;
use gdf::prelude::*;

fn main() -> gdf::Result<()> {
    let a = Column::from_options(&[Some(2), Some(5), None, Some(4)])?;
    let b = Column::from_options(&[Some(3), Some(2), Some(5), None])?;
    let c = Column::from_slice(&[1, 2, 3, 4])?;

    let result = copy_if_else(&a, -1, &gt(&add(&mul(&a, &b)?, &c)?, 10)?)?; // a null condition takes the second value
    println!("{result}");
    assert_eq!(result.to_vec::<i32>()?, [Some(-1), Some(5), Some(-1), Some(-1)]);
    Ok(())
}
