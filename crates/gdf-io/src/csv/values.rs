//! Parses columns whose numbers or booleans have a format that arrow-csv does not support, and columns of which
//! arrow-csv would drop digits without an error. arrow-csv reads such columns as text.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType};
use arrow_array::{Array, ArrayRef, BooleanArray, PrimitiveArray, RecordBatch, RecordBatchOptions, StringArray};
use arrow_cast::parse::parse_decimal;
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, DataType, SchemaRef};

use super::CsvReader;
use crate::exact::is_exact;

impl CsvReader {
    /// Returns whether this module parses the values of a type.
    pub(super) fn is_own(&self, data_type: &DataType) -> bool {
        match data_type {
            DataType::Boolean => !(self.trues.is_empty() && self.falses.is_empty()),
            DataType::Date32
            | DataType::Date64
            | DataType::Time32(_)
            | DataType::Time64(_)
            | DataType::Timestamp(..) => true,
            other => gdf_core::is_decimal(other) || (self.decimal_point != b'.' && other.is_floating()),
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
            other => self.values(column.as_string(), other, field.name()),
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

    fn values(&self, texts: &StringArray, data_type: &DataType, column: &str) -> Result<ArrayRef, ArrowError> {
        let point = char::from(self.decimal_point);
        let is_number = data_type.is_floating() || gdf_core::is_decimal(data_type);
        let numbers = (is_number && point != '.').then(|| {
            // If the decimal separator is not a point, a number with a point is invalid.
            let with_point = |text: &str| if text.contains('.') { String::new() } else { text.replace(point, ".") };
            texts.iter().map(|text| text.map(with_point)).collect::<StringArray>()
        });
        let parsed = numbers.as_ref().unwrap_or(texts);
        let values = match decimals(parsed, data_type) {
            Some(decimals) => decimals?,
            None => cast_with_options(parsed, data_type, &CastOptions { safe: true, ..CastOptions::default() })?,
        };
        let is_wrong =
            |row: &usize| values.is_null(*row) || !(data_type.is_floating() || is_exact(parsed.value(*row), data_type));
        match (0..texts.len()).filter(|row| texts.is_valid(*row)).find(is_wrong) {
            Some(row) => Err(no_value(texts.value(row), data_type, column)),
            None => Ok(values),
        }
    }
}

/// Parses decimals. Texts that are no decimal become null. Returns `None` for other types.
fn decimals(texts: &StringArray, data_type: &DataType) -> Option<Result<ArrayRef, ArrowError>> {
    fn of<T: DecimalType>(texts: &StringArray, precision: u8, scale: i8) -> Result<ArrayRef, ArrowError> {
        let value = |text: &str| parse_decimal::<T>(text, precision, scale).ok();
        let values: PrimitiveArray<T> = texts.iter().map(|text| text.and_then(value)).collect();
        Ok(Arc::new(values.with_precision_and_scale(precision, scale)?))
    }
    Some(match *data_type {
        DataType::Decimal32(precision, scale) => of::<Decimal32Type>(texts, precision, scale),
        DataType::Decimal64(precision, scale) => of::<Decimal64Type>(texts, precision, scale),
        DataType::Decimal128(precision, scale) => of::<Decimal128Type>(texts, precision, scale),
        DataType::Decimal256(precision, scale) => of::<Decimal256Type>(texts, precision, scale),
        _ => return None,
    })
}

pub(super) fn no_value(text: &str, data_type: impl std::fmt::Display, column: &str) -> ArrowError {
    ArrowError::ParseError(format!(
        "'{}' in column {column} is not a valid {data_type}",
        crate::text_input::excerpt(text)
    ))
}
