//! Cases that make rows: fills, sequences, repetitions, interleaving, reversal, samples and packing.

use anyhow::Result;
use gdf::contiguous_split::pack;
use gdf::copying::{Replacement, copy_range, reverse, sample};
use gdf::filling::{fill, repeat, sequence};
use gdf::reshape::{interleave_columns, tile, transpose};
use gdf::stream_compaction::drop_nulls;
use gdf::{Column, Table};

use super::{Case, call};
use crate::inputs::Inputs;
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    Case::new("filling.fill_i64", 12.0, filled),
    Case::new("filling.sequence_i64", 8.0, counted),
    Case::new("filling.repeat_3", 32.0, |inputs| repeated(inputs.i64()?)).at_most(10_000_000),
    Case::new("reshape.interleave_2", 32.0, |inputs| interleaved(inputs.i64()?, inputs.j64()?)),
    Case::new("reshape.tile_3", 32.0, |inputs| tiled(inputs.i64()?)).at_most(10_000_000),
    Case::new("reshape.transpose_10", 160.0, transposed).at_most(10_000),
    Case::new("copying.reverse_i64", 16.0, reversed),
    Case::new("copying.copy_range_i64", 20.0, ranged),
    Case::new("copying.sample_10pct", 1.6, sampled),
    Case::new("contiguous_split.pack", 32.0, packed).repeated(60, 5),
    Case::new("drop_nulls.i64x2", 32.0, without_nulls),
];

fn filled(inputs: &Inputs) -> Result<Run> {
    let (a, rows) = (inputs.i64()?, inputs.rows());
    call(move || fill(&a, rows / 4..rows / 4 * 3, 7_i64))
}

fn counted(inputs: &Inputs) -> Result<Run> {
    let (rows, stream) = (inputs.rows(), inputs.stream().clone());
    call(move || gdf::scope::with_device(stream.device(), || sequence(5_i64, 3_i64, rows)))
}

fn repeated(a: Column) -> Result<Run> {
    let table = Table::try_new(vec![a])?;
    call(move || repeat(&table, 3_i32))
}

fn interleaved(a: Column, b: Column) -> Result<Run> {
    let table = Table::try_new(vec![a, b])?;
    call(move || interleave_columns(&table))
}

fn tiled(a: Column) -> Result<Run> {
    let table = Table::try_new(vec![a])?;
    call(move || tile(&table, 3))
}

/// Prepares the transposition of a table of ten columns to a table of ten rows.
fn transposed(inputs: &Inputs) -> Result<Run> {
    let table = Table::try_new(vec![inputs.i64()?; 10])?;
    call(move || transpose(&table))
}

fn reversed(inputs: &Inputs) -> Result<Run> {
    let table = Table::try_new(vec![inputs.i64()?])?;
    call(move || reverse(&table))
}

fn ranged(inputs: &Inputs) -> Result<Run> {
    let (a, b, rows) = (inputs.i64()?, inputs.j64()?, inputs.rows());
    call(move || copy_range(&b, 0..rows / 2, &a, rows / 4))
}

fn sampled(inputs: &Inputs) -> Result<Run> {
    let (table, rows) = (Table::try_new(vec![inputs.i64()?])?, inputs.rows() / 10);
    call(move || sample(&table, rows, Replacement::Without, 7))
}

fn packed(inputs: &Inputs) -> Result<Run> {
    let table = Table::try_new(vec![inputs.i64()?, inputs.f64()?])?;
    call(move || pack(&table))
}

fn without_nulls(inputs: &Inputs) -> Result<Run> {
    let table = Table::try_new(vec![inputs.i64_nulls()?, inputs.j64_nulls()?])?;
    call(move || drop_nulls(&table, &[0, 1], 2))
}
