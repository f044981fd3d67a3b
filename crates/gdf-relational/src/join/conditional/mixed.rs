//! Joins by equal keys and a condition.

use std::ops::Range;

use gdf_compute::expression::{Condition, PairCondition};
use gdf_compute::filling::row_numbers;
use gdf_compute::sorting::sort;
use gdf_compute::stream_compaction::apply_boolean_mask;
use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_engine::limits::HostLimits;

use super::groups::{self, Groups, Rows};
use super::matches::Matches;
use crate::Ctx;
use crate::join::hash_join::{Kind, Request};
use crate::join::{FilterKind, JoinKeys, JoinKind, JoinTable};
use crate::vouch::gather_trusted;

/// The maximum number of pairs with equal keys of a group, as a multiple of the maximum number of pairs whose values
/// are gathered at a time.
const MORE_PAIRS: usize = 16;

/// Returns the row numbers of each pair in two columns: the left rows, then the right rows.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) if the position of a key is not a column of its table.
/// * The errors of [`JoinTable::new`], [`JoinTable::join`] and [`conditional_join`](super::conditional_join).
pub fn mixed_join(
    kind: JoinKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    on: &JoinKeys<'_>,
    condition: Condition<'_>,
    ctx: Ctx<'_>,
) -> Result<(Column, Column)> {
    EqualKeys::new(left, right, on, condition, ctx)?.all(kind.into(), ctx)?.into_pairs()
}

/// Returns the numbers of the selected left rows in ascending order.
///
/// # Errors
/// * The errors of [`mixed_join`].
pub fn mixed_filter(
    kind: FilterKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    on: &JoinKeys<'_>,
    condition: Condition<'_>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    Ok(EqualKeys::new(left, right, on, condition, ctx)?.all(kind.into(), ctx)?.left)
}

/// Returns the number of pairs that [`mixed_join`] returns.
///
/// # Errors
/// * The errors of [`mixed_join`].
pub fn mixed_join_size(
    kind: JoinKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    on: &JoinKeys<'_>,
    condition: Condition<'_>,
    ctx: Ctx<'_>,
) -> Result<usize> {
    match kind {
        // The unmatched rows of the right side are known only from the pairs.
        JoinKind::Full => Ok(mixed_join(kind, left, right, on, condition, ctx)?.0.len()),
        JoinKind::Inner | JoinKind::Left => {
            EqualKeys::new(left, right, on, condition, ctx)?.size(Request::from(kind).kind, ctx)
        }
    }
}

pub(super) struct EqualKeys<'e, 'l, 'r> {
    condition: PairCondition<'e>,
    keys: TableView<'l>,
    table: JoinTable<'r>,
    numbers: Column,
    pairs: usize,
    candidates: usize,
}

impl<'e, 'l, 'r> EqualKeys<'e, 'l, 'r> {
    pub(super) fn new(
        left: &TableView<'l>,
        right: &TableView<'r>,
        on: &JoinKeys<'_>,
        condition: Condition<'e>,
        ctx: Ctx<'_>,
    ) -> Result<Self> {
        let (keys, right_keys) = (left.select(on.left)?, right.select(on.right)?);
        let condition = PairCondition::new(condition, left, right, ctx)?;
        let table = JoinTable::new(right_keys, on.nulls, ctx.scratch())?;
        if left.num_rows() == 0 || right.num_rows() == 0 {
            table.check(&keys, ctx)?;
        }
        let numbers = row_numbers(left.num_rows(), ctx.scratch())?;
        let limit = HostLimits::current().join_pairs;
        Ok(Self {
            pairs: groups::tile_pairs(&condition),
            condition,
            keys,
            table,
            numbers,
            candidates: limit * MORE_PAIRS,
        })
    }

    /// Divides a range of left rows into groups, and adds the groups to `ranges`.
    fn divide(&self, range: Range<usize>, ranges: &mut Vec<Range<usize>>, ctx: Ctx<'_>) -> Result<()> {
        let is_small = range.len().saturating_mul(self.right_rows()) <= self.candidates;
        let keys = self.keys.slice(range.start, range.len())?;
        if is_small || range.len() == 1 || self.table.size(JoinKind::Inner, keys, ctx)? <= self.candidates {
            ranges.push(range);
            return Ok(());
        }
        let middle = range.start + range.len() / 2;
        self.divide(range.start..middle, ranges, ctx)?;
        self.divide(middle..range.end, ranges, ctx)
    }

    fn matches_of(&self, range: &Range<usize>, ctx: Ctx<'_>) -> Result<Table> {
        let keys = self.keys.slice(range.start, range.len())?;
        let (within, right) = self.table.join(JoinKind::Inner, keys, ctx)?;
        let candidates = Table::try_new(vec![within, right])?;
        let left = self.condition.left().view().slice(range.start, range.len())?;
        let found = pairs_where(&self.condition, &left, candidates, self.pairs, ctx)?;
        // The hash join on CUDA returns the right rows of a left row in any order, so the pairs are sorted.
        if ctx.stream.device().is_cuda() { sort(found.view(), &[], &[], ctx) } else { Ok(found) }
    }
}

/// Returns the pairs of `candidates` for which the condition is true.
pub(in crate::join) fn pairs_where(
    condition: &PairCondition<'_>,
    left: &TableView<'_>,
    candidates: Table,
    tile: usize,
    ctx: Ctx<'_>,
) -> Result<Table> {
    let mut parts: Vec<Table> = Vec::new();
    for first in (0..candidates.num_rows()).step_by(tile) {
        let rows = candidates.view().slice(first, tile.min(candidates.num_rows() - first))?;
        let left = values(left, rows.column(0)?, ctx)?;
        let right = values(&condition.right().view(), rows.column(1)?, ctx)?;
        let columns = [left.view().columns(), right.view().columns()].concat();
        let mask = condition.evaluate(&TableView::try_with_rows(columns, rows.num_rows())?, ctx)?;
        parts.push(apply_boolean_mask(rows, mask.view(), ctx)?);
    }
    Ok(groups::joined(parts, ctx)?.unwrap_or(candidates))
}

/// Returns the rows of a table that `map` names.
fn values(table: &TableView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    match table.num_columns() {
        0 => Table::try_with_rows(Vec::new(), map.len()),
        _ => gather_trusted(table, map, ctx),
    }
}

impl Groups for EqualKeys<'_, '_, '_> {
    fn left_rows(&self) -> usize {
        self.keys.num_rows()
    }

    fn right_rows(&self) -> usize {
        self.table.keys().num_rows()
    }

    fn ranges(&self, _: Kind, ctx: Ctx<'_>) -> Result<Vec<Range<usize>>> {
        let mut ranges = Vec::new();
        self.divide(0..self.left_rows(), &mut ranges, ctx.scratch())?;
        Ok(ranges)
    }

    fn rows(&self, range: Range<usize>, kind: Kind, ctx: Ctx<'_>) -> Result<Rows> {
        let pairs = self.matches_of(&range, ctx.scratch())?;
        Matches::new(self.numbers.slice(range.start, range.len())?, pairs, self.right_rows()).rows(kind, ctx)
    }
}
