//! Joins by a condition on the columns of both sides.

use std::sync::Arc;

use gdf_api::dictionary::decode;
use gdf_api::join::JoinKeys;
use gdf_api::replace::replace_nulls;
use gdf_core::{Column, DataType, Error, Result, Table, same_type};
use gdf_external::{self as external, Budget};

use super::digits::Digits;
use super::join::{Sides, joined};
use super::needed::Needed;
use super::rows::col;
use super::{Rows, diagnose};
use crate::expr::{Expr, Leaf};
use crate::join::{Join, JoinKind};
use crate::names::unknown_name;
use crate::selector::Described;

/// A column of one of the sides, by its position.
#[derive(Clone, Copy)]
enum Of {
    Left(usize),
    Right(usize),
}

/// A join by a condition, and by equal keys if there are any.
pub(super) struct Conditional {
    pub(super) sides: Sides,
    /// The condition over the columns of `sides.left`, followed by those of `sides.right`. In a right join, the columns
    /// of `sides.right` come first.
    pub(super) condition: gdf_expr::Expr,
    /// The column of each leaf of the condition.
    leaves: Vec<Of>,
    kind: JoinKind,
    /// The condition with decimals that may not fit, if it has any.
    digits: Option<Digits>,
}

impl Conditional {
    /// Finds the columns of the condition.
    ///
    /// # Errors
    /// * [`NameNotFound`](Error::NameNotFound), [`DuplicateName`](Error::DuplicateName): no column or two columns have
    ///   a name in the condition.
    /// * [`InvalidArgument`](Error::InvalidArgument): the condition consists of more than columns of a row.
    pub(super) fn new(
        rows: &Rows,
        right: &Rows,
        keys: [&[gdf_expr::Expr]; 2],
        (join, condition): (&Join, &Expr),
        after: &Needed,
    ) -> Result<Conditional> {
        let mut sides = Sides::new(rows, right, keys, join, after)?;
        let whole = |error: Error| error.in_expression(|| condition.to_string());
        let mut leaves = Vec::with_capacity(condition.leaves().len());
        for leaf in condition.leaves() {
            let Leaf::Column(name) = leaf else { return Err(whole(Error::invalid_argument(MORE_THAN_COLUMNS))) };
            leaves.push(column_of(name, rows, right, &join.suffix)?);
        }
        let mut columns = leaves.clone();
        for of in &mut columns {
            if let Of::Right(position) = of {
                let value = right.value(*position);
                *position = sides.right.iter().position(|of| of.same(&value)).unwrap_or_else(|| {
                    sides.right.push(value);
                    sides.right.len() - 1
                });
            }
        }
        let (left_at, right_at) = offsets(&sides, join.kind);
        let bound = condition.tree().substitute(|leaf| {
            Ok(match columns[leaf] {
                Of::Left(position) => col(left_at + position),
                Of::Right(position) => col(right_at + position),
            })
        })?;
        // An expression without a type is an error when the sides are computed.
        let digits = types_of_pairs(rows, right, &sides, join.kind)
            .ok()
            .and_then(|types| Digits::of(&bound, types, || condition.to_string()));
        Ok(Conditional { sides, condition: bound, leaves, kind: join.kind, digits })
    }

    /// Checks the types within the condition, with the names that the user wrote.
    ///
    /// # Errors
    /// * [`TypeMismatch`](Error::TypeMismatch): the condition is not boolean.
    /// * The errors of binding the condition.
    pub(super) fn check(&self, rows: &Rows, right: &Rows, condition: &Expr) -> Result<()> {
        let typed = |(leaf, of): (&Leaf, &Of)| {
            let data_type = match of {
                Of::Left(position) => rows.data_type(*position)?,
                Of::Right(position) => right.data_type(*position)?,
            };
            Ok((leaf.name(), data_type))
        };
        let types = condition.leaves().iter().zip(&self.leaves).map(typed).collect::<Result<_>>()?;
        match diagnose::type_of(condition, &types)? {
            DataType::Boolean => Ok(()),
            found => Err(diagnose::no_condition(&found).in_expression(|| condition.to_string())),
        }
    }

    /// Returns whether decimals of the condition may not fit.
    pub(super) fn has_digits(&self) -> bool {
        self.digits.is_some()
    }

