//! Cases that hash rows.

use anyhow::Result;
use gdf::Table;
use gdf::hashing::murmurhash3_x86_32;

use super::{Case, call};
use crate::inputs::Inputs;
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[Case::new("hash.murmur3_i64", 12.0, murmur3)];

fn murmur3(inputs: &Inputs) -> Result<Run> {
    let table = Table::try_new(vec![inputs.i64()?])?;
    call(move || murmurhash3_x86_32(&table, 0))
}
