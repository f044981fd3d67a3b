//! A left join of two record batches.

use gdf::arrow::array::RecordBatch;
use gdf::frame::{Frame, Join};

pub(crate) fn main(trips: &RecordBatch, cities: &RecordBatch) -> gdf::Result<Frame> {
    let joined = Frame::from_arrow(trips)?.join(&Frame::from_arrow(cities)?, Join::left(["city"]))?;
    println!("{joined}");
    Ok(joined)
}
