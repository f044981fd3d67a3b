//! Area `unary`: operations on one column.

use gdf_api::unary::{UnaryOperator, cast, is_nan, is_not_nan, is_null, is_supported_cast, is_valid, unary_operation};

use super::Operation;
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("unary", run_unary_operation),
    ("cast", run_cast),
    ("bit_cast", bit_cast),
    ("is_supported_cast", run_is_supported_cast),
    ("is_null", |call| Ok(Answer::column(is_null(&call.column("input")?)?)?)),
    ("is_valid", |call| Ok(Answer::column(is_valid(&call.column("input")?)?)?)),
    ("is_nan", |call| Ok(Answer::column(is_nan(&call.column("input")?)?)?)),
    ("is_not_nan", |call| Ok(Answer::column(is_not_nan(&call.column("input")?)?)?)),
];

fn operator(call: &Call<'_>) -> Result<UnaryOperator, Failure> {
    call.choice("op", UnaryOperator::NAMES)
}

fn run_unary_operation(call: &Call<'_>) -> Answered {
    Ok(Answer::column(unary_operation(&call.column("input")?, operator(call)?)?)?)
}

fn run_cast(call: &Call<'_>) -> Answered {
    Ok(Answer::column(cast(&call.column("input")?, &call.data_type("out")?)?)?)
}

fn bit_cast(call: &Call<'_>) -> Answered {
    Ok(Answer::column(call.column("input")?.bit_cast(call.data_type("out")?)?)?)
}

fn run_is_supported_cast(call: &Call<'_>) -> Answered {
    Ok(Answer::value(is_supported_cast(&call.data_type("from")?, &call.data_type("to")?)))
}
