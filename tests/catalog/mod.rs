//! The entries of all public functions, one module per capability. `tidy` fails if a public function has no entry.

pub(crate) use gdf_test::catalog::{Case, Entry, SliceCosts};

macro_rules! capabilities {
    ($($capability:ident),* $(,)?) => {
        $(mod $capability;)*

        /// Returns every entry of every capability.
        pub fn all() -> Vec<Entry> {
            let capabilities: &[fn() -> Vec<Entry>] = &[$($capability::entries),*];
            capabilities.iter().flat_map(|entries| entries()).collect()
        }
    };
}

mod binaryop_nested;
mod distinct;
mod groupby_cells;
mod groupby_lists;
mod groupby_order;
mod groupby_runs;
mod groupby_values;
mod groupby_wide;
mod lists_sort;
mod overflow;
mod reduction_order;
mod refusals;
mod sorting_columns;
mod sorting_nulls;
mod sorting_top;
mod struct_keys;
mod tables;
mod validation_columns;

// The list has one line per capability, in alphabetical order.
capabilities! {
    asof,
    binaryop,
    bloom_filter,
    cast,
    checked,
    concatenate,
    contiguous_split,
    copy_if_else,
    copying,
    copying_nulls,
    datetime,
    describe,
    dictionary,
    distinct_sketch,
    encodings,
    equal,
    ewma,
    expression,
    filling,
    groupby,
    groupby_pairs,
    groupby_partial,
    groupby_rows,
    groupby_scan,
    groupby_selected,
    hashing,
    histogram,
    is_null,
    join,
    join_conditions,
    join_cross,
    join_matches,
    join_tables,
    json,
    json_values,
    labeling,
    lists,
    lists_elements,
    lists_expression,
    lists_reduce,
    maps,
    merge,
    null_mask,
    partitioning,
    pipeline,
    predicate,
    quantiles,
    rank,
    rearrange,
    reduction,
    replace,
    reshape,
    reshape_pivot,
    rolling,
    rolling_defaults,
    rolling_ranges,
    round,
    scan,
    scatter,
    search,
    selected,
    shift,
    sorting,
    sorting_segmented,
    stream_compaction,
    strings,
    strings_characters,
    strings_edit,
    strings_regex,
    strings_similarity,
    strings_split,
    strings_tokens,
    structs,
    tdigest,
    text_floats,
    text_numbers,
    text_search,
    text_times,
    time_zone,
    transform,
    unary_operation,
    unique,
    validation,
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
