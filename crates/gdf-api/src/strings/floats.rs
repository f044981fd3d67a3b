//! Text to and from floats: functions of [`strings`](crate::strings).

use gdf_core::{Column, ColumnView, DataType, Result};

use crate::scope::Scope;

/// The floats that rows of text are: decimal digits with or without a sign, a point and an exponent, or `inf`, `infinity`, `nan` in letters
/// of any case.
///
/// # Types
/// `Utf8` and `LargeUtf8` to `Float32` and `Float64`.
///
/// Shapes: a row for each row. Nulls stay null, and what is no number becomes null: the result's null count beside the column's says
/// whether there was any. Order: that of the input. The result is the float nearest to the number, however many digits it has,
/// of two that are equally near the one whose last bit is 0, on every device: bit for bit that of Rust's `str::parse`. What is too
/// large is infinite, what is too small zero. In libcudf `strings::to_floats`, which reads as much of a text as is a number and
/// may be off in the last bits.
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
/// At most 0 waits; see the table of costs.
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

/// Whether each row of text is a number that [`to_floats`] takes.
///
/// # Types
/// `Utf8` and `LargeUtf8`; `Boolean`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. In libcudf `strings::is_float`.
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
/// At most 0 waits; see the table of costs.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Driver and memory errors.
#[doc(alias("isnumeric", "IS_NUMERIC"))]
pub fn is_float<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_float", &[&column])?.run_decoded(column, gdf_detail::strings::is_float)
}

/// The text of each float: the fewest digits that are read back as the same float, and of these the nearest, of two as near the even.
///
/// # Types
/// `Float32` and `Float64`; `Utf8`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. Written as Rust's `{:?}` does: with a point (`1.0`), from 1e16 on
/// and below 1e-4 with an exponent (`1e16`, `2.5e-7`), `inf`, `-inf`, `NaN`. In libcudf `strings::from_floats`, which writes up to ten digits.
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
/// At most 1 wait, for the number of bytes; see the table of costs.
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
