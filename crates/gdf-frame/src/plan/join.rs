//! Joins by equal keys.

use std::sync::Arc;

use arrow_schema::{Field, FieldRef};
use gdf_api::join::{HashJoin, JoinKeys, NullEquality, anti, full, inner, left, semi};
use gdf_api::stream_compaction::distinct_count_rows;
use gdf_core::{Error, Result, Table, same_type};
use gdf_expr::ExprKind;

use super::needed::Needed;
use super::rows::col;
use super::{Named, Rows};
use crate::columns::{Columns, renamed_field};
use crate::expr::Expr;
use crate::join::{Join, JoinKind, Validate};
use crate::names::{Name, check_names};

pub(super) const LEFT_NOT_DISTINCT: &str =
    "the keys of the left side of the join are not distinct; correct the data, or join without `validate`";

pub(super) const RIGHT_NOT_DISTINCT: &str =
    "the keys of the right side of the join are not distinct; correct the data, or join without `validate`";

pub(super) fn check_keys(join: &Join) -> Result<()> {
    match (join.keys.is_empty(), &join.condition) {
        (true, None) => {
            Err(Error::invalid_argument("the join has no keys").with_remedy("pass at least 1 key, or a condition"))
        }
        (true, Some(_)) if join.validate != Validate::ManyToMany => {
            Err(Error::invalid_argument("a join without keys has no distinct keys").with_remedy("leave out `validate`"))
        }
        _ => Ok(()),
    }
}

pub(super) fn probe(
    rows: &mut Rows,
    right: &Rows,
    left_keys: Vec<gdf_expr::Expr>,
    right_keys: &[gdf_expr::Expr],
    join: &Join,
    after: &Needed,
) -> Result<()> {
    let further = payload(rows, right, &key_columns(rows, &left_keys, join), right_keys, join, after)?;
    let keys = right.project(right_keys)?;
    let table = HashJoin::for_rows(&*keys, join.nulls(), rows.source().table().num_rows())?;
    let probe = rows.pipeline().probe(&table, left_keys);
    let outputs = with_payload(rows, further);
    let values: Vec<_> = outputs.iter().map(|output| output.value.clone()).collect();
    let found = match join.kind {
        JoinKind::Semi => probe.semi(&values)?,
        JoinKind::Anti => probe.anti(&values)?,
        _ => probe.join(right.source().table(), &values)?,
    };
    *rows = Rows::new(joined(rows, right, found, &outputs, join.kind)?);
    Ok(())
}

/// Computes both sides of a join as tables, and joins the tables. A right join is a left join with exchanged sides.
///
/// The rows to look up and the kind of join are known when the hash table is built. The table is therefore smaller and
/// faster than the hash table of [`probe`].
pub(super) fn tables(
    rows: &mut Rows,
    right: &Rows,
    [left_keys, right_keys]: [&[gdf_expr::Expr]; 2],
    join: &Join,
    after: &Needed,
) -> Result<()> {
    let sides = Sides::new(rows, right, [left_keys, right_keys], join, after)?;
    let (left_table, right_table) = (rows.project(&sides.left)?, right.project(&sides.right)?);
    let (left_table, right_table) = (&*left_table, &*right_table);
    let on = JoinKeys::new(&sides.left_on, &sides.right_on).with_nulls(join.nulls());
    let found = match join.kind {
        JoinKind::Semi => semi(left_table, right_table, &on)?,
        JoinKind::Anti => anti(left_table, right_table, &on)?,
        JoinKind::Inner => inner(left_table, right_table, &on)?,
        JoinKind::Left => left(left_table, right_table, &on)?,
        JoinKind::Full => full(left_table, right_table, &on)?,
        JoinKind::Right => {
            let on = JoinKeys::new(&sides.right_on, &sides.left_on).with_nulls(join.nulls());
            left(right_table, left_table, &on)?
        }
    };
    let outputs = sides.outputs(rows);
    let found = sides.columns_of_result(found, join.kind)?;
    *rows = Rows::new(joined(rows, right, found, &outputs, join.kind)?);
    Ok(())
}

/// The values that both sides of a join compute, and the positions of the keys among these values.
pub(super) struct Sides {
    /// The columns of the left side, followed by further keys: those that are not columns and, in a full join, copies
    /// of columns that an earlier key has.
    pub(super) left: Vec<gdf_expr::Expr>,
    pub(super) left_on: Vec<usize>,
    /// The keys of the right side, followed by the columns of the right side that the result has. A condition may add
    /// further columns at the end.
    pub(super) right: Vec<gdf_expr::Expr>,
    pub(super) right_on: Vec<usize>,
    /// The number of columns of the left side.
    pub(super) width: usize,
    /// The columns of the right side in the result; see [`payload`].
    pub(super) further: Vec<(usize, Name)>,
}

