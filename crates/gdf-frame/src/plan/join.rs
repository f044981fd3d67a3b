//! Joins.

use std::sync::Arc;

use arrow_schema::{Field, FieldRef, Schema};
use gdf_api::copying::{OutOfBoundsPolicy, gather};
use gdf_api::join::{HashJoin, JoinKeys, NullEquality, anti, inner, semi};
use gdf_api::pipeline::Pipeline;
use gdf_api::stream_compaction::distinct_count_rows;
use gdf_core::{Column, Error, Result, Table};
use gdf_expr::{ExprKind, coalesce, col};

use super::needed::Needed;
use super::{Named, Plan, Rows};
use crate::columns::Columns;
use crate::join::{Join, JoinKind};
use crate::names::check_names;

/// Joins the rows with the result of a plan. The hash table is built from the right side.
pub(super) fn join(rows: &mut Rows, right: &Plan, join: &Join, after: &Needed) -> Result<()> {
    if join.keys.is_empty() {
        return Err(Error::invalid_argument("the join has no keys").with_remedy("pass at least one key"));
    }
    let mut right = Rows::new(right.run_for(&after.of_right(join))?);
    // A set of many rows is worth more than the fusion of the condition with the lookup: see `tables`.
    let is_set = matches!(join.kind, JoinKind::Semi | JoinKind::Anti);
    if is_set && right.source().table().num_rows() > rows.source().table().num_rows() {
        rows.compute()?;
    }
    let left_keys = rows.resolve_all(join.keys.iter().map(|(left, _)| left))?;
    let right_keys = right.resolve_all(join.keys.iter().map(|(_, right)| right))?;
    let right_table = right.project(&right_keys)?;
    let nulls = if join.nulls_equal { NullEquality::Equal } else { NullEquality::Unequal };
    if join.validate.right() {
        check_distinct(&right_table, "the keys of the right side of the join are not distinct")?;
    }
    if join.validate.left() {
        let left_table = rows.project(&left_keys)?;
        check_distinct(&left_table, "the keys of the left side of the join are not distinct")?;
    }
    match join.kind {
        JoinKind::Inner | JoinKind::Semi | JoinKind::Anti if rows.has_only_columns() => {
            tables(rows, &right, [&left_keys, &right_keys], join, after)?;
        }
        JoinKind::Semi | JoinKind::Anti => {
            let table = HashJoin::try_new(&right_table, nulls)?;
            let probe = rows.pipeline().probe(&table, left_keys);
            let outputs = rows.outputs();
            let found = match join.kind {
                JoinKind::Semi => probe.semi(&rows.values())?,
                _ => probe.anti(&rows.values())?,
            };
            *rows = Rows::new(rows.columns_of(found, &outputs)?);
        }
        JoinKind::Inner => {
            let further = payload(rows, &right, &right_keys, join, after)?;
            let table = HashJoin::try_new(&right_table, nulls)?;
            let mut outputs = rows.outputs();
            let base = rows.source().len();
            let mut values = rows.values();
            values.extend(further.iter().map(|(position, _)| col(base + position)));
            let found = rows.pipeline().probe(&table, left_keys).join(right.source().table(), &values)?;
            outputs.extend(
                further.iter().map(|(position, name)| Named { name: name.clone(), value: col(base + position) }),
            );
            *rows = Rows::new(joined(rows, &right, found, &outputs, Side::None)?);
        }
        JoinKind::Left => {
            let table = HashJoin::try_new(&right_table, nulls)?;
            let further = payload(rows, &right, &right_keys, join, after)?;
            let left_table = rows.compute_with(&left_keys)?;
            let (left_rows, right_rows) = table.left_join(&left_table)?;
            gathered(rows, &right, &further, (left_rows, right_rows), Side::Right)?;
        }
        JoinKind::Right => {
            let further = payload(rows, &right, &right_keys, join, after)?;
            let keys = key_columns(rows, &left_keys);
            let left_table = rows.compute_with(&left_keys)?;
            // The rows of the right side are kept, so they probe a table of the left side.
            let (right_rows, left_rows) = HashJoin::try_new(&left_table, nulls)?.left_join(&right_table)?;
            gathered(rows, &right, &further, (left_rows, right_rows.clone()), Side::Left)?;
            replace_keys(rows, &keys, &right_table, right_rows, Kept::Right)?;
        }
        JoinKind::Full => {
            let table = HashJoin::try_new(&right_table, nulls)?;
            let further = payload(rows, &right, &right_keys, join, after)?;
            let keys = key_columns(rows, &left_keys);
            let left_table = rows.compute_with(&left_keys)?;
            let (left_rows, right_rows) = table.full_join(&left_table)?;
            gathered(rows, &right, &further, (left_rows, right_rows.clone()), Side::Both)?;
            replace_keys(rows, &keys, &right_table, right_rows, Kept::Either)?;
        }
    }
    Ok(())
}

