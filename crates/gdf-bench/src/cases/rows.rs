//! Cases that move rows.

use anyhow::Result;
use gdf::concatenate::concatenate_columns;
use gdf::copying::{OutOfBoundsPolicy, gather, scatter, shift};
use gdf::stream_compaction::apply_boolean_mask;
use gdf::{Column, Scalar, Table};

use super::{Case, call};
use crate::inputs::Inputs;
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    Case::new("filter.mask_i64x2_50pct", 25.0, |inputs| filter(inputs, inputs.i64()?, inputs.f64()?)),
    Case::new("filter.mask_i64x2_nulls", 25.0, |inputs| filter(inputs, inputs.i64_nulls()?, inputs.j64_nulls()?)),
    Case::new("gather.random_i64", 20.0, |inputs| gathered(inputs.i64()?, inputs.permutation()?)),
    Case::new("scatter.random_i64", 20.0, scattered),
    Case::new("shift.i64", 16.0, shifted),
    Case::new("concat.8", 0.0, concat).repeated(60, 5),
    Case::new("strings.gather", 0.0, |inputs| gathered(inputs.phrases()?, inputs.reverse()?))
        .at_most(10_000_000)
        .repeated(40, 9),
];

pub(super) fn filter(inputs: &Inputs, a: Column, b: Column) -> Result<Run> {
    let (table, half) = (Table::try_new(vec![a, b])?, inputs.half()?);
    call(move || apply_boolean_mask(&table, &half))
}

pub(super) fn gathered(column: Column, map: Column) -> Result<Run> {
    let table = Table::try_new(vec![column])?;
    call(move || gather(&table, &map, OutOfBoundsPolicy::Error))
}

fn scattered(inputs: &Inputs) -> Result<Run> {
    let (source, target) = (Table::try_new(vec![inputs.i64()?])?, Table::try_new(vec![inputs.j64()?])?);
    let map = inputs.permutation()?;
    call(move || scatter(&source, &map, &target, OutOfBoundsPolicy::Error))
}

fn shifted(inputs: &Inputs) -> Result<Run> {
    let column = inputs.i64()?;
    let fill = Scalar::from_column(column.slice(0, 1)?)?;
    call(move || shift(&column, 1000, &fill))
}

/// Prepares a concatenation of eight columns. From 50 million rows on, the function prepares a concatenation of two
/// columns, because eight columns may not fit in memory. The peers' programs do the same.
fn concat(inputs: &Inputs) -> Result<Run> {
    let a = inputs.i64()?;
    let count = if inputs.rows() < 50_000_000 { 8 } else { 2 };
    call(move || concatenate_columns(&vec![a.view(); count]))
}