impl Sides {
    pub(super) fn new(
        rows: &Rows,
        right: &Rows,
        [left_keys, right_keys]: [&[gdf_expr::Expr]; 2],
        join: &Join,
        after: &Needed,
    ) -> Result<Sides> {
        let columns = key_columns(rows, left_keys, join);
        let further = payload(rows, right, &columns, right_keys, join, after)?;
        let (width, mut left, mut left_on) = (rows.width(), rows.values(), Vec::new());
        for (key, position) in left_keys.iter().zip(columns) {
            let position = position.or_else(|| left.iter().position(|value| value.same(key)));
            // In a full join, a column gets the keys of one column of the right side. A further key is a copy.
            let position = position.filter(|at| join.kind != JoinKind::Full || !left_on.contains(at));
            left_on.push(position.unwrap_or_else(|| {
                left.push(key.clone());
                left.len() - 1
            }));
        }
        let values = further.iter().map(|(position, _)| right.value(*position));
        let right = right_keys.iter().cloned().chain(values).collect();
        Ok(Sides { left, left_on, right, right_on: (0..right_keys.len()).collect(), width, further })
    }

    pub(super) fn outputs(&self, rows: &Rows) -> Vec<Named> {
        with_payload(rows, self.further.clone())
    }

    pub(super) fn columns_of_result(&self, found: Table, kind: JoinKind) -> Result<Table> {
        let kept: Vec<usize> = match kind {
            // The sides were exchanged: the columns of the right side come first, then those of the left side that are
            // not keys.
            JoinKind::Right => {
                let mut others = self.right.len()..;
                let of_left = |position: usize| match self.left_on.iter().position(|on| *on == position) {
                    Some(key) => Some(key),
                    None => others.next(),
                };
                (0..self.width).filter_map(of_left).chain(self.right_on.len()..self.right.len()).collect()
            }
            _ => (0..self.width).chain(self.left.len()..found.num_columns()).collect(),
        };
        match kept.len() == found.num_columns() && kept.iter().enumerate().all(|(at, position)| at == *position) {
            true => Ok(found),
            false => found.select(&kept),
        }
    }
}

/// Returns the columns of the rows, followed by columns of the right side, as expressions over the columns of both
/// sides.
fn with_payload(rows: &Rows, further: Vec<(usize, Name)>) -> Vec<Named> {
    let base = rows.source().len();
    let of_right = |(position, name)| Named { name, value: col(base + position) };
    let mut outputs = rows.outputs();
    outputs.extend(further.into_iter().map(of_right));
    outputs
}

pub(super) fn check_distinct(keys: &Table, what: &'static str) -> Result<()> {
    if keys.columns().iter().any(|key| key.view().is_known_distinct()) {
        return Ok(());
    }
    match distinct_count_rows(keys, NullEquality::Equal)? == keys.num_rows() {
        true => Ok(()),
        false => Err(Error::invalid_argument(what)),
    }
}

/// Returns the position of the column of the rows that has the values of each key, or `None` for a key that is
/// computed.
fn key_columns(rows: &Rows, keys: &[gdf_expr::Expr], join: &Join) -> Vec<Option<usize>> {
    let values = rows.values();
    let column = |(key, (of, _)): (&gdf_expr::Expr, &(Expr, Expr))| {
        // Several columns may have the values of the key. In a full or right join, only the column with the name of the
        // key gets the keys of the right side.
        let named = rows.position(&of.name()).filter(|position| values[*position].same(key));
        named.or_else(|| values.iter().position(|value| value.same(key)))
    };
    keys.iter().zip(&join.keys).map(column).collect()
}

/// Returns the columns of the right side that later steps need: positions, and names in the result. `columns` are the
/// [`key_columns`] of the left side.
fn payload(
    rows: &Rows,
    right: &Rows,
    columns: &[Option<usize>],
    right_keys: &[gdf_expr::Expr],
    join: &Join,
    after: &Needed,
) -> Result<Vec<(usize, Name)>> {
    if matches!(join.kind, JoinKind::Semi | JoinKind::Anti) {
        return Ok(Vec::new());
    }
    // The rows of the right side without a match keep their keys in a column of the left side. The first of several
    // keys with the same column of the left side is kept there.
    let is_kept = |key: usize| columns[key].is_some() && !columns[..key].contains(&columns[key]);
    let is_left_out = |key: usize| !matches!(join.kind, JoinKind::Right | JoinKind::Full) || is_kept(key);
    let is_key = |position: usize| {
        let mut keys = right_keys.iter().enumerate();
        keys.any(|(at, key)| right.value(position).same(key) && is_left_out(at))
    };
    let named = |position: usize| {
        let name = right.output_name(position);
        let name = match rows.position(&name) {
            Some(_) => Name::Own(format!("{}{}", &*name, join.suffix).into()),
            None => name,
        };
        (position, name)
    };
    let mut further: Vec<_> = (0..right.width()).filter(|position| !is_key(*position)).map(named).collect();
    let names = rows.names().chain(further.iter().map(|(_, name)| &**name));
    check_names(names).map_err(|error| error.with_remedy("pass another `suffix` to the join"))?;
    further.retain(|(_, name)| after.has(name));
    Ok(further)
}

