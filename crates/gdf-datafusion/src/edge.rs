//! Copies of record batches to the device as columns, and of columns to the host as record batches.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType};
use arrow_array::{Array, ArrayRef, Decimal64Array, Decimal128Array, RecordBatch, RecordBatchOptions};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, DECIMAL64_MAX_PRECISION, DECIMAL128_MAX_PRECISION, DataType, FieldRef, SchemaRef};
use arrow_select::concat::concat_batches;
use gdf_api::unary::{OverflowPolicy, cast_checked};
use gdf_core::{Column, Table, decimal_parts, same_type};
use gdf_exec::{Error, Piece, Pieces, Result, Scan, ScanRequest, held_schema, held_types, most_digits, rows_of};

/// Copies batches of one schema to the current device, as one table with plain types.
///
/// # Errors
/// * [`Error::Arrow`]: a decimal has more digits than its type states.
/// * [`Error::Operation`]: a call of the device failed, or the device has no memory left.
/// * [`Error::Internal`]: plans hold no columns of a type of the schema.
pub(crate) fn upload(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Table> {
    let plain = held_schema(schema).map_err(|error| Error::internal(error.to_string()))?;
    // The dictionaries of all batches together may have more values than their keys can number.
    let plain_batch = |batch: &RecordBatch| {
        batch.columns().iter().try_for_each(check_digits)?;
        retyped(batch, &plain)
    };
    let plain_batches = batches.iter().map(plain_batch).collect::<Result<Vec<_>>>()?;
    Ok(Table::from_batch(&concat_batches(&plain, &plain_batches)?)?)
}

/// Copies a table to the host. The columns of the returned batch have the types of `schema`.
///
/// # Errors
/// * [`Error::Arrow`]: a value cannot be represented in the type of the schema.
/// * [`Error::Operation`]: a call of the device failed, or there is no memory left.
/// * [`Error::Internal`]: plans hold no columns of a type of the schema.
pub(crate) fn download(table: &Table, schema: &SchemaRef) -> Result<RecordBatch> {
    let plain = held_schema(schema).map_err(|error| Error::internal(error.to_string()))?;
    retyped(&table.to_batch(&plain)?, schema)
}

/// Casts the columns of a batch to the types of `schema`. Columns that have the type already are shared.
///
/// # Errors
/// * [`Error::Arrow`]: a value cannot be represented in the type of the schema.
pub(crate) fn retyped(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let column = |(column, field): (&ArrayRef, &FieldRef)| {
        if column.data_type() == field.data_type() {
            return Ok(column.clone());
        }
        cast(column, field.data_type())
    };
    let columns = batch.columns().iter().zip(schema.fields()).map(column).collect::<Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(schema.clone(), columns, &options)?)
}

/// Casts an array. A value that the type cannot represent is an error, and not a null as by default in arrow-rs.
///
/// # Errors
/// * [`ArrowError`]: a value cannot be represented in the type, or there is no cast to the type.
pub(crate) fn cast(array: &ArrayRef, data_type: &DataType) -> Result<ArrayRef, ArrowError> {
    if let (Some(wide), DataType::Decimal64(precision, scale)) = (array.as_primitive_opt::<Decimal128Type>(), data_type)
        && wide.scale() == *scale
    {
        return Ok(Arc::new(narrow_decimals(wide, *precision, *scale)?));
    }
    cast_with_options(array, data_type, &CastOptions { safe: false, ..CastOptions::default() })
}

/// Stores decimals with 64 bits. A value with more digits than its type states is an error, because arithmetic in
/// plans relies on the stated number of digits.
fn narrow_decimals(wide: &Decimal128Array, precision: u8, scale: i8) -> Result<Decimal64Array, ArrowError> {
    let limit = most_digits(precision);
    let narrow = wide.try_unary::<_, Decimal64Type, ArrowError>(|value| {
        let has_few_digits = value.unsigned_abs() < limit;
        i64::try_from(value).ok().filter(|_| has_few_digits).ok_or_else(|| {
            let value = Decimal128Type::format_decimal(value, DECIMAL128_MAX_PRECISION, scale);
            many_digits(&value, wide.data_type())
        })
    })?;
    narrow.with_precision_and_scale(precision, scale)
}

fn many_digits(value: &str, data_type: &DataType) -> ArrowError {
    ArrowError::InvalidArgumentError(format!(
        "{value} has more digits than its type {data_type} states; declare more digits, or cast the value"
    ))
}

