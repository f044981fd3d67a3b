//! The oracles of the catalog, one module per module of gdf-api. An oracle is sequential code over
//! [`Value`](gdf_test::value::Value)s that is obviously right. An oracle shares no code with the operation under test.
//! From `gdf-detail` and `gdf-api`, an oracle uses only the enums and options that an operation takes. An oracle uses
//! no compute crate of arrow.
pub mod binaryop;
pub mod concatenate;
pub mod copying;
pub mod datetime;
pub mod dictionary;
pub mod filling;
pub mod groupby;
pub mod hashing;
pub mod join;
pub mod json;
pub mod labeling;
pub mod lists;
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
pub mod structs;
pub mod transform;
pub mod unary;
pub mod validation;
