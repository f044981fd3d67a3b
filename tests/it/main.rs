//! The test program for all tests that involve several crates. `GDF_TEST_DEVICE` chooses the device. See `cargo xtask
//! test`.

mod bounds;
mod catalog;
mod columns;
mod computed_groups;
mod coverage;
mod dense_keys;
mod distinct_counts;
mod equal_texts;
mod filters;
#[cfg(unix)]
mod forks;
mod group_runs;
mod interop_cuda;
mod joins;
mod large;
mod lifetime_cuda;
mod list_ranges;
mod log;
mod malformed;
mod nested_counts;
mod order_facts;
mod pairs;
mod pattern_kernels;
mod poison;
mod properties;
mod scope;
mod sorting;
mod text_chunks;
mod text_estimates;
mod text_keys;
mod text_searches;
mod text_sizes;
mod text_types;
mod threads;
mod trust;
