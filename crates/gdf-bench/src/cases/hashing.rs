//! Cases that hash rows.

use anyhow::Result;
use gdf::Table;
use gdf::hashing::{DigestFunction, digest, murmurhash3_x86_32, xxhash_64};

use super::{Case, call};
use crate::inputs::Inputs;
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    Case::new("hash.murmur3_i64", 12.0, murmur3),
    Case::new("hash.xxhash64_i64", 16.0, xxhash),
    Case::new("hash.md5_i64", 44.0, |inputs| digested(inputs, DigestFunction::Md5)).at_most(10_000_000),
    Case::new("hash.sha256_i64", 76.0, |inputs| digested(inputs, DigestFunction::Sha256)).at_most(10_000_000),
];

fn murmur3(inputs: &Inputs) -> Result<Run> {
    let table = Table::try_new(vec![inputs.i64()?])?;
    call(move || murmurhash3_x86_32(&table, 0))
}

fn xxhash(inputs: &Inputs) -> Result<Run> {
    let table = Table::try_new(vec![inputs.i64()?])?;
    call(move || xxhash_64(&table, 0))
}

fn digested(inputs: &Inputs, function: DigestFunction) -> Result<Run> {
    let table = Table::try_new(vec![inputs.i64()?])?;
    call(move || digest(&table, function))
}
