//! The oracles of the catalog, one module per capability: sequential code over
//! [`Value`](gdf_test::value::Value)s that is obviously right. Speed does not matter here; sharing
//! no code with what is tested does: of `gdf-detail` and `gdf-api` only the enums and options that an operation takes
//! are used, and of arrow no compute crate.
//!
//! Name a new capability's module here: `pub mod copying;`.
pub mod binaryop;
pub mod cast;
pub mod checked;
pub mod concatenate;
pub mod copy_if_else;
pub mod copying;
pub mod datetime;
pub mod describe;
pub mod expression;
pub mod filling;
pub mod groupby;
pub mod groupby_scan;
pub mod hashing;
pub mod is_null;
pub mod join;
pub mod labeling;
pub mod lists;
pub mod null_mask;
pub mod partitioning;
pub mod predicate;
pub mod quantiles;
pub mod reduction;
pub mod replace;
pub mod reshape;
pub mod rolling;
pub mod round;
pub mod scan;
pub mod search;
pub mod sorting;
pub mod stream_compaction;
pub mod strings;
pub mod strings_characters;
pub mod strings_edit;
pub mod strings_regex;
pub mod strings_similarity;
pub mod strings_split;
pub mod strings_tokens;
pub mod tdigest;
pub mod text_floats;
pub mod text_numbers;
pub mod text_search;
pub mod text_times;
pub mod time_zone;
pub mod transform;
pub mod unary_operation;
pub mod validation;
