//! Checks that all writers share.

use arrow_schema::{DataType, Field, Fields, SchemaRef};
use gdf_core::layout::{child_types, same_named_type};

use crate::error::Format;
use crate::{Error, Result};

/// Returns an error if the columns, or the fields of structs, have different names or types in the schemas. A decimal
/// of `found` may have fewer digits than the decimal of `expected`, but not more.
pub(crate) fn check_schema(expected: &SchemaRef, found: &SchemaRef) -> Result<()> {
    let (expected, found) = (expected.fields(), found.fields());
    let same = |(a, b): (&std::sync::Arc<Field>, &std::sync::Arc<Field>)| {
        let (expected, found) = (a.data_type(), b.data_type());
        a.name() == b.name() && same_named_type(expected, found) && !has_more_digits(found, expected)
    };
    if expected.len() == found.len() && expected.iter().zip(found).all(same) {
        return Ok(());
    }
    let describe = |fields: &arrow_schema::Fields| {
        let fields = fields.iter().map(|field| format!("{} ({})", field.name(), field.data_type()));
        fields.collect::<Vec<_>>().join(", ")
    };
    Err(Error::SchemaMismatch { expected: describe(expected), found: describe(found) })
}

/// Returns whether a decimal of the type `found`, or a decimal within it, has more digits than `expected` allows. The
/// types must be the same by [`same_named_type`], which ignores the number of digits.
fn has_more_digits(found: &DataType, expected: &DataType) -> bool {
    if let (Some((_, found, _)), Some((_, expected, _))) =
        (gdf_core::decimal_parts(found), gdf_core::decimal_parts(expected))
    {
        return found > expected;
    }
    let (found, expected) = (child_types(found), child_types(expected));
    found.iter().zip(&expected).any(|(found, expected)| has_more_digits(found, expected))
}

/// Returns an error if the format cannot represent a type of the schema, or cannot represent repeated names.
pub(crate) fn check_types(format: Format, schema: &SchemaRef) -> Result<()> {
    if format == Format::Json
        && let Some((name, count)) = repeated(schema.fields())
    {
        return Err(Error::RepeatedColumn { format, column: name.to_owned(), count });
    }
    match schema.fields().iter().find(|field| !has_form(format, field.data_type())) {
        Some(field) => {
            Err(Error::Unsupported { format, column: field.name().clone(), data_type: field.data_type().clone() })
        }
        None => Ok(()),
    }
}

/// If several fields have the same name, returns the name and the number of these fields.
fn repeated(fields: &Fields) -> Option<(&str, usize)> {
    let mut names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    names.sort_unstable();
    names.chunk_by(|a, b| a == b).find(|same| same.len() > 1).map(|same| (same[0], same.len()))
}

fn has_form(format: Format, data_type: &DataType) -> bool {
    let child = |field: &Field| has_form(format, field.data_type());
    match (format, data_type) {
        (Format::Ipc, _) => true,
        (Format::Csv, DataType::Dictionary(_, values)) => has_form(format, values),
        (Format::Csv, other) => !gdf_core::is_nested(other),
        (_, DataType::Union(..) | DataType::ListView(_) | DataType::LargeListView(_)) => false,
        (
            Format::Parquet,
            DataType::RunEndEncoded(..) | DataType::Interval(arrow_schema::IntervalUnit::MonthDayNano),
        ) => false,
        (Format::Parquet, DataType::Struct(fields)) => !fields.is_empty() && fields.iter().all(|field| child(field)),
        // If several members of an object have the same name, JSON readers keep only one of them.
        (Format::Json, DataType::Struct(fields)) if repeated(fields).is_some() => false,
        (_, DataType::Struct(fields)) => fields.iter().all(|field| child(field)),
        (_, DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _)) => child(field),
        (_, DataType::Map(entries, _)) => child(entries),
        (_, DataType::Dictionary(_, values)) => has_form(format, values),
        _ => true,
    }
}
