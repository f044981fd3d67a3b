//! Checks that operations share. Each check returns a typed error before the operation itself allocates or launches
//! anything. [`column()`] and [`table`] first validate columns that are not validated yet.

use std::ops::Range;

use gdf_core::{ColumnView, DataType, Error, Position, Result, TableView, same_type};

use crate::Ctx;
use crate::device::on_device;
use crate::validation;

/// Checks that the column is on the stream's device and that its data are valid. An operation passes every input to
/// this check, or to [`table`], before it makes a plan.
pub fn column(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<()> {
    on_device(column.device(), ctx.stream)?;
    if column.column().validated() { Ok(()) } else { validation::ensure_column(column.column(), ctx) }
}

/// Checks all columns of a table at once, in the same way as [`column()`].
pub fn table(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<()> {
    table.columns().iter().try_for_each(|column| on_device(column.device(), ctx.stream))?;
    let validated = table.columns().iter().all(|column| column.column().validated());
    if validated { Ok(()) } else { validation::ensure_table(table, ctx) }
}

pub fn length(expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::length_mismatch(expected, found)) }
}

/// Checks that both types are equal, apart from names, nullability and metadata.
pub fn types(expected: &DataType, found: &DataType) -> Result<()> {
    if same_type(expected, found) { Ok(()) } else { Err(Error::type_mismatch(expected, found)) }
}

/// Checks that two inputs have equal types, apart from names, nullability and metadata.
pub fn same_types(left: &DataType, right: &DataType) -> Result<()> {
    if same_type(left, right) { Ok(()) } else { Err(Error::incompatible_types(left, right)) }
}

pub fn boolean(column: &ColumnView<'_>) -> Result<()> {
    types(&DataType::Boolean, column.data_type())
}

/// Returns the number of rows of a range.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument): the end of the range is before its begin.
pub fn len_of(range: &Range<usize>) -> Result<usize> {
    let len = range.end.checked_sub(range.start);
    len.ok_or_else(|| Error::beyond_limit("the end of the range", range.end as i128, range.start as i128))
}

/// Checks that no element of `q` is NaN.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument): an element is NaN.
pub fn shares(q: &[f64]) -> Result<()> {
    match q.iter().position(|q| q.is_nan()) {
        Some(at) => Err(Error::invalid_argument("expected a number from 0 to 1, found NaN")
            .in_argument("q")
            .at(Position::Input(at))),
        None => Ok(()),
    }
}
