//! Runs joins.

use std::collections::BTreeSet;

use arrow_schema::DataType;
use gdf_api::copying::{OutOfBoundsPolicy, gather, scatter};
use gdf_api::filling::from_scalar;
use gdf_api::join::{
    HashJoin, JoinKeys, NullEquality, conditional_full_join, conditional_inner_join, conditional_left_anti_join,
    conditional_left_join, conditional_left_semi_join, cross_join_rows, full_join, left_anti_join, left_join,
    left_semi_join, mixed_full_join, mixed_inner_join, mixed_left_anti_join, mixed_left_join, mixed_left_semi_join,
};
use gdf_core::{Column, Table};
use gdf_expr::{Expr, col, lit};

use super::deferred::Deferred;
use super::rows::{Ready, key_condition};
use super::tables::nulls;
use super::{Rows, Run};
use crate::error::{Error, Result};

/// The kind of a join. The rows of the left side are looked up in a hash table that is built from the right side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// Pairs of rows that match.
    Inner,
    /// Pairs, and left rows without a match.
    Left,
    /// Pairs, and rows of both sides without a match.
    Full,
    /// Left rows with a match.
    Semi,
    /// Left rows without a match.
    Anti,
    /// Left rows without a match, by the rules of `NOT IN`. A comparison with null is neither a match nor a mismatch.
    NullAwareAnti,
    /// All left rows, and a boolean column that is true in rows with a match.
    Mark,
}

/// A side of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

/// A column of the result of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The output of the left rows with this number.
    Left(usize),
    /// The output of the right rows with this number.
    Right(usize),
    /// The column of [`JoinKind::Mark`].
    Mark,
}

/// A join of the rows of two nodes. The hash table is built from the right rows.
#[derive(Clone, Debug)]
pub struct Join {
    /// The rows of the left side.
    pub left: Rows,
    /// The rows of the right side.
    pub right: Rows,
    /// The kind.
    pub kind: JoinKind,
    /// The positions of the keys, first of the left side and then of the right side.
    pub on: (Vec<usize>, Vec<usize>),
    /// Whether null keys are equal.
    pub nulls: NullEquality,
    /// A condition that pairs must meet. It reads the outputs of the left rows, followed by the outputs of the right
    /// rows.
    pub condition: Option<Expr>,
    /// The columns of the result.
    pub outputs: Vec<Source>,
    /// The side that decides whether the join has rows, if the values of the other side can then cause an error.
    pub decisive: Option<Decisive>,
}

/// A side that decides whether the join has rows: if the side has no rows, the join has no rows. Then the values of the
/// other side must not cause an error, as in DataFusion, which does not read the other side. A join therefore computes
/// the decisive side first, unless no value of the other side can cause an error.
#[derive(Clone, Debug)]
pub struct Decisive {
    /// Whether it is the left side.
    pub is_left: bool,
    /// The types of the columns of the join.
    pub types: Vec<DataType>,
}

/// The row numbers that a join returns: pairs of rows, or rows of the left side.
pub(super) enum MatchedRows {
    Pairs(Box<(Column, Column)>),
    OfLeft(Box<Column>),
}

impl MatchedRows {
    pub(super) fn pairs(pairs: (Column, Column)) -> MatchedRows {
        MatchedRows::Pairs(Box::new(pairs))
    }

    pub(super) fn of_left(rows: Column) -> MatchedRows {
        MatchedRows::OfLeft(Box::new(rows))
    }
}

impl Join {
    /// Returns the address, by which a run knows the join.
    pub(super) fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    pub(super) fn run(&self, run: &Run<'_>) -> Result<Deferred> {
        let first = if run.passes_keys() { self.first() } else { self.first_without_keys() };
        let rows = match first {
            Side::Left => &self.left,
            Side::Right => &self.right,
        };
        let mut found = rows.ready(run)?;
        let before = found.input.num_rows();
        found.filter()?;
        if let Some(decisive) = &self.decisive
            && first == self.first_without_keys()
            && found.input.num_rows() == 0
        {
            return Ok(nulls(&decisive.types, 0)?.into());
        }
        let filters = match run.passes_keys() {
            true => self.key_filters(first, &mut found, before, run)?,
            false => Vec::new(),
        };
        let (left, right) = run.with_key_filters(filters, || match first {
            Side::Left => Ok((found, self.right.ready(run)?)),
            Side::Right => Ok((self.left.ready(run)?, found)),
        })?;
        self.of(left, right, run)
    }

