//! The first ten rows by two keys: descending with nulls last, then ascending.

use gdf::frame::{Frame, col};

pub(crate) fn main(sales: &Frame) -> gdf::Result<Frame> {
    let top = sales.top_k(10, [col("price").desc(), col("city").asc()])?;
    println!("{top}");
    Ok(top)
}
