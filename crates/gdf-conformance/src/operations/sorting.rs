//! Area `sorting`: the order of rows, and sorted tables.

use gdf_api::groupby::NullPolicy;
use gdf_api::scan::RankPercentage;
use gdf_api::sorting::{
    NullOrder, Order, is_sorted, rank, segmented_sort_by_key, sort, sort_by_key, sorted_order, top_k, top_k_order,
};
use serde_json::Value as Json;

use super::Operation;
use super::scan::ranking;
use crate::call::{Answered, Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("sorted_order", run_sorted_order),
    ("stable_sorted_order", run_sorted_order),
    ("sort", run_sort),
    ("stable_sort", run_sort),
    ("sort_by_key", run_sort_by_key),
    ("stable_sort_by_key", run_sort_by_key),
    ("segmented_sort_by_key", run_segmented_sort_by_key),
    ("stable_segmented_sort_by_key", run_segmented_sort_by_key),
    ("is_sorted", run_is_sorted),
    ("rank", run_rank),
    ("top_k", run_top_k),
    ("top_k_order", run_top_k_order),
];

pub(super) const ORDERS: &[(&str, Order)] = &[("ASCENDING", Order::Ascending), ("DESCENDING", Order::Descending)];
pub(super) const NULL_ORDERS: &[(&str, NullOrder)] =
    &[("BEFORE", NullOrder::Before), ("AFTER", NullOrder::AfterOutsideOfLists)];

/// Returns the values that a list of names selects. If the list is absent, the result is empty.
fn choices<T: Copy>(call: &Call<'_>, name: &str, choices: &[(&str, T)]) -> Result<Vec<T>, Failure> {
    let names = call.arg(name).and_then(Json::as_array).into_iter().flatten();
    let choice = |text: &Json| choices.iter().find(|(choice, _)| text == choice).map(|(_, value)| *value);
    let chosen: Option<Vec<T>> = names.map(choice).collect();
    chosen.ok_or_else(|| call.unreadable(format!("`{name}` contains an unknown name")))
}

/// Returns the arguments `column_order` and `null_precedence`.
pub(super) fn orders(call: &Call<'_>) -> Result<(Vec<Order>, Vec<NullOrder>), Failure> {
    Ok((choices(call, "column_order", ORDERS)?, choices(call, "null_precedence", NULL_ORDERS)?))
}

pub(super) fn run_sorted_order(call: &Call<'_>) -> Answered {
    let (orders, null_orders) = orders(call)?;
    Ok(Answer::column(sorted_order(&call.table("input")?, &orders, &null_orders)?)?)
}

fn run_rank(call: &Call<'_>) -> Answered {
    let is = |name: &str, value: &str| call.arg(name).and_then(Json::as_str) == Some(value);
    let (method, _) = ranking(call, &call.case().args.clone().into())?;
    let percentage = match call.arg("percentage").and_then(Json::as_bool) {
        Some(true) => RankPercentage::ZeroNormalized,
        _ => RankPercentage::None,
    };
    let order = if is("order", "DESCENDING") { Order::Descending } else { Order::Ascending };
    let null_order = if is("null_order", "AFTER") { NullOrder::AfterOutsideOfLists } else { NullOrder::Before };
    let nulls = if is("null_policy", "INCLUDE") { NullPolicy::Include } else { NullPolicy::Exclude };
    Ok(Answer::column(rank(&call.table("input")?, method, percentage, &[order], &[null_order], nulls)?)?)
}

fn run_sort(call: &Call<'_>) -> Answered {
    let (orders, null_orders) = orders(call)?;
    Ok(Answer::table(sort(&call.table("input")?, &orders, &null_orders)?))
}

fn run_sort_by_key(call: &Call<'_>) -> Answered {
    let (orders, null_orders) = orders(call)?;
    let (values, keys) = (call.table("values")?, call.table("keys")?);
    Ok(Answer::table(sort_by_key(&values, &keys, &orders, &null_orders)?))
}

fn run_segmented_sort_by_key(call: &Call<'_>) -> Answered {
    let (orders, null_orders) = orders(call)?;
    let (values, keys, offsets) = (call.table("values")?, call.table("keys")?, call.column("offsets")?);
    Ok(Answer::table(segmented_sort_by_key(&values, &keys, &offsets, &orders, &null_orders)?))
}

fn run_is_sorted(call: &Call<'_>) -> Answered {
    let (orders, null_orders) = orders(call)?;
    Ok(Answer::value(is_sorted(&call.table("input")?, &orders, &null_orders)?))
}

fn run_top_k(call: &Call<'_>) -> Answered {
    let (k, order) = (call.count("k")?, call.choice("order", ORDERS)?);
    Ok(Answer::column(top_k(&call.column("input")?, k, order)?)?)
}

fn run_top_k_order(call: &Call<'_>) -> Answered {
    let (k, order) = (call.count("k")?, call.choice("order", ORDERS)?);
    Ok(Answer::column(top_k_order(&call.column("input")?, k, order)?)?)
}
