//! `city like '%burg%'`, in upper case.

use gdf::prelude::*;
use gdf::stream_compaction::apply_boolean_mask;
use gdf::strings::{contains, to_upper};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (stream, mr) = (Stream::default_for(Device::Cpu)?, gdf::memory::current_resource(Device::Cpu)?);
    let names = [Some("Freiburg"), Some("Köln"), None, Some("Straßburg"), Some("Ulm")];
    let cities = Table::try_new(vec![gdf::strings_from(&names, &stream, mr.as_ref())?])?;

    let castles = apply_boolean_mask(&cities, &contains(cities.column(0)?, "burg")?)?;
    let loud = to_upper(castles.column(0)?)?; // by Unicode: ß becomes SS
    println!("{}", gdf::pretty::format_column(loud.view(), "city", &stream)?);
    assert_eq!(loud.len(), 2);
    Ok(())
}
