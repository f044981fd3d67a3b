//! The functions that call gdf, by the name of the operation. Each family of operations has a module.
//!
//! A function reads its inputs and arguments from the [`Call`], makes one call to gdf, and returns an
//! [`Answer`](crate::output::Answer). The function does not emulate what gdf cannot do. If gdf cannot express an
//! operation, the function returns [`Failure::Unsupported`](crate::call::Failure::Unsupported).

mod binaryop;
mod collected;
mod copying;
mod datetime;
mod dictionary;
mod groupby;
mod hashing;
mod io_csv;
mod io_json;
mod io_options;
mod io_parquet;
mod join;
mod json;
mod labeling;
mod lists;
mod merge;
mod null_mask;
mod nvtext;
mod partitioning;
mod quantiles;
mod reduction;
mod replace;
mod reshape_filling;
mod rolling;
mod round;
mod scan;
mod search;
mod sorting;
mod stream_compaction;
mod strings;
mod strings_characters;
mod strings_edit;
mod strings_regex;
mod strings_split;
mod structs;
mod text_numbers;
mod text_search;
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
    groupby::OPERATIONS,
    hashing::OPERATIONS,
    io_csv::OPERATIONS,
    io_json::OPERATIONS,
    io_parquet::OPERATIONS,
    join::OPERATIONS,
    json::OPERATIONS,
    labeling::OPERATIONS,
    lists::OPERATIONS,
    merge::OPERATIONS,
    null_mask::OPERATIONS,
    nvtext::OPERATIONS,
    partitioning::OPERATIONS,
    quantiles::OPERATIONS,
    reduction::OPERATIONS,
    replace::OPERATIONS,
    reshape_filling::OPERATIONS,
    rolling::OPERATIONS,
    round::OPERATIONS,
    scan::OPERATIONS,
    search::OPERATIONS,
    sorting::OPERATIONS,
    stream_compaction::OPERATIONS,
    strings::OPERATIONS,
    strings_characters::OPERATIONS,
    strings_edit::OPERATIONS,
    strings_regex::OPERATIONS,
    strings_split::OPERATIONS,
    structs::OPERATIONS,
    text_numbers::OPERATIONS,
    text_search::OPERATIONS,
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
