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
    use UnaryOperator as O;
    call.choice(
        "op",
        &[
            ("SIN", O::Sin),
            ("COS", O::Cos),
            ("TAN", O::Tan),
            ("ARCSIN", O::ArcSin),
            ("ARCCOS", O::ArcCos),
            ("ARCTAN", O::ArcTan),
            ("SINH", O::Sinh),
            ("COSH", O::Cosh),
            ("TANH", O::Tanh),
            ("ARCSINH", O::ArcSinh),
            ("ARCCOSH", O::ArcCosh),
            ("ARCTANH", O::ArcTanh),
            ("EXP", O::Exp),
            ("LOG", O::Log),
            ("SQRT", O::Sqrt),
            ("CBRT", O::Cbrt),
            ("CEIL", O::Ceil),
            ("FLOOR", O::Floor),
            ("ABS", O::Abs),
            ("RINT", O::Rint),
            ("BIT_COUNT", O::BitCount),
            ("BIT_INVERT", O::BitInvert),
            ("NOT", O::Not),
            ("NEGATE", O::Negate),
        ],
    )
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
