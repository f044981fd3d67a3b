//! Reads a CSV file, filters the rows, and prints them.

use gdf::frame::{Frame, col};
use gdf::io::read_csv;

pub(crate) fn main(file: &std::path::Path) -> gdf::io::Result<Frame> {
    let dear = Frame::try_from(read_csv(file)?)?.filter(col("price").gt(3))?;
    println!("{dear}");
    Ok(dear)
}
