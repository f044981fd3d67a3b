//! The algorithms of gdf on both backends, with stream and resources explicit: one name for the crates that have them,
//! `gdf-compute` (values and rows), `gdf-relational` (tables) and `gdf-strings` (text).
//!
//! Every operation is a file or folder of its capability: checks and choice of device in `mod.rs`, what both devices decide
//! alike in `plan.rs`, and its halves `host` and `cuda`. The device of the stream decides which half runs; inputs must be on
//! that device, and nothing is ever computed elsewhere. Nothing here has defaults: `gdf-api` supplies them, and documents
//! the functions: names are the same.
//!
//! Inputs that are not [validated](gdf_core::Column::validated) are validated before anything is planned, once: the column
//! keeps the verdict. On CUDA that is 1 launch and 1 wait more than an operation says; for validated columns it is free.
//! So every function that is given columns may also fail with [`BrokenData`](gdf_core::Error::BrokenData).
#![deny(missing_docs)]

pub mod predicate;

pub use gdf_compute::{
    binaryop, concatenate, contiguous_split, copying, datetime, filling, hashing, labeling, lists, null_mask, reshape,
    round, scan, sorting, stream_compaction, unary,
};
pub use gdf_engine::decoded::Decoded;
pub use gdf_engine::{Ctx, device, validation};
#[doc(hidden)]
pub use gdf_engine::{init, limits};
pub use gdf_relational::{groupby, join, partitioning, rolling};
pub use gdf_strings as strings;

/// Values and rows by the share of the rows that is below them.
pub mod quantiles {
    pub use gdf_compute::quantiles::*;
    pub use gdf_relational::quantiles::*;
}

/// Aggregations of a column or its segments to one value each.
pub mod reduction {
    pub use gdf_compute::reduction::*;
    pub use gdf_relational::reduction::*;
}

/// Replacing values and nulls.
pub mod replace {
    pub use gdf_compute::replace::*;
    pub use gdf_relational::replace::*;
}

/// Searching columns.
pub mod search {
    pub use gdf_compute::search::*;
    pub use gdf_relational::search::*;
}

/// Columns in another form: codes of rows, a column for each category, nulls for NaN, sizes of rows.
pub mod transform {
    pub use gdf_compute::transform::*;
    pub use gdf_relational::transform::*;
}
