//! The SQL condition `city like '%burg%'`, and the result in upper case.

use gdf::prelude::*;
use gdf::stream_compaction::apply_boolean_mask;
use gdf::strings::{contains, to_upper};

fn main() -> gdf::Result<()> {
    let cities = Table::try_new(vec![Column::from_strs([Some("Freiburg"), None, Some("Straßburg"), Some("Ulm")])?])?;
    let castles = apply_boolean_mask(&cities, &contains(cities.column(0)?, "burg")?)?;
    println!("{}", to_upper(castles.column(0)?)?); // by Unicode: ß becomes SS
    Ok(())
}
