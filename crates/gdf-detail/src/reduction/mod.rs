//! One value from a column.

mod describe;
mod histogram;
mod reduce;

pub use describe::{STATISTICS, describe};
pub use histogram::histogram;
pub use reduce::{ReduceAggregation, default_output_type, minmax, reduce, reduce_with_initial_value, segmented_reduce};

pub use crate::policy::NullPolicy;
