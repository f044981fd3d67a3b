//! Columns and tables one after the other.

#[allow(clippy::module_inception, reason = "an operation has one stem in every folder")]
mod concatenate;
mod cuda;
mod host;
mod join;

pub(crate) use concatenate::copy_rows;
pub use concatenate::{concatenate, concatenate_columns};
