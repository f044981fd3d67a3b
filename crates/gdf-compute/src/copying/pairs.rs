//! Rows of two columns of one type, of any type.

use gdf_core::{Abilities, Column, ColumnView, DataType, Result};
use gdf_engine::keys::row_indices;
use gdf_engine::rows::gather_pair;
use gdf_engine::sequence::sequence;

use crate::Ctx;
use crate::concatenate::{concatenate_columns, with_shared_values};
use crate::lists::{gather_column, has_composite, may_share_values};

/// The numbers of the rows of two columns. The numbers of the second column follow those of the first column.
pub(super) struct PairNumbers {
    pub(super) first: Column,
    pub(super) second: Column,
}

impl PairNumbers {
    pub(super) fn new(first: usize, second: usize, ctx: Ctx<'_>) -> Result<Self> {
        let all = match row_indices(first.saturating_add(second)) {
            DataType::UInt32 => sequence(0_u32.into(), 1_u32.into(), first + second, ctx)?,
            _ => sequence(0_u64.into(), 1_u64.into(), first.saturating_add(second), ctx)?,
        };
        Ok(Self { first: all.slice(0, first)?, second: all.slice(first, second)? })
    }
}

/// Returns rows of two columns of one type. Each element of `map` is one of the [numbers](PairNumbers) of the rows of
/// both columns.
pub(super) fn rows_of_both(
    first: ColumnView<'_>,
    second: ColumnView<'_>,
    map: &Column,
    ctx: Ctx<'_>,
) -> Result<Column> {
    if Abilities::of(first.data_type()).lists && !has_composite(first.data_type()) {
        let shared = with_shared_values(vec![first.to_column(), second.to_column()], ctx)?;
        return gather_pair([shared[0].view(), shared[1].view()], map.view(), ctx);
    }
    let is_shared = may_share_values(first.data_type());
    let both = concatenate_columns(&[first, second], if is_shared { ctx } else { ctx.scratch() })?;
    gather_column(both.view(), map.view(), ctx)
}
