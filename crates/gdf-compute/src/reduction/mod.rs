//! Operations that compute one value from a column.

mod describe;
mod histograms;
mod reduce;
mod selected;
mod sum_overflow;

pub use describe::{STATISTICS, describe};
pub use histograms::{HistogramRows, histogram_entry, histograms, is_histogram};
pub use reduce::{
    ReduceAggregation, ValueRange, default_output_type, minmax, reduce, reduce_with_initial_value, segmented_reduce,
    value_range,
};

pub(crate) use reduce::{Arithmetic, KeyWidth, ReducePlan, put_float, put_integer, scaled};
pub use selected::reduce_where;
pub use sum_overflow::{EXACT_SUM, sum_overflow_type, with_overflow};

pub use gdf_engine::policy::NullPolicy;
