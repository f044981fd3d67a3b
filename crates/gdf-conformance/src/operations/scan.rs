//! Area `scan`: running values of a column.

use gdf_api::scan::{EwmHistory, NullPolicy, RankMethod, RankPercentage, ScanAggregation, ScanType, ewma, rank, scan};
use serde_json::Value as Json;

use super::Operation;
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[("scan", run_scan)];

fn run_scan(call: &Call<'_>) -> Answered {
    use ScanAggregation as A;
    let kind = call.arg("agg").and_then(|agg| agg.get("kind")).and_then(Json::as_str);
    let aggregation = match kind.ok_or_else(|| call.unreadable("the case has no `agg`".to_owned()))? {
        "sum" => A::Sum,
        "product" => A::Product,
        "min" => A::Min,
        "max" => A::Max,
        "ewma" if call.text("inclusive")? == "INCLUSIVE" => return run_ewma(call),
        "rank" if call.text("inclusive")? == "INCLUSIVE" => return run_rank(call),
        kind => return Err(Failure::Unsupported(format!("scan with aggregation {kind}"))),
    };
    let types = [("INCLUSIVE", ScanType::Inclusive), ("EXCLUSIVE", ScanType::Exclusive)];
    let scan_type = call.choice("inclusive", &types)?;
    Ok(Answer::column(scan(&call.column("input")?, aggregation, scan_type, NullPolicy::Exclude)?)?)
}

fn run_ewma(call: &Call<'_>) -> Answered {
    let agg = |name: &str| call.arg("agg").and_then(|agg| agg.get(name));
    let com =
        agg("com").and_then(Json::as_f64).ok_or_else(|| call.unreadable("the aggregation has no `com`".to_owned()))?;
    let finite = agg("history").and_then(Json::as_str) == Some("FINITE");
    let history = if finite { EwmHistory::Finite } else { EwmHistory::Infinite };
    Ok(Answer::column(ewma(&call.column("input")?, com, history)?)?)
}

fn run_rank(call: &Call<'_>) -> Answered {
    let agg = call.arg("agg").ok_or_else(|| call.unreadable("the case has no `agg`".to_owned()))?;
    let (method, percentage) = ranking(call, agg)?;
    Ok(Answer::column(rank(&call.table("input")?, method, percentage)?)?)
}

pub(super) fn ranking(call: &Call<'_>, agg: &Json) -> Result<(RankMethod, RankPercentage), Failure> {
    let text = |name: &str| agg.get(name).and_then(Json::as_str).unwrap_or_default();
    let method = match text("method") {
        "FIRST" => RankMethod::First,
        "AVERAGE" => RankMethod::Average,
        "MIN" => RankMethod::Min,
        "MAX" => RankMethod::Max,
        "DENSE" => RankMethod::Dense,
        other => return Err(call.unreadable(format!("the rank method {other} is unknown"))),
    };
    let percentage = match text("percentage") {
        "ZERO_NORMALIZED" => RankPercentage::ZeroNormalized,
        "ONE_NORMALIZED" => RankPercentage::OneNormalized,
        _ => RankPercentage::None,
    };
    Ok((method, percentage))
}
