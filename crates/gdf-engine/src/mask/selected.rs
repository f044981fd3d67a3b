//! Uses a boolean mask as the validity of a column. An operation that skips nulls then skips the rows that are not
//! selected.

use gdf_core::layout::can_be_dirty;
use gdf_core::{Column, ColumnParts, ColumnView, NullCount, PhysicalType, Result, can_have_validity, physical_type};

use super::bools_to_mask;
use super::combine::{merge_valid, valid_bits, valid_where};
use crate::Ctx;
use crate::check;
use crate::vouch;

/// Checks the boolean mask of an operation that reads only the selected rows of `rows` rows.
///
/// # Errors
/// The errors name the argument `mask`: [`TypeMismatch`](gdf_core::Error::TypeMismatch),
/// [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
pub fn check_selection(mask: ColumnView<'_>, rows: usize, ctx: Ctx<'_>) -> Result<()> {
    let checked = check::boolean(&mask).and_then(|()| check::length(rows, mask.len()));
    checked.and_then(|()| check::column(mask, ctx)).map_err(|error| error.in_argument("mask"))
}

/// Returns the boolean mask with null in place of each false.
pub fn null_unless_true(mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let mut parts = mask.to_column().into_parts();
    if mask.has_validity()
        && let Some(bits) = bools_to_mask(mask, ctx)?.buffer()
    {
        (parts.offset, parts.buffers) = (0, [bits.clone()].into_iter().collect());
    }
    (parts.validity, parts.null_count) = (parts.buffers.first().cloned(), NullCount::Unknown);
    vouch::result(parts)
}

/// Returns the column with null in every row whose element of `mask` is false or null. The result shares the values of
/// the column, unless the column is a slice of a boolean column. The rows that become null keep their data.
///
/// The result is `None` for columns of the type null, unions and run-end encoded columns. It is also `None` for slices
/// of other columns whose rows have no fixed width, offsets or views, such as structs.
pub fn null_unless_selected(column: ColumnView<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Option<Column>> {
    let Some(mut parts) = without_offset(column, ctx)? else { return Ok(None) };
    (parts.validity, parts.null_count) = valid_where(column, mask, ctx)?.into_parts();
    with_hidden_data(parts).map(Some)
}

/// Returns the column with null in every row in which a column of `parents` is null. The result shares the values of
/// the column, unless the column is a slice of a boolean column. The rows that become null keep their data. If no
/// parent has a mask, the result is the column.
///
/// The result is `None` for columns of the type null, unions and run-end encoded columns. For slices for which
/// [`null_unless_selected`] has no result, the result is `None` if masks must be merged.
pub fn null_where_null(column: ColumnView<'_>, parents: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Option<Column>> {
    let mut nullable: Vec<_> = parents.iter().copied().filter(|parent| parent.has_validity()).collect();
    if nullable.is_empty() {
        return Ok(Some(column.to_column()));
    }
    if !can_have_validity(column.data_type()) {
        return Ok(None);
    }
    let parts = match &nullable[..] {
        [parent] if !column.has_validity() && parent.offset() == column.offset() => {
            let (parts, parent) = (column.to_column().into_parts(), parent.to_column().into_parts());
            ColumnParts { validity: parent.validity, null_count: parent.null_count, ..parts }
        }
        _ => {
            let Some(parts) = without_offset(column, ctx)? else { return Ok(None) };
            nullable.extend(Some(column).filter(|column| column.has_validity()));
            let (validity, null_count) = merge_valid(&nullable, ctx)?.into_parts();
            ColumnParts { validity, null_count, ..parts }
        }
    };
    with_hidden_data(parts).map(Some)
}

/// Makes a column of which rows have become null and keep their data.
fn with_hidden_data(parts: ColumnParts) -> Result<Column> {
    let sanitized = parts.sanitized && !can_be_dirty(&parts.data_type);
    vouch::result(ColumnParts { sanitized, ..parts })
}

/// Returns the parts of a column with offset 0.
fn without_offset(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Option<ColumnParts>> {
    use PhysicalType as P;
    let mut parts = column.to_column().into_parts();
    let (offset, rows, physical) = (parts.offset, parts.len, physical_type(column.data_type()));
    let (width, count) = match physical {
        P::Null | P::Union { .. } | P::RunEnd => return Ok(None),
        _ if offset == 0 => return Ok(Some(parts)),
        P::Bool => {
            let bits = valid_bits(column, ctx)?;
            (parts.offset, parts.buffers) = (0, bits.buffer().cloned().into_iter().collect());
            return Ok(Some(parts));
        }
        P::String { large } | P::Binary { large } | P::List { large } => (if large { 8 } else { 4 }, rows + 1),
        P::View { .. } => (16, rows),
        other => match other.width() {
            Some(width) => (width, rows),
            None => return Ok(None),
        },
    };
    parts.buffers[0] = parts.buffers[0].slice(offset * width, count * width)?;
    parts.offset = 0;
    Ok(Some(parts))
}
