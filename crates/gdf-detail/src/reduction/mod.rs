//! One value from a column.

mod reduce;

mod cuda;
mod host;

pub use reduce::{ReduceAggregation, default_output_type, minmax, reduce};
