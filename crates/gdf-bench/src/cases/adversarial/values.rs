//! Cases with columns in which one of a million rows is valid.

use anyhow::Result;
use gdf::Column;

use crate::cases::Case;
use crate::cases::values::{scanned, sum};
use crate::inputs::Inputs;

pub(super) const CASES: &[Case] = &[
    Case::new("reduce.one_valid_in_1000000", 0.0, |inputs| sum(one_valid(inputs)?)),
    Case::new("scan.one_valid_in_1000000", 0.0, |inputs| scanned(one_valid(inputs)?)),
];

fn one_valid(inputs: &Inputs) -> Result<Column> {
    inputs.masked(inputs.i64()?, |row| row % 1_000_000 == 999_999)
}
