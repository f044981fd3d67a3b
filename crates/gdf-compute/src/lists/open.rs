//! The lists of a column, as the position of the first element and the number of elements of each list.

use std::ops::Range;

use gdf_core::{
    Column, ColumnParts, ColumnView, DataType, Error, FixedSizeListsView, ListsView, PhysicalType, Result, TableView,
    physical_type,
};
use gdf_engine::binary::{BinaryOperator as Op, of};
use gdf_engine::check;
use gdf_engine::choose::choose;
use gdf_engine::mask::bitmask_and;
use gdf_engine::rows::{join_columns, rows_times};
use gdf_engine::sequence::{constant, sequence};

use super::ranges::positions;
use crate::Ctx;
use crate::vouch;

/// The positions, sizes and elements of the lists of a column.
pub struct Lists {
    /// The position of the first element of each list, as `Int64`, followed by the end of the last list.
    offsets: Column,
    /// The number of elements of each list, as `Int64`. Except for lists of a fixed size, the number is 0 for a list
    /// that is null or lies in a null struct.
    pub sizes: Column,
    /// The column of the elements of all lists.
    pub elements: Column,
    /// The number of elements of each list of a `FixedSizeList` column, null lists included. `None` for other lists.
    pub width: Option<usize>,
}

impl Lists {
    /// Opens the lists of a column that has been checked.
    pub fn open(lists: ListsView<'_>, around: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Self> {
        let (view, long) = (lists.view(), &DataType::Int64);
        let count = view.len();
        let offsets = if count == 0 {
            Column::from_slice_on(&[0_i64], ctx.stream, ctx.mr.temporary)?
        } else {
            gdf_engine::cast::cast(given_offsets(lists, ctx)?.view(), long, ctx)?
        };
        let sizes = of(&offsets.slice(1, count)?, Op::Sub, (&offsets.slice(0, count)?).into(), long, ctx)?;
        let nullable: Vec<_> = around.iter().copied().chain([view]).filter(|column| column.has_validity()).collect();
        let sizes = if nullable.is_empty() {
            sizes
        } else {
            let valid = bitmask_and(&TableView::try_new(nullable)?, ctx)?.to_column()?;
            choose((&sizes).into(), 0_i64.into(), valid.view(), ctx)?
        };
        Ok(Self { offsets, sizes, elements: lists.child().to_column(), width: None })
    }

    /// Opens a column of lists in the same way as [`open`](Self::open). The column may also be a column of lists of a
    /// fixed size.
    pub fn of(column: ColumnView<'_>, around: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Self> {
        let Ok(lists) = FixedSizeListsView::try_from(column) else {
            return Self::open(ListsView::try_from(column)?, around, ctx);
        };
        let (width, count) = (lists.size(), column.len());
        let size = rows_times(1, width)?;
        let elements = lists.sliced_child()?.to_column();
        rows_times(count + 1, width)?;
        let offsets = sequence(0_i64.into(), size.into(), count + 1, ctx)?;
        Ok(Self { offsets, sizes: constant(size.into(), count, ctx)?, elements, width: Some(width) })
    }

    /// Returns the position of the first element of each list, as `Int64`.
    pub fn begins(&self) -> Result<Column> {
        self.offsets.slice(0, self.sizes.len())
    }

    /// Returns the position of the first element of each list, as `Int64`, followed by the end of the last list.
    pub fn offsets(&self) -> &Column {
        &self.offsets
    }

    /// Returns, for each of `all`, the range of the elements of its lists, from the first list to the last. Waits for
    /// the stream once, unless all lists have a fixed size.
    pub fn ranges(all: &[Lists], ctx: Ctx<'_>) -> Result<Vec<Range<usize>>> {
        if let Some(lengths) =
            all.iter().map(|lists| Some(lists.sizes.len() * lists.width?)).collect::<Option<Vec<_>>>()
        {
            return Ok(lengths.into_iter().map(|length| 0..length).collect());
        }
        let mut ends = Vec::new();
        for Lists { offsets, .. } in all {
            ends.extend([offsets.view().slice(0, 1)?, offsets.view().slice(offsets.len() - 1, 1)?]);
        }
        let ends = positions(&join_columns(&ends, ctx.scratch())?, ctx)?;
        Ok(ends.as_chunks().0.iter().map(|[begin, end]| *begin..*end).collect())
    }
}

/// Returns the unchanged offsets of lists, as `Int32` or `Int64`. There must be at least one list.
pub fn given_offsets(lists: ListsView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let (first, count) = (lists.view().offset(), lists.view().len() + 1);
    let data_type = if lists.is_large() { DataType::Int64 } else { DataType::Int32 };
    vouch::numbers(data_type, lists.offsets().clone(), first + count, ctx.stream)?.slice(first, count)
}

/// Checks that `column` is a column of lists, and returns its lists as `List`, `LargeList` or `Map`.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for other types.
pub fn as_lists(operation: &'static str, column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let data_type = column.data_type();
    match (physical_type(data_type), data_type) {
        (PhysicalType::List { .. } | PhysicalType::Map, _) => {
            check::column(column, ctx)?;
            Ok(column.to_column())
        }
        (_, DataType::FixedSizeList(field, width)) => {
            check::column(column, ctx)?;
            let parts = column.to_column().into_parts();
            let rows = parts.offset + parts.len;
            let last = rows as u64 * u64::from(width.unsigned_abs());
            let large = i32::try_from(last).is_err();
            let offsets = if large {
                sequence(0_i64.into(), i64::from(*width).into(), rows + 1, ctx)?
            } else {
                sequence(0_i32.into(), (*width).into(), rows + 1, ctx)?
            };
            let offsets = offsets.buffers()[0].clone();
            let elements = parts.children.into_iter().next().ok_or_else(|| Error::child_count(data_type, 1, 0))?;
            let mut lists = ColumnParts::lists(parts.len, offsets, large, elements, false);
            let field = field.clone();
            lists.data_type = if large { DataType::LargeList(field) } else { DataType::List(field) };
            (lists.offset, lists.sanitized) = (parts.offset, parts.validity.is_none());
            vouch::result(lists.validity(parts.validity, parts.null_count))
        }
        _ => Err(Error::unsupported(operation, data_type).with_remedy("pass a column of lists")),
    }
}
