//! Joins whose right rows have distinct keys.
//!
//! A left row then has at most one match, so there are at most as many pairs with equal keys as left rows. The join
//! first finds these pairs, and then computes its condition as an expression over their columns. If the join returns no
//! column of the right rows, it is run as a semi join.

use gdf_api::copying::OutOfBoundsPolicy;
use gdf_api::pipeline::Pipeline;
use gdf_core::{Column, Table};
use gdf_expr::{Expr, ExprKind, col};

use super::deferred::Deferred;
use super::join::{Join, JoinKind, MatchedRows, OutputsRead};
use super::rows::Ready;
use super::{Aggregate, Node, Rows, Source};
use crate::error::Result;

impl Join {
    /// Returns the join as a semi join if two conditions are met: the join returns columns of one side only, and the
    /// keys of the other side are distinct. The semi join returns the same rows.
    ///
    /// If the right side remains, the rows have the order of the right side instead of the left side. No node relies on
    /// the order of the left side, because rows that are known to have distinct keys are unsorted tables or groups.
    pub fn without_unused_side(mut self) -> Join {
        if self.kind != JoinKind::Inner || self.on.0.is_empty() {
            return self;
        }
        if self.outputs.iter().all(|output| matches!(output, Source::Left(_))) && are_distinct(&self.right, &self.on.1)
        {
            self.kind = JoinKind::Semi;
            return self;
        }
        let of_right = |output: &Source| match output {
            Source::Right(at) => Some(Source::Left(*at)),
            _ => None,
        };
        let outputs: Option<Vec<Source>> = self.outputs.iter().map(of_right).collect();
        if let Some(outputs) = outputs
            && self.condition.is_none()
            && are_distinct(&self.left, &self.on.0)
        {
            std::mem::swap(&mut self.left, &mut self.right);
            std::mem::swap(&mut self.on.0, &mut self.on.1);
            (self.kind, self.outputs) = (JoinKind::Semi, outputs);
            if let Some(decisive) = &mut self.decisive {
                decisive.is_left = !decisive.is_left;
            }
        }
        self
    }

    /// Returns whether the join returns pairs or left rows with a match, and its right rows have distinct keys.
    pub(super) fn has_distinct_keys(&self) -> bool {
        matches!(self.kind, JoinKind::Inner | JoinKind::Semi) && are_distinct(&self.right, &self.on.1)
    }

    /// Returns the pairs, or the left rows, that meet the condition.
    pub(super) fn by_distinct_keys(
        &self,
        left: &mut Ready,
        right: &mut Ready,
        condition: &Expr,
    ) -> Result<MatchedRows> {
        let keys = right.columns(&self.on.1)?;
        let found = self.looked_up(left, &keys)?;
        self.meeting(left, right, found, condition)
    }

    /// Returns those of the pairs, or of their left rows, that meet the condition.
    pub(super) fn meeting(
        &self,
        left: &Ready,
        right: &Ready,
        (left_rows, right_rows): (Column, Column),
        condition: &Expr,
    ) -> Result<MatchedRows> {
        let OutputsRead { left: of_left, right: of_right, condition } = self.outputs_read(condition, [&[], &[]])?;
        let read = |side: &Ready, rows, outputs: &[usize]| {
            let outputs = side.outputs_at(outputs);
            side.input.taken(rows, OutOfBoundsPolicy::Error, &outputs)?.projected(&outputs)
        };
        let pairs = read(left, &left_rows, &of_left)?.beside(read(right, &right_rows, &of_right)?)?;
        let width = of_left.len() + of_right.len();
        let rows = Deferred::from(Table::try_new(vec![left_rows, right_rows])?);
        let pairs = pairs.beside(rows)?.into_table()?;
        let kept = Pipeline::new(&pairs).filter(condition);
        Ok(match self.kind {
            JoinKind::Inner => {
                let kept = kept.project(&[col(width), col(width + 1)])?;
                MatchedRows::pairs((kept.column(0)?.clone(), kept.column(1)?.clone()))
            }
            _ => MatchedRows::of_left(kept.project(&[col(width)])?.column(0)?.clone()),
        })
    }
}

/// Returns whether no two rows have equal values in these outputs.
fn are_distinct(rows: &Rows, outputs: &[usize]) -> bool {
    let column = |output: &usize| match rows.outputs.get(*output)?.kind() {
        ExprKind::Column(position) => Some(*position),
        _ => None,
    };
    // A computed output is left out. It can only make more rows differ.
    let columns: Vec<usize> = outputs.iter().filter_map(column).collect();
    match &rows.input {
        Node::Resident(table) => columns.iter().any(|column| is_distinct(table, *column)),
        Node::Aggregate(of) => distinct_groups(of, &columns),
        Node::Rows(rows) => are_distinct(rows, &columns),
        Node::Shared(step) => match &step.node {
            Node::Aggregate(of) => distinct_groups(of, &columns),
            _ => false,
        },
        _ => false,
    }
}

/// Returns whether a column of a table is known to have distinct values and no nulls.
pub(super) fn is_distinct(table: &Table, column: usize) -> bool {
    table.columns().get(column).is_some_and(|column| column.view().is_known_distinct())
}

/// Returns whether no two groups have equal values in these columns.
fn distinct_groups(of: &Aggregate, columns: &[usize]) -> bool {
    of.groupings.is_empty() && (0..of.keys.len()).all(|key| columns.contains(&key))
}
