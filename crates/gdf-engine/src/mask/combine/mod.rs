//! Creates masks from other masks, or without an input. This file contains the checks and the choice of the backend.

mod cuda;
mod host;

use gdf_core::{Column, ColumnParts, ColumnView, Counted, DataType, Error, NullCount, Position, Result, TableView};
use gdf_driver::Device;
use gdf_memory::Buffer;

use super::Bitmask;
use crate::Ctx;
use crate::check;
use crate::device;
use crate::rows::join_columns;
use crate::vouch;

/// The initial state of a new mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaskState {
    /// No memory is allocated. All rows are valid.
    Unallocated,
    /// Memory is allocated. The caller writes the bits.
    Uninitialized,
    /// All rows are valid.
    AllValid,
    /// All rows are null.
    AllNull,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    And,
    Or,
}

/// Implements `gdf_api::null_mask::bitmask_and` with the stream and the resources of `ctx`.
pub fn bitmask_and(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Bitmask> {
    check::table(table, ctx)?;
    if table.columns().iter().any(is_null_column) {
        return create_null_mask(table.num_rows(), MaskState::AllNull, ctx);
    }
    let nullable: Vec<_> = table.columns().iter().copied().filter(|column| column.has_validity()).collect();
    merge(Merge::And, &nullable, table.num_rows(), ctx)
}

/// Implements `gdf_api::null_mask::bitmask_and_masks` with the stream and the resources of `ctx`.
pub fn bitmask_and_masks(masks: &[(&Bitmask, usize)], len: usize, ctx: Ctx<'_>) -> Result<Bitmask> {
    let mut columns = Vec::with_capacity(masks.len());
    for (at, (mask, begin)) in masks.iter().enumerate() {
        let end = begin.saturating_add(len);
        let checked = device::on_device(mask.device, ctx.stream).and_then(|()| check_range(*begin, end, mask.len));
        checked.map_err(|error| error.at(Position::Input(at)))?;
        if let Some(buffer) = &mask.buffer {
            // The mask becomes a struct column without fields, which stores only a mask.
            let parts = ColumnParts::structs(mask.device, len, None::<(&str, Column)>);
            let parts = parts.validity(Some(buffer.clone()), NullCount::Unknown);
            columns.push(vouch::result(ColumnParts { offset: *begin, ..parts })?);
        }
    }
    merge(Merge::And, &columns.iter().map(Column::view).collect::<Vec<_>>(), len, ctx)
}

/// Implements `gdf_api::null_mask::bitmask_or` with the stream and the resources of `ctx`.
pub fn bitmask_or(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Bitmask> {
    check::table(table, ctx)?;
    let others: Vec<_> = table.columns().iter().copied().filter(|column| !is_null_column(column)).collect();
    if others.is_empty() && table.num_columns() > 0 {
        return create_null_mask(table.num_rows(), MaskState::AllNull, ctx);
    }
    if others.iter().any(|column| !column.has_validity()) {
        return Ok(Bitmask::unallocated(table.num_rows(), ctx.stream.device()));
    }
    merge(Merge::Or, &others, table.num_rows(), ctx)
}

/// Implements `gdf_api::null_mask::copy_bitmask` with the stream and the resources of `ctx`.
pub fn copy_bitmask(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Bitmask> {
    check::column(column, ctx)?;
    if is_null_column(&column) {
        return create_null_mask(column.len(), MaskState::AllNull, ctx);
    }
    let columns: &[_] = if column.has_validity() { &[column] } else { &[] };
    merge(Merge::And, columns, column.len(), ctx)
}

/// Implements `gdf_api::null_mask::bools_to_mask` with the stream and the resources of `ctx`.
pub fn bools_to_mask(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Bitmask> {
    check::boolean(&column)?;
    check::column(column, ctx)?;
    valid_and_true(column, column, ctx)
}

/// Returns the mask of the rows that are valid in `column` and true in `bools`. The validity of `bools` is ignored: if
/// a row of `bools` is null, the function uses the value that is stored for the row.
pub fn valid_and_true(column: ColumnView<'_>, bools: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Bitmask> {
    let values = bits_as_validity(bools)?;
    merge_valid(&[values.view(), column], ctx)
}

/// Returns the mask of the rows that are valid in `column` and neither null nor false in `bools`.
pub(super) fn valid_where(column: ColumnView<'_>, bools: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Bitmask> {
    let values = bits_as_validity(bools)?;
    merge_valid(&[values.view(), bools, column], ctx)
}

/// Returns the stored values of booleans as a mask. The validity of the booleans is ignored.
pub(super) fn valid_bits(bools: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Bitmask> {
    merge_valid(&[bits_as_validity(bools)?.view()], ctx)
}

/// Returns a column of the same booleans in which each false is null. The validity of the booleans is ignored.
fn bits_as_validity(bools: ColumnView<'_>) -> Result<Column> {
    let mut parts = bools.to_column().into_parts();
    parts.validity = parts.buffers.first().cloned();
    parts.null_count = NullCount::Unknown;
    vouch::result(parts)
}

/// Returns the mask of the rows that are valid in all columns. There must be at least one column. All rows of a column
/// without a mask are valid.
pub(super) fn merge_valid(columns: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Bitmask> {
    let masked: Vec<_> = columns.iter().copied().filter(|column| column.has_validity()).collect();
    merge(Merge::And, &masked, columns[0].len(), ctx)
}

/// Implements `gdf_api::null_mask::mask_to_bools` with the stream and the resources of `ctx`.
pub fn mask_to_bools(mask: &Bitmask, begin: usize, end: usize, ctx: Ctx<'_>) -> Result<Column> {
    device::on_device(mask.device, ctx.stream)?;
    check_range(begin, end, mask.len)?;
    if mask.buffer.is_none() {
        return create_null_mask(end - begin, MaskState::AllValid, ctx)?.to_column();
    }
    mask.to_column()?.slice(begin, end - begin)
}

/// Implements `gdf_api::null_mask::concatenate_masks` with the stream and the resources of `ctx`.
pub fn concatenate_masks(columns: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Bitmask> {
    let mut masks = Vec::with_capacity(columns.len());
    for column in columns.iter().filter(|column| !column.is_empty()) {
        check::column(*column, ctx)?;
        // Each mask becomes a struct column without fields, which stores only a mask.
        let mut parts = ColumnParts::structs(column.device(), column.len(), None::<(&str, Column)>);
        if is_null_column(column) {
            let mask = create_null_mask(column.len(), MaskState::AllNull, ctx.scratch())?;
            (parts.validity, parts.null_count) = mask.into_parts();
        } else {
            let own = column.to_column().into_parts();
            (parts.offset, parts.validity, parts.null_count) = (own.offset, own.validity, own.null_count);
        }
        masks.push(vouch::result(parts)?);
    }
    match &masks[..] {
        [] => Ok(Bitmask::unallocated(0, ctx.stream.device())),
        [mask] => copy_bitmask(mask.view(), ctx),
        masks => {
            let views: Vec<_> = masks.iter().map(Column::view).collect();
            let joined = join_columns(&views, ctx)?.into_parts();
            let (buffer, null_count) = (joined.validity, joined.null_count);
            Ok(Bitmask { buffer, device: ctx.stream.device(), len: joined.len, null_count })
        }
    }
}

/// Implements `gdf_api::null_mask::create_null_mask` with the stream and the resources of `ctx`.
pub fn create_null_mask(len: usize, state: MaskState, ctx: Ctx<'_>) -> Result<Bitmask> {
    let device = ctx.stream.device();
    let allocated = |buffer, null_count| Bitmask { buffer: Some(buffer), device, len, null_count };
    match (state, device) {
        (MaskState::Unallocated, _) => Ok(Bitmask::unallocated(len, device)),
        _ if len == 0 => Ok(allocated(Buffer::uninitialized(0, ctx.stream, ctx.mr.output)?, NullCount::Known(0))),
        (MaskState::Uninitialized, _) => {
            let buffer = Buffer::uninitialized(len.div_ceil(8), ctx.stream, ctx.mr.output)?;
            Ok(allocated(buffer, NullCount::Unknown))
        }
        (_, Device::Cpu) => host::filled(len, state, ctx),
        (_, Device::Cuda(_)) => cuda::filled(len, state, ctx),
    }
}

/// The state that [`set_null_mask`] gives to rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowState {
    Valid,
    Null,
}

/// Implements `gdf_api::null_mask::set_null_mask` with the stream and the resources of `ctx`.
pub fn set_null_mask(mask: &mut Bitmask, begin: usize, end: usize, state: RowState, ctx: Ctx<'_>) -> Result<()> {
    device::on_device(mask.device, ctx.stream)?;
    check_range(begin, end, mask.len)?;
    if begin == end || (mask.buffer.is_none() && state == RowState::Valid) {
        return Ok(());
    }
    let Some(buffer) = &mut mask.buffer else {
        return Err(Error::invalid_argument("the mask has no buffer; create the mask with `MaskState::AllValid`"));
    };
    // The null count may be a word of device memory, in the same allocation as the mask. The mask drops this null count
    // first. The mask is then the only owner of the allocation, so that `make_mut` need not copy.
    let before = mask.null_count.known().map_or(NullCount::Unknown, NullCount::Known);
    mask.null_count = NullCount::Unknown;
    let set =
        buffer.make_mut(ctx.stream, ctx.mr.output).map_err(Error::from).and_then(|access| match ctx.stream.device() {
            Device::Cpu => host::set_null_mask(access, begin, end, state),
            Device::Cuda(_) => cuda::set_null_mask(&access, begin, end, state, ctx.stream),
        });
    if set.is_err() {
        mask.null_count = before;
    } else if end - begin == mask.len {
        mask.null_count = NullCount::Known(if state == RowState::Valid { 0 } else { mask.len });
    }
    set
}

fn check_range(begin: usize, end: usize, len: usize) -> Result<()> {
    if begin > end {
        return Err(Error::beyond_limit("the end of the range", end as i128, begin as i128));
    }
    if end > len {
        return Err(Error::range_out_of_bounds(Counted::Rows, begin, end - begin, len));
    }
    Ok(())
}

fn is_null_column(column: &ColumnView<'_>) -> bool {
    *column.data_type() == DataType::Null
}

/// Merges the masks of the columns. All columns must have a mask.
fn merge(how: Merge, columns: &[ColumnView<'_>], len: usize, ctx: Ctx<'_>) -> Result<Bitmask> {
    if columns.is_empty() {
        return Ok(Bitmask::unallocated(len, ctx.stream.device()));
    }
    if len == 0 {
        return create_null_mask(0, MaskState::AllValid, ctx);
    }
    match ctx.stream.device() {
        Device::Cpu => host::merge(how, columns, len, ctx),
        Device::Cuda(_) => cuda::merge(how, columns, len, ctx),
    }
}
