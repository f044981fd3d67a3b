//! Parses columns whose numbers or booleans have a format that arrow-csv does not support. arrow-csv reads such columns
//! as text.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, StringArray};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, DataType, SchemaRef};

use super::CsvReader;

impl CsvReader {
    /// Returns whether this module parses the values of a type.
    pub(super) fn is_own(&self, data_type: &DataType) -> bool {
        match data_type {
            DataType::Boolean => !(self.trues.is_empty() && self.falses.is_empty()),
            other => self.decimal_point != b'.' && (other.is_floating() || gdf_core::is_decimal(other)),
        }
    }

    /// Converts a batch to the types of a schema.
    ///
    /// # Errors
    /// - [`ArrowError::ParseError`]: a value does not fit the type of its column.
    pub(super) fn typed(&self, batch: RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        let columns = batch.columns().iter().zip(schema.fields()).map(|(column, field)| match field.data_type() {
            same if same == column.data_type() => Ok(column.clone()),
            DataType::Boolean => self.booleans(column.as_string(), field.name()),
            other => self.numbers(column.as_string(), other, field.name()),
        });
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(schema.clone(), columns, &options)
    }

    fn booleans(&self, texts: &StringArray, column: &str) -> Result<ArrayRef, ArrowError> {
        let value = |text: &str| self.truth(text).ok_or_else(|| no_value(text, DataType::Boolean, column));
        let values = texts.iter().map(|text| text.map(value).transpose());
        Ok(Arc::new(values.collect::<Result<BooleanArray, _>>()?))
    }

    fn numbers(&self, texts: &StringArray, data_type: &DataType, column: &str) -> Result<ArrayRef, ArrowError> {
        let point = char::from(self.decimal_point);
        // If the decimal separator is not a point, a number with a point is invalid.
        let with_point = |text: &str| if text.contains('.') { String::new() } else { text.replace(point, ".") };
        let replaced: StringArray = texts.iter().map(|text| text.map(with_point)).collect();
        let options = CastOptions { safe: true, ..CastOptions::default() };
        let values = cast_with_options(&replaced, data_type, &options)?;
        match (0..texts.len()).find(|row| texts.is_valid(*row) && values.is_null(*row)) {
            Some(row) => Err(no_value(texts.value(row), data_type, column)),
            None => Ok(values),
        }
    }
}

pub(super) fn no_value(text: &str, data_type: impl std::fmt::Display, column: &str) -> ArrowError {
    ArrowError::ParseError(format!(
        "'{}' in column {column} is not a valid {data_type}",
        crate::text_input::excerpt(text)
    ))
}
