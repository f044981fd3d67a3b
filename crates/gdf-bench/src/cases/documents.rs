//! Cases of JSON documents of about 70 bytes, such as
//! `{"id": 17, "name": "n17", "tags": [3, 6, 4], "price": 17.5, "open": true}`.

use anyhow::Result;
use gdf::core::Field;
use gdf::json::{JsonMismatch, JsonObjectOptions, JsonWriteOptions, from_json, get_json_object, to_json};
use gdf::{Column, DataType};

use super::{Case, call};
use crate::inputs::Inputs;
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    case("json.get_json_object", |inputs| {
        let texts = documents(inputs)?;
        call(move || get_json_object(&texts, "$.tags[1]", JsonObjectOptions::default()))
    }),
    case("json.from_json", |inputs| {
        let (texts, of) = (documents(inputs)?, document_type());
        call(move || from_json(&texts, &of, JsonMismatch::Null))
    }),
    case("json.to_json", |inputs| {
        let values = from_json(&documents(inputs)?, &document_type(), JsonMismatch::Null)?;
        call(move || to_json(&values, JsonWriteOptions::default()))
    }),
];

const fn case(name: &'static str, prepare: fn(&Inputs) -> Result<Run>) -> Case {
    Case::new(name, 0.0, prepare).at_most(1_000_000).repeated(20, 7)
}

fn document_type() -> DataType {
    let tags = DataType::List(Field::new_list_field(DataType::Int64, true).into());
    let field = |name: &str, data_type: DataType| Field::new(name, data_type, true);
    let (id, name, price) = (DataType::Int64, DataType::Utf8, DataType::Float64);
    let fields = [("id", id), ("name", name), ("tags", tags), ("price", price), ("open", DataType::Boolean)];
    DataType::Struct(fields.map(|(name, data_type)| field(name, data_type)).into_iter().collect())
}

fn documents(inputs: &Inputs) -> Result<Column> {
    let text = |row: usize| {
        let (name, price, open) = (row % 1000, row % 100, row.is_multiple_of(3));
        let tags = format!("[{}, {}, {}]", row % 7, row % 11, row % 13);
        format!(r#"{{"id": {row}, "name": "n{name}", "tags": {tags}, "price": {price}.5, "open": {open}}}"#)
    };
    let all: Vec<String> = (0..inputs.rows()).map(text).collect();
    inputs.import(&gdf::arrow::array::StringArray::from_iter_values(all))
}
