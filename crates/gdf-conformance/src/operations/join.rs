//! Area `join`: matches the rows of two tables by keys and conditions.

use gdf_api::binaryop::{BinaryOperator, binary_operation};
use gdf_api::copying::copy_if_else;
use gdf_api::join::{self, JOIN_NO_MATCH, JoinKeys, NullEquality};
use gdf_core::{Column, DataType, Scalar, Table};
use gdf_expr::Expr;

use super::Operation;
use super::transform::{Places, condition};
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("inner_join", |call| pairs(call, |left, right, nulls| join::inner_join(left, right, nulls))),
    ("left_join", |call| pairs(call, |left, right, nulls| join::left_join(left, right, nulls))),
    ("full_join", |call| pairs(call, |left, right, nulls| join::full_join(left, right, nulls))),
    ("left_semi_join", |call| rows(call, |left, right, nulls| join::left_semi_join(left, right, nulls))),
    ("left_anti_join", |call| rows(call, |left, right, nulls| join::left_anti_join(left, right, nulls))),
    ("cross_join", |call| Ok(Answer::table(join::cross_join(&call.table("left")?, &call.table("right")?)?))),
    ("conditional_inner_join", |call| conditional(call, |l, r, expr| pair(join::conditional_inner_join(l, r, expr)?))),
    ("conditional_left_join", |call| conditional(call, |l, r, expr| pair(join::conditional_left_join(l, r, expr)?))),
    ("conditional_full_join", |call| conditional(call, |l, r, expr| pair(join::conditional_full_join(l, r, expr)?))),
    ("conditional_left_semi_join", |call| {
        conditional(call, |left, right, expr| Ok(vec![join::conditional_left_semi_join(left, right, expr)?]))
    }),
    ("conditional_left_anti_join", |call| {
        conditional(call, |left, right, expr| Ok(vec![join::conditional_left_anti_join(left, right, expr)?]))
    }),
    ("mixed_inner_join", |call| mixed(call, |l, r, on, expr| pair(join::mixed_inner_join(l, r, on, expr)?))),
    ("mixed_left_join", |call| mixed(call, |l, r, on, expr| pair(join::mixed_left_join(l, r, on, expr)?))),
    ("mixed_full_join", |call| mixed(call, |l, r, on, expr| pair(join::mixed_full_join(l, r, on, expr)?))),
    ("mixed_left_semi_join", |call| {
        mixed(call, |l, r, on, expr| Ok(vec![join::mixed_left_semi_join(l, r, on, expr)?]))
    }),
    ("mixed_left_anti_join", |call| {
        mixed(call, |l, r, on, expr| Ok(vec![join::mixed_left_anti_join(l, r, on, expr)?]))
    }),
];

const EQUALITIES: [(&str, NullEquality); 2] = [("EQUAL", NullEquality::Equal), ("UNEQUAL", NullEquality::Unequal)];

fn pairs(call: &Call<'_>, join: fn(&Table, &Table, NullEquality) -> gdf_core::Result<(Column, Column)>) -> Answered {
    let nulls = call.choice("nulls_equal", &EQUALITIES)?;
    let (left, right) = join(&call.table("left")?, &call.table("right")?, nulls)?;
    Ok(Answer::table(Table::try_new(vec![nulls_for_no_match(call, left)?, nulls_for_no_match(call, right)?])?))
}

fn rows(call: &Call<'_>, join: fn(&Table, &Table, NullEquality) -> gdf_core::Result<Column>) -> Answered {
    let nulls = call.choice("nulls_equal", &EQUALITIES)?;
    Ok(Answer::column(join(&call.table("left")?, &call.table("right")?, nulls)?)?)
}

fn pair((left, right): (Column, Column)) -> gdf_core::Result<Vec<Column>> {
    Ok(vec![left, right])
}

fn conditional(call: &Call<'_>, join: fn(&Table, &Table, &Expr) -> gdf_core::Result<Vec<Column>>) -> Answered {
    let (left, right) = (call.table("left")?, call.table("right")?);
    let places = Places { left: 0, right: left.num_columns() };
    answer(call, join(&left, &right, &condition(call, places)?)?)
}

/// Runs a join by keys and a condition. The keys are the first columns of both tables.
fn mixed(call: &Call<'_>, join: fn(&Table, &Table, &JoinKeys<'_>, &Expr) -> gdf_core::Result<Vec<Column>>) -> Answered {
    let nulls = call.choice("nulls_equal", &EQUALITIES)?;
    let (left_keys, right_keys) = (call.table("left")?, call.table("right")?);
    let both = |keys: &Table, others: Table| Table::try_new([keys.columns(), others.columns()].concat());
    let left = both(&left_keys, call.table("left_cond")?)?;
    let right = both(&right_keys, call.table("right_cond")?)?;
    let places = Places { left: left_keys.num_columns(), right: left.num_columns() + right_keys.num_columns() };
    let [left_places, right_places] = [&left_keys, &right_keys].map(|keys| (0..keys.num_columns()).collect::<Vec<_>>());
    let on = JoinKeys::new(&left_places, &right_places).with_nulls(nulls);
    answer(call, join(&left, &right, &on, &condition(call, places)?)?)
}

fn answer(call: &Call<'_>, rows: Vec<Column>) -> Answered {
    let rows = rows.into_iter().map(|rows| nulls_for_no_match(call, rows)).collect::<Result<Vec<_>, _>>()?;
    Ok(Answer::table(Table::try_new(rows)?))
}

/// For a row without a match, gdf returns a special row number, and libcudf returns null. The function puts null in the
/// place of this number.
fn nulls_for_no_match(call: &Call<'_>, rows: Column) -> Result<Column, Failure> {
    let scalar = |value: Option<u32>| Scalar::typed_on(value, &DataType::UInt32, call.stream(), call.resource());
    let matched = binary_operation(&rows, &scalar(Some(JOIN_NO_MATCH))?, BinaryOperator::NotEqual, &DataType::Boolean)?;
    Ok(copy_if_else(&rows, &scalar(None)?, &matched)?)
}
