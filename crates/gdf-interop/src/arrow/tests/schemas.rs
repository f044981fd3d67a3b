//! Round trips of names, nullability, metadata and types, from gdf to gdf, and between gdf and arrow-rs.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::Array;
use arrow_array::ffi::FFI_ArrowSchema;
use gdf_core::{DataType, Field, Fields, Schema};

use super::arrays;
use crate::{ArrowSchema, InteropError, to_arrow_schema};

fn fields() -> Vec<Field> {
    let metadata = HashMap::from([("unit".to_owned(), "µm".to_owned()), ("".to_owned(), "".to_owned())]);
    let entries = Field::new("entries", pair(), false);
    let sorted = DataType::Map(Arc::new(entries), true);
    let dictionary = DataType::Dictionary(Box::new(DataType::UInt8), Box::new(sorted.clone()));
    let mut fields: Vec<Field> = arrays::all(5)
        .iter()
        .enumerate()
        .map(|(i, array)| Field::new(format!("column {i}"), array.data_type().clone(), i % 2 == 0))
        .collect();
    fields.push(Field::new("with metadata", DataType::Int8, false).with_metadata(metadata.clone()));
    fields.push(Field::new("sorted", sorted, true));
    fields.push(Field::new("", dictionary, true).with_dict_is_ordered(true));
    fields.push(Field::new("inner", DataType::Struct(fields.clone().into()), true).with_metadata(metadata));
    fields
}

fn pair() -> DataType {
    DataType::Struct(Fields::from(vec![
        Field::new("keys", DataType::Utf8, false),
        Field::new("values", DataType::Int64, true),
    ]))
}

#[test]
fn fields_go_both_ways() {
    for field in fields() {
        let exported = to_arrow_schema(&field).unwrap();
        assert_eq!(exported.to_field().unwrap(), field);
        assert_eq!(&exported.to_data_type().unwrap(), field.data_type());
    }
}

#[test]
fn schemas_go_both_ways_and_to_arrow_rs() {
    let schema = Schema::new_with_metadata(fields(), HashMap::from([("a".to_owned(), "b".to_owned())]));
    let exported = to_arrow_schema(&schema).unwrap();
    assert_eq!(exported.to_schema().unwrap(), schema);
    let ffi = FFI_ArrowSchema::from(exported);
    assert_eq!(Schema::try_from(&ffi).unwrap(), schema);
    assert_eq!(ArrowSchema::from(ffi).to_schema().unwrap(), schema);
    // If a map is a field, arrow-rs loses the flag for sorted keys. Therefore the last three fields are left out.
    let plain = Schema::new(schema.fields()[..schema.fields().len() - 3].to_vec());
    let ffi = FFI_ArrowSchema::try_from(&plain).unwrap();
    assert_eq!(ArrowSchema::from(ffi).to_schema().unwrap(), plain);
}

#[test]
fn children_of_schemas_can_be_moved_out() {
    let exported = to_arrow_schema(&pair()).unwrap();
    // SAFETY: the schema has two children. The test moves one child out as C code would.
    let taken = unsafe { ArrowSchema::from_raw(*exported.children.add(1)) };
    assert!(matches!(exported.to_field(), Err(InteropError::Released { .. })));
    drop(exported);
    assert_eq!(taken.to_field().unwrap().name(), "values");
}

#[test]
fn zero_bytes_in_names_are_refused() {
    let zone = DataType::Timestamp(gdf_core::TimeUnit::Second, Some("a\0b".into()));
    for field in [Field::new("a\0", DataType::Int8, true), Field::new("a", zone, true)] {
        let outer = Field::new("outer", DataType::Struct(vec![field.clone()].into()), true);
        assert!(matches!(to_arrow_schema(&field), Err(InteropError::Malformed { .. })));
        assert!(matches!(to_arrow_schema(&outer), Err(InteropError::Malformed { .. })));
    }
}

#[test]
fn only_structs_are_schemas() {
    assert!(to_arrow_schema(&DataType::Int8).unwrap().to_schema().is_err());
}