    /// Joins the tables of `sides.left` and `sides.right`. The results have the columns of the join.
    pub(super) fn tables(
        &self,
        left: impl IntoIterator<Item = Result<Table>>,
        right: impl IntoIterator<Item = Result<Table>>,
        join: &Join,
        budget: &Budget,
    ) -> Result<Vec<Table>> {
        let Sides { left_on, right_on, .. } = &self.sides;
        let (of, nulls) = (&self.condition, join.nulls());
        let kind = match self.kind {
            JoinKind::Inner => external::JoinKind::Inner,
            JoinKind::Left | JoinKind::Right => external::JoinKind::Left,
            JoinKind::Full => external::JoinKind::Full,
            JoinKind::Semi => external::JoinKind::Semi,
            JoinKind::Anti => external::JoinKind::Anti,
        };
        let (left_at, right_at) = offsets(&self.sides, self.kind);
        let found = match self.kind {
            JoinKind::Right => {
                let on = JoinKeys::new(right_on, left_on).with_nulls(nulls);
                let left: Vec<Table> = left.into_iter().collect::<Result<_>>()?;
                let right = self.checked((right, right_at), (&left, left_at))?;
                external::join_where(right, left, &on, of, kind, budget)?
            }
            _ => {
                let on = JoinKeys::new(left_on, right_on).with_nulls(nulls);
                let right: Vec<Table> = right.into_iter().collect::<Result<_>>()?;
                let left = self.checked((left, left_at), (&right, right_at))?;
                external::join_where(left, right, &on, of, kind, budget)?
            }
        };
        found.into_iter().map(|found| self.columns_of_result(found)).collect()
    }

    /// Returns the parts of one side, each of which is checked together with all parts of the other side: a decimal of
    /// the condition that may have more digits than its type is an error. Each side comes with the position of its
    /// first column in the condition.
    fn checked<I: IntoIterator<Item = Result<Table>>>(
        &self,
        (parts, at): (I, usize),
        (others, others_at): (&[Table], usize),
    ) -> Result<impl Iterator<Item = Result<Table>> + use<I>> {
        let mut digits = self.digits.clone();
        if let Some(digits) = &mut digits {
            digits.measure(others_at, others)?;
        }
        Ok(parts.into_iter().map(move |part| {
            let part = part?;
            if let Some(digits) = &mut digits {
                digits.measure(at, std::slice::from_ref(&part))?;
                digits.check()?;
            }
            Ok(part)
        }))
    }

    /// Returns the columns of the join from those of both sides.
    pub(super) fn columns_of_result(&self, found: Table) -> Result<Table> {
        let Sides { left_on, right_on, width, further, .. } = &self.sides;
        let (left_at, right_at) = offsets(&self.sides, self.kind);
        if !matches!(self.kind, JoinKind::Right | JoinKind::Full) {
            let (rows, payload) = (found.num_rows(), right_at + right_on.len());
            let mut columns = found.into_columns();
            // The columns of a semi or anti join end before those of the right side.
            columns.truncate(payload + further.len());
            let behind = columns.drain((*width).min(columns.len())..payload.min(columns.len()));
            drop(behind);
            return Table::try_with_rows(columns, rows);
        }
        let of_left = |position: usize| {
            let own = found.column(left_at + position)?;
            let key = left_on.iter().position(|on| *on == position).map(|key| found.column(right_at + key));
            match (self.kind, key) {
                (JoinKind::Right, Some(key)) => key.cloned(),
                (JoinKind::Full, Some(key)) => filled(own, key?),
                _ => Ok(own.clone()),
            }
        };
        let of_right = |at: usize| found.column(right_at + right_on.len() + at).cloned();
        let columns = (0..*width).map(of_left).chain((0..further.len()).map(of_right));
        Table::try_with_rows(columns.collect::<Result<_>>()?, found.num_rows())
    }
}

const MORE_THAN_COLUMNS: &str = "the condition of a join looks at one row of each side, and cannot contain selectors, aggregations, window \
     functions or functions of elements; compute these before the join, using `with`";

/// Returns the positions of the first column of the left side and of the right side in the joined rows.
fn offsets(sides: &Sides, kind: JoinKind) -> (usize, usize) {
    if kind == JoinKind::Right { (sides.right.len(), 0) } else { (0, sides.left.len()) }
}

/// Returns the types of the columns of the condition.
fn types_of_pairs(rows: &Rows, right: &Rows, sides: &Sides, kind: JoinKind) -> Result<Vec<DataType>> {
    let types = |rows: &Rows, values: &[gdf_expr::Expr]| {
        values.iter().map(|value| rows.type_of(value)).collect::<Result<Vec<_>>>()
    };
    let (left, right) = (types(rows, &sides.left)?, types(right, &sides.right)?);
    Ok(if kind == JoinKind::Right { [right, left].concat() } else { [left, right].concat() })
}

/// Returns the column that a name stands for in the condition; see [`Join::condition`].
fn column_of(name: &str, rows: &Rows, right: &Rows, suffix: &str) -> Result<Of> {
    let left = rows.position(name);
    let own = right.position(name).filter(|_| left.is_none());
    let base = name.strip_suffix(suffix).filter(|base| rows.position(base).is_some());
    let suffixed = base.and_then(|base| right.position(base));
    let mut found = left.map(Of::Left).into_iter().chain(own.into_iter().chain(suffixed).map(Of::Right));
    match (found.next(), found.next()) {
        (Some(of), None) => Ok(of),
        (Some(_), Some(_)) => Err(Error::duplicate_name(name).with_remedy("pass another `suffix` to the join")),
        (None, _) => {
            let of_right = |name: &str| match rows.position(name) {
                Some(_) => format!("{name}{suffix}"),
                None => name.to_owned(),
            };
            let names: Vec<String> = rows.names().map(str::to_owned).chain(right.names().map(of_right)).collect();
            Err(unknown_name(name, names.iter().map(String::as_str)))
        }
    }
}

