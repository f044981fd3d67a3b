//! Functions that round numbers to a number of digits.

use gdf_core::{Column, ColumnView, Result};
use gdf_detail as detail;
pub use gdf_detail::round::{RoundingMethod, round_output_type};

use crate::scope::Scope;

/// Rounds each number to `places` digits after the decimal point. Negative `places` round to a power of ten: -2
/// rounds to hundreds.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input.
///
/// # Types
/// * Integers: the result has the same type. With `places` of 0 or more, integers stay as they are. Results that do not
///   fit the type wrap.
/// * Floats: the result has the same type. Only the fraction is rounded, in double precision, so that large numbers
///   keep their digits. The value of the float decides whether a number is halfway: 2.675 as a float is a little less
///   than 2.675, and is rounded to 2.67. NaN and infinities stay as they are.
/// * Decimals of all widths: the result is a decimal of the same width and of scale `places`, which may be larger than
///   the scale of the input. Its precision is the precision of the input, minus the number of removed digits, plus one
///   digit for a carry. Results that do not fit the width wrap. [`round_output_type`] returns the type of the result.
///
/// If integers or decimals have no digits to remove, the result shares the memory of the column.
///
/// In libcudf `round_decimal` and `round`, in SQL and polars `round`; [`rint`](crate::unary::rint), `floor` and `ceil`
/// round to integers.
///
/// ```
/// use gdf::Column;
/// use gdf::round::{RoundingMethod, round};
///
/// let column = Column::from_options(&[Some(0.125), None, Some(-1.5)])?;
/// assert_eq!(round(&column, 2, RoundingMethod::HalfUp)?.to_vec::<f64>()?, [Some(0.13), None, Some(-1.5)]);
/// assert_eq!(round(&column, 2, RoundingMethod::HalfEven)?.to_vec::<f64>()?, [Some(0.12), None, Some(-1.5)]);
/// let hundreds = round(&Column::from_slice(&[1_250, -49])?, -2, RoundingMethod::HalfUp)?;
/// assert_eq!(hundreds.to_vec::<i32>()?, [Some(1_300), Some(0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for types that are not numbers.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): a decimal of this width cannot have the scale `places`.
/// * Driver and memory errors.
#[doc(alias("round_decimal", "round_half_up", "round_half_even", "ROUND", "quantize"))]
pub fn round<'a>(column: impl Into<ColumnView<'a>>, places: i32, method: RoundingMethod) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("round", &[&column])?.run(|ctx| detail::round::round(column, places, method, ctx))
}
