//! `where name like '%ea'`.

use gdf::frame::{Frame, col};

pub(crate) fn main(goods: &Frame) -> gdf::Result<Frame> {
    let found = goods.filter(col("name").str().like("%ea"))?;
    println!("{found}");
    Ok(found)
}
