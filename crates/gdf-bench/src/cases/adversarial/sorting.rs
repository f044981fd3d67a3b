//! Sort cases with unusual keys. The keys are in order, in reverse order, equal or mostly null, or differ only in few
//! of their bits, in later keys or in later bytes.

use anyhow::Result;
use gdf::Column;
use gdf::sorting::{Order, top_k};

use crate::cases::sorting::sorted;
use crate::cases::{Case, call};
use crate::generate::Words;
use crate::inputs::Inputs;
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    of("sort.sorted", |inputs| sorted(vec![inputs.longs(|row| row as i64 * SPACING)?])),
    of("sort.reversed", |inputs| sorted(vec![reversed(inputs)?])),
    of("sort.all_equal", |inputs| sorted(vec![inputs.longs(|_| 7)?])),
    of("sort.two_values", two_values),
    of("sort.low_32_bits", |inputs| sorted(vec![bits(inputs, |word| word >> 32)?])),
    of("sort.high_32_bits", |inputs| sorted(vec![bits(inputs, |word| word >> 32 << 32)?])),
    of("sort.null_99pct", null_99pct),
    of("sort.three_keys_first_constant", three_keys),
    of("sort.urls", urls).at_most(10_000_000).repeated(5, 5),
    of("top_k.sorted", |inputs| top(inputs.floats(|row| row as f64)?, 1000)),
    of("top_k.reversed", |inputs| top(inputs.floats(|row| -(row as f64))?, 1000)),
    of("top_k.all_equal", |inputs| top(inputs.floats(|_| 0.5)?, 1000)),
    of("top_k.k100000", |inputs| top(inputs.f64()?, 100_000)),
];

/// With this factor, row numbers up to 10⁸ become keys that use 57 bits.
const SPACING: i64 = 1_000_000_007;

const fn of(name: &'static str, prepare: fn(&Inputs) -> Result<Run>) -> Case {
    Case::new(name, 0.0, prepare).repeated(60, 5)
}

fn reversed(inputs: &Inputs) -> Result<Column> {
    let rows = inputs.rows();
    inputs.longs(|row| (rows - row) as i64 * SPACING)
}

/// Sorts a column that has only two values. The two values differ in all of their bytes.
fn two_values(inputs: &Inputs) -> Result<Run> {
    sorted(vec![bits(inputs, |word| if word & 1 == 1 { 0x1234_5678_9abc_def0 } else { 0x6b5a_4938_2716_0504 })?])
}

fn bits(inputs: &Inputs, part: impl Fn(u64) -> u64 + Sync) -> Result<Column> {
    let words = Words::new("full_range");
    inputs.longs(|row| part(words.at(row)) as i64)
}

fn null_99pct(inputs: &Inputs) -> Result<Run> {
    let words = Words::new("null_99pct");
    sorted(vec![inputs.masked(inputs.i64()?, |row| words.unit(row) < 0.01)?])
}

fn three_keys(inputs: &Inputs) -> Result<Run> {
    sorted(vec![inputs.longs(|_| 7)?, inputs.i32()?, inputs.i64()?])
}

fn urls(inputs: &Inputs) -> Result<Run> {
    let words = Words::new("counts");
    sorted(vec![inputs.urls(|row| words.integer(row, 0, 1_000_000_000) as usize)?])
}

fn top(column: Column, k: usize) -> Result<Run> {
    call(move || top_k(&column, k.min(column.len()), Order::Descending))
}
