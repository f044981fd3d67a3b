//! Uses columns in the form of other libraries: dictionaries and string views. `GDF_LOG=debug` logs the called
//! functions.

use gdf::arrow::array::types::Int32Type;
use gdf::arrow::array::{DictionaryArray, StringViewArray};
use gdf::prelude::*;
use gdf::stream_compaction::apply_boolean_mask;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    gdf::log::init_from_env()?;
    let cities: DictionaryArray<Int32Type> = ["Lyon", "Nantes", "Lyon"].into_iter().collect();
    let names = StringViewArray::from(vec![Some("Ada"), None, Some("a name of more than twelve bytes")]);
    let table = Table::try_new(vec![Column::from_array(&cities)?, Column::from_array(&names)?])?;
    let kept = apply_boolean_mask(&table, &Column::from_slice(&[true, false, true])?)?;
    println!("{kept}\n{:?}", kept.column(0)?.to_vec::<String>()?);
    Ok(())
}
