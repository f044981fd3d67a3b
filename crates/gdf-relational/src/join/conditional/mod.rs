//! Joins by a condition: the pairs of rows for which an expression over the columns of both tables is true.

mod counts;
mod cuda;
mod groups;
mod host;
mod matches;
mod mixed;
#[cfg(test)]
mod tests;

use std::ops::Range;

use gdf_compute::expression::{Condition, PairCondition};
use gdf_compute::filling::{repeat, row_numbers};
use gdf_compute::reshape::tile;
use gdf_compute::stream_compaction::apply_boolean_mask;
use gdf_core::{Column, Error, Literal, Result, Table, TableView};
use gdf_driver::Device;

pub use self::counts::{conditional_match_counts, mixed_match_counts};
use self::groups::{Groups, Rows};
pub(super) use self::groups::{in_order, marked, no_rows, row_number, rows_where, tile_pairs};
use self::matches::Matches;
pub(super) use self::mixed::pairs_where;
pub use self::mixed::{mixed_filter, mixed_join, mixed_join_size};
use super::hash_join::{Kind, Request};
use super::{FilterKind, JoinKind};
use crate::Ctx;

/// Returns the row numbers of each pair in two columns: the left rows, then the right rows.
///
/// # Errors
/// * The errors of [`PairCondition::new`], and of the operations of the condition.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
pub fn conditional_join(
    kind: JoinKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    condition: Condition<'_>,
    ctx: Ctx<'_>,
) -> Result<(Column, Column)> {
    NestedLoops::new(left, right, condition, ctx)?.all(kind.into(), ctx)?.into_pairs()
}

/// Returns the numbers of the selected left rows in ascending order.
///
/// # Errors
/// * The errors of [`conditional_join`].
pub fn conditional_filter(
    kind: FilterKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    condition: Condition<'_>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    Ok(NestedLoops::new(left, right, condition, ctx)?.all(kind.into(), ctx)?.left)
}

/// Returns the number of pairs that [`conditional_join`] returns.
///
/// # Errors
/// * The errors of [`conditional_join`].
pub fn conditional_join_size(
    kind: JoinKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    condition: Condition<'_>,
    ctx: Ctx<'_>,
) -> Result<usize> {
    match kind {
        // The unmatched rows of the right side are known only from the pairs.
        JoinKind::Full => Ok(conditional_join(kind, left, right, condition, ctx)?.0.len()),
        JoinKind::Inner | JoinKind::Left => {
            NestedLoops::new(left, right, condition, ctx)?.size(Request::from(kind).kind, ctx)
        }
    }
}

/// Returns the number of rows that [`conditional_filter`] returns.
///
/// # Errors
/// * The errors of [`conditional_join`].
pub fn conditional_filter_size(
    kind: FilterKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    condition: Condition<'_>,
    ctx: Ctx<'_>,
) -> Result<usize> {
    NestedLoops::new(left, right, condition, ctx)?.size(Request::from(kind).kind, ctx)
}

/// A join that evaluates the condition for all pairs of a left row and a right row.
struct NestedLoops<'e> {
    condition: PairCondition<'e>,
    /// The numbers of the left rows and of the right rows.
    numbers: Option<[Column; 2]>,
    pairs: usize,
}

impl<'e> NestedLoops<'e> {
    fn new(left: &TableView<'_>, right: &TableView<'_>, condition: Condition<'e>, ctx: Ctx<'_>) -> Result<Self> {
        let condition = PairCondition::new(condition, left, right, ctx)?;
        let numbers = |table: &TableView<'_>| row_numbers(table.num_rows(), ctx.scratch());
        let has_numbers = !condition.has_program();
        let numbers = if has_numbers { Some([numbers(left)?, numbers(right)?]) } else { None };
        Ok(Self { pairs: groups::tile_pairs(&condition), condition, numbers })
    }

    fn right_rows(&self) -> usize {
        self.condition.right().num_rows()
    }