/// Joins all rows of the source, whose columns are not computed.
///
/// The hash table is built for these rows and this kind of join. It is smaller and faster than the table of a pipeline,
/// which is built for any number of rows and any kind.
fn tables(
    rows: &mut Rows,
    right: &Rows,
    [left_keys, right_keys]: [&[gdf_expr::Expr]; 2],
    join: &Join,
    after: &Needed,
) -> Result<()> {
    let further = match join.kind {
        JoinKind::Inner => payload(rows, right, right_keys, join, after)?,
        _ => Vec::new(),
    };
    let (mut left, mut left_on) = (rows.values(), Vec::new());
    for key in left_keys {
        left_on.push(left.iter().position(|value| value.same(key)).unwrap_or_else(|| {
            left.push(key.clone());
            left.len() - 1
        }));
    }
    // Keys that are no columns of the result follow the columns.
    let (width, further_keys) = (rows.width(), left.len() - rows.width());
    let right_values = further.iter().map(|(position, _)| right.value(*position));
    let right_values: Vec<_> = right_keys.iter().cloned().chain(right_values).collect();
    let right_on: Vec<usize> = (0..right_keys.len()).collect();
    let on = JoinKeys::new(&left_on, &right_on);
    let on = if join.nulls_equal { on.with_nulls(NullEquality::Equal) } else { on };
    let (left, right_table) = (rows.project(&left)?, right.project(&right_values)?);
    let found = match join.kind {
        JoinKind::Semi => semi(&left, &right_table, &on)?,
        JoinKind::Anti => anti(&left, &right_table, &on)?,
        _ => inner(&left, &right_table, &on)?,
    };
    let kept: Vec<usize> = (0..width).chain(width + further_keys..found.num_columns()).collect();
    let base = rows.source().len();
    let mut outputs = rows.outputs();
    outputs.extend(further.into_iter().map(|(position, name)| Named { name, value: col(base + position) }));
    *rows = Rows::new(joined(rows, right, found.select(&kept)?, &outputs, Side::None)?);
    Ok(())
}

/// The side of a join that has nulls in rows without a match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    None,
    Left,
    Right,
    Both,
}

/// The side whose keys are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Right,
    Either,
}

fn check_distinct(keys: &Table, what: &'static str) -> Result<()> {
    match distinct_count_rows(keys, NullEquality::Equal)? == keys.num_rows() {
        true => Ok(()),
        false => Err(Error::invalid_argument(what)),
    }
}

/// Returns the columns of the right side that later steps need: their positions and their names in the result.
fn payload(
    rows: &Rows,
    right: &Rows,
    right_keys: &[gdf_expr::Expr],
    join: &Join,
    after: &Needed,
) -> Result<Vec<(usize, Arc<str>)>> {
    let is_key =
        |position: usize| right_keys.iter().any(|key| matches!(key.kind(), ExprKind::Column(of) if *of == position));
    let named = |position: usize| {
        let name = right.name(position);
        let name = match rows.position(name) {
            Some(_) => format!("{name}{}", join.suffix).into(),
            None => Arc::from(name),
        };
        (position, name)
    };
    let further: Vec<_> = (0..right.width()).filter(|position| !is_key(*position)).map(named).collect();
    let names: Vec<&str> = rows.names().chain(further.iter().map(|(_, name)| &**name)).collect();
    check_names(names).map_err(|error| error.with_remedy("pass another `suffix` to the join"))?;
    Ok(further.into_iter().filter(|(_, name)| after.has(name)).collect())
}

