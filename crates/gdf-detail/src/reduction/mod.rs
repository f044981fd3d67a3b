//! One value from a column.

mod reduce;

pub use reduce::{ReduceAggregation, default_output_type, minmax, reduce, segmented_reduce};

pub use crate::policy::NullPolicy;
