//! Operations that compute one value from a column.

mod describe;
mod reduce;
mod selected;

pub use describe::{STATISTICS, describe};
pub use reduce::{ReduceAggregation, default_output_type, minmax, reduce, reduce_with_initial_value, segmented_reduce};

pub(crate) use reduce::{Arithmetic, KeyWidth, ReducePlan, put_float, put_integer, scaled};
pub use selected::reduce_where;

pub use gdf_engine::policy::NullPolicy;
