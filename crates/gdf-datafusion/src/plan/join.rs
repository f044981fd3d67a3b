//! Runs joins.

use arrow_schema::DataType;
use gdf_api::copying::{OutOfBoundsPolicy, gather, scatter};
use gdf_api::filling::from_scalar;
use gdf_api::join::{
    JoinKeys, NullEquality, conditional_full_join, conditional_inner_join, conditional_left_anti_join,
    conditional_left_join, conditional_left_semi_join, cross_join, full_join, inner_join, left_anti_join, left_join,
    left_semi_join, mixed_full_join, mixed_inner_join, mixed_left_anti_join, mixed_left_join, mixed_left_semi_join,
};
use gdf_api::pipeline::Pipeline;
use gdf_core::{Column, Table};
use gdf_expr::{Expr, col};

use super::tables::nulls;
use super::{Node, Run};
use crate::error::{IslandError, Result};

/// The kind of a join. The rows of the left side are looked up in a hash table that is built from the right side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Left(usize),
    Right(usize),
    Mark,
}

/// A join of two nodes. The hash table is built from the right node.
#[derive(Debug)]
pub(crate) struct Join {
    pub(crate) left: Node,
    pub(crate) right: Node,
    pub(crate) kind: Kind,
    /// The positions of the keys, first of the left side and then of the right side.
    pub(crate) on: (Vec<usize>, Vec<usize>),
    pub(crate) nulls: NullEquality,
    /// A condition that pairs must meet. It reads the columns of the left node, followed by the columns of the right
    /// node.
    pub(crate) condition: Option<Expr>,
    pub(crate) outputs: Vec<Source>,
    pub(crate) decisive: Option<Decisive>,
}

/// A side without whose rows the join has no rows. If this side has no rows, the other side is not computed, so that
/// its values cannot cause an error. DataFusion does not read the other side either.
#[derive(Debug)]
pub(crate) struct Decisive {
    pub(crate) is_left: bool,
    /// The types of the columns of the join.
    pub(crate) types: Vec<DataType>,
}

/// The row numbers that a join returns: pairs of rows, or rows of the left side.
enum Found {
    Pairs(Box<(Column, Column)>),
    OfLeft(Box<Column>),
}

impl Found {
    fn pairs(pairs: (Column, Column)) -> Found {
        Found::Pairs(Box::new(pairs))
    }

    fn of_left(rows: Column) -> Found {
        Found::OfLeft(Box::new(rows))
    }
}

impl Join {
    pub(super) fn run(&self, run: &Run<'_>) -> Result<Table> {
        let (left, right) = match &self.decisive {
            Some(decisive) if decisive.is_left => {
                let left = run.node(&self.left)?;
                if left.num_rows() == 0 {
                    return nulls(&decisive.types, 0);
                }
                (left, run.node(&self.right)?)
            }
            // The right node is usually smaller.
            decisive => {
                let right = run.node(&self.right)?;
                match decisive {
                    Some(decisive) if right.num_rows() == 0 => return nulls(&decisive.types, 0),
                    _ => (run.node(&self.left)?, right),
                }
            }
        };
        self.of(&left, &right, run)
    }

    /// Joins rows of the left node with all rows of the right node.
    pub(super) fn of(&self, left: &Table, right: &Table, run: &Run<'_>) -> Result<Table> {
        let condition = self.condition.as_ref().map(|condition| run.known(condition)).transpose()?;
        if self.kind == Kind::NullAwareAnti {
            return self.not_in(left, right);
        }
        if self.on.0.is_empty() && condition.is_none() && self.kind == Kind::Inner {
            return self.crossed(left, right);
        }
        let found = match (&condition, self.on.0.is_empty()) {
            (None, false) => self.by_keys(left, right)?,
            (Some(condition), false) => self.mixed(left, right, condition)?,
            (Some(condition), true) => self.conditional(left, right, condition)?,
            (None, true) => self.conditional(left, right, &gdf_expr::lit(true))?,
        };
        self.gathered(left, right, found)
    }

