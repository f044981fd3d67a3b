//! `copy_range`: concatenates the rows before the range, the rows of another column, and the rows after the range.

use std::ops::Range;

use gdf_core::{Column, ColumnView, Result};
use gdf_engine::check;
use gdf_engine::check::len_of;
use gdf_engine::rows::Piece;

use crate::Ctx;
use crate::concatenate::concatenate_pieces;

/// Returns the rows of `target`, with the rows from `target_begin` on replaced by the rows `source_rows` of `source`.
///
/// Implements `gdf_api::copying::copy_range` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn copy_range(
    source: ColumnView<'_>,
    source_rows: Range<usize>,
    target: ColumnView<'_>,
    target_begin: usize,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check::types(target.data_type(), source.data_type()).map_err(|error| error.in_argument("source"))?;
    let len = len_of(&source_rows).map_err(|error| error.in_argument("source_rows"))?;
    let rows = source.slice(source_rows.start, len).map_err(|error| error.in_argument("source_rows"))?;
    // `slice` also returns the error if the range is not within the target.
    target.slice(target_begin, len).map_err(|error| error.in_argument("target_begin"))?;
    check::column(source, ctx)?;
    check::column(target, ctx)?;
    let end = target_begin + len;
    let before = Piece::Rows(target.slice(0, target_begin)?);
    let behind = Piece::Rows(target.slice(end, target.len() - end)?);
    concatenate_pieces("copy_range", target, &[before, Piece::Rows(rows), behind], ctx)
}
