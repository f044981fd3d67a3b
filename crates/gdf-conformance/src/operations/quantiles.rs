//! Area `quantiles`: values and rows at given quantiles.

use gdf_api::quantiles::{Interpolation, QuantileOrder, quantile, quantiles};
use gdf_core::DataType;
use serde_json::Value as Json;

use super::{Operation, sorting};
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[("quantile", run_quantile), ("quantiles", run_quantiles)];

pub(super) const INTERPOLATIONS: &[(&str, Interpolation)] = &[
    ("LINEAR", Interpolation::Linear),
    ("LOWER", Interpolation::Lower),
    ("HIGHER", Interpolation::Higher),
    ("MIDPOINT", Interpolation::Midpoint),
    ("NEAREST", Interpolation::Nearest),
];

/// Returns the quantiles `q` as a list of numbers.
pub(super) fn shares(call: &Call<'_>, q: Option<&Json>) -> Result<Vec<f64>, Failure> {
    let numbers = q.and_then(Json::as_array).and_then(|q| q.iter().map(Json::as_f64).collect());
    numbers.ok_or_else(|| call.unreadable("the case has no numbers `q`".to_owned()))
}

fn run_quantile(call: &Call<'_>) -> Answered {
    let (column, q) = (call.column("input")?, shares(call, call.arg("q"))?);
    let exact = call.arg("exact").and_then(Json::as_bool).unwrap_or(true);
    let output_type = if exact { DataType::Float64 } else { column.data_type().clone() };
    let ordered = call.has("ordered").then(|| call.column("ordered")).transpose()?;
    let order = ordered.as_ref().map_or(QuantileOrder::Sorted, |ordered| QuantileOrder::By(ordered.view()));
    let interpolation = call.choice("interpolation", INTERPOLATIONS)?;
    Ok(Answer::column(quantile(&column, &q, interpolation, order, &output_type)?)?)
}

fn run_quantiles(call: &Call<'_>) -> Answered {
    let (table, q) = (call.table("input")?, shares(call, call.arg("q"))?);
    let order = call.choice("sorted", &[("YES", QuantileOrder::Sorted), ("NO", QuantileOrder::Unsorted)])?;
    let (orders, null_orders) = sorting::orders(call)?;
    let interpolation = call.choice("interpolation", INTERPOLATIONS)?;
    Ok(Answer::table(quantiles(&table, &q, interpolation, order, &orders, &null_orders)?))
}
