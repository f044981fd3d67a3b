//! Cases that run near the numbers of rows at which an operation changes its strategy: with one row less and with one
//! row more than each such number.

use anyhow::Result;

use crate::cases::Case;
use crate::cases::groupby::{SUM, aggregated};
use crate::cases::join::{distinct_rows, inner};
use crate::cases::partitioning::hashed;
use crate::cases::rows::{filter, gathered};
use crate::cases::sorting::{sorted, top};
use crate::cases::values::scanned;
use crate::inputs::Inputs;
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    of("threshold.sort_i64", |inputs| sorted(vec![inputs.full_range()?])),
    of("threshold.sort_text", |inputs| sorted(vec![inputs.digits()?])),
    of("threshold.top_k_100", |inputs| top(inputs, 100)),
    of("threshold.groupby_g100", |inputs| aggregated(vec![inputs.groups(100)?], inputs.f64()?, SUM)),
    of("threshold.groupby_unique", |inputs| aggregated(vec![inputs.full_range()?], inputs.f64()?, SUM)),
    of("threshold.join_sparse", |inputs| inner(inputs.sparse_probe_keys()?, inputs.sparse_build_keys()?)),
    of("threshold.distinct", |inputs| distinct_rows(inputs.probe_keys()?)),
    of("threshold.filter_50pct", |inputs| filter(inputs, inputs.i64()?, inputs.f64()?)),
    of("threshold.gather", |inputs| gathered(inputs.i64()?, inputs.permutation()?)),
    of("threshold.partition_64", |inputs| hashed(inputs.i64()?, inputs.f64()?, 64)),
    of("threshold.scan_sum", |inputs| scanned(inputs.i64()?)),
];

const SIZES: &[usize] =
    &[1023, 1025, 4095, 4097, 32_767, 32_769, 65_535, 65_537, 131_071, 131_073, 262_143, 262_145, 2_097_151, 2_097_153];

const fn of(name: &'static str, prepare: fn(&Inputs) -> Result<Run>) -> Case {
    Case::new(name, 0.0, prepare).sized(SIZES).repeated(30, 9)
}
