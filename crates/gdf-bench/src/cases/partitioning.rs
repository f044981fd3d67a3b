//! Cases that partition rows.

use anyhow::Result;
use gdf::partitioning::{HashFunction, hash_partition};
use gdf::{Column, Table};

use super::{Case, call};
use crate::measure::Run;

pub(super) const CASES: &[Case] =
    &[Case::new("partition.hash_64", 32.0, |inputs| hashed(inputs.i64()?, inputs.f64()?, 64)).repeated(60, 5)];

pub(super) fn hashed(key: Column, values: Column, partitions: usize) -> Result<Run> {
    let table = Table::try_new(vec![key, values])?;
    call(move || hash_partition(&table, &[0], partitions, HashFunction::Murmur3, 0))
}
