//! The schemas of tables of DataFusion.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};

/// The key of the metadata of a field whose name occurs several times in a file. The value is the name in the file.
pub(crate) const REPEATED_NAME: &str = "gdf.repeated_name";

/// Returns the schema of a table for the schema of its columns.
/// * A field of a null struct is null, so fields of nullable structs are nullable, at each depth.
/// * A dictionary gets keys of 32 bits, because several batches or files together may have more values than each of
///   them. A dictionary of booleans or of nested values becomes a column of values.
/// * Columns have distinct names: of several columns `a`, the second is `a_1`, and the third is `a_2`.
pub(crate) fn table_schema(schema: &SchemaRef) -> SchemaRef {
    fn of_field(field: &FieldRef, is_below_null: bool) -> FieldRef {
        let is_nullable = field.is_nullable() || is_below_null;
        let data_type = of_type(field.data_type(), is_nullable);
        if data_type == *field.data_type() && is_nullable == field.is_nullable() {
            return Arc::clone(field);
        }
        Arc::new(field.as_ref().clone().with_data_type(data_type).with_nullable(is_nullable))
    }
    fn of_type(data_type: &DataType, is_nullable: bool) -> DataType {
        match data_type {
            DataType::Struct(fields) => {
                DataType::Struct(fields.iter().map(|field| of_field(field, is_nullable)).collect())
            }
            DataType::List(element) => DataType::List(of_field(element, false)),
            DataType::LargeList(element) => DataType::LargeList(of_field(element, false)),
            DataType::FixedSizeList(element, size) => DataType::FixedSizeList(of_field(element, false), *size),
            other => other.clone(),
        }
    }
    fn of_column(field: &FieldRef) -> FieldRef {
        let field = of_field(field, false);
        let data_type = match field.data_type() {
            DataType::Dictionary(_, values) if matches!(**values, DataType::Boolean) || values.is_nested() => {
                values.as_ref().clone()
            }
            DataType::Dictionary(keys, values) if matches!(keys.primitive_width(), Some(1 | 2)) => {
                DataType::Dictionary(Box::new(DataType::Int32), values.clone())
            }
            _ => return field,
        };
        Arc::new(field.as_ref().clone().with_data_type(data_type))
    }
    let mut names: HashSet<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let mut found: HashMap<&str, usize> = HashMap::new();
    let repeated = |name: &str| schema.fields().iter().filter(|field| field.name() == name).nth(1).is_some();
    let has_repeated = names.len() < schema.fields().len();
    let fields = schema.fields().iter().map(|field| {
        let column = of_column(field);
        if !has_repeated || !repeated(field.name()) {
            return column;
        }
        let count = found.entry(field.name()).or_default();
        let name = match *count {
            0 => field.name().clone(),
            _ => (*count..)
                .map(|at| format!("{}_{at}", field.name()))
                .find(|name| !names.contains(name))
                .unwrap_or_default(),
        };
        *count += 1;
        names.insert(name.clone());
        let mut metadata = column.metadata().clone();
        metadata.insert(REPEATED_NAME.to_owned(), field.name().clone());
        Arc::new(column.as_ref().clone().with_name(name).with_metadata(metadata))
    });
    let fields: Vec<FieldRef> = fields.collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Returns the name that a column of a table has in its file.
pub(crate) fn name_in_file(field: &Field) -> &str {
    field.metadata().get(REPEATED_NAME).map_or(field.name(), String::as_str)
}

/// Returns the schema with which a file stores columns: text and bytes instead of views of them, and without the notes
/// about names in the files that were read.
pub(crate) fn file_schema(schema: &SchemaRef) -> SchemaRef {
    let field = |field: &FieldRef| {
        let data_type = match field.data_type() {
            DataType::Utf8View => DataType::Utf8,
            DataType::BinaryView => DataType::Binary,
            other => other.clone(),
        };
        let mut metadata = field.metadata().clone();
        metadata.remove(REPEATED_NAME);
        Arc::new(field.as_ref().clone().with_data_type(data_type).with_metadata(metadata))
    };
    let fields: Vec<FieldRef> = schema.fields().iter().map(field).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}
