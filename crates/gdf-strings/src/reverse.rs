//! Reversal of texts.

use gdf_core::{Column, ColumnView, Operand, Result};

use super::slice;
use crate::Ctx;

/// Reverses the characters of each row.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`; driver and memory
///   errors.
pub fn reverse(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    slice(column, Operand::from(None::<i64>), Operand::from(None::<i64>), -1, ctx)
}