/// Returns the columns of a joined table. `outputs` are expressions over the columns of both sides, those of the left
/// source first. The columns of a side are nullable if rows of the side can be missing.
pub(super) fn joined(rows: &Rows, right: &Rows, table: Table, outputs: &[Named], kind: JoinKind) -> Result<Columns> {
    let base = rows.source().len();
    let field = |(at, output): (usize, &Named)| -> Result<FieldRef> {
        let (field, is_missing) = match output.value.kind() {
            ExprKind::Column(position) if *position >= base => {
                let field = renamed_field(right.source().field(position - base), &output.name);
                (field, matches!(kind, JoinKind::Left | JoinKind::Full))
            }
            _ => {
                let field = rows.field(&output.name, &output.value, &table, at)?;
                (field, matches!(kind, JoinKind::Right | JoinKind::Full))
            }
        };
        // A key column may have been decoded, and then has another type than the source.
        let data_type = table.column(at)?.data_type();
        if !is_missing && same_type(field.data_type(), data_type) {
            return Ok(field);
        }
        let is_nullable = field.is_nullable() || is_missing;
        Ok(Arc::new(Field::clone(&field).with_nullable(is_nullable).with_data_type(data_type.clone())))
    };
    let fields = outputs.iter().enumerate().map(field).collect::<Result<Vec<_>>>()?;
    Ok(rows.source().replaced(fields, table))
}

#[cfg(test)]
mod tests {
    use arrow_schema::{DataType, Field, Schema};
    use gdf_core::{Column, Table};

    use crate::columns::Columns;
    use crate::{Frame, Join, col};

    #[test]
    fn columns_of_the_right_side_are_found_although_others_are_not_computed() {
        let side = |x: i32| {
            let columns = ["k", "x", "y"].map(|name| (name, Column::from_slice(&[x, x + 1]).unwrap()));
            Frame::try_new(columns).unwrap()
        };
        let (left, right) = (side(1), side(2).lazy().filter(col("y").gt(0)));
        let joined = left.lazy().join(right, Join::inner(["k"]));
        let found = joined.select(["x", "x_right"]).collect().unwrap();
        assert_eq!(found.column("x_right").unwrap().to_vec::<i32>().unwrap(), [Some(2)]);
    }

    #[test]
    fn keys_of_the_right_side_come_into_the_column_with_the_name_of_the_key() {
        let side = |k: i32| Frame::try_new([("k", Column::from_slice(&[k]).unwrap())]).unwrap();
        let left = side(1).lazy().select([col("k").alias("copy"), col("k")]);
        for join in [Join::right(["k"]), Join::full(["k"]).nulls_equal(true)] {
            let found = left.clone().join(side(2).lazy(), join).sort(["k"]).collect().unwrap().tail(1);
            assert_eq!(found.column("k").unwrap().to_vec::<i32>().unwrap(), [Some(2)]);
            assert_eq!(found.column("copy").unwrap().to_vec::<i32>().unwrap(), [None]);
        }
    }

    #[test]
    fn columns_of_a_side_whose_rows_may_be_missing_are_nullable() {
        let side = |name: &str| {
            let fields = ["k", name].map(|name| Field::new(name, DataType::Int32, false));
            let columns = vec![Column::from_slice(&[1, 2]).unwrap(), Column::from_slice(&[3, 4]).unwrap()];
            let schema = Schema::new(fields.to_vec());
            Frame::from(Columns::try_new(schema.into(), Table::try_new(columns).unwrap()).unwrap())
        };
        let (left, right) = (side("x"), side("y"));
        for (join, expected) in [
            (Join::inner(["k"]), [false, false]),
            (Join::left(["k"]), [false, true]),
            (Join::right(["k"]), [true, false]),
            (Join::full(["k"]), [true, true]),
        ] {
            let found = left.join(&right, join.clone()).unwrap();
            let is_nullable = ["x", "y"].map(|name| found.schema().field_with_name(name).unwrap().is_nullable());
            assert_eq!(is_nullable, expected, "{join:?}");
            let computed = left.lazy().filter(col("x").gt(0)).join(right.lazy(), join.clone()).collect().unwrap();
            let is_nullable = ["x", "y"].map(|name| computed.schema().field_with_name(name).unwrap().is_nullable());
            assert_eq!(is_nullable, expected, "{join:?}");
        }
    }

    #[test]
    fn a_column_with_two_keys_gets_the_keys_of_the_first() {
        let left = Frame::try_new([("k", Column::from_slice(&[1]).unwrap())]).unwrap();
        let right = [("a", Column::from_options(&[None::<i32>]).unwrap()), ("b", Column::from_slice(&[5]).unwrap())];
        let right = Frame::try_new(right).unwrap();
        for join in [Join::right([("k", "a"), ("k", "b")]), Join::full([("k", "a"), ("k", "b")])] {
            let found = left.join(&right, join).unwrap().sort(["b"]).unwrap().head(1);
            assert_eq!(found.names().collect::<Vec<_>>(), ["k", "b"]);
            assert_eq!(found.column("k").unwrap().to_vec::<i32>().unwrap(), [None]);
            assert_eq!(found.column("b").unwrap().to_vec::<i32>().unwrap(), [Some(5)]);
        }
    }
}
