//! Cases of windows. There are short windows, long windows, windows within groups, and windows of values in a range.

use anyhow::Result;
use gdf::rolling::{
    NullOrder, Order, RangeWindow, RangeWindowBound, RollingAggregation, grouped_range_rolling_window,
    grouped_rolling_window, rolling_window,
};
use gdf::sorting::sort;
use gdf::{Column, Table};

use super::{Case, call};
use crate::inputs::Inputs;
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    Case::new("rolling.sum_w10", 16.0, |inputs| rolled(inputs.f64()?, 10, RollingAggregation::Sum)),
    Case::new("rolling.sum_w100", 16.0, |inputs| rolled(inputs.f64()?, 100, RollingAggregation::Sum)),
    Case::new("rolling.sum_w100000", 16.0, |inputs| rolled(inputs.f64()?, 100_000, RollingAggregation::Sum)),
    Case::new("rolling.mean_f64_w10", 16.0, |inputs| rolled(inputs.f64()?, 10, RollingAggregation::Mean)),
    Case::new("rolling.mean_f64_w100000", 16.0, |inputs| rolled(inputs.f64()?, 100_000, RollingAggregation::Mean)),
    Case::new("rolling.sum_i64_w10", 16.0, |inputs| rolled(inputs.i64()?, 10, RollingAggregation::Sum)),
    Case::new("rolling.sum_i64_w100000", 16.0, |inputs| rolled(inputs.i64()?, 100_000, RollingAggregation::Sum)),
    Case::new("rolling.min_i64_w10", 16.0, |inputs| rolled(inputs.i64()?, 10, RollingAggregation::Min)),
    Case::new("rolling.min_i64_w100000", 16.0, |inputs| rolled(inputs.i64()?, 100_000, RollingAggregation::Min)),
    Case::new("rolling.grouped_sum_i64_w10", 24.0, grouped).repeated(60, 5),
    Case::new("rolling.range_sum_i64", 24.0, near).repeated(60, 5),
];

fn rolled(column: Column, rows: i64, aggregation: RollingAggregation) -> Result<Run> {
    call(move || rolling_window(&column, rows, 0, 1, aggregation))
}

fn in_order(column: Column) -> Result<Table> {
    Ok(sort(&Table::try_new(vec![column])?, &[Order::Ascending], &[NullOrder::After])?)
}

/// Prepares sums of windows within a thousand groups.
fn grouped(inputs: &Inputs) -> Result<Run> {
    let (keys, column) = (in_order(inputs.groups(1000)?)?, inputs.i64()?);
    call(move || grouped_rolling_window(&keys, &column, 10, 0, 1, RollingAggregation::Sum))
}

/// Prepares sums of range windows. The window of a row includes the row itself. It also includes the preceding rows
/// whose values differ from the row's value by at most a thousandth of the range of values.
fn near(inputs: &Inputs) -> Result<Run> {
    let (none, orderby, column) = (Table::try_new(vec![])?, in_order(inputs.i64()?)?, inputs.j64()?);
    let preceding = RangeWindowBound::BoundedClosed(2_000_000_i64.into());
    let window = RangeWindow { preceding, ..RangeWindow::default() };
    call(move || grouped_range_rolling_window(&none, &orderby, window, &column, 1, RollingAggregation::Sum))
}
