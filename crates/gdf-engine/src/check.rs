//! Checks that operations share. Each turns bad input into a typed error before anything is allocated or launched.

use std::ops::Range;

use gdf_core::{ColumnView, DataType, Error, Position, Result, TableView, same_type};

use crate::Ctx;
use crate::device::on_device;
use crate::validation;

/// The column is on the stream's device, and its data are right: every input passes here, or [`table`], before an
/// operation plans anything. Free for columns that are [validated](gdf_core::Column::validated). Others are validated now,
/// the whole column with its children, which on CUDA takes a launch and a wait; the column keeps the verdict.
///
/// # Errors
/// * [`DeviceMismatch`](Error::DeviceMismatch), [`BrokenData`](Error::BrokenData); driver and memory errors.
pub fn column(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<()> {
    on_device(column.device(), ctx.stream)?;
    if column.column().validated() { Ok(()) } else { validation::ensure_column(column.column(), ctx) }
}

/// As [`column()`], of all columns at once.
///
/// # Errors
/// As [`column()`].
pub fn table(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<()> {
    table.columns().iter().try_for_each(|column| on_device(column.device(), ctx.stream))?;
    let validated = table.columns().iter().all(|column| column.column().validated());
    if validated { Ok(()) } else { validation::ensure_table(table, ctx) }
}

/// `found` rows where `expected` are needed.
pub fn length(expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::length_mismatch(expected, found)) }
}

/// Both types are the same but for names, nullability and metadata.
pub fn types(expected: &DataType, found: &DataType) -> Result<()> {
    if same_type(expected, found) { Ok(()) } else { Err(Error::type_mismatch(expected, found)) }
}

/// Two inputs have the same type but for names, nullability and metadata.
pub fn same_types(left: &DataType, right: &DataType) -> Result<()> {
    if same_type(left, right) { Ok(()) } else { Err(Error::incompatible_types(left, right)) }
}

/// The column is boolean.
pub fn boolean(column: &ColumnView<'_>) -> Result<()> {
    types(&DataType::Boolean, column.data_type())
}

/// Rows of a range.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument): it ends before it begins.
pub fn len_of(range: &Range<usize>) -> Result<usize> {
    let len = range.end.checked_sub(range.start);
    len.ok_or_else(|| Error::invalid_argument("a slice ends before it begins"))
}

/// Whether all are shares: numbers, which operations take into the range from 0 to 1.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument): one is NaN.
pub fn shares(q: &[f64]) -> Result<()> {
    match q.iter().position(|q| q.is_nan()) {
        Some(at) => Err(Error::invalid_argument("expected a number from 0 to 1, found NaN")
            .in_argument("q")
            .at(Position::Input(at))),
        None => Ok(()),
    }
}
