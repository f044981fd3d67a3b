//! Reads a Parquet file, filters, groups and sorts the rows, and prints the result.

use gdf::frame::{Frame, col, len};
use gdf::io::read_parquet;

pub(crate) fn main(file: &std::path::Path) -> gdf::io::Result<Frame> {
    let dear = Frame::try_from(read_parquet(file)?)?.lazy().filter(col("price").gt(1));
    let cities = dear.group_by(["city"]).agg([col("price").sum(), col("price").mean().alias("mean"), len()]);
    let sorted = cities.sort([col("price").desc()]).collect()?;
    println!("{sorted}");
    Ok(sorted)
}
