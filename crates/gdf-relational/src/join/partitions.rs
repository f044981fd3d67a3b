//! Joins that return their pairs in parts of bounded size.

use gdf_compute::binaryop::{self, BinaryOperator};
use gdf_compute::filling::sequence;
use gdf_compute::scan::{NullPolicy, ScanAggregation, ScanType, scan};
use gdf_compute::search::upper_bound;
use gdf_compute::sorting::{NullOrder, Order};
use gdf_core::{Column, ColumnValue, DataType, Error, Literal, Result, Scalar, TableView};
use gdf_engine::keys::row_indices;

use super::conditional::{no_rows, row_number};
use super::{JoinKind, JoinTable, match_counts};
use crate::Ctx;
use crate::vouch::gather_column;

/// The parts of a join that are still to be returned. A part has the pairs of a range of left rows.
#[derive(Debug)]
pub struct Partitions {
    kind: JoinKind,
    /// The number of pairs of each left row and all rows before it.
    ends: Column,
    most_pairs: i64,
    next_row: usize,
    returned: i64,
    is_full: bool,
}

impl Partitions {
    /// Plans parts of at most `most_pairs` pairs. Two kinds of parts may have more pairs: a single left row with many
    /// matches, and the last part of a full join, which has all right rows without a match.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument) if `most_pairs` is zero. The errors of [`match_counts`].
    pub fn new(
        kind: JoinKind,
        table: &JoinTable<'_>,
        left: &TableView<'_>,
        most_pairs: usize,
        ctx: Ctx<'_>,
    ) -> Result<Self> {
        if most_pairs == 0 {
            return Err(Error::invalid_argument("the bound is 0; pass a bound of at least 1").in_argument("most_pairs"));
        }
        let scratch = ctx.scratch();
        let mut counts = match_counts(table, left, scratch)?;
        if kind != JoinKind::Inner {
            counts =
                binaryop::of(&counts, BinaryOperator::NullMax, Literal::from(1_i64).into(), &DataType::Int64, scratch)?;
        }
        let (sum, policy) = (ScanAggregation::Sum, NullPolicy::Exclude);
        let ends = scan(counts.view(), sum, ScanType::Inclusive, policy, ctx)?;
        let most_pairs = i64::try_from(most_pairs).unwrap_or(i64::MAX);
        Ok(Self { kind, ends, most_pairs, next_row: 0, returned: 0, is_full: kind == JoinKind::Full })
    }

    /// Returns the next part, or `None` after the last part. `table` and `left` are those of [`new`](Self::new).
    ///
    /// # Errors
    /// * The errors of [`JoinTable::join`].
    pub fn next_part(
        &mut self,
        table: &JoinTable<'_>,
        left: &TableView<'_>,
        ctx: Ctx<'_>,
    ) -> Result<Option<(Column, Column)>> {
        let (first, rows) = (self.next_row, self.ends.len());
        if first == rows {
            if !self.is_full {
                return Ok(None);
            }
            let right = table.unmatched(left, ctx)?;
            let left = no_rows(rows, right.len(), ctx)?;
            self.is_full = false;
            return Ok(Some((left, right)));
        }
        let scratch = ctx.scratch();
        let limit = Column::full_on(self.returned.saturating_add(self.most_pairs), 1, ctx.stream, ctx.mr.temporary)?;
        let (ends, limit) = (TableView::from(self.ends.view()), TableView::from(limit.view()));
        let found = upper_bound(&ends, &limit, &[Order::Ascending], &[NullOrder::Before], scratch)?;
        // A row with more pairs than the bound is a part of its own.
        let end = position(found, ctx)?.clamp(first + 1, rows);
        let returned = value::<i64>(self.ends.slice(end - 1, 1)?, ctx)?;
        let kind = if self.kind == JoinKind::Inner { JoinKind::Inner } else { JoinKind::Left };
        let (within, right) = table.join(kind, left.slice(first, end - first)?, ctx)?;
        let data_type = row_indices(rows);
        let left = if first == 0 && *within.data_type() == data_type {
            within
        } else {
            let number = |number: usize| row_number(number, &data_type);
            let numbers = sequence(number(first).into(), number(1).into(), end - first, scratch)?;
            gather_column(numbers.view(), within.view(), ctx)?
        };
        // After an error, the next call returns the same part.
        (self.returned, self.next_row) = (returned, end);
        Ok(Some((left, right)))
    }
}

fn value<T: ColumnValue>(column: Column, ctx: Ctx<'_>) -> Result<T> {
    Scalar::from_column(column)?.value_on(ctx.stream)?.ok_or_else(|| Error::internal("a count of pairs is null"))
}

fn position(column: Column, ctx: Ctx<'_>) -> Result<usize> {
    Ok(match column.data_type() {
        DataType::UInt32 => value::<u32>(column, ctx)? as usize,
        _ => value::<u64>(column, ctx)? as usize,
    })
}