    /// Joins rows of the left side with all rows of the right side.
    pub(super) fn of(&self, mut left: Ready, mut right: Ready, run: &Run<'_>) -> Result<Deferred> {
        let condition = self.condition.as_ref().map(|condition| run.known(condition)).transpose()?;
        let found = match (condition, self.on.0.is_empty()) {
            _ if self.kind == JoinKind::NullAwareAnti => return self.not_in(left, right),
            (None, false) => self.by_keys(&mut left, &mut right)?,
            (Some(condition), false) => self.mixed(&mut left, &mut right, &condition)?,
            (Some(condition), true) => self.conditional(&mut left, &mut right, &condition)?,
            (None, true) if self.kind == JoinKind::Inner => return self.crossed(left, right),
            (None, true) => self.conditional(&mut left, &mut right, &lit(true))?,
        };
        self.taken(left, right, found)
    }

    /// Returns the keys of the right rows. If the join returns columns of the right side, the conditions of these rows
    /// are tested first.
    pub(super) fn keys_of_right(&self, right: &mut Ready) -> Result<Table> {
        match self.kind {
            JoinKind::Inner | JoinKind::Left | JoinKind::Full => right.columns(&self.on.1),
            JoinKind::Semi | JoinKind::Mark | JoinKind::Anti | JoinKind::NullAwareAnti => right.only(&self.on.1),
        }
    }

    fn by_keys(&self, left: &mut Ready, right: &mut Ready) -> Result<MatchedRows> {
        let right = self.keys_of_right(right)?;
        let keys = |left: &mut Ready| left.columns(&self.on.0);
        let (pairs, of_left) = (MatchedRows::pairs, MatchedRows::of_left);
        Ok(match self.kind {
            JoinKind::Inner => pairs(self.looked_up(left, &right)?),
            JoinKind::Left => pairs(left_join(&keys(left)?, &right, self.nulls)?),
            JoinKind::Full => pairs(full_join(&keys(left)?, &right, self.nulls)?),
            JoinKind::Semi => {
                match key_condition(&left.outputs_at(&self.on.0), &right, self.nulls, left.input.num_rows())? {
                    Some(condition) => {
                        left.conditions.push(condition);
                        of_left(left.passing()?)
                    }
                    None => of_left(left_semi_join(&keys(left)?, &right, self.nulls)?),
                }
            }
            JoinKind::Mark => of_left(left_semi_join(&keys(left)?, &right, self.nulls)?),
            JoinKind::Anti | JoinKind::NullAwareAnti => of_left(left_anti_join(&keys(left)?, &right, self.nulls)?),
        })
    }

    /// Looks up the keys of the left rows in a hash table of `right`, and returns the pairs of row numbers. The lookup
    /// also tests the conditions of the left rows.
    pub(super) fn looked_up(&self, left: &mut Ready, right: &Table) -> Result<(Column, Column)> {
        self.probed(left, &HashJoin::for_rows(right, self.nulls, left.input.num_rows())?)
    }

    /// Does the same as [`looked_up`](Self::looked_up) with a table that was built before.
    pub(super) fn probed(&self, left: &mut Ready, table: &HashJoin<'_>) -> Result<(Column, Column)> {
        let keys = left.outputs_at(&self.on.0);
        let narrow = left.input.narrow(left.conditions.iter().chain(&keys))?;
        let rows = narrow.pipeline(&left.conditions)?;
        Ok(rows.probe(table, narrow.expressions(&keys)?).inner_rows()?)
    }

    fn mixed(&self, left: &mut Ready, right: &mut Ready, condition: &Expr) -> Result<MatchedRows> {
        if let Some(values) = self.differing(condition)
            && let Some(found) = self.by_extremes(left, right, values)?
        {
            return Ok(found);
        }
        if self.has_distinct_keys() {
            return self.by_distinct_keys(left, right, condition);
        }
        let pair = self.read_pair(left, right, condition)?;
        let on = JoinKeys::new(&pair.on.0, &pair.on.1).with_nulls(self.nulls);
        let (left, right, condition) = (&pair.left, &pair.right, &pair.condition);
        let (pairs, of_left) = (MatchedRows::pairs, MatchedRows::of_left);
        Ok(match self.kind {
            JoinKind::Inner => pairs(mixed_inner_join(left, right, &on, condition)?),
            JoinKind::Left => pairs(mixed_left_join(left, right, &on, condition)?),
            JoinKind::Full => pairs(mixed_full_join(left, right, &on, condition)?),
            JoinKind::Semi | JoinKind::Mark => of_left(mixed_left_semi_join(left, right, &on, condition)?),
            JoinKind::Anti | JoinKind::NullAwareAnti => of_left(mixed_left_anti_join(left, right, &on, condition)?),
        })
    }

