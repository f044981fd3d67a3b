//! Semi, anti and mark joins whose only condition, beside equal keys, is that two values differ.
//!
//! A value differs from at least one value of a group if and only if it differs from the smallest or from the largest
//! value of the group. Therefore the right rows are grouped by their keys, and each left row is compared with one group
//! instead of all right rows with its key. A null differs from no value.

use gdf_api::copying::{OutOfBoundsPolicy, gather};
use gdf_api::groupby::{GroupByAggregation, NullPolicy};
use gdf_api::join::{NullEquality, left_join};
use gdf_api::pipeline::{GroupRequest, Pipeline};
use gdf_core::{Column, Table, is_decimal, is_integral, is_temporal};
use gdf_expr::{BinaryOperator, Expr, ExprKind, UnaryOperator, col, lit};

use super::deferred::Deferred;
use super::join::{Join, JoinKind, MatchedRows};
use super::rows::Ready;
use crate::error::Result;

impl Join {
    /// Returns the positions of an output of the left rows and of an output of the right rows, if the join only asks
    /// whether there is a match in which these two outputs differ.
    pub(super) fn differing(&self, condition: &Expr) -> Option<(usize, usize)> {
        if !matches!(self.kind, JoinKind::Semi | JoinKind::Mark | JoinKind::Anti) {
            return None;
        }
        let (one, other) = different(condition)?;
        let (ExprKind::Column(one), ExprKind::Column(other)) = (one.kind(), other.kind()) else { return None };
        let start = self.left.outputs.len();
        let (left, right) = (*one.min(other), *one.max(other));
        (left < start && right >= start).then(|| (left, right - start))
    }

    /// Returns the left rows that the join returns, by the smallest and the largest right value of each group of keys.
    /// Returns `None` for values without a total order.
    pub(super) fn by_extremes(
        &self,
        left: &mut Ready,
        right: &Ready,
        (left_value, right_value): (usize, usize),
    ) -> Result<Option<MatchedRows>> {
        let keys = self.on.1.len();
        let used: Vec<usize> = self.on.1.iter().copied().chain([right_value]).collect();
        let values = Ready { outputs: right.outputs_at(&used), ..right.clone() }.gathered()?;
        let is_ordered = match values.outputs[keys].kind() {
            ExprKind::Column(at) => has_total_order(values.column(*at)?),
            _ => false,
        };
        if !is_ordered {
            return Ok(None);
        }
        let nulls = match self.nulls {
            NullEquality::Equal => NullPolicy::Include,
            NullEquality::Unequal => NullPolicy::Exclude,
        };
        let extremes = [GroupByAggregation::Min, GroupByAggregation::Max];
        let request = GroupRequest::new(values.outputs[keys].clone(), extremes);
        let groups = values.pipeline().group_by(values.outputs[..keys].iter().cloned(), nulls).agg(&[request])?;
        let group_keys = groups.select(&(0..keys).collect::<Vec<_>>())?;
        let extremes = groups.select(&[keys, keys + 1])?;

        let (rows, groups) = match self.kind {
            JoinKind::Semi => self.looked_up(left, &group_keys)?,
            _ => left_join(&left.columns(&self.on.0)?, &group_keys, self.nulls)?,
        };
        let value = left.outputs_at(&[left_value]);
        let value = left.input.taken(&rows, OutOfBoundsPolicy::Error, &value)?.projected(&value)?;
        let extremes = Deferred::from(gather(&extremes, &groups, OutOfBoundsPolicy::Nullify)?);
        let compared = value.beside(extremes)?.beside(Table::try_new(vec![rows])?.into())?.into_table()?;
        let differs = |extreme| col(0).binary(BinaryOperator::NotEqual, col(extreme));
        let differs = differs(1).or(differs(2)).fill_null(lit(false));
        let kept = if self.kind == JoinKind::Anti { !differs } else { differs };
        let kept = Pipeline::new(&compared).filter(kept).project(&[col(3)])?;
        Ok(Some(MatchedRows::of_left(kept.column(0)?.clone())))
    }
}

/// Returns the operands of a condition of the form `a <> b` or `NOT (a = b)`.
fn different(condition: &Expr) -> Option<(&Expr, &Expr)> {
    match condition.kind() {
        ExprKind::Binary(BinaryOperator::NotEqual, one, other) => Some((one, other)),
        ExprKind::Unary(UnaryOperator::Not, equal) => match equal.kind() {
            ExprKind::Binary(BinaryOperator::Equal, one, other) => Some((one, other)),
            _ => None,
        },
        _ => None,
    }
}

fn has_total_order(column: &Column) -> bool {
    let data_type = column.data_type();
    is_integral(data_type) || is_decimal(data_type) || is_temporal(data_type)
}
