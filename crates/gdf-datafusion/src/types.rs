//! The types of columns inside of islands.
//!
//! Inside of an island, a column has the *plain* type of its declared type: text or binary with offsets for a view, the
//! type of the values for a dictionary, and a decimal of 64 bits for a decimal of 128 bits that has at most 18 digits.
//! Columns are converted when they enter and leave the island.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_schema::{DECIMAL64_MAX_PRECISION, DECIMAL128_MAX_PRECISION, DataType, Field, FieldRef, Schema, SchemaRef};

use gdf_core::decimal_parts;

use crate::error::Refusal;

/// Returns the plain type of a type, or a refusal of a type that islands do not support.
pub(crate) fn plain(data_type: &DataType) -> Result<DataType, Refusal> {
    use DataType::*;
    match data_type {
        Boolean | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 | Float32 | Float64 => {}
        Date32 | Date64 | Time32(_) | Time64(_) | Timestamp(..) | Duration(_) => {}
        Utf8 | LargeUtf8 | Binary | LargeBinary => {}
        Decimal128(precision, scale) if *precision <= DECIMAL64_MAX_PRECISION => {
            return Ok(Decimal64(*precision, *scale));
        }
        Decimal32(..) | Decimal64(..) | Decimal128(..) | Decimal256(..) => {}
        Utf8View => return Ok(Utf8),
        BinaryView => return Ok(Binary),
        // Arrow has no cast to a dictionary of dictionaries.
        Dictionary(_, values) if !matches!(values.as_ref(), Dictionary(..)) => return plain(values),
        other => return Err(Refusal::Type(other.clone())),
    }
    Ok(data_type.clone())
}

/// Returns the type that a column has inside of an island. The type is plain, or it is a type of lists or structs,
/// which islands only pass on and unnest. Lists of a fixed size become lists with offsets.
pub(crate) fn held(data_type: &DataType) -> Result<DataType, Refusal> {
    let inner = |field: &FieldRef| Ok(Arc::new(field.as_ref().clone().with_data_type(held(field.data_type())?)));
    Ok(match data_type {
        DataType::List(element) | DataType::FixedSizeList(element, _) => DataType::List(inner(element)?),
        DataType::LargeList(element) => DataType::LargeList(inner(element)?),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect::<Result<_, Refusal>>()?),
        other => return plain(other),
    })
}

pub(crate) fn held_types(schema: &Schema) -> Result<Vec<DataType>, Refusal> {
    schema.fields().iter().map(|field| held(field.data_type())).collect()
}

pub(crate) fn plain_types(schema: &Schema) -> Result<Vec<DataType>, Refusal> {
    schema.fields().iter().map(|field| plain(field.data_type())).collect()
}

pub(crate) fn held_schema(schema: &Schema) -> Result<SchemaRef, Refusal> {
    let field = |field: &FieldRef| {
        let data_type = held(field.data_type())?;
        Ok(field.as_ref().clone().with_data_type(data_type))
    };
    let fields = schema.fields().iter().map(field).collect::<Result<Vec<_>, Refusal>>()?;
    Ok(Arc::new(Schema::new(fields)))
}

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

/// Returns whether values of both types have the same representation and meaning. The precision of a decimal only
/// limits the values, and may differ.
pub(crate) fn same(left: &DataType, right: &DataType) -> bool {
    gdf_core::same_type(left, right)
}

/// Returns the type of decimals of `width` bytes, which must be 8 or more, with the same precision and scale.
pub(crate) fn with_width(data_type: &DataType, width: usize) -> DataType {
    match (decimal_parts(data_type), width) {
        (Some((_, precision, scale)), 8) => DataType::Decimal64(precision, scale),
        (Some((_, precision, scale)), 16) => DataType::Decimal128(precision, scale),
        (Some((_, precision, scale)), 32) => DataType::Decimal256(precision, scale),
        _ => data_type.clone(),
    }
}

/// Returns the smallest absolute value that is too large for a decimal of at most 128 bits with this number of digits.
/// The value is an integer, without the scale.
pub(crate) fn most_digits(precision: u8) -> u128 {
    10_u128.pow(precision.min(DECIMAL128_MAX_PRECISION).into())
}
