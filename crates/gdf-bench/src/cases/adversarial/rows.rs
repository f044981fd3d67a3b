//! Cases that move rows: almost no rows, almost all rows, all rows to one position, rows in many pieces, and rows of
//! many columns.

use anyhow::Result;
use gdf::concatenate::concatenate_columns;
use gdf::copying::{OutOfBoundsPolicy, scatter};
use gdf::stream_compaction::apply_boolean_mask;
use gdf::{Column, Table};

use crate::cases::partitioning::hashed;
use crate::cases::rows::gathered;
use crate::cases::{Case, call};
use crate::generate::{Permutation, Words};
use crate::inputs::Inputs;
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    Case::new("filter.0.1pct", 0.0, |inputs| filter(inputs, 0.001)),
    Case::new("filter.99.9pct", 0.0, |inputs| filter(inputs, 0.999)),
    Case::new("filter.first_half", 0.0, first_half),
    Case::new("filter.100_columns", 0.0, |inputs| wide(inputs, 100)),
    Case::new("filter.500_columns", 0.0, |inputs| wide(inputs, 500)),
    Case::new("gather.one_row", 0.0, |inputs| gathered(inputs.i64()?, one_row(inputs)?)),
    Case::new("gather.runs_1000", 0.0, |inputs| gathered(inputs.i64()?, inputs.ints(|row| row / 1000)?)),
    Case::new("gather.100_columns", 0.0, wide_gather),
    Case::new("gather.long_texts", 0.0, long_texts).at_most(10_000_000),
    Case::new("scatter.all_to_one", 0.0, all_to_one),
    partition("partition.hot_64", |inputs| hashed(inputs.longs(|_| 7)?, inputs.f64()?, 64)),
    partition("partition.hash_1000", |inputs| hashed(inputs.i64()?, inputs.f64()?, 1000)),
    partition("partition.hash_10000", |inputs| hashed(inputs.i64()?, inputs.f64()?, 10_000)),
    Case::new("concat.10000", 0.0, pieces).at_most(10_000_000).repeated(9, 9),
];

const fn partition(name: &'static str, prepare: fn(&Inputs) -> Result<Run>) -> Case {
    Case::new(name, 0.0, prepare).repeated(60, 5)
}

fn filter(inputs: &Inputs, share: f64) -> Result<Run> {
    let words = Words::new("kept");
    masked(vec![inputs.i64()?, inputs.f64()?], inputs.booleans_of(inputs.rows(), |row| words.unit(row) < share)?)
}

fn first_half(inputs: &Inputs) -> Result<Run> {
    let half = inputs.rows() / 2;
    masked(vec![inputs.i64()?, inputs.f64()?], inputs.booleans_of(inputs.rows(), |row| row < half)?)
}

/// Prepares a filter of a table with `columns` columns. The table has as many values as a single column of the other
/// cases.
fn wide(inputs: &Inputs, columns: usize) -> Result<Run> {
    let (words, rows) = (Words::new("half"), inputs.rows().div_ceil(columns));
    let half = inputs.booleans_of(rows, |row| words.at(row) & 1 == 1)?;
    masked(vec![short(inputs, rows)?; columns], half)
}

fn wide_gather(inputs: &Inputs) -> Result<Run> {
    let rows = inputs.rows().div_ceil(100);
    let order = Permutation::new("permutation", rows);
    let map = inputs.longs_of(rows, |row| order.at(row) as i64)?;
    let table = Table::try_new(vec![short(inputs, rows)?; 100])?;
    call(move || gdf::copying::gather(&table, &map, OutOfBoundsPolicy::Error))
}

fn short(inputs: &Inputs, rows: usize) -> Result<Column> {
    let words = Words::new("i64");
    inputs.longs_of(rows, |row| words.at(row) as i64)
}

fn masked(columns: Vec<Column>, mask: Column) -> Result<Run> {
    let table = Table::try_new(columns)?;
    call(move || apply_boolean_mask(&table, &mask))
}

/// Prepares a gather of texts. One of a hundred texts has 100 bytes, and the other texts have four bytes. The map
/// selects only texts with 100 bytes.
fn long_texts(inputs: &Inputs) -> Result<Run> {
    let texts = inputs.letters(|row| if row % 100 == 0 { 100 } else { 4 })?;
    let (words, long) = (Words::new("long"), inputs.rows().div_ceil(100) as i64);
    gathered(texts, inputs.ints(|row| words.integer(row, 0, long) as usize * 100)?)
}

/// Prepares a scatter that writes all rows of the source to the same row. The result of that row may be any row of the
/// source.
fn all_to_one(inputs: &Inputs) -> Result<Run> {
    let (source, target) = (Table::try_new(vec![inputs.i64()?])?, Table::try_new(vec![inputs.j64()?])?);
    let map = one_row(inputs)?;
    call(move || scatter(&source, &map, &target, OutOfBoundsPolicy::Error))
}

/// Returns a map. Each of its elements is the number of the row in the middle.
fn one_row(inputs: &Inputs) -> Result<Column> {
    let middle = inputs.rows() / 2;
    inputs.ints(|_| middle)
}

/// Prepares a concatenation of pieces with a thousand rows each. Ten million rows are in ten thousand pieces.
fn pieces(inputs: &Inputs) -> Result<Run> {
    let column = inputs.i64()?;
    let starts = (0..inputs.rows()).step_by(1000);
    let pieces = starts.map(|start| column.slice(start, 1000.min(inputs.rows() - start)));
    let pieces = pieces.collect::<gdf::Result<Vec<_>>>()?;
    call(move || concatenate_columns(&pieces.iter().map(Column::view).collect::<Vec<_>>()))
}
