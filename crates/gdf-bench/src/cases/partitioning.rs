//! Cases that partition.

use anyhow::Result;
use gdf::Table;
use gdf::partitioning::{HashFunction, hash_partition};

use super::{Case, call};
use crate::inputs::Inputs;
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[Case::new("partition.hash_64", 32.0, hash_64).repeated(60, 5)];

fn hash_64(inputs: &Inputs) -> Result<Run> {
    let table = Table::try_new(vec![inputs.i64()?, inputs.f64()?])?;
    call(move || hash_partition(&table, &[0], 64, HashFunction::Murmur3, 0))
}
