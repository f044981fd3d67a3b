//! Lists made of their offsets and elements.

use gdf_core::{
    Column, ColumnParts, ColumnView, DataType, Error, Field, ListsView, Literal, Result, TableView, physical_type,
};
use gdf_engine::binary::{BinaryOperator as Op, of};
use gdf_engine::cast::cast;
use gdf_engine::mask::{bitmask_and, copy_bitmask};

use super::{gather_column, given_offsets, offsets_of};
use crate::Ctx;
use crate::vouch;

/// Returns the list type with elements of this type. The elements may be null.
pub fn list_of(elements: &DataType) -> DataType {
    DataType::List(Field::new_list_field(elements.clone(), true).into())
}

/// Returns the type of lists that are concatenated from lists of this type. Returns `None` if the type is not a list.
pub fn merged_list_type(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::List(field) | DataType::FixedSizeList(field, _) => Some(DataType::List(field.clone())),
        DataType::LargeList(field) => Some(DataType::LargeList(field.clone())),
        _ => None,
    }
}

/// Makes a column of lists of the type `like`. A list is null if a column of `nulls` is null in the same row. `offsets`
/// must have the type `Int64`, begin with 0, and give every null list the length 0.
pub fn make_lists(
    like: &DataType,
    offsets: &Column,
    values: Column,
    nulls: &[ColumnView<'_>],
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (rows, large) = (offsets.len() - 1, physical_type(like).is_large());
    check_total(like, values.len())?;
    let buffer = if large {
        offsets.buffers()[0].slice(offsets.offset() * 8, offsets.len() * 8)?.deep_copy(ctx.stream, ctx.mr.output)?
    } else {
        let narrow = cast(offsets.view(), &DataType::Int32, ctx)?.into_parts();
        narrow.buffers.into_iter().next().ok_or_else(|| Error::buffer_count(like, 1, 0))?
    };
    let lists = ColumnParts { data_type: like.clone(), ..ColumnParts::lists(rows, buffer, large, values, true) };
    let nulls: Vec<_> = nulls.iter().copied().filter(|column| column.has_validity()).collect();
    if nulls.is_empty() {
        return vouch::result(lists);
    }
    let (validity, null_count) = bitmask_and(&TableView::try_new(nulls)?, ctx)?.into_parts();
    vouch::result(lists.validity(validity, null_count))
}

/// Whether the offsets of lists belong to a column of the caller, or are scratch memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetOwner {
    /// The offsets belong to a column.
    Column,
    /// The offsets are scratch memory.
    Scratch,
}

/// Returns lists of the same lengths and nulls with other elements. `first` is the first offset of `lists`. Offsets of
/// a column are shared if they begin with 0.
pub fn with_elements(
    lists: ListsView<'_>,
    first: usize,
    elements: Column,
    owner: OffsetOwner,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (view, large) = (lists.view(), lists.is_large());
    let overflow = || Error::offset_overflow(first as u64);
    let offsets = given_offsets(lists, ctx)?;
    let buffer = if owner == OffsetOwner::Column && first == 0 {
        let width = if large { 8 } else { 4 };
        offsets.buffers()[0].slice(offsets.offset() * width, offsets.len() * width)?
    } else {
        let first: Literal<'_> = match large {
            true => i64::try_from(first).map_err(|_| overflow())?.into(),
            false => i32::try_from(first).map_err(|_| overflow())?.into(),
        };
        let moved = of(&offsets, Op::Sub, first.into(), offsets.data_type(), ctx)?.into_parts();
        moved.buffers.into_iter().next().ok_or_else(|| Error::buffer_count(view.data_type(), 1, 0))?
    };
    let (validity, null_count) = match view.offset() {
        0 => {
            let parts = view.to_column().into_parts();
            (parts.validity, parts.null_count)
        }
        _ => copy_bitmask(view, ctx)?.into_parts(),
    };
    let parts = ColumnParts::lists(view.len(), buffer, large, elements, true);
    vouch::result(ColumnParts { data_type: view.data_type().clone(), ..parts }.validity(validity, null_count))
}

/// Checks that lists of the type `like` can have `total` elements in total.
///
/// # Errors
/// * [`OffsetOverflow`](Error::OffsetOverflow).
pub fn check_total(like: &DataType, total: usize) -> Result<()> {
    if !physical_type(like).is_large() && i32::try_from(total).is_err() {
        return Err(Error::offset_overflow(total as u64));
    }
    Ok(())
}

/// Returns the offsets of the lists after some elements have been removed.
pub fn kept_offsets(offsets: &Column, keep: &Column, ctx: Ctx<'_>) -> Result<Column> {
    let before = offsets_of(&cast(keep.view(), &DataType::Int64, ctx)?, ctx)?;
    gather_column(before.view(), offsets.view(), ctx)
}