    /// Returns the pairs of a group of left rows for which the condition is true, as [`pairs_where`](Self::pairs_where)
    /// does. In a semi or anti join, the search for a single left row ends at the first tile with a match.
    fn matches_of(&self, range: &Range<usize>, kind: Kind, ctx: Ctx<'_>) -> Result<Table> {
        let mut parts: Vec<Table> = Vec::new();
        for first in (0..self.right_rows()).step_by(self.pairs.min(self.right_rows())) {
            let right = first..self.right_rows().min(first + self.pairs);
            let part = self.pairs_where(range.clone(), right, ctx)?;
            let is_decided = part.num_rows() > 0 && matches!(kind, Kind::Semi | Kind::Anti) && range.len() == 1;
            parts.push(part);
            if is_decided {
                break;
            }
        }
        groups::joined(parts, ctx)?.ok_or_else(|| Error::internal("a group of a join has no tiles"))
    }

    /// Returns the pairs of a tile for which the condition is true: the numbers of left rows within `left`, and the
    /// numbers of right rows.
    fn pairs_where(&self, left: Range<usize>, right: Range<usize>, ctx: Ctx<'_>) -> Result<Table> {
        let Some([lefts, rights]) = &self.numbers else {
            return Err(Error::internal("a join without row numbers was evaluated by tiles"));
        };
        let (left_rows, right_rows) = (left.len(), right.len());
        let left_tile = self.condition.left().view().slice(left.start, left_rows)?;
        let left_numbers = lefts.view().slice(0, left_rows)?;
        let left_tile = [&[left_numbers], left_tile.columns()].concat();
        let right_tile = self.condition.right().view().slice(right.start, right_rows)?;
        let right_tile = [&[rights.view().slice(right.start, right_rows)?], right_tile.columns()].concat();
        let times = Literal::from(right_rows as i64);
        let left_tile = repeat(TableView::try_new(left_tile)?, times.into(), ctx)?;
        let right_tile = tile(TableView::try_new(right_tile)?, left_rows, ctx)?;
        let (left_numbers, left_values) = first_and_rest(&left_tile)?;
        let (right_numbers, right_values) = first_and_rest(&right_tile)?;
        let values = [left_values.columns(), right_values.columns()].concat();
        let mask = self.condition.evaluate(&TableView::try_with_rows(values, left_tile.num_rows())?, ctx)?;
        apply_boolean_mask(TableView::try_new(vec![left_numbers.view(), right_numbers.view()])?, mask.view(), ctx)
    }
}

fn first_and_rest(table: &Table) -> Result<(&Column, TableView<'_>)> {
    let rest = (1..table.num_columns()).collect::<Vec<_>>();
    Ok((table.column(0)?, table.view().select(&rest)?))
}

impl Groups for NestedLoops<'_> {
    fn left_rows(&self) -> usize {
        self.condition.left().num_rows()
    }

    fn right_rows(&self) -> usize {
        self.right_rows()
    }

    fn ranges(&self, kind: Kind, ctx: Ctx<'_>) -> Result<Vec<Range<usize>>> {
        let group = match (&self.numbers, ctx.stream.device()) {
            (None, Device::Cpu) => host::group_rows(&self.condition, kind),
            (None, Device::Cuda(_)) => cuda::group_rows(&self.condition, kind),
            (Some(_), _) => (self.pairs / self.right_rows()).max(1),
        };
        let rows = self.left_rows();
        Ok((0..rows).step_by(group).map(|first| first..rows.min(first + group)).collect())
    }

    fn rows(&self, range: Range<usize>, kind: Kind, ctx: Ctx<'_>) -> Result<Rows> {
        let Some([lefts, _]) = &self.numbers else {
            return match ctx.stream.device() {
                Device::Cpu => host::rows(&self.condition, range, kind, ctx),
                Device::Cuda(_) => cuda::rows(&self.condition, range, kind, ctx),
            };
        };
        let pairs = self.matches_of(&range, kind, ctx.scratch())?;
        Matches::new(lefts.slice(range.start, range.len())?, pairs, self.right_rows()).rows(kind, ctx)
    }

    fn size(&self, kind: Kind, ctx: Ctx<'_>) -> Result<usize> {
        if self.numbers.is_some() || self.left_rows() == 0 || self.right_rows() == 0 {
            return self.sum_of_sizes(kind, ctx);
        }
        match ctx.stream.device() {
            Device::Cpu => host::size(&self.condition, kind, ctx),
            Device::Cuda(_) => cuda::size(&self.condition, kind, ctx),
        }
    }
}