/// Returns the key column of a full join: the left keys `own`, with nulls replaced by the right keys `other`.
pub(super) fn filled(own: &Column, other: &Column) -> Result<Column> {
    if same_type(own.data_type(), other.data_type()) {
        return replace_nulls(own, other);
    }
    let plain = |column: &Column| match column.data_type() {
        DataType::Dictionary(..) => decode(column),
        _ => Ok(column.clone()),
    };
    replace_nulls(&plain(own)?, &plain(other)?)
}

pub(super) fn join(
    rows: &mut Rows,
    right: &Rows,
    keys: [&[gdf_expr::Expr]; 2],
    (join, condition): (&Join, &Expr),
    after: &Needed,
) -> Result<()> {
    let of = Conditional::new(rows, right, keys, (join, condition), after)?;
    let (left_table, right_table) = (rows.project(&of.sides.left)?, right.project(&of.sides.right)?);
    let budget = Budget::unlimited();
    let [left_table, right_table] = [left_table, right_table].map(|table| Ok(Arc::unwrap_or_clone(table)));
    let mut found = of
        .tables([left_table], [right_table], join, &budget)
        .map_err(|error| of.check(rows, right, condition).err().unwrap_or(error))?;
    let found = match found.len() {
        1 => found.pop(),
        _ => budget.whole(&found)?,
    };
    let found = found.ok_or_else(|| Error::internal("a join returned no rows"))?;
    let outputs = of.sides.outputs(rows);
    *rows = Rows::new(joined(rows, right, found, &outputs, join.kind)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use gdf_core::Column;

    use crate::{Frame, Join, JoinKind, col, len, lit};

    fn side(rows: &[i32]) -> Frame {
        Frame::try_new(["k", "x", "y"].map(|name| (name, Column::from_slice(rows).unwrap()))).unwrap()
    }

    #[test]
    fn columns_of_the_condition_need_not_be_in_the_result() {
        let (left, right) = (side(&[1, 2, 3]), side(&[2, 3, 4]));
        let joined = |join: Join| left.lazy().filter(col("x").gt(0)).join(right.lazy(), join);
        for (join, expected) in [
            (Join::inner(["k"]).condition(col("y_right").gt(2)), 1_i64),
            (Join::by_condition(JoinKind::Inner, col("x_right").gt(col("y"))), 6),
            (Join::by_condition(JoinKind::Right, col("x_right").lt(col("y"))), 3),
            (Join::by_condition(JoinKind::Inner, lit(true)), 9),
            (Join::by_condition(JoinKind::Full, lit(false)), 6),
            (Join::by_condition(JoinKind::Semi, col("k_right").gt(3)), 3),
        ] {
            let counted = joined(join.clone()).select([len()]).collect().unwrap();
            assert_eq!(counted.column("len").unwrap().get(0).unwrap(), Some(expected), "{join:?}");
            assert_eq!(joined(join.clone()).collect().unwrap().num_rows() as i64, expected, "{join:?}");
            let one = joined(join.clone()).select(["k"]).collect().unwrap();
            assert_eq!(one.num_rows() as i64, expected, "{join:?}");
        }
    }

    #[test]
    fn explain_shows_keys_and_condition() {
        let frame = side(&[1]);
        let condition = || col("x").lt(col("x_right"));
        let text = |join: Join| frame.lazy().join(frame.lazy(), join).explain();
        assert!(text(Join::left(["k"]).condition(condition())).contains("Left join on k = k where x < x_right with\n"));
        assert!(text(Join::by_condition(JoinKind::Semi, condition())).contains("Semi join where x < x_right with\n"));
    }

    #[test]
    fn keys_of_the_right_side_fill_the_key_columns_of_a_full_join() {
        let (left, right) = (side(&[1, 2]), side(&[2, 3]));
        for join in [Join::full(["k"]), Join::right(["k"])] {
            let found = left.join(&right, join.condition(col("x").gt(9))).unwrap().sort(["k", "x"]).unwrap();
            let own: Vec<_> = found.column("k").unwrap().to_vec::<i32>().unwrap();
            assert_eq!(&own[own.len() - 1], &Some(3));
            assert_eq!(found.column("x").unwrap().null_count().unwrap(), 2);
            assert!(found.schema().field_with_name("k").unwrap().is_nullable());
        }
    }
}
