//! Area `rolling`: aggregations of windows.

use gdf_api::rolling::{
    NullOrder, Order, RangeWindow, RangeWindowBound, RollingAggregation, grouped_range_rolling_window, rolling_window,
    variable_rolling_window,
};
use gdf_api::scan::NullPolicy;
use gdf_core::{Error, Operand, Scalar};
use serde_json::Value as Json;

use super::Operation;
use super::reduction::collected::Collected;
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] =
    &[("rolling_window", run_rolling), ("grouped_range_rolling_window", run_range)];

fn aggregation(call: &Call<'_>) -> Result<RollingAggregation, Failure> {
    use RollingAggregation as A;
    let agg = call.arg("agg").ok_or_else(|| call.unreadable("the case has no `agg`".to_owned()))?;
    let text = |name: &str| agg.get(name).and_then(Json::as_str).unwrap_or_default();
    let number = |name: &str| agg.get(name).and_then(Json::as_i64);
    let all = text("null_policy") == "INCLUDE";
    let Collected { nulls, null_equality, nan_equality } = Collected::of(agg);
    let ddof = number("ddof").and_then(|ddof| u32::try_from(ddof).ok()).unwrap_or(1);
    Ok(match text("kind") {
        "sum" => A::Sum,
        "mean" => A::Mean,
        "min" => A::Min,
        "max" => A::Max,
        "count" if all => A::CountAll,
        "count" => A::CountValid,
        "variance" => A::Variance { ddof },
        "std" => A::Std { ddof },
        "collect_list" => A::CollectList { nulls },
        "collect_set" => A::CollectSet { nulls, null_equality, nan_equality },
        "nth_element" => {
            let null_policy = if text("null_policy") == "EXCLUDE" { NullPolicy::Exclude } else { NullPolicy::Include };
            A::NthElement { n: number("n").unwrap_or(0), null_policy }
        }
        // The cases expect that these aggregations of windows are errors. The function returns the error without a call
        // of gdf.
        "argmin" | "argmax" | "rank" => {
            return Err(Error::invalid_argument("the aggregation is no aggregation of windows").into());
        }
        kind => return Err(Failure::Unsupported(format!("a rolling {kind}"))),
    })
}

fn run_rolling(call: &Call<'_>) -> Answered {
    let (input, aggregation) = (call.column("input")?, aggregation(call)?);
    let min_periods = call.count("min_periods")?;
    if call.has("preceding") {
        let (preceding, following) = (call.column("preceding")?, call.column("following")?);
        return Ok(Answer::column(variable_rolling_window(&input, &preceding, &following, min_periods, aggregation)?)?);
    }
    let (preceding, following) = (call.integer("preceding")?, call.integer("following")?);
    Ok(Answer::column(rolling_window(&input, preceding, following, min_periods, aggregation)?)?)
}

fn run_range(call: &Call<'_>) -> Answered {
    let order = call.choice("order", &[("ASCENDING", Order::Ascending), ("DESCENDING", Order::Descending)])?;
    let null_order = call.choice("null_order", &[("BEFORE", NullOrder::Before), ("AFTER", NullOrder::After)])?;
    let delta = |name: &str| call.has(name).then(|| call.scalar(name)).transpose();
    let (before, after) = (delta("preceding")?, delta("following")?);
    let window = RangeWindow {
        order,
        null_order,
        preceding: bound(call, "preceding", before.as_ref())?,
        following: bound(call, "following", after.as_ref())?,
    };
    let (keys, orderby, values) = (call.table("keys")?, call.table("orderby")?, call.column("values")?);
    let min_periods = call.count("min_periods")?;
    let result = grouped_range_rolling_window(&keys, &orderby, window, &values, min_periods, aggregation(call)?)?;
    Ok(Answer::column(result)?)
}

fn bound<'a>(call: &Call<'_>, name: &str, delta: Option<&'a Scalar>) -> Result<RangeWindowBound<'a>, Failure> {
    Ok(match (call.text(name)?, delta) {
        ("UNBOUNDED", _) => RangeWindowBound::Unbounded,
        ("CURRENT_ROW", _) => RangeWindowBound::CurrentRow,
        ("BOUNDED_CLOSED", Some(delta)) => RangeWindowBound::BoundedClosed(Operand::from(delta)),
        ("BOUNDED_OPEN", Some(delta)) => RangeWindowBound::BoundedOpen(Operand::from(delta)),
        (other, _) => return Err(call.unreadable(format!("`{name}` is {other}"))),
    })
}
