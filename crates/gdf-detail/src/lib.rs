//! The algorithms of gdf on both backends. The caller passes the stream and the resources explicitly. The crate
//! re-exports `gdf-compute` (values and rows), `gdf-relational` (tables), `gdf-strings` (text) and `gdf-nested` (lists)
//! under one name.
//!
//! Every operation is a file or folder of its capability. Checks and the choice of the device are in `mod.rs`,
//! decisions common to both devices in `plan.rs`, and the implementations in `host` and `cuda`. The device of the
//! stream decides which implementation runs. Inputs must be on that device, and the whole operation runs on that
//! device. The functions of this crate have no default arguments. `gdf-api` has functions of the same names, which
//! supply default arguments and contain the documentation.
//!
//! An operation first validates the inputs that are not [validated](gdf_core::Column::validated). The column stores the
//! result, so that a column is validated only once. On CUDA, a validation takes 1 launch and 1 wait in addition to
//! those that the operation states. For validated columns, the check costs nothing. Every function that takes columns
//! may therefore also return [`BrokenData`](gdf_core::Error::BrokenData).
#![deny(missing_docs)]

mod condition;
mod decimal_ranges;
mod elements;
mod encoding_cast;
pub mod expression;
pub mod join;
pub mod pipeline;
pub mod predicate;
mod vouch;

pub use gdf_compute::{
    binaryop, concatenate, contiguous_split, copying, datetime, filling, hashing, labeling, null_mask, round, scan,
    stream_compaction,
};
pub use gdf_engine::decoded::Decoded;
pub use gdf_engine::{Ctx, device, validation};
#[doc(hidden)]
pub use gdf_engine::{init, limits};
pub use gdf_nested::{maps, structs};
pub use gdf_relational::{dictionary, groupby, merge, partitioning, rolling};
pub use gdf_strings as strings;
pub use gdf_strings::json;

/// Operations on one column, element by element.
pub mod unary {
    pub use gdf_compute::unary::*;
    // The functions of the same names in `gdf_compute::unary` take fewer types.
    pub use crate::encoding_cast::{cast, is_supported_cast};
}

/// Elements of lists as rows, and operations on the elements of each list.
pub mod lists {
    pub use crate::elements::{aggregate_elements, filter_elements, transform_elements};
    pub use gdf_compute::lists::*;
    pub use gdf_nested::lists::*;
}

/// Values and rows at given quantiles. A quantile is given as a fraction of the number of rows.
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

/// Merging, splitting and transposing columns.
pub mod reshape {
    pub use gdf_compute::reshape::*;
    pub use gdf_relational::reshape::*;
}

/// Searching columns.
pub mod search {
    pub use gdf_compute::search::*;
    pub use gdf_relational::search::*;
}

/// Sorting rows, of whole tables and within segments, and the ranks of rows.
pub mod sorting {
    pub use gdf_compute::sorting::*;
    pub use gdf_relational::sorting::*;
}

/// Conversions of columns to another form: row codes, one column per category, nulls in place of NaN, and row sizes.
pub mod transform {
    pub use gdf_compute::transform::*;
    pub use gdf_relational::transform::*;
}
