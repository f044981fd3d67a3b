//! The smallest and the largest value of columns.

use gdf_api::reduction::minmax;
use gdf_core::{Column, Scalar, order_of_numbers};
use gdf_expr::Value;

use crate::error::Result;

/// The smallest and the largest value of a column, which are null if all rows are null.
pub(crate) struct Range {
    pub(crate) min: Scalar,
    pub(crate) max: Scalar,
    /// Both values as integers, if the column stores integers.
    pub(crate) numbers: Option<(i128, i128)>,
}

impl Range {
    /// Reads all rows. Islands choose by the range of a column how they join, group and compute. Ranges of numbers of
    /// at most 64 bits are stored with the column, so that its rows are read only once.
    pub(crate) fn of(column: &Column) -> Result<Range> {
        let (min, max) = minmax(column)?;
        let number = |of: &Scalar| Ok::<_, crate::error::Failure>(Value::from_scalar(of)?.integer());
        let numbers = number(&min)?.zip(number(&max)?);
        if let Some(bounds) = numbers.and_then(|numbers| order_of_numbers(numbers, column.data_type())) {
            column.view().keep_exact_bounds(Some(bounds));
        }
        Ok(Range { min, max, numbers })
    }
}
