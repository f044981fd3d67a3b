//! `case when a * b + c > 10 then a else -1`, with nulls.

use gdf::frame::{Frame, col, when};

pub(crate) fn main(numbers: &Frame) -> gdf::Result<Frame> {
    let result = numbers.select([when((col("a") * col("b") + col("c")).gt(10)).then(col("a")).otherwise(-1)])?;
    println!("{result}");
    Ok(result)
}