    fn conditional(&self, left: &mut Ready, right: &mut Ready, condition: &Expr) -> Result<MatchedRows> {
        let pair = self.read_pair(left, right, condition)?;
        let (left, right, condition) = (&pair.left, &pair.right, &pair.condition);
        let (pairs, of_left) = (MatchedRows::pairs, MatchedRows::of_left);
        Ok(match self.kind {
            JoinKind::Inner => pairs(conditional_inner_join(left, right, condition)?),
            JoinKind::Left => pairs(conditional_left_join(left, right, condition)?),
            JoinKind::Full => pairs(conditional_full_join(left, right, condition)?),
            JoinKind::Semi | JoinKind::Mark => of_left(conditional_left_semi_join(left, right, condition)?),
            JoinKind::Anti | JoinKind::NullAwareAnti => of_left(conditional_left_anti_join(left, right, condition)?),
        })
    }

    /// Gathers the columns of both sides that are keys or that `condition` reads.
    fn read_pair(&self, left: &mut Ready, right: &mut Ready, condition: &Expr) -> Result<ReadPair> {
        let OutputsRead { left: of_left, right: of_right, condition } =
            self.outputs_read(condition, [&self.on.0, &self.on.1])?;
        let places = |columns: &[usize], keys: &[usize]| {
            keys.iter().map(|key| place_of(columns, *key)).collect::<gdf_core::Result<Vec<usize>>>()
        };
        let on = (places(&of_left, &self.on.0)?, places(&of_right, &self.on.1)?);
        Ok(ReadPair { left: left.columns(&of_left)?, right: right.columns(&of_right)?, on, condition })
    }

    /// Returns the outputs of both sides that `condition` reads, together with the outputs `keys` of each side.
    pub(super) fn outputs_read(&self, condition: &Expr, keys: [&[usize]; 2]) -> Result<OutputsRead> {
        let start = self.left.outputs.len();
        let (of_left, of_right): (Vec<usize>, Vec<usize>) = condition.columns().into_iter().partition(|at| *at < start);
        let sorted = |columns: Vec<usize>, keys: &[usize]| {
            let columns: BTreeSet<usize> = columns.into_iter().chain(keys.iter().copied()).collect();
            columns.into_iter().collect::<Vec<usize>>()
        };
        let left = sorted(of_left, keys[0]);
        let right = sorted(of_right.into_iter().map(|at| at - start).collect(), keys[1]);
        let condition = condition.substitute(|at| match at.checked_sub(start) {
            None => Ok(col(place_of(&left, at)?)),
            Some(at) => Ok(col(left.len() + place_of(&right, at)?)),
        })?;
        Ok(OutputsRead { left, right, condition })
    }

    /// Returns the left rows that `NOT IN` selects. If the right side is empty, these are all rows. If the right side
    /// has a null, there are none. Otherwise, they are the rows whose key is not null and has no match.
    fn not_in(&self, mut left: Ready, mut right: Ready) -> Result<Deferred> {
        let (keys, others) = (left.columns(&self.on.0)?, right.columns(&self.on.1)?);
        let has_null = others.columns().iter().map(Column::null_count).sum::<gdf_core::Result<usize>>()? > 0;
        if right.input.num_rows() == 0 {
            return self.all_of_left(left, None);
        }
        if has_null {
            left.input = left.input.slice(0, 0)?;
            return self.all_of_left(left, None);
        }
        let rows = left_anti_join(&keys, &others, NullEquality::Unequal)?;
        let mut found = Deferred::from(keys).taken(&rows, OutOfBoundsPolicy::Error, &all(self.on.0.len()))?;
        let valid: Vec<Expr> = all(self.on.0.len()).into_iter().map(Expr::is_not_null).collect();
        let valid = found.narrow(&valid)?.pipeline(&valid)?.row_numbers()?;
        let rows = gather(&Table::try_new(vec![rows])?, &valid, OutOfBoundsPolicy::Error)?;
        self.taken(left, right, MatchedRows::of_left(rows.column(0)?.clone()))
    }

