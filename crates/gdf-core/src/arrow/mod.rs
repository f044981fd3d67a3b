//! Columns from and to the arrays of arrow-rs.

#[cfg(feature = "arrow-rs")]
mod build;
#[cfg(feature = "arrow-rs")]
mod download;
#[cfg(feature = "arrow-rs")]
pub mod export;
#[cfg(feature = "arrow-rs")]
pub mod import;
mod misaligned;
#[cfg(feature = "arrow-rs")]
mod prefetch;
#[cfg(feature = "arrow-rs")]
mod table;
#[cfg(feature = "arrow-rs")]
mod upload;

pub use misaligned::{copied_misaligned, count_copied_misaligned};
#[cfg(feature = "arrow-rs")]
pub use table::TableSchema;
