//! Area `groupby`: rows grouped by equal keys.

use gdf_api::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf_core::Table;
use serde_json::Value as Json;

use super::Operation;
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[("groupby.aggregate", run_aggregate)];

/// An object of the corpus as an aggregation.
pub(super) fn aggregation(call: &Call<'_>, json: &Json) -> Result<GroupByAggregation, Failure> {
    use GroupByAggregation as A;
    let text = |name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default();
    let ddof = json.get("ddof").map_or(Some(1), |ddof| u32::try_from(ddof.as_u64()?).ok());
    let ddof = ddof.ok_or_else(|| call.unreadable("`ddof` is no number".to_owned()));
    let included = text("null_policy") == "INCLUDE";
    Ok(match text("kind") {
        "sum" => A::Sum,
        "count" if included => A::CountAll,
        "count" => A::CountValid,
        "min" => A::Min,
        "max" => A::Max,
        "mean" => A::Mean,
        "variance" => A::Variance { ddof: ddof? },
        "std" => A::Std { ddof: ddof? },
        "m2" => A::M2,
        "sum_of_squares" => A::SumOfSquares,
        "product" => A::Product,
        "argmin" => A::ArgMin,
        "argmax" => A::ArgMax,
        "nunique" => A::Nunique(if included { NullPolicy::Include } else { NullPolicy::Exclude }),
        kind => return Err(Failure::Unsupported(format!("{} with aggregation {kind}", call.case().op))),
    })
}

/// Keys and results as libcudf's table: the key columns, then a column for each aggregation in the order of requests.
pub(super) fn flat((keys, results): (Table, Vec<Vec<gdf_core::Column>>)) -> Answered {
    let columns = keys.into_columns().into_iter().chain(results.into_iter().flatten());
    Ok(Answer::table(Table::try_new(columns.collect())?))
}

/// Whether keys are sorted is a hint of libcudf's that changes no result.
fn run_aggregate(call: &Call<'_>) -> Answered {
    let (keys, values) = (call.table("keys")?, call.table("values")?);
    let policy = match call.arg("null_policy") {
        Some(_) => call.choice("null_policy", &[("EXCLUDE", NullPolicy::Exclude), ("INCLUDE", NullPolicy::Include)])?,
        None => NullPolicy::Exclude,
    };
    let broken = || call.unreadable("a request without column or aggregations".to_owned());
    let mut requests = Vec::new();
    for request in call.arg("requests").and_then(Json::as_array).into_iter().flatten() {
        let column = request["column"].as_u64().ok_or_else(broken)?;
        let kinds = request["aggs"].as_array().ok_or_else(broken)?;
        let kinds = kinds.iter().map(|kind| aggregation(call, kind)).collect::<Result<Vec<_>, _>>()?;
        requests.push(AggregationRequest::new(values.column(column as usize)?, kinds));
    }
    flat(GroupBy::new(&keys, policy).aggregate(&requests)?)
}
