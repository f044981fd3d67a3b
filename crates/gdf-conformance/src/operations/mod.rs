//! The functions that call gdf, by the name of the operation. Each module of gdf-api has a module of that name.
//! The module `io` has the operations of gdf-io.
//!
//! A function reads its inputs and arguments from the [`Call`], makes one call to gdf, and returns an
//! [`Answer`](crate::output::Answer). The function does not emulate what gdf cannot do. If gdf cannot express an
//! operation, the function returns [`Failure::Unsupported`](crate::call::Failure::Unsupported).

mod binaryop;
mod copying;
mod datetime;
mod dictionary;
mod filling;
mod groupby;
mod hashing;
mod io;
mod join;
mod json;
mod labeling;
mod lists;
mod merge;
mod null_mask;
mod partitioning;
mod quantiles;
mod reduction;
mod replace;
mod reshape;
mod rolling;
mod round;
mod scan;
mod search;
mod sorting;
mod stream_compaction;
mod strings;
mod structs;
mod transform;
mod unary;

use crate::call::{Answered, Call};

/// Calls gdf for one case.
pub type Operation = fn(&Call<'_>) -> Answered;

/// The names and functions of the operations, by family.
const FAMILIES: &[&[(&str, Operation)]] = &[
    binaryop::OPERATIONS,
    copying::OPERATIONS,
    datetime::OPERATIONS,
    dictionary::OPERATIONS,
    filling::OPERATIONS,
    groupby::OPERATIONS,
    hashing::OPERATIONS,
    io::csv::OPERATIONS,
    io::json::OPERATIONS,
    io::parquet::OPERATIONS,
    join::OPERATIONS,
    json::OPERATIONS,
    labeling::OPERATIONS,
    lists::OPERATIONS,
    merge::OPERATIONS,
    null_mask::OPERATIONS,
    partitioning::OPERATIONS,
    quantiles::OPERATIONS,
    reduction::OPERATIONS,
    replace::OPERATIONS,
    reshape::OPERATIONS,
    rolling::OPERATIONS,
    round::OPERATIONS,
    scan::OPERATIONS,
    search::OPERATIONS,
    sorting::OPERATIONS,
    stream_compaction::OPERATIONS,
    strings::OPERATIONS,
    strings::characters::OPERATIONS,
    strings::edit::OPERATIONS,
    strings::numbers::OPERATIONS,
    strings::nvtext::OPERATIONS,
    strings::regex::OPERATIONS,
    strings::search::OPERATIONS,
    strings::split::OPERATIONS,
    structs::OPERATIONS,
    transform::OPERATIONS,
    unary::OPERATIONS,
];

fn all() -> impl Iterator<Item = (&'static str, Operation)> {
    FAMILIES.iter().copied().flatten().copied()
}

/// Returns the function for an operation of the corpus.
pub fn find(op: &str) -> Option<Operation> {
    all().find(|(name, _)| *name == op).map(|(_, operation)| operation)
}

/// Returns the names of all operations.
pub fn names() -> impl Iterator<Item = &'static str> {
    all().map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_given_once() {
        let mut sorted: Vec<_> = names().collect();
        sorted.sort_unstable();
        let count = sorted.len();
        sorted.dedup();
        assert_eq!(sorted.len(), count);
        assert!(find("no such operation").is_none());
    }
}
