//! The days between dates, and the year of a date.

use gdf::DataType::{Date32, Int32};
use gdf::frame::{Frame, col};

pub(crate) fn main(orders: &Frame) -> gdf::Result<Frame> {
    let orders = orders.cast(["ordered", "shipped"], Date32)?;
    let days = (col("shipped").cast(Int32) - col("ordered").cast(Int32)).alias("days");
    let result = orders.select([days, col("ordered").dt().year().alias("year")])?;
    println!("{result}");
    Ok(result)
}
