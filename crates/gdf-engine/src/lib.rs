//! The common base of gdf's algorithm crates.
//!
//! Each engine has a CPU half and a CUDA half.
#![allow(
    missing_docs,
    clippy::len_without_is_empty,
    reason = "not for users: items are documented where it helps those who write operations"
)]

pub mod binary;
pub mod cast;
pub mod check;
pub mod choose;
pub mod cuda;
pub mod decoded;
pub mod device;
pub mod elementwise;
pub mod hash_table;
pub mod host;
pub mod input;
pub mod keys;
pub mod layout;
#[doc(hidden)]
pub mod limits;
pub mod mask;
pub mod nans;
pub mod null_count;
pub mod null_rows;
pub mod operand;
pub mod partition;
pub mod policy;
pub mod reduce;
pub mod regex;
pub mod rounding;
pub mod row_hash;
pub mod rows;
pub mod running;
pub mod scan;
pub mod scatter;
pub mod sequence;
pub mod shift;
pub mod sort;
pub mod strings;
#[doc(hidden)]
pub mod test_device;
pub mod validation;
mod vouch;
pub mod vouched;
pub mod windows;

pub use gdf_core::scope::Ctx;
#[doc(hidden)]
pub use null_count::init;