    fn keys<'t>(&self, left: &'t Table, right: &'t Table) -> Result<(Table, Table)> {
        Ok((left.select(&self.on.0)?, right.select(&self.on.1)?))
    }

    fn by_keys(&self, left: &Table, right: &Table) -> Result<Found> {
        let (left, right) = self.keys(left, right)?;
        let (pairs, of_left) = (Found::pairs, Found::of_left);
        Ok(match self.kind {
            Kind::Inner => pairs(inner_join(&left, &right, self.nulls)?),
            Kind::Left => pairs(left_join(&left, &right, self.nulls)?),
            Kind::Full => pairs(full_join(&left, &right, self.nulls)?),
            Kind::Semi | Kind::Mark => of_left(left_semi_join(&left, &right, self.nulls)?),
            Kind::Anti | Kind::NullAwareAnti => of_left(left_anti_join(&left, &right, self.nulls)?),
        })
    }

    fn mixed(&self, left: &Table, right: &Table, condition: &Expr) -> Result<Found> {
        let on = JoinKeys::new(&self.on.0, &self.on.1).with_nulls(self.nulls);
        let (pairs, of_left) = (Found::pairs, Found::of_left);
        Ok(match self.kind {
            Kind::Inner => pairs(mixed_inner_join(left, right, &on, condition)?),
            Kind::Left => pairs(mixed_left_join(left, right, &on, condition)?),
            Kind::Full => pairs(mixed_full_join(left, right, &on, condition)?),
            Kind::Semi | Kind::Mark => of_left(mixed_left_semi_join(left, right, &on, condition)?),
            Kind::Anti | Kind::NullAwareAnti => of_left(mixed_left_anti_join(left, right, &on, condition)?),
        })
    }

    fn conditional(&self, left: &Table, right: &Table, condition: &Expr) -> Result<Found> {
        let (pairs, of_left) = (Found::pairs, Found::of_left);
        Ok(match self.kind {
            Kind::Inner => pairs(conditional_inner_join(left, right, condition)?),
            Kind::Left => pairs(conditional_left_join(left, right, condition)?),
            Kind::Full => pairs(conditional_full_join(left, right, condition)?),
            Kind::Semi | Kind::Mark => of_left(conditional_left_semi_join(left, right, condition)?),
            Kind::Anti | Kind::NullAwareAnti => of_left(conditional_left_anti_join(left, right, condition)?),
        })
    }

    /// Returns the left rows that `NOT IN` selects: all rows if the right side is empty, no row if the right side has a
    /// null, and otherwise the rows whose key is not null and has no match.
    fn not_in(&self, left: &Table, right: &Table) -> Result<Table> {
        let (keys, others) = self.keys(left, right)?;
        let has_null = others.columns().iter().map(Column::null_count).sum::<gdf_core::Result<usize>>()? > 0;
        let rows = match others.num_rows() {
            0 => return self.gathered_left(left, None),
            _ if has_null => return self.gathered_left(&left.head(0), None),
            _ => left_anti_join(&keys, &others, NullEquality::Unequal)?,
        };
        let found = gather(left, &rows, OutOfBoundsPolicy::Error)?;
        let valid = self.on.0.iter().fold(Pipeline::new(&found), |rows, key| rows.filter(col(*key).is_not_null()));
        let valid = valid.project(&(0..found.num_columns()).map(col).collect::<Vec<_>>())?;
        self.gathered_left(&valid, None)
    }

    fn crossed(&self, left: &Table, right: &Table) -> Result<Table> {
        let (of_left, of_right) = self.sides();
        let (left, right) = (left.select(&of_left)?, right.select(&of_right)?);
        if of_left.is_empty() && of_right.is_empty() {
            return Ok(Table::try_with_rows(Vec::new(), left.num_rows() * right.num_rows())?);
        }
        let pairs = cross_join(&left, &right)?;
        let split = of_left.len();
        let rows = pairs.num_rows();
        let mut columns = pairs.into_columns();
        let of_right = columns.split_off(split);
        self.assembled(columns, of_right, None, rows)
    }

    /// Returns the positions of the columns of each side that are in the result.
    fn sides(&self) -> (Vec<usize>, Vec<usize>) {
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

    fn gathered(&self, left: &Table, right: &Table, found: Found) -> Result<Table> {
        let (left_rows, right_rows) = match found {
            Found::OfLeft(rows) if self.kind == Kind::Mark => {
                let mark = marks(left.num_rows(), &rows)?;
                return self.gathered_left(left, Some(mark));
            }
            Found::OfLeft(rows) => {
                let (of_left, _) = self.sides();
                let columns = gather(&left.select(&of_left)?, &*rows, OutOfBoundsPolicy::Error)?.into_columns();
                return self.assembled(columns, Vec::new(), None, rows.len());
            }
            Found::Pairs(pairs) => *pairs,
        };
        let (of_left, of_right) = self.sides();
        // The row number of a missing row is out of bounds, and its columns become null.
        let policy = |missing: bool| if missing { OutOfBoundsPolicy::Nullify } else { OutOfBoundsPolicy::Error };
        let rows = left_rows.len();
        let left = gather(&left.select(&of_left)?, &left_rows, policy(self.kind == Kind::Full))?;
        let right = gather(&right.select(&of_right)?, &right_rows, policy(self.kind != Kind::Inner))?;
        self.assembled(left.into_columns(), right.into_columns(), None, rows)
    }

    fn gathered_left(&self, left: &Table, mark: Option<Column>) -> Result<Table> {
        let (of_left, _) = self.sides();
        let columns = left.select(&of_left)?.into_columns();
        self.assembled(columns, Vec::new(), mark, left.num_rows())
    }

    /// Interleaves the columns of both sides and the mark into the order of the outputs.
    fn assembled(&self, left: Vec<Column>, right: Vec<Column>, mark: Option<Column>, rows: usize) -> Result<Table> {
        let (mut left, mut right, mut mark) = (left.into_iter(), right.into_iter(), mark);
        let column = |output: &Source| match output {
            Source::Left(_) => left.next(),
            Source::Right(_) => right.next(),
            Source::Mark => mark.take(),
        };
        let columns: Option<Vec<Column>> = self.outputs.iter().map(column).collect();
        let columns = columns.ok_or_else(|| IslandError::internal("the result of a join has too few columns"))?;
        Ok(Table::try_with_rows(columns, rows)?)
    }
}

fn marks(count: usize, rows: &Column) -> Result<Column> {
    let target = Table::try_new(vec![from_scalar(false, count)?])?;
    let source = Table::try_new(vec![from_scalar(true, rows.len())?])?;
    let marked = scatter(&source, rows, &target, OutOfBoundsPolicy::Error)?;
    Ok(marked.column(0)?.clone())
}
