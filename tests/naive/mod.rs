//! The oracles of the catalog, one module per capability. An oracle is sequential code over
//! [`Value`](gdf_test::value::Value)s that is obviously right. The speed of an oracle does not matter. An oracle shares
//! no code with the operation under test. From `gdf-detail` and `gdf-api`, an oracle uses only the enums and options
//! that an operation takes. An oracle uses no compute crate of arrow.
//!
//! The module of a new capability is declared here, for example `pub mod copying;`.
pub mod asof;
pub mod binaryop;
pub mod cast;
pub mod checked;
pub mod concatenate;
pub mod copy_if_else;
pub mod copying;
pub mod datetime;
pub mod describe;
pub mod dictionary;
pub mod expression;
pub mod filling;
pub mod groupby;
pub mod groupby_scan;
pub mod hashing;
pub mod is_null;
pub mod join;
pub mod json;
pub mod labeling;
pub mod lists;
pub mod lists_expression;
pub mod maps;
pub mod merge;
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
pub mod structs;
pub mod tdigest;
pub mod text_floats;
pub mod text_numbers;
pub mod text_search;
pub mod text_times;
pub mod time_zone;
pub mod transform;
pub mod unary_operation;
pub mod validation;
