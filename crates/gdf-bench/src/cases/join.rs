//! Cases that match rows by keys. Joins match the rows of two tables. The right table has a tenth as many rows as the
//! left table. The operation `distinct` matches the rows of one table.

use anyhow::Result;
use gdf::expr::{Expr, col};
use gdf::join::{
    NullEquality, conditional_inner_join, conditional_left_semi_join, inner_join, left_join, left_semi_join,
};
use gdf::stream_compaction::{DuplicateKeepOption, NanEquality, distinct};
use gdf::{Column, Table};

use super::{Case, call};
use crate::inputs::Inputs;
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    Case::new("join.inner_build10pct", 16.8, |inputs| inner(inputs.probe_keys()?, inputs.build_keys()?))
        .repeated(60, 5),
    Case::new("join.left_build10pct", 16.8, left).repeated(60, 5),
    Case::new("join.semi_build10pct", 0.0, |inputs| semi(inputs.probe_keys()?, inputs.build_keys()?)).repeated(60, 5),
    Case::new("join.inner_sel30", 0.0, |inputs| inner(inputs.probe_keys_beyond()?, inputs.build_keys()?))
        .repeated(60, 5),
    Case::new("join.semi_sel0.1pct", 0.0, |inputs| semi(inputs.probe_keys()?, thousandth(&inputs.build_keys()?)?))
        .repeated(60, 5),
    Case::new("join.inner_sel0.1pct", 0.0, |inputs| inner(inputs.probe_keys()?, thousandth(&inputs.build_keys()?)?))
        .repeated(60, 5),
    Case::new("join.semi_60_keys", 0.0, |inputs| semi(inputs.probe_keys()?, head(&inputs.build_keys()?, 60)?))
        .repeated(60, 5),
    Case::new("join.inner_sparse", 16.8, |inputs| inner(inputs.sparse_probe_keys()?, inputs.sparse_build_keys()?))
        .repeated(60, 5),
    Case::new("join.inner_two_keys", 0.0, two_keys).repeated(60, 5),
    Case::new("distinct.i64", 0.0, |inputs| distinct_rows(inputs.probe_keys()?)).repeated(60, 5),
    Case::new("join.conditional_band", 0.0, band).at_most(100_000).repeated(5, 3),
    Case::new("join.conditional_band_semi", 0.0, band_semi).at_most(100_000).repeated(5, 3),
    Case::new("join.string_keys", 0.0, strings).at_most(10_000_000).repeated(5, 5),
];

fn tables(left: Column, right: Column) -> Result<(Table, Table)> {
    Ok((Table::try_new(vec![left])?, Table::try_new(vec![right])?))
}

pub(super) fn inner(left: Column, right: Column) -> Result<Run> {
    let (left, right) = tables(left, right)?;
    call(move || inner_join(&left, &right, NullEquality::Equal))
}

/// Prepares a join by two key columns. A key of both columns has 128 bits, but 64 bits suffice to distinguish the keys.
fn two_keys(inputs: &Inputs) -> Result<Run> {
    let left = Table::try_new(inputs.probe_key_pairs()?.to_vec())?;
    let right = Table::try_new(inputs.build_key_pairs()?.to_vec())?;
    call(move || inner_join(&left, &right, NullEquality::Equal))
}

fn left(inputs: &Inputs) -> Result<Run> {
    let (left, right) = tables(inputs.probe_keys()?, inputs.build_keys()?)?;
    call(move || left_join(&left, &right, NullEquality::Equal))
}

fn head(keys: &Column, rows: usize) -> Result<Column> {
    Ok(keys.slice(0, rows.min(keys.len()))?)
}

fn thousandth(keys: &Column) -> Result<Column> {
    head(keys, (keys.len() / 1000).max(1))
}

fn semi(left: Column, right: Column) -> Result<Run> {
    let (left, right) = tables(left, right)?;
    call(move || left_semi_join(&left, &right, NullEquality::Equal))
}

/// Prepares a join of rows whose numbers differ by less than 3. All pairs of rows are compared. About fifty rows match
/// each row.
fn band(inputs: &Inputs) -> Result<Run> {
    let (left, right) = tables(inputs.probe_keys()?, inputs.probe_keys()?)?;
    call(move || conditional_inner_join(&left, &right, &is_close()))
}

fn band_semi(inputs: &Inputs) -> Result<Run> {
    let (left, right) = tables(inputs.probe_keys()?, inputs.probe_keys()?)?;
    call(move || conditional_left_semi_join(&left, &right, &is_close()))
}

fn is_close() -> Expr {
    col(0).gt(col(1) - 3).and(col(0).lt(col(1) + 3))
}

/// Prepares a join by text keys. Nearly every text occurs once on each side.
fn strings(inputs: &Inputs) -> Result<Run> {
    inner(inputs.digits()?, inputs.digits()?)
}

pub(super) fn distinct_rows(keys: Column) -> Result<Run> {
    let table = Table::try_new(vec![keys])?;
    call(move || distinct(&table, &[0], DuplicateKeepOption::Any, NullEquality::Equal, NanEquality::AllEqual))
}
