//! Filters, joins, concatenates and explodes rows with a column of lists.

use gdf::frame::{Frame, Join, col};

pub(crate) fn main(goods: &Frame) -> gdf::Result<Frame> {
    let late = goods.filter(col("id").gt(1))?;
    let twice = late.join(goods, Join::semi(["id"]))?.concat([goods])?;
    let tags = twice.explode("tags")?;
    println!("{tags}");
    Ok(tags)
}