/// Returns the columns of a joined table. `outputs` are expressions over the columns of both sides, those of the left
/// source first. Columns of a side that has nulls without a match are nullable.
fn joined(rows: &Rows, right: &Rows, table: Table, outputs: &[Named], nulls: Side) -> Result<Columns> {
    let base = rows.source().len();
    let field = |(at, output): (usize, &Named)| -> Result<FieldRef> {
        let (field, is_nullable) = match output.value.kind() {
            ExprKind::Column(position) if *position >= base => {
                let field = right.field(&output.name, &col(position - base), &table, at)?;
                (field, matches!(nulls, Side::Right | Side::Both))
            }
            _ => (rows.field(&output.name, &output.value, &table, at)?, matches!(nulls, Side::Left | Side::Both)),
        };
        Ok(if is_nullable { Arc::new(Field::clone(&field).with_nullable(true)) } else { field })
    };
    let fields = outputs.iter().enumerate().map(field).collect::<Result<Vec<_>>>()?;
    let schema = Schema::new_with_metadata(fields, rows.source().schema().metadata().clone());
    Ok(Columns::trusted(schema.into(), table))
}

/// Gathers the columns of both sides by the rows of a join. The rows of the left side are computed.
fn gathered(
    rows: &mut Rows,
    right: &Rows,
    further: &[(usize, Arc<str>)],
    (left_rows, right_rows): (Column, Column),
    nulls: Side,
) -> Result<()> {
    let left = gather(rows.source().table(), &left_rows, OutOfBoundsPolicy::Nullify)?;
    let positions: Vec<usize> = further.iter().map(|(position, _)| *position).collect();
    let payload = right.source().table().select(&positions)?;
    let payload = gather(&payload, &right_rows, OutOfBoundsPolicy::Nullify)?;
    let base = rows.source().len();
    let count = left_rows.len();
    let table = Table::try_with_rows(left.into_columns().into_iter().chain(payload.into_columns()).collect(), count)?;
    let mut outputs = rows.outputs();
    outputs.extend(further.iter().map(|(position, name)| Named { name: name.clone(), value: col(base + position) }));
    *rows = Rows::new(joined(rows, right, table, &outputs, nulls)?);
    Ok(())
}

/// Returns, for each key, the position of the column of the left side that is the key, if there is one.
fn key_columns(rows: &Rows, left_keys: &[gdf_expr::Expr]) -> Vec<Option<usize>> {
    let position = |key: &gdf_expr::Expr| (0..rows.width()).find(|position| rows.value(*position).same(key));
    left_keys.iter().map(position).collect()
}

/// Replaces the key columns of the left side by the keys of the right side, where the left side has no row.
fn replace_keys(
    rows: &mut Rows,
    keys: &[Option<usize>],
    right_keys: &Table,
    right_rows: Column,
    kept: Kept,
) -> Result<()> {
    if keys.iter().all(Option::is_none) {
        return Ok(());
    }
    let (schema, table) = rows.source().clone().into_parts();
    let found = gather(right_keys, &right_rows, OutOfBoundsPolicy::Nullify)?;
    let mut columns = table.into_columns();
    for (key, position) in keys.iter().enumerate() {
        let Some(position) = *position else { continue };
        let of_right = found.column(key)?.clone();
        columns[position] = match kept {
            Kept::Right => of_right,
            Kept::Either => {
                let sides = Table::try_new(vec![columns[position].clone(), of_right])?;
                let either = Pipeline::new(&sides).project(&[coalesce([col(0), col(1)])])?;
                either.column(0)?.clone()
            }
        };
    }
    let table = Table::try_with_rows(columns, right_rows.len())?;
    // Decoded keys have another type than the column that they replace.
    let field = |(field, column): (&FieldRef, &Column)| {
        Arc::new(Field::clone(field).with_data_type(column.data_type().clone()))
    };
    let fields: Vec<FieldRef> = schema.fields().iter().zip(table.columns()).map(field).collect();
    let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
    *rows = Rows::new(Columns::trusted(schema.into(), table));
    Ok(())
}

#[cfg(test)]
mod tests {
    use gdf_core::Column;

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
}
