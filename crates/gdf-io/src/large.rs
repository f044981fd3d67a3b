//! Columns of text or binary data whose size exceeds the range of 32-bit offsets.
//!
//! If a column of text or binary data has more than 2³¹ − 1 bytes in the selected rows of all files, the column becomes
//! `LargeUtf8` or `LargeBinary`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};

use crate::{Error, Result};

/// The largest 32-bit offset, in bytes.
pub(crate) const LIMIT: usize = i32::MAX as usize;

/// For `Utf8` or `Binary`, returns the same type with 64-bit offsets.
pub(crate) fn large_type(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::Utf8 => Some(DataType::LargeUtf8),
        DataType::Binary => Some(DataType::LargeBinary),
        _ => None,
    }
}

/// If the batches of a column together have more than `limit` bytes, casts the column to 64-bit offsets.
///
/// # Errors
/// - A column cannot be cast.
pub(crate) fn widen(schema: &SchemaRef, batches: &mut [RecordBatch], limit: usize) -> Result<SchemaRef> {
    let bytes =
        |index: usize| batches.iter().map(|batch| text_bytes(batch.column(index))).fold(0, usize::saturating_add);
    let types: Vec<Option<DataType>> = schema
        .fields()
        .iter()
        .enumerate()
        .map(|(index, field)| large_type(field.data_type()).filter(|_| bytes(index) > limit))
        .collect();
    if types.iter().all(Option::is_none) {
        return Ok(schema.clone());
    }
    let fields = schema.fields().iter().zip(&types).map(|(field, data_type)| -> FieldRef {
        match data_type {
            Some(data_type) => Arc::new(Field::clone(field).with_data_type(data_type.clone())),
            None => field.clone(),
        }
    });
    let wide = Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), schema.metadata().clone()));
    for batch in batches {
        let cast = batch.columns().iter().zip(&types).map(|(array, data_type)| match data_type {
            Some(data_type) => arrow_cast::cast(array, data_type),
            None => Ok(array.clone()),
        });
        let arrays = cast.collect::<Result<Vec<_>, _>>().map_err(gdf_core::Error::from)?;
        let options = RecordBatchOptions::new().with_match_field_names(false);
        let cast = RecordBatch::try_new_with_options(wide.clone(), arrays, &options);
        *batch = cast.map_err(gdf_core::Error::from)?;
    }
    Ok(wide)
}

/// Returns the number of bytes of the values of a `Utf8` or `Binary` array, and 0 for other types.
fn text_bytes(array: &dyn Array) -> usize {
    let offsets = match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value_offsets(),
        DataType::Binary => array.as_binary::<i32>().value_offsets(),
        _ => return 0,
    };
    match offsets {
        [first, .., last] => (last - first) as usize,
        _ => 0,
    }
}

/// If the error is an offset overflow, adds the name of the column.
pub(crate) fn named(column: &str, error: gdf_core::Error) -> Error {
    match error {
        gdf_core::Error::OffsetOverflow { needed, .. } => Error::OffsetOverflow { column: column.to_owned(), needed },
        error => Error::Gdf(error),
    }
}
