//! Rolling aggregations. Each row of the result aggregates a window of rows.

mod aggregation;
mod range;
mod range_bounds;
mod rolling_window;

pub use aggregation::RollingAggregation;
pub use range::{RangeWindow, RangeWindowBound, grouped_range_rolling_window, make_range_windows};
pub(crate) use rolling_window::running;
pub use rolling_window::{
    WindowBound, grouped_rolling_window, grouped_rolling_window_with_defaults, rolling_window,
    rolling_window_with_defaults, variable_rolling_window,
};
