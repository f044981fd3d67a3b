//! The lists of a column, as the position of the first element and the number of elements of each list.

use std::ops::Range;

use gdf_core::{Column, ColumnView, DataType, ListsView, Result, TableView};
use gdf_engine::mask::bitmask_and;
use gdf_engine::rows::join_columns;
use gdf_engine::vouch;

use super::ranges::positions;
use crate::Ctx;
use crate::binaryop::{BinaryOperator as Op, of};
use crate::copying::copy_if_else;

/// The lists of a column.
pub struct Lists {
    /// The position of the first element of each list, as `Int64`, followed by the end of the last list. A null list
    /// may have elements according to these positions.
    offsets: Column,
    /// The number of elements of each list, as `Int64`. The number is 0 for a null list.
    pub sizes: Column,
    /// The column of the elements of all lists.
    pub elements: Column,
}

impl Lists {
    /// Opens the lists of a column that has been checked. A list counts as null if the list itself is null or if a
    /// column of `around` is null in the same row.
    pub fn open(lists: ListsView<'_>, around: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Self> {
        let (view, long) = (lists.view(), &DataType::Int64);
        let (offset, count) = (view.offset(), view.len());
        let offsets = if count == 0 {
            Column::from_slice_on(&[0_i64], ctx.stream, ctx.mr.temporary)?
        } else {
            let data_type = if lists.is_large() { DataType::Int64 } else { DataType::Int32 };
            let offsets = vouch::numbers(data_type, lists.offsets().clone(), offset + count + 1, ctx.stream)?;
            gdf_engine::cast::cast(offsets.slice(offset, count + 1)?.view(), long, ctx)?
        };
        let sizes = of(&offsets.slice(1, count)?, Op::Sub, (&offsets.slice(0, count)?).into(), long, ctx)?;
        let nullable: Vec<_> = around.iter().copied().chain([view]).filter(|column| column.has_validity()).collect();
        let sizes = if nullable.is_empty() {
            sizes
        } else {
            let valid = bitmask_and(&TableView::try_new(nullable)?, ctx)?.to_column()?;
            copy_if_else((&sizes).into(), 0_i64.into(), valid.view(), ctx)?
        };
        Ok(Self { offsets, sizes, elements: lists.child().to_column() })
    }

    /// Returns the position of the first element of each list, as `Int64`.
    pub fn begins(&self) -> Result<Column> {
        self.offsets.slice(0, self.sizes.len())
    }

    /// Returns the position of the first element of each list, as `Int64`, and then the end of the last list.
    pub fn offsets(&self) -> &Column {
        &self.offsets
    }

    /// Returns for each of `all` the range of elements of its lists, from the first list to the last. Waits for the
    /// stream once.
    pub fn ranges(all: &[Lists], ctx: Ctx<'_>) -> Result<Vec<Range<usize>>> {
        let mut ends = Vec::new();
        for Lists { offsets, .. } in all {
            ends.extend([offsets.view().slice(0, 1)?, offsets.view().slice(offsets.len() - 1, 1)?]);
        }
        let ends = positions(&join_columns(&ends, ctx.scratch())?, ctx)?;
        Ok(ends.as_chunks().0.iter().map(|[begin, end]| *begin..*end).collect())
    }
}
