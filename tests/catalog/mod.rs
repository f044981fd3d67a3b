//! The entries of all public functions. Each module of gdf-api has a module of that name, and the module's parts are in
//! its folder. `tidy` fails if a public function has no entry.

pub(crate) use gdf_test::catalog::{Case, Entry, SliceCosts};

mod shared;

macro_rules! capabilities {
    ($($capability:ident { $($part:ident),* })*) => {
        $(mod $capability;)*

        /// Returns every entry of every capability.
        pub fn all() -> Vec<Entry> {
            let capabilities: &[fn() -> Vec<Entry>] =
                &[$($capability::entries, $($capability::$part::entries,)*)*];
            capabilities.iter().flat_map(|entries| entries()).collect()
        }
    };
}

// The list has one line per capability, in alphabetical order. The parts that have entries are in braces.
capabilities! {
    binaryop { checked }
    concatenate {}
    contiguous_split {}
    copying { copy_if_else, nulls, rearrange, scatter, shift }
    datetime { time_zone }
    dictionary {}
    filling {}
    groupby { pairs, partial, rows, scan, selected }
    hashing {}
    join { asof, conditions, cross, matches, tables }
    json { values }
    labeling {}
    lists { elements, expression, reduce }
    maps {}
    merge {}
    null_mask {}
    partitioning {}
    pipeline {}
    predicate {}
    quantiles { tdigest }
    reduction { bloom_filter, describe, distinct_sketch, equal, histogram }
    replace {}
    reshape { pivot }
    rolling { defaults, ranges }
    round {}
    scan { ewma }
    search {}
    sorting { rank, segmented, selected }
    stream_compaction { unique }
    strings { characters, edit, floats, numbers, regex, search, similarity, split, times, tokens }
    structs {}
    transform { encodings, expression }
    unary { cast, is_null }
    validation {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_named_once_and_by_capability() {
        // Two entries may have the same name for these reasons only: the cases of one function are compared in different
        // ways, or only some of the results share memory with the inputs or have sizes that are guessed.
        let entries = all();
        assert!(entries.iter().all(|entry| entry.name.split('.').count() == 2));
        let name =
            |entry: &Entry| format!("{} {:?} {} {}", entry.name, entry.equality, entry.shares_inputs, entry.guesses);
        let mut names: Vec<_> = entries.iter().map(name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "an entry is listed twice");
    }
}
