//! Conversions between text and floats. The functions are part of [`strings`](crate::strings).

use gdf_core::{Column, ColumnView, DataType, Result};

use crate::scope::Scope;

/// Parses each row of text as a float: decimal digits with or without a sign, a point and an exponent, or `inf`,
/// `infinity` or `nan` in upper or lower case.
///
/// # Types
/// `Utf8` and `LargeUtf8` to `Float32` and `Float64`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. A text that is not a number becomes null;
/// [`expect_converted`](super::expect_converted) finds such texts. Order: the order of the input. The result is the
/// float nearest to the number, with ties to even, for any number of digits. It has the same bits as that of Rust's
/// `str::parse` on every device. A number that is too large becomes infinite, and a number that is too small becomes
/// zero. In libcudf `strings::to_floats`, which parses the longest prefix that is a number, and whose last bits may be
/// wrong.
///
/// ```
/// use gdf::{Column, DataType};
/// use gdf::strings::to_floats;
///
/// let column = Column::from_strs([Some("-1.5e3"), None, Some(".1"), Some("1,5")])?;
/// assert_eq!(to_floats(&column, &DataType::Float64)?.to_vec::<f64>()?, [Some(-1500.0), None, Some(0.1), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("parse_float", "to_numeric", "CAST AS DOUBLE", "stod"))]
pub fn to_floats<'a>(column: impl Into<ColumnView<'a>>, output_type: &DataType) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("to_floats", &[&column])?
        .run_decoded(column, |column, ctx| gdf_detail::strings::to_floats(column, output_type, ctx))
}

/// Returns whether each row of text is a number that [`to_floats`] parses.
///
/// # Types
/// `Utf8` and `LargeUtf8`; the result is `Boolean`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. In libcudf
/// `strings::is_float`.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::is_float;
///
/// let column = Column::from_strs([Some("1e5"), None, Some("e5")])?;
/// assert_eq!(is_float(&column)?.to_vec::<bool>()?, [Some(true), None, Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("isnumeric", "IS_NUMERIC"))]
pub fn is_float<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_float", &[&column])?.run_decoded(column, gdf_detail::strings::is_float)
}

/// Writes each float as text, with the fewest digits that parse to the same float. Of several such texts, the result is
/// the one nearest to the float, with ties to an even last digit.
///
/// # Types
/// `Float32` and `Float64`; the result is `Utf8`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. The format
/// is that of Rust's `{:?}`: with a point (`1.0`), with an exponent from 1e16 on and below 1e-4 (`1e16`, `2.5e-7`),
/// and `inf`, `-inf`, `NaN`. In libcudf `strings::from_floats`, which writes up to ten digits.
///
/// ```
/// use gdf::Column;
/// use gdf::strings::from_floats;
///
/// let column = Column::from_options(&[Some(0.1), None, Some(1.0 / 3.0), Some(1e300)])?;
/// let texts = [Some("0.1"), None, Some("0.3333333333333333"), Some("1e300")].map(|text| text.map(str::to_owned));
/// assert_eq!(from_floats(&column)?.to_strings()?, texts);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most once, for the number of bytes. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result has more than 2³¹ − 1 bytes.
/// * Driver and memory errors.
#[doc(alias("float to string", "CAST AS VARCHAR", "repr", "dtoa"))]
pub fn from_floats<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("from_floats", &[&column])?.run_decoded(column, gdf_detail::strings::from_floats)
}
