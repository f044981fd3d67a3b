//! Joins that look up one piece of the left side after another in one hash table of the right side.

use gdf_api::join::HashJoin;
use gdf_core::Table;
use gdf_expr::Expr;

use super::deferred::Deferred;
use super::join::{Join, JoinKind, MatchedRows, Side};
use super::rows::{Ready, key_condition};
use super::stream::{Stream, Then};
use super::tables::nulls;
use super::{Node, Run};
use crate::error::{Error, Result};

/// The right side of a join, prepared for pieces of the left side.
pub(super) struct Lookup<'k> {
    join: &'k Join,
    right: Ready,
    matches: Matches<'k>,
    /// The condition that pairs must meet.
    condition: Option<Expr>,
}

/// The test that finds the matches of a left row.
enum Matches<'k> {
    Table(Box<HashJoin<'k>>),
    /// The condition over the input of the left rows that there is a match. It stands for a semi join.
    Condition(Expr),
}

impl Join {
    /// Returns whether the rows of the left side can be looked up piece by piece in one hash table of the right side.
    pub(super) fn is_lookup(&self) -> bool {
        let is_lookup = match self.kind {
            JoinKind::Inner => self.condition.is_none() || self.has_distinct_keys(),
            JoinKind::Left | JoinKind::Semi | JoinKind::Anti | JoinKind::Mark => self.condition.is_none(),
            JoinKind::Full | JoinKind::NullAwareAnti => false,
        };
        is_lookup && !self.on.0.is_empty()
    }

    /// Prepares the right side. `keys` are its [keys](Self::keys_of_right), `left` are the outputs of the left rows,
    /// and `rows` is the expected number of left rows.
    pub(super) fn lookup<'k>(
        &'k self,
        right: Ready,
        keys: &'k Table,
        left: &[Expr],
        rows: usize,
        run: &Run<'_>,
    ) -> Result<Lookup<'k>> {
        let of_left: Vec<Expr> = self.on.0.iter().map(|at| left[*at].clone()).collect();
        let condition = match self.kind {
            JoinKind::Semi => key_condition(&of_left, keys, self.nulls, rows)?,
            _ => None,
        };
        let matches = match condition {
            Some(condition) => Matches::Condition(condition),
            None => Matches::Table(Box::new(HashJoin::for_rows(keys, self.nulls, rows)?)),
        };
        let condition = self.condition.as_ref().map(|condition| run.known(condition)).transpose()?;
        Ok(Lookup { join: self, right, matches, condition })
    }

    /// Passes the stream of the joined rows to `then`. The hash table of the right side is built once.
    pub(super) fn stream(&self, node: &Node, run: &Run<'_>, then: Then<'_, Deferred>) -> Result<()> {
        let mut right = self.right.ready(run)?;
        let before = right.input.num_rows();
        right.filter()?;
        if let Some(decisive) = self.decisive.as_ref().filter(|decisive| !decisive.is_left)
            && right.input.num_rows() == 0
        {
            return then(Stream::of_rows(nulls(&decisive.types, 0)?.into()));
        }
        let filters = match run.passes_keys() {
            true => self.key_filters(Side::Right, &mut right, before, run)?,
            false => Vec::new(),
        };
        let keys = self.keys_of_right(&mut right)?;
        let rows = run.rows_of_stream(&self.left.input);
        let lookup = self.lookup(right, &keys, &run.all_known(&self.left.outputs)?, rows, run)?;
        if matches!(&lookup.matches, Matches::Table(table) if table.has_distinct_keys()) {
            run.set_distinct_side(self.address());
        }
        run.with_key_filters(filters, || {
            run.stream_of(&self.left, &mut |stream| {
                then(stream.map(|left| run.measured_piece(node, || lookup.join(left))))
            })
        })
    }
}

impl Lookup<'_> {
    /// Joins a piece of the left side.
    pub(super) fn join(&self, mut left: Ready) -> Result<Deferred> {
        let (pairs, of_left) = (MatchedRows::pairs, MatchedRows::of_left);
        let table = match &self.matches {
            Matches::Table(table) => table,
            Matches::Condition(condition) => {
                left.conditions.push(condition.clone());
                let found = of_left(left.passing()?);
                return self.join.taken(left, self.right.clone(), found);
            }
        };
        let keys = |left: &mut Ready| left.columns(&self.join.on.0);
        let found = match (self.join.kind, &self.condition) {
            (JoinKind::Inner, None) => pairs(self.join.probed(&mut left, table)?),
            (JoinKind::Inner, Some(condition)) => {
                let found = self.join.probed(&mut left, table)?;
                self.join.meeting(&left, &self.right, found, condition)?
            }
            (JoinKind::Left, _) => pairs(table.left_join(&keys(&mut left)?)?),
            (JoinKind::Anti, _) => of_left(table.anti_join(&keys(&mut left)?)?),
            (JoinKind::Semi | JoinKind::Mark, _) => of_left(table.semi_join(&keys(&mut left)?)?),
            (JoinKind::Full | JoinKind::NullAwareAnti, _) => {
                return Err(Error::internal("a join that needs all left rows looks up a piece of them"));
            }
        };
        self.join.taken(left, self.right.clone(), found)
    }
}
