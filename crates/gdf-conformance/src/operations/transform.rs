//! Area `transform`: converts columns to other forms.

use gdf_api::binaryop::BinaryOperator;
use gdf_api::stream_compaction::apply_boolean_mask;
use gdf_api::transform::{compute_column, encode, nans_to_nulls, one_hot_encode};
use gdf_api::unary::UnaryOperator;
use gdf_core::{DataType, Table};
use gdf_expr::{Expr, Value, col};
use serde_json::Value as Json;

use super::Operation;
use super::null_mask::run_bools_to_mask;
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("compute_column", run_compute_column),
    ("filter_expr", run_filter_expr),
    ("encode", run_encode),
    ("one_hot_encode", run_one_hot_encode),
    ("nans_to_nulls", run_nans_to_nulls),
    ("bools_to_mask", run_bools_to_mask),
];

fn run_compute_column(call: &Call<'_>) -> Answered {
    Ok(Answer::column(compute_column(&call.table("input")?, &expression(call)?)?)?)
}

fn run_filter_expr(call: &Call<'_>) -> Answered {
    let mask = compute_column(&call.table("input")?, &expression(call)?)?;
    Ok(Answer::table(apply_boolean_mask(&call.table("table")?, &mask)?))
}

fn expression(call: &Call<'_>) -> Result<Expr, Failure> {
    condition(call, Places { left: 0, right: 0 })
}

/// The positions in the expression at which the columns of the left and the right table begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) left: usize,
    pub(super) right: usize,
}

/// Returns the expression of the case over the columns of two tables.
pub(super) fn condition(call: &Call<'_>, places: Places) -> Result<Expr, Failure> {
    let json = call.arg("expr").ok_or_else(|| call.unreadable("the case has no expression".to_owned()))?;
    parsed(call, json, places)
}

fn parsed(call: &Call<'_>, json: &Json, places: Places) -> Result<Expr, Failure> {
    let unreadable = || call.unreadable(format!("expression {json}"));
    if let Some(position) = json.get("col").and_then(Json::as_u64) {
        let is_right = json.get("table").and_then(Json::as_str) == Some("RIGHT");
        let first = if is_right { places.right } else { places.left };
        return Ok(col(first + usize::try_from(position).map_err(|_| unreadable())?));
    }
    if let Some(name) = json.get("lit").and_then(Json::as_str) {
        return Ok(Value::from_scalar(&call.scalar(name)?)?.into());
    }
    let name = json.get("op").and_then(Json::as_str).ok_or_else(unreadable)?;
    let arguments = json.get("args").and_then(Json::as_array).ok_or_else(unreadable)?;
    let arguments = arguments.iter().map(|argument| parsed(call, argument, places)).collect::<Result<Vec<_>, _>>()?;
    match (name, arguments.as_slice()) {
        ("IDENTITY", [value]) => Ok(value.clone()),
        ("IS_NULL", [value]) => Ok(value.clone().is_null()),
        ("CAST_TO_INT64", [value]) => Ok(value.clone().cast(DataType::Int64)),
        ("CAST_TO_UINT64", [value]) => Ok(value.clone().cast(DataType::UInt64)),
        ("CAST_TO_FLOAT64", [value]) => Ok(value.clone().cast(DataType::Float64)),
        (_, [value]) => match UnaryOperator::NAMES.iter().find(|(known, _)| *known == name) {
            Some((_, op)) => Ok(value.clone().unary(*op)),
            None => Err(unreadable()),
        },
        (_, [lhs, rhs]) => {
            // The operators of expressions have the names of binary operations, except `NULL_EQUAL`.
            let name = if name == "NULL_EQUAL" { "NULL_EQUALS" } else { name };
            match BinaryOperator::NAMES.iter().find(|(known, _)| *known == name) {
                Some((_, op)) => Ok(lhs.clone().binary(*op, rhs.clone())),
                None => Err(unreadable()),
            }
        }
        _ => Err(unreadable()),
    }
}

fn run_encode(call: &Call<'_>) -> Answered {
    let (keys, codes) = encode(&call.table("input")?)?;
    Ok(Answer::tables(vec![keys, Table::try_new(vec![codes])?]))
}

fn run_one_hot_encode(call: &Call<'_>) -> Answered {
    Ok(Answer::table(one_hot_encode(&call.column("input")?, &call.column("categories")?)?))
}

fn run_nans_to_nulls(call: &Call<'_>) -> Answered {
    Ok(Answer::column(nans_to_nulls(&call.column("input")?)?)?)
}
