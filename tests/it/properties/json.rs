//! Tests columns of random nested types. A conversion to JSON text and back must restore a column. The results must
//! also agree with arrow-json and serde_json.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_json::{ReaderBuilder, WriterBuilder, writer::LineDelimited};
use arrow_schema::{DataType, Field, Schema};
use gdf_api::json::{JsonMismatch, JsonWriteOptions, from_json, to_json};
use gdf_core::Column;
use proptest::prelude::*;
use proptest::sample::select;

use super::nested::{Nested, field, map_of, nested_of, structs};
use super::{check, oracle};

const CASES: u32 = 60;

fn types(levels: usize) -> BoxedStrategy<DataType> {
    let leaves = || {
        select(vec![
            DataType::Boolean,
            DataType::Int8,
            DataType::Int64,
            DataType::UInt64,
            DataType::Decimal128(38, 10),
            DataType::Utf8,
            DataType::LargeUtf8,
        ])
    };
    if levels == 0 {
        return leaves().boxed();
    }
    prop_oneof![
        2 => types(levels - 1).prop_map(|of| DataType::List(field(of).into())),
        1 => types(levels - 1).prop_map(|of| DataType::LargeList(field(of).into())),
        3 => (types(levels - 1), leaves(), any::<bool>()).prop_map(|(deep, flat, first)| structs(deep, flat, first)),
        1 => types(levels - 1).prop_map(|of| map_of(DataType::Utf8, of)),
    ]
    .boxed()
}

fn values() -> impl Strategy<Value = Nested> {
    nested_of((0..=4_usize).prop_flat_map(types))
}

fn schema(data_type: &DataType) -> Arc<Schema> {
    Arc::new(Schema::new(vec![Field::new("x", data_type.clone(), true)]))
}

/// Reads each document as a field of an object, because arrow-json reads only objects.
fn read(texts: &StringArray, data_type: &DataType) -> Result<ArrayRef, String> {
    let lines: String = texts.iter().map(|text| format!("{{\"x\":{}}}\n", text.unwrap_or("null"))).collect();
    let reader = ReaderBuilder::new(schema(data_type)).with_batch_size(texts.len().max(1));
    let mut batches = reader.build(lines.as_bytes()).map_err(|error| error.to_string())?;
    match batches.next() {
        Some(batch) => Ok(batch.map_err(|error| error.to_string())?.column(0).clone()),
        None => Ok(arrow_array::new_empty_array(data_type)),
    }
}

/// Returns the documents that arrow-json writes.
fn written(array: &ArrayRef, nulls: bool) -> Result<Vec<serde_json::Value>, String> {
    let batch =
        RecordBatch::try_new(schema(array.data_type()), vec![array.clone()]).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    let mut writer = WriterBuilder::new().with_explicit_nulls(nulls).build::<_, LineDelimited>(&mut bytes);
    writer.write(&batch).and_then(|()| writer.finish()).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
    text.lines().map(|line| serde_json::from_str(line).map_err(|error| error.to_string())).collect()
}

#[test]
fn values_are_the_same_after_a_way_through_json() {
    check(
        CASES,
        || (values(), any::<bool>()),
        |bench, (rows, write_null_fields)| {
            let array = rows.array();
            let texts = to_json(&rows.column(bench)?, JsonWriteOptions { write_null_fields })?;
            let values = from_json(&texts, &rows.data_type, JsonMismatch::Error)?;
            bench.same(&array, &values)?;
            bench.same(&array, &from_json(&texts, &rows.data_type, JsonMismatch::Null)?)?;
            let texts: StringArray = texts.to_vec_on::<String>(&bench.stream)?.into_iter().collect();
            bench.same(&read(&texts, &rows.data_type).map_err(oracle)?, &values)
        },
    );
}

#[test]
fn arrow_json_writes_the_same_documents() {
    check(
        CASES,
        || (nested_of((0..=3_usize).prop_flat_map(unmapped)), any::<bool>()),
        |bench, (rows, write_null_fields)| {
            let array = rows.array();
            let texts = to_json(&rows.column(bench)?, JsonWriteOptions { write_null_fields })?;
            let texts = texts.to_vec_on::<String>(&bench.stream)?;
            let expected = written(&array, write_null_fields).map_err(oracle)?;
            prop_assert_eq!(texts.len(), expected.len());
            for (text, expected) in texts.iter().zip(&expected) {
                let text = text.as_deref().unwrap_or("null");
                let found: serde_json::Value = serde_json::from_str(text).map_err(|error| oracle(error.to_string()))?;
                prop_assert_eq!(&found, expected.get("x").unwrap_or(&serde_json::Value::Null), "{}", text);
            }
            Ok(())
        },
    );
}

/// Makes types without maps. If the value of a map entry is null, gdf writes `null`, but arrow-json leaves the entry
/// out.
fn unmapped(levels: usize) -> BoxedStrategy<DataType> {
    fn has_map(data_type: &DataType) -> bool {
        match data_type {
            DataType::Map(..) => true,
            DataType::List(of) | DataType::LargeList(of) => has_map(of.data_type()),
            DataType::Struct(fields) => fields.iter().any(|field| has_map(field.data_type())),
            _ => false,
        }
    }
    types(levels).prop_filter("maps", |data_type| !has_map(data_type)).boxed()
}

/// Any text is read as a document or as null. No text causes a panic.
#[test]
fn any_text_is_read_as_serde_json_reads_it() {
    let symbols = || {
        select(vec![
            "[", "]", "{", "}", ",", ":", "\"", "\\", "u", "d83d", "1", "-", ".", "e", "null", "true", " ", "é",
        ])
    };
    let text = move || proptest::collection::vec(symbols(), 0..9).prop_map(|parts| parts.concat());
    check(
        CASES,
        move || proptest::collection::vec(text(), 0..80),
        |bench, texts| {
            let array = StringArray::from_iter_values(&texts);
            let column = Column::from_arrow(&array, &bench.stream, bench.resource.as_ref())?;
            let of = DataType::List(Field::new_list_field(DataType::Utf8, true).into());
            let lists = from_json(&column, &of, JsonMismatch::Null)?;
            let values =
                from_json(&column, &DataType::LargeUtf8, JsonMismatch::Null)?.to_vec_on::<String>(&bench.stream)?;
            prop_assert_eq!(lists.len(), texts.len());
            for (text, value) in texts.iter().zip(values) {
                let expected = serde_json::from_str::<serde_json::Value>(text).ok();
                prop_assert_eq!(value.is_some(), expected.is_some_and(|of| !of.is_null()), "{}", text);
            }
            Ok(())
        },
    );
}
