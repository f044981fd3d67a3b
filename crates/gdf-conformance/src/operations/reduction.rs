//! Area `reduction`: one value from a column.

use gdf_api::reduction::{ReduceAggregation, default_output_type, minmax, reduce};
use gdf_core::{Column, DataType, Table, decimal_parts};
use serde_json::Value as Json;

use super::Operation;
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] =
    &[("reduce", run_reduce), ("minmax", run_minmax), ("is_valid_reduce_aggregation", is_valid_reduce_aggregation)];

fn aggregation(call: &Call<'_>) -> Result<ReduceAggregation, Failure> {
    use ReduceAggregation as A;
    let agg = call.arg("agg").ok_or_else(|| call.unreadable("no `agg`".to_owned()))?;
    let text = |name: &str| agg.get(name).and_then(Json::as_str).unwrap_or_default();
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
        kind => return Err(Failure::Unsupported(format!("{} with aggregation {kind}", call.case().op))),
    })
}

/// The output type in gdf's words. libcudf looks at no more than its kind: of nested types it has but the name, and the
/// scale of a sum of squares is that of the squares.
fn output_type(call: &Call<'_>, column: &Column, aggregation: ReduceAggregation) -> Result<DataType, Failure> {
    if matches!(call.text("out")?, "LIST" | "STRUCT") {
        return Ok(column.data_type().clone());
    }
    let named = call.data_type("out")?;
    if aggregation != ReduceAggregation::SumOfSquares {
        return Ok(named);
    }
    let scale = decimal_parts(&default_output_type(aggregation, column.data_type())?).map(|(_, _, scale)| scale);
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
