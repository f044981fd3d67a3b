//! The smallest and the largest value of a column, which are stored with the column.

use gdf_core::{Column, Result};
use gdf_detail as detail;
pub use gdf_detail::reduction::ValueRange;

use crate::scope::Scope;

/// Returns the range of a column that is asked for its range again.
pub trait StoredRange {
    /// Does the same as [`minmax`](super::minmax), and **waits** for the values. Values of integers of at most 64 bits
    /// are stored with the column, so that its rows are read only once.
    ///
    /// # Errors
    /// * The errors of [`minmax`](super::minmax).
    fn value_range(&self) -> Result<ValueRange>;
}

impl StoredRange for Column {
    fn value_range(&self) -> Result<ValueRange> {
        let view = self.view();
        Scope::for_inputs("minmax", &[&view])?.run(|ctx| detail::reduction::value_range(view, ctx))
    }
}