/// Checks that decimals which plans hold with their own width have no more digits than their type states.
fn check_digits(array: &ArrayRef) -> Result<(), ArrowError> {
    macro_rules! check {
        ($type:ty, $precision:expr, $scale:expr) => {{
            let is_valid = |value| <$type>::validate_decimal_precision(value, $precision, $scale).is_ok();
            match array.as_primitive::<$type>().iter().flatten().find(|value| !is_valid(*value)) {
                None => Ok(()),
                Some(value) => {
                    let value = <$type>::format_decimal(value, <$type>::MAX_PRECISION, $scale);
                    Err(many_digits(&value, array.data_type()))
                }
            }
        }};
    }
    match *array.data_type() {
        DataType::Decimal32(precision, scale) => check!(Decimal32Type, precision, scale),
        DataType::Decimal64(precision, scale) => check!(Decimal64Type, precision, scale),
        // Fewer digits are checked when the decimals are stored with 64 bits.
        DataType::Decimal128(precision, scale) if precision > DECIMAL64_MAX_PRECISION => {
            check!(Decimal128Type, precision, scale)
        }
        DataType::Decimal256(precision, scale) => check!(Decimal256Type, precision, scale),
        _ => Ok(()),
    }
}

/// Converts columns on a device to the plain types, if only the width of decimals differs. Returns `None` if there are
/// other differences.
///
/// # Errors
/// * [`Error::Operation`]: a decimal has more digits than its type states, or a call of the device failed.
pub(crate) fn narrowed(table: &Table, plain: &[DataType]) -> Result<Option<Table>> {
    let column = |(column, wanted): (&Column, &DataType)| {
        let found = column.data_type();
        if same_type(found, wanted) {
            return Ok(Some(column.clone()));
        }
        match (decimal_parts(found), decimal_parts(wanted)) {
            (Some((16, _, scale)), Some((8, _, wanted_scale))) if scale == wanted_scale => {
                Ok(Some(cast_checked(column, wanted, OverflowPolicy::Error)?))
            }
            _ => Ok::<_, Error>(None),
        }
    };
    let columns = table.columns().iter().zip(plain).map(column).collect::<Result<Option<Vec<_>>>>()?;
    columns.map(|columns| Ok(Table::try_with_rows(columns, table.num_rows())?)).transpose()
}

/// Record batches as an input of a plan.
#[derive(Debug)]
pub(crate) struct Batches {
    /// The names and the declared types of the columns.
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Batches {
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Batches {
        Batches { schema, batches }
    }

    /// Returns pieces of at most this number of rows.
    fn pieces(&self, rows: usize) -> Pieces {
        let mut slices = Vec::new();
        for batch in &self.batches {
            let starts = (0..batch.num_rows()).step_by(rows);
            slices.extend(starts.map(|start| batch.slice(start, rows.min(batch.num_rows() - start))));
        }
        if slices.is_empty() {
            slices.push(RecordBatch::new_empty(self.schema.clone()));
        }
        let schema = self.schema.clone();
        Box::new(slices.into_iter().map(move |slice| {
            let schema = schema.clone();
            Ok(Box::new(move || upload(&schema, &[slice])) as Piece)
        }))
    }
}

impl Scan for Batches {
    fn text(&self) -> String {
        "record batches".to_owned()
    }

    fn num_rows(&self) -> Option<usize> {
        Some(self.batches.iter().map(RecordBatch::num_rows).sum())
    }

    fn read_bytes(&self) -> Option<usize> {
        Some(self.batches.iter().map(RecordBatch::get_array_memory_size).sum())
    }

    fn text_bytes(&self) -> Option<u64> {
        None
    }

    fn open(&self, request: &ScanRequest) -> Result<Pieces> {
        let types = held_types(&self.schema).map_err(|error| Error::internal(error.to_string()))?;
        match *request {
            ScanRequest::Whole => {
                let (schema, batches) = (self.schema.clone(), self.batches.clone());
                let piece: Piece = Box::new(move || upload(&schema, &batches));
                Ok(Box::new(std::iter::once(Ok(piece))))
            }
            ScanRequest::Limited(bytes) => Ok(self.pieces(rows_of(bytes, &types))),
            ScanRequest::Pieces { bytes, rows } => {
                Ok(self.pieces(rows.unwrap_or_else(|| rows_of(bytes, &types)).max(1)))
            }
        }
    }

    fn is_same(&self, other: &dyn Scan) -> bool {
        std::ptr::addr_eq(self, other)
    }
}
