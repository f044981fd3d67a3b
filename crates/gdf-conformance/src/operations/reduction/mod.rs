//! Area `reduction`: computes one value of a column.

pub(super) mod collected;

use gdf_api::reduction::{NullPolicy, ReduceAggregation, default_output_type, minmax, reduce};
use gdf_core::{Column, DataType, Table, decimal_parts};
use serde_json::Value as Json;

use self::collected::Collected;
use super::Operation;
use super::quantiles::{INTERPOLATIONS, shares};
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] =
    &[("reduce", run_reduce), ("minmax", run_minmax), ("is_valid_reduce_aggregation", is_valid_reduce_aggregation)];

fn aggregation(call: &Call<'_>) -> Result<ReduceAggregation, Failure> {
    use ReduceAggregation as A;
    let agg = call.arg("agg").ok_or_else(|| call.unreadable("the case has no `agg`".to_owned()))?;
    let text = |name: &str| agg.get(name).and_then(Json::as_str).unwrap_or_default();
    let Collected { nulls, null_equality, nan_equality } = Collected::of(agg);
    Ok(match text("kind") {
        "sum" => A::Sum,
        "product" => A::Product,
        "min" => A::Min,
        "max" => A::Max,
        "mean" => A::Mean,
        "sum_of_squares" => A::SumOfSquares,
        "any" => A::Any,
        "all" => A::All,
        "count" if text("null_policy") == "INCLUDE" => A::CountAll,
        "count" => A::CountValid,
        "variance" => A::Variance { ddof: ddof(call, agg)? },
        "std" => A::Std { ddof: ddof(call, agg)? },
        "median" => A::Median,
        "quantile" => {
            let q = shares(call, agg.get("q"))?;
            let interpolation = INTERPOLATIONS.iter().find(|(name, _)| *name == text("interpolation"));
            let unreadable = || call.unreadable("no quantile".to_owned());
            A::Quantile {
                q: *q.first().ok_or_else(unreadable)?,
                interpolation: interpolation.ok_or_else(unreadable)?.1,
            }
        }
        "nunique" => A::Nunique(null_policy(text("null_policy"))),
        "nth_element" => {
            let n = agg
                .get("n")
                .and_then(Json::as_i64)
                .ok_or_else(|| call.unreadable("the aggregation has no `n`".to_owned()))?;
            A::NthElement { n, nulls: null_policy(text("null_policy")) }
        }
        "collect_list" => A::CollectList { nulls },
        "collect_set" => A::CollectSet { nulls, null_equality, nan_equality },
        "argmin" => A::ArgMin,
        "argmax" => A::ArgMax,
        kind => return Err(Failure::Unsupported(format!("{} with aggregation {kind}", call.case().op))),
    })
}

fn null_policy(name: &str) -> NullPolicy {
    if name == "INCLUDE" { NullPolicy::Include } else { NullPolicy::Exclude }
}

fn ddof(call: &Call<'_>, agg: &Json) -> Result<u32, Failure> {
    let ddof = agg.get("ddof").and_then(Json::as_u64).and_then(|ddof| u32::try_from(ddof).ok());
    ddof.ok_or_else(|| call.unreadable("the aggregation has no `ddof`".to_owned()))
}

/// Returns the output type as gdf's type. The corpus has only libcudf's type id. A type id does not contain the fields
/// of nested types or the scale of decimals. Therefore the result for a nested type is the type of the column. If the
/// output is an element of the column, the scale is the scale of the column. For a sum of squares or a product, the
/// aggregation determines the scale.
fn output_type(call: &Call<'_>, column: &Column, aggregation: ReduceAggregation) -> Result<DataType, Failure> {
    if matches!(call.text("out")?, "LIST" | "STRUCT") {
        return Ok(default_output_type(aggregation, column.data_type())?);
    }
    let named = call.data_type("out")?;
    let own = decimal_parts(column.data_type()).map(|(_, _, scale)| scale);
    let scale = match aggregation {
        ReduceAggregation::NthElement { .. } => own,
        ReduceAggregation::SumOfSquares => {
            decimal_parts(&default_output_type(aggregation, column.data_type())?).map(|(_, _, scale)| scale)
        }
        ReduceAggregation::Product => {
            let factors = i8::try_from(column.len() - column.null_count()?).ok();
            own.zip(factors).and_then(|(scale, factors)| scale.checked_mul(factors))
        }
        _ => return Ok(named),
    };
    Ok(match (named, scale) {
        (DataType::Decimal32(digits, _), Some(scale)) => DataType::Decimal32(digits, scale),
        (DataType::Decimal64(digits, _), Some(scale)) => DataType::Decimal64(digits, scale),
        (DataType::Decimal128(digits, _), Some(scale)) => DataType::Decimal128(digits, scale),
        (named, _) => named,
    })
}

pub(super) fn run_reduce(call: &Call<'_>) -> Answered {
    let aggregation = aggregation(call)?;
    let column = call.column("input")?;
    let output_type = output_type(call, &column, aggregation)?;
    Ok(Answer::scalar(reduce(&column, aggregation, &output_type)?))
}

fn is_valid_reduce_aggregation(call: &Call<'_>) -> Answered {
    Ok(Answer::value(default_output_type(aggregation(call)?, &call.data_type("type")?).is_ok()))
}

fn run_minmax(call: &Call<'_>) -> Answered {
    let (min, max) = minmax(&call.column("input")?)?;
    Ok(Answer::table(Table::try_new(vec![min.into_column(), max.into_column()])?))
}