    fn crossed(&self, mut left: Ready, mut right: Ready) -> Result<Deferred> {
        left.filter()?;
        right.filter()?;
        let (of_left, of_right) = (left.input.num_rows(), right.input.num_rows());
        if self.outputs.is_empty() {
            let rows = of_left.checked_mul(of_right);
            let rows = rows.ok_or_else(|| Error::internal("a cross join has more rows than can be counted"))?;
            return Ok(Table::try_with_rows(Vec::new(), rows)?.into());
        }
        let rows = |count| Table::try_with_rows(Vec::new(), count);
        let pairs = cross_join_rows(&rows(of_left)?, &rows(of_right)?)?;
        self.taken(left, right, MatchedRows::pairs(pairs))
    }

    /// Returns the positions of the columns of each side that are in the result.
    pub(super) fn sides(&self) -> (Vec<usize>, Vec<usize>) {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for output in &self.outputs {
            match output {
                Source::Left(at) => left.push(*at),
                Source::Right(at) => right.push(*at),
                Source::Mark => {}
            }
        }
        (left, right)
    }

    /// Returns the result of the join for the row numbers in `found`.
    pub(super) fn taken(&self, left: Ready, right: Ready, found: MatchedRows) -> Result<Deferred> {
        let (of_left, of_right) = self.sides();
        // The row number of a missing row is out of bounds, and its columns become null.
        let policy = |missing: bool| if missing { OutOfBoundsPolicy::Nullify } else { OutOfBoundsPolicy::Error };
        match found {
            MatchedRows::OfLeft(rows) if self.kind == JoinKind::Mark => {
                let mark = marks(left.input.num_rows(), &rows)?;
                self.all_of_left(left, Some(mark))
            }
            MatchedRows::OfLeft(rows) => self.assembled(left.taken(&rows, OutOfBoundsPolicy::Error, &of_left)?, None),
            MatchedRows::Pairs(pairs) => {
                let (left_rows, right_rows) = *pairs;
                let left = left.taken(&left_rows, policy(self.kind == JoinKind::Full), &of_left)?;
                let right = right.taken(&right_rows, policy(self.kind != JoinKind::Inner), &of_right)?;
                self.assembled(left.beside(right)?, None)
            }
        }
    }

    /// Returns all left rows, and the mark.
    fn all_of_left(&self, mut left: Ready, mark: Option<Column>) -> Result<Deferred> {
        let (of_left, _) = self.sides();
        let outputs = left.outputs_at(&of_left);
        self.assembled(left.input.projected(&outputs)?, mark)
    }

    /// Puts columns into the order of the outputs. `sides` has the columns of the left side, followed by the columns of
    /// the right side.
    fn assembled(&self, sides: Deferred, mark: Option<Column>) -> Result<Deferred> {
        let (mut left, mut right) = (0.., self.sides().0.len()..);
        let end = left.start + self.outputs.iter().filter(|output| **output != Source::Mark).count();
        let place = |output: &Source| match output {
            Source::Left(_) => left.next().map(col),
            Source::Right(_) => right.next().map(col),
            Source::Mark => Some(col(end)),
        };
        let places: Option<Vec<Expr>> = self.outputs.iter().map(place).collect();
        let places = places.ok_or_else(|| Error::internal("the result of a join has too few columns"))?;
        let mut sides = match mark {
            Some(mark) => sides.beside(Table::try_new(vec![mark])?.into())?,
            None => sides,
        };
        sides.projected(&places)
    }
}

/// The outputs of both sides that a join reads, in ascending order.
pub(super) struct OutputsRead {
    pub(super) left: Vec<usize>,
    pub(super) right: Vec<usize>,
    /// The condition over the outputs `left`, followed by the outputs `right`.
    pub(super) condition: Expr,
}

fn place_of(outputs: &[usize], output: usize) -> gdf_core::Result<usize> {
    let place = outputs.binary_search(&output);
    place.map_err(|_| gdf_core::Error::internal("a join reads a column that was not gathered"))
}

/// The columns of both sides that are keys or that a condition reads.
struct ReadPair {
    left: Table,
    right: Table,
    on: (Vec<usize>, Vec<usize>),
    /// The condition over the columns of `left`, followed by the columns of `right`.
    condition: Expr,
}

fn all(width: usize) -> Vec<Expr> {
    (0..width).map(col).collect()
}

fn marks(count: usize, rows: &Column) -> Result<Column> {
    let target = Table::try_new(vec![from_scalar(false, count)?])?;
    let source = Table::try_new(vec![from_scalar(true, rows.len())?])?;
    let marked = scatter(&source, rows, &target, OutOfBoundsPolicy::Error)?;
    Ok(marked.column(0)?.clone())
}
