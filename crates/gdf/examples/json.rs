//! Selects elements of JSON text by paths, and computes with the resulting columns. `GDF_LOG=debug` logs the called
//! functions.

use gdf::json::{JsonObjectOptions, get_json_object};
use gdf::prelude::*;
use gdf::strings::to_integers;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    gdf::log::init_from_env()?;
    let events = Column::from_strs([
        r#"{"user": {"name": "Ada", "age": 36}, "tags": ["a", "b"]}"#,
        r#"{"user": {"name": "Blaise"}, "tags": []}"#,
        "not JSON",
    ])?;
    let get = |path| get_json_object(&events, path, JsonObjectOptions::default());
    let ages = to_integers(&get("$.user.age")?, &DataType::Int32)?;
    let table = Table::try_new(vec![get("$.user.name")?, ages, get("$.tags[*]")?, get("$['tags'][1]")?])?;
    println!("{table}");
    Ok(())
}
