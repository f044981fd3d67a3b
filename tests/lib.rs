//! Tests of gdf that involve several crates. This library has the catalog of all public functions. For each function,
//! the catalog has an oracle, the committed costs and the committed number of cases. The tests that run the catalog are
//! in `it/`. The test kit is gdf-test.
//!
//! To add an operation, write its oracle in `naive/<capability>` and its entry in `catalog/<capability>`, where the
//! capability is the operation's module of gdf-api. For a new capability, add its modules to `catalog/mod.rs` and
//! `naive/mod.rs`.

pub mod catalog;
mod documented_types;
pub mod naive;
pub mod random_expressions;

use std::sync::LazyLock;

use gdf_test::costs::Snapshots;

macro_rules! files {
    ($($capability:literal)*) => {
        /// The cost files of all capabilities.
        const COSTS: &[(&str, &str)] = &[$(($capability, include_str!(concat!("costs/", $capability, ".tsv")))),*];
    };
}

files! {
    "binaryop"
    "concatenate"
    "contiguous_split"
    "copying"
    "datetime"
    "dictionary"
    "filling"
    "groupby"
    "hashing"
    "join"
    "json"
    "labeling"
    "lists"
    "maps"
    "merge"
    "null_mask"
    "partitioning"
    "pipeline"
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
    "structs"
    "transform"
    "unary"
    "validation"
}

/// The committed costs, and the committed numbers of the catalog's cases.
pub static SNAPSHOTS: LazyLock<Snapshots> =
    LazyLock::new(|| Snapshots::new(env!("CARGO_MANIFEST_DIR"), include_str!("counts.tsv"), COSTS));
