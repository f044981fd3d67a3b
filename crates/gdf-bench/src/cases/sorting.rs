//! Cases that sort.

use anyhow::Result;
use gdf::sorting::{NullOrder, Order, sort, sort_by_key, sorted_order, top_k};
use gdf::{Column, Table};

use super::{Case, call};
use crate::inputs::Inputs;
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    Case::new("sort.i32", 0.0, |inputs| sorted(vec![inputs.i32()?])).repeated(60, 5),
    Case::new("sort.i64", 0.0, |inputs| sorted(vec![inputs.i64()?])).repeated(60, 5),
    Case::new("sort.i64_nulls", 0.0, |inputs| sorted(vec![inputs.i64_nulls()?])).repeated(60, 5),
    Case::new("sort.i64_full_range", 0.0, |inputs| sorted(vec![inputs.full_range()?])).repeated(60, 5),
    Case::new("sorted_order.i64", 0.0, order).repeated(60, 5),
    Case::new("sort_by_key.i64_f64", 0.0, by_key).repeated(60, 5),
    Case::new("sort.i32xi64_two_keys", 0.0, |inputs| sorted(vec![inputs.i32()?, inputs.i64()?])).repeated(60, 5),
    Case::new("top_k.f64_1000", 0.0, |inputs| top(inputs, 1000)).repeated(60, 5),
    Case::new("strings.sort", 0.0, |inputs| sorted(vec![inputs.digits()?])).at_most(10_000_000).repeated(5, 5),
];

const UP: [Order; 3] = [Order::Ascending; 3];
const LAST: [NullOrder; 3] = [NullOrder::After; 3];

pub(super) fn sorted(columns: Vec<Column>) -> Result<Run> {
    let keys = columns.len();
    let table = Table::try_new(columns)?;
    call(move || sort(&table, &UP[..keys], &LAST[..keys]))
}

fn order(inputs: &Inputs) -> Result<Run> {
    let table = Table::try_new(vec![inputs.i64()?])?;
    call(move || sorted_order(&table, &UP[..1], &LAST[..1]))
}

fn by_key(inputs: &Inputs) -> Result<Run> {
    let values = Table::try_new(vec![inputs.i64()?, inputs.f64()?])?;
    let key = values.select(&[0])?;
    call(move || sort_by_key(&values, &key, &UP[..1], &LAST[..1]))
}

pub(super) fn top(inputs: &Inputs, k: usize) -> Result<Run> {
    let column = inputs.f64()?;
    call(move || top_k(&column, k, Order::Descending))
}
