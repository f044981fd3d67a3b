//! Selects elements of JSON text by paths, reads whole documents as structs and lists, and writes JSON text.
//! `GDF_LOG=debug` logs the called functions.

use gdf::core::Field;
use gdf::json::{JsonMismatch, JsonObjectOptions, JsonWriteOptions, from_json, get_json_object, to_json};
use gdf::lists::count_elements;
use gdf::prelude::*;
use gdf::strings::to_integers;
use gdf::structs::{field_by_name, with_field};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    gdf::log::init_from_env()?;
    let events = Column::from_strs([
        r#"{"user": {"name": "Ada", "age": 36}, "tags": ["a", "b"]}"#,
        r#"{"user": {"name": "Blaise"}, "tags": []}"#,
        "not JSON",
    ])?;
    let get = |path: &str| get_json_object(&events, path, JsonObjectOptions::default());
    let ages = to_integers(&get("$.user.age")?, &DataType::Int32)?;
    let table = Table::try_new(vec![get("$.user.name")?, ages, get("$.tags[*]")?, get("$['tags'][1]")?])?;
    println!("{table}");

    let of = |fields: [(&str, DataType); 2]| {
        DataType::Struct(fields.into_iter().map(|(name, of)| Field::new(name, of, true)).collect())
    };
    let user = of([("name", DataType::Utf8), ("age", DataType::Int32)]);
    let event = of([("user", user), ("tags", DataType::new_list(DataType::Utf8, true))]);
    let events = from_json(&events, &event, JsonMismatch::Null)?;
    let counted = with_field(&events, "count", &count_elements(&field_by_name(&events, "tags")?)?)?;
    println!("{}", to_json(&counted, JsonWriteOptions::default())?);
    Ok(())
}
