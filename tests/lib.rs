//! Cross-crate tests of gdf: the catalog of all public functions, with oracles, committed costs and numbers of cases. What runs
//! them is in `it/`; the kit that they are made with is gdf-test.
//!
//! To add an operation: write its oracle in `naive/<capability>.rs`, its entry in `catalog/<capability>.rs`, and name the
//! capability in `catalog/mod.rs` and `naive/mod.rs` if it is new.

pub mod catalog;
mod documented_types;
pub mod naive;
pub mod random_expressions;

use std::sync::LazyLock;

use gdf_test::costs::Snapshots;

macro_rules! files {
    ($($capability:literal)*) => {
        /// The files of all capabilities, as this program was built.
        const COSTS: &[(&str, &str)] = &[$(($capability, include_str!(concat!("costs/", $capability, ".tsv")))),*];
    };
}

files! {
    "binaryop"
    "concatenate"
    "contiguous_split"
    "copying"
    "datetime"
    "filling"
    "groupby"
    "hashing"
    "join"
    "labeling"
    "lists"
    "null_mask"
    "partitioning"
    "predicate"
    "quantiles"
    "reduction"
    "replace"
    "reshape"
    "rolling"
    "round"
    "scan"
    "search"
    "sorting"
    "stream_compaction"
    "strings"
    "transform"
    "unary"
    "validation"
}

/// What the cases of the catalog cost and how many there are, as committed.
pub static SNAPSHOTS: LazyLock<Snapshots> =
    LazyLock::new(|| Snapshots::new(env!("CARGO_MANIFEST_DIR"), include_str!("counts.tsv"), COSTS));
