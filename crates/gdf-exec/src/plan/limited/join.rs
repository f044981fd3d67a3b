//! Joins the rows of parts.

use gdf_api::filling::from_scalar;
use gdf_api::join::{JoinKeys, NullEquality};
use gdf_api::stream_compaction::drop_nulls;
use gdf_core::{Column, Table};
use gdf_expr::{Expr, col, lit};
use gdf_external::{JoinKind as Kind, join, join_where};

use super::{Limited, Parts, list, one, operands};
use crate::error::{Error, Result};
use crate::plan::join::Side;
use crate::plan::lookup::Lookup;
use crate::plan::rows::Ready;
use crate::plan::stream::UNKNOWN_ROWS;
use crate::plan::tables::{nulls, selected, whole};
use crate::plan::{Join, JoinKind, Node, Source};

/// A hash table takes at most this number of bytes for each row.
const MOST_BYTES_OF_ROW: usize = 72;

impl<'r> Limited<'r> {
    /// Joins the parts of the left side with the right side. If the right side fits and the join is not a full join, the
    /// parts of the left side are looked up one after another. Otherwise an operator of gdf-external divides both sides
    /// by the hashes of the keys. Without keys, it looks up the left side in one block of the right side after another.
    pub(super) fn join(self, node: &'r Node, of: &'r Join) -> Result<Parts<'r>> {
        let run = self.run;
        let mut left = None;
        let first = if run.execution.passes_keys { of.first() } else { of.first_without_keys() };
        if let Some(decisive) = of.decisive.as_ref().filter(|decisive| decisive.is_left && first == Side::Left) {
            // The right side is not computed before there is a left row.
            left = first_rows(self.outputs(&of.left)?)?;
            if left.is_none() {
                return Ok(one(nulls(&decisive.types, 0)?));
            }
        }
        let right = self.kept(self.outputs(&of.right)?)?;
        if let Some(decisive) = of.decisive.as_ref().filter(|decisive| !decisive.is_left)
            && right.iter().all(|part| part.num_rows() == 0)
        {
            return Ok(one(nulls(&decisive.types, 0)?));
        }
        if of.kind != JoinKind::Full && self.budget.is_build_side(&right) {
            let right = Ready::of_table(self.budget.keep(whole(right)?));
            let left = match left {
                Some(left) => left,
                None => {
                    self.pass_keys(of, &right)?;
                    self.outputs(&of.left)?
                }
            };
            if let Some(lookup) = self.lookup(of, &right)? {
                let joined = move |part: Table| lookup.join(Ready::of_table(part))?.into_table();
                return Ok(self.mapped_parts(Some(node), left, joined));
            }
            let joined = move |part: Table| of.of(Ready::of_table(part), right.clone(), run)?.into_table();
            return Ok(self.mapped_parts(Some(node), left, joined));
        }
        let left = left.map_or_else(|| self.outputs(&of.left), Ok)?;
        Ok(list(self.measured(node, || self.divided(of, left, right))?))
    }

    /// Filters rows below the left side by the keys of a right side that fits, until the run ends. No row of the left side
    /// may have been computed.
    fn pass_keys(self, of: &'r Join, right: &Ready) -> Result<()> {
        if self.run.execution.passes_keys {
            // The rows before the conditions of the right side were not counted.
            let before = of.right.input.most_rows().unwrap_or_else(|| right.input.num_rows());
            self.run.add_key_filters(of.key_filters(Side::Right, &mut right.clone(), before, self.run)?);
        }
        Ok(())
    }

    /// Builds the hash table of a right side that fits. The tables of all joins of the plan may have to be in memory
    /// together. If there is not enough for that, the result is `None`, and the table is built for each part.
    fn lookup(self, of: &'r Join, right: &Ready) -> Result<Option<Lookup<'r>>> {
        let mut right = right.clone();
        let keys = self.budget.keep(of.keys_of_right(&mut right)?);
        let bytes = keys.num_rows().saturating_mul(MOST_BYTES_OF_ROW);
        if !of.is_lookup() || bytes > self.budget.build_bytes() / self.run.build_sides.len().max(1) {
            return Ok(None);
        }
        let Some(keys) = self.run.kept_build_side(keys) else { return Ok(None) };
        let left: Vec<Expr> = (0..of.left.outputs.len()).map(col).collect();
        match of.lookup(right, keys, &left, UNKNOWN_ROWS, self.run) {
            Err(error) if error.is_out_of_memory() => Ok(None),
            built => built.map(Some),
        }
    }

    fn divided(self, of: &'r Join, left: Parts<'r>, right: Vec<Table>) -> Result<Vec<Table>> {
        let condition = of.condition.as_ref().map(|condition| self.run.known(condition)).transpose()?;
        let by = |kind, left, right, nulls| self.by_kind(of, kind, condition.as_ref(), (left, right), nulls);
        match of.kind {
            JoinKind::Inner => by(Kind::Inner, left, right, of.nulls),
            JoinKind::Left => by(Kind::Left, left, right, of.nulls),
            JoinKind::Full => by(Kind::Full, left, right, of.nulls),
            JoinKind::Semi => by(Kind::Semi, left, right, of.nulls),
            JoinKind::Anti => by(Kind::Anti, left, right, of.nulls),
            JoinKind::Mark => {
                let left = self.kept(left)?;
                let mut parts = Vec::new();
                for (kind, mark) in [(Kind::Semi, true), (Kind::Anti, false)] {
                    for part in by(kind, list(left.clone()), right.clone(), of.nulls)? {
                        let mark = from_scalar(mark, part.num_rows())?;
                        parts.push(marked(of, part, &mark)?);
                    }
                }
                Ok(parts)
            }
            JoinKind::NullAwareAnti => {
                let has_null = right.iter().map(|part| has_null(part, &of.on.1)).collect::<Result<Vec<bool>>>()?;
                if has_null.contains(&true) {
                    // All parts are read, because their values may cause errors.
                    let mut none = None;
                    for part in left {
                        let part = part?;
                        if none.is_none() {
                            none = Some(placed(of, &part.slice(0, 0)?, &Some, &Some)?);
                        }
                    }
                    return Ok(none.into_iter().collect());
                }
                let valid = move |part: Table| Ok(drop_nulls(&part, &of.on.0, of.on.0.len())?);
                by(Kind::Anti, self.mapped_parts(None, left, valid), right, NullEquality::Unequal)
            }
        }
    }

    /// Joins by keys and a condition. A mark is not yet in the results.
    fn by_kind(
        self,
        of: &Join,
        kind: Kind,
        condition: Option<&Expr>,
        (left, right): (Parts<'r>, Vec<Table>),
        nulls: NullEquality,
    ) -> Result<Vec<Table>> {
        let on = JoinKeys::new(&of.on.0, &of.on.1).with_nulls(nulls);
        let (of_left, of_right) = (of.left.outputs.len(), of.right.outputs.len());
        let pairs = matches!(kind, Kind::Inner | Kind::Left | Kind::Full);
        // A full join by keys alone would put the keys of both sides into one column.
        if condition.is_some() || of.on.0.is_empty() || kind == Kind::Full {
            let condition = condition.cloned().unwrap_or_else(|| lit(true));
            let found = join_where(operands(left), right, &on, &condition, kind, self.budget)?;
            return found.iter().map(|part| placed(of, part, &Some, &|at| Some(of_left + at))).collect();
        }
        // The result has the columns of the right side that are no keys. Keys that are read become further columns.
        let keys: Vec<usize> = match pairs {
            true => of.sides().1.into_iter().filter(|at| of.on.1.contains(at)).collect(),
            false => Vec::new(),
        };
        let columns: Vec<usize> = (0..of_right).chain(keys.iter().copied()).collect();
        let right = right.iter().map(|part| part.select(&columns)).collect::<gdf_core::Result<Vec<_>>>()?;
        let others: Vec<usize> = (0..of_right).filter(|at| !of.on.1.contains(at)).collect();
        let place = |at: usize| match others.binary_search(&at) {
            Ok(place) => Some(of_left + place),
            Err(_) => keys.iter().position(|key| *key == at).map(|key| of_left + others.len() + key),
        };
        let found = join(operands(left), right, &on, kind, self.budget)?;
        found.iter().map(|part| placed(of, part, &Some, &place)).collect()
    }
}

/// Returns the parts from the first one that has rows on, or `None` if no part has rows.
fn first_rows(mut parts: Parts<'_>) -> Result<Option<Parts<'_>>> {
    while let Some(part) = parts.next() {
        let part = part?;
        if part.num_rows() > 0 {
            return Ok(Some(Box::new(std::iter::once(Ok(part)).chain(parts))));
        }
    }
    Ok(None)
}

fn has_null(part: &Table, keys: &[usize]) -> Result<bool> {
    let count = |key: &usize| part.column(*key)?.null_count();
    Ok(keys.iter().map(count).sum::<gdf_core::Result<usize>>()? > 0)
}

/// Returns the outputs of a join. `left` and `right` return the place of an output of a side in `part`.
fn placed(
    of: &Join,
    part: &Table,
    left: &dyn Fn(usize) -> Option<usize>,
    right: &dyn Fn(usize) -> Option<usize>,
) -> Result<Table> {
    let place = |output: &Source| match output {
        Source::Left(at) => Some(left(*at)),
        Source::Right(at) => Some(right(*at)),
        Source::Mark => None,
    };
    let places: Option<Vec<usize>> = of.outputs.iter().filter_map(place).collect();
    let places = places.ok_or_else(|| Error::internal("a join reads a key that was not kept"))?;
    selected(part, &places)
}

/// Puts the mark at its place among the outputs of a join.
fn marked(of: &Join, part: Table, mark: &Column) -> Result<Table> {
    let rows = part.num_rows();
    let mut others = part.into_columns().into_iter();
    let column = |output: &Source| match output {
        Source::Mark => Ok(mark.clone()),
        Source::Left(_) | Source::Right(_) => {
            others.next().ok_or_else(|| Error::internal("the result of a join has too few columns"))
        }
    };
    let columns = of.outputs.iter().map(column).collect::<Result<_>>()?;
    Ok(Table::try_with_rows(columns, rows)?)
}
