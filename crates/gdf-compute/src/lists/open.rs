//! The lists of a column: where each begins, and how many elements it has.

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
    /// The first element of each, as `Int64`, and the end of the last one's, if no list is null.
    offsets: Column,
    /// How many each has, as `Int64`: none where it is null.
    pub sizes: Column,
    /// What they point into.
    pub elements: Column,
}

impl Lists {
    /// Of a column that has been checked. A list is also null where one of the columns `around` it is.
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

    /// The first element of each, as `Int64`.
    pub fn begins(&self) -> Result<Column> {
        self.offsets.slice(0, self.sizes.len())
    }

    /// The elements from the first to the last row's, of each of these, in one wait.
    pub fn ranges(all: &[Lists], ctx: Ctx<'_>) -> Result<Vec<Range<usize>>> {
        let mut ends = Vec::new();
        for Lists { offsets, .. } in all {
            ends.extend([offsets.view().slice(0, 1)?, offsets.view().slice(offsets.len() - 1, 1)?]);
        }
        let ends = positions(&join_columns(&ends, ctx.scratch())?, ctx)?;
        Ok(ends.as_chunks().0.iter().map(|[begin, end]| *begin..*end).collect())
    }
}
