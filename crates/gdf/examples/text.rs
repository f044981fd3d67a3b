//! `city like '%burg%'`, in upper case.

use gdf::prelude::*;
use gdf::stream_compaction::apply_boolean_mask;
use gdf::strings::{contains, to_upper};

fn main() -> gdf::Result<()> {
    let names = [Some("Freiburg"), Some("Köln"), None, Some("Straßburg"), Some("Ulm")];
    let cities = Table::try_new(vec![Column::from_strs(names)?])?;

    let castles = apply_boolean_mask(&cities, &contains(cities.column(0)?, "burg")?)?;
    let loud = to_upper(castles.column(0)?)?; // by Unicode: ß becomes SS
    println!("{loud}");
    assert_eq!(loud.get::<String>(1)?.as_deref(), Some("STRASSBURG"));
    Ok(())
}
