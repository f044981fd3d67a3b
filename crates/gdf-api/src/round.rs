//! Numbers of so many digits.

use gdf_core::{Column, ColumnView, Result};
use gdf_detail as detail;
pub use gdf_detail::round::{RoundingMethod, round_output_type};

use crate::scope::Scope;

/// The nearest numbers with `places` digits after the point; of negative `places`, with so many zeros before it.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input.
///
/// # Types
/// * Integers: the same type. Without negative `places` they stay as they are; results that do not fit wrap.
/// * Floats: the same type. The fraction alone is rounded, in double precision, so that large numbers keep their digits.
///   Halfway is what the float is, not what it was written as: 2.675 is less, and becomes 2.67. NaN and infinities stay.
/// * Decimals of all widths: a decimal of the same width and of scale `places`, which may be the larger one; its precision
///   is that of the input less the digits that go, and one more for what rounds up. What does not fit wraps.
///   [`round_output_type`] gives the type.
///
/// The result shares the memory of integers and decimals that have no more digits.
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
/// No wait. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for what is no number.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): no decimal of this width has a scale of `places`.
/// * Driver and memory errors.
#[doc(alias("round_decimal", "round_half_up", "round_half_even", "ROUND", "quantize"))]
pub fn round<'a>(column: impl Into<ColumnView<'a>>, places: i32, method: RoundingMethod) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("round", &[&column])?.run(|ctx| detail::round::round(column, places, method, ctx))
}
