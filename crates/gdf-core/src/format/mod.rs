//! Columns, tables and scalars as text.

mod debug;
#[cfg(feature = "pretty")]
mod display;
#[cfg(feature = "pretty")]
pub mod pretty;
#[cfg(feature = "pretty")]
mod value;

#[cfg(feature = "pretty")]
pub use display::{TableDisplay, rows_table};
