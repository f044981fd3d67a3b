//! Operations on one column, element by element. [`unary_operation`] takes the operator; each is a function of its own, too.
//!
//! ```
//! use gdf::unary::{abs, sqrt};
//! use gdf::Column;
//!
//! let column = Column::from_options(&[Some(-2.25), None])?;
//! assert_eq!(sqrt(&abs(&column)?)?.to_vec::<f64>()?, [Some(1.5), None]);
//! # Ok::<(), gdf::Error>(())
//! ```

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_detail as detail;
pub use gdf_detail::binaryop::OverflowPolicy;
pub use gdf_detail::unary::{UnaryOperator, is_supported_cast};

use crate::scope::Scope;
pub use crate::short_forms::unary::*;

/// `op` of every row.
///
/// # Types
/// See [`UnaryOperator`].
///
/// Functions of numbers are worked out in double precision and converted: `Float32` results are rounded once, integers
/// cut off (NaN becomes 0, what is too large the largest). Integers and decimals wrap: the least one is its own
/// opposite and absolute value.
///
/// Shapes: a row for each row. Nulls stay null. NaN gives NaN (`Not`: false), and so do arguments outside of a
/// function's domain, such as the square root of -1. Order: that of the input. `Sqrt` and everything from `Sign` on is
/// exact; the others are some units in the last place of a double off, not the same ones on every device.
///
/// In libcudf `unary_operation`, whose operators are those up to `Cbrt` and from `Ceil` on but for `Trunc`; in polars and arrow-rs a function (or kernel) per operator.
///
/// ```
/// use gdf::Column;
/// use gdf::unary::{UnaryOperator, unary_operation};
///
/// let column = Column::from_options(&[Some(2.25), None, Some(9.0)])?;
/// let roots = unary_operation(&column, UnaryOperator::Sqrt)?;
/// assert_eq!(roots.to_vec::<f64>()?, [Some(1.5), None, Some(3.0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// No wait. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) when the operator does not exist for the type.
/// * Driver and memory errors.
#[doc(alias("abs", "sqrt", "exp", "log", "ln", "round", "floor", "ceil", "not", "negate", "sin", "cos"))]
pub fn unary_operation<'a>(column: impl Into<ColumnView<'a>>, op: UnaryOperator) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("unary_operation", &[&column])?.run(|ctx| detail::unary::unary_operation(column, op, ctx))
}

/// Whether each row is null.
///
/// Shapes: a row for each row. Types: all but unions and run-end encoded columns (dictionaries: whether the key is null); the result is boolean.
/// The result has no nulls. NaN is no null.
/// Order: that of the input. No wait. In libcudf, arrow-rs and polars `is_null`.
///
/// ```
/// use gdf::Column;
/// use gdf::unary::is_null;
///
/// let column = Column::from_options(&[Some(1), None, Some(3)])?;
/// assert_eq!(is_null(&column)?.to_vec::<bool>()?, [Some(false), Some(true), Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for unions and run-end encoded columns, whose nulls are their children's.
/// * Driver and memory errors.
#[doc(alias("isna", "isnull"))]
pub fn is_null<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_null", &[&column])?.run(|ctx| detail::unary::is_null(column, ctx))
}

/// Whether each row is not null.
///
/// Shapes: a row for each row. Types: all but unions and run-end encoded columns (dictionaries: whether the key is); the result is boolean.
/// The result has no nulls. NaN is valid.
/// Order: that of the input. No wait. In libcudf `is_valid`, in arrow-rs and polars `is_not_null`.
///
/// ```
/// use gdf::Column;
/// use gdf::unary::is_valid;
///
/// let column = Column::from_options(&[Some(1), None, Some(3)])?;
/// assert_eq!(is_valid(&column)?.to_vec::<bool>()?, [Some(true), Some(false), Some(true)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for unions and run-end encoded columns, whose nulls are their children's.
/// * Driver and memory errors.
#[doc(alias("notna", "notnull", "is_not_null"))]
pub fn is_valid<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_valid", &[&column])?.run(|ctx| detail::unary::is_valid(column, ctx))
}

/// Whether each row is NaN, of whatever sign and payload.
///
/// Shapes: a row for each row. Types: floats of any width; the result is boolean.
/// The result has no nulls: a null is not NaN.
/// Order: that of the input. No wait. In libcudf and polars `is_nan`, where polars keeps nulls.
///
/// ```
/// use gdf::Column;
/// use gdf::unary::is_nan;
///
/// let column = Column::from_options(&[Some(1.0), None, Some(f64::NAN)])?;
/// assert_eq!(is_nan(&column)?.to_vec::<bool>()?, [Some(false), Some(false), Some(true)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) when the column is not one of floats.
/// * Driver and memory errors.
#[doc(alias("isnan"))]
pub fn is_nan<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_nan", &[&column])?.run(|ctx| detail::unary::is_nan(column, ctx))
}

/// Whether each row is anything but NaN.
///
/// Shapes: a row for each row. Types: floats of any width; the result is boolean.
/// The result has no nulls: a null is not NaN, so the answer is true.
/// Order: that of the input. No wait. In libcudf and polars `is_not_nan`, where polars keeps nulls.
///
/// ```
/// use gdf::Column;
/// use gdf::unary::is_not_nan;
///
/// let column = Column::from_options(&[Some(1.0), None, Some(f64::NAN)])?;
/// assert_eq!(is_not_nan(&column)?.to_vec::<bool>()?, [Some(true), Some(true), Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) when the column is not one of floats.
/// * Driver and memory errors.
#[doc(alias("isfinite"))]
pub fn is_not_nan<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_not_nan", &[&column])?.run(|ctx| detail::unary::is_not_nan(column, ctx))
}

/// `column` as a column of type `target`.
///
/// Shapes: a row for each row. Nulls stay null. Order: that of the input. The result is defined for all data:
///
/// | from | to | what becomes of a value |
/// |---|---|---|
/// | boolean, integer, float | boolean | whether it is not 0; NaN is not |
/// | boolean, integer | integer, decimal | the same number, wrapping at the width of the result |
/// | float | integer | cut off towards zero; what does not fit becomes the nearest that does, NaN 0 |
/// | any number | float | the nearest float, ties to even |
/// | decimal | decimal, integer | rescaled, cut off towards zero, wrapping at the width of the result |
/// | decimal | boolean | whether it is not 0 |
/// | decimal | float | the double nearest to the unscaled number, times or by a power of ten, rounded |
/// | float | decimal | the digits of the shortest number that reads back as the float, cut off after the scale; what does not fit becomes the nearest that does, NaN 0. More digits than the float has are those of its exact value; of scales above 22 and below 0 those that double precision gives |
/// | date, timestamp, duration, time of day | another unit | floored, wrapping at the width of the result; dates, timestamps and durations also among each other, times of day also from and to durations |
/// | duration | integer, float | its number of ticks, as an integer; and back |
/// | date, timestamp, time of day | integer | its number of ticks, wrapping at the width of the result; and back |
/// | timestamp | another time zone | the same moment |
/// | string, binary | the same with the other width of offsets, or as views; views as strings or binary; string to binary | the same bytes |
/// | dictionary | the type of its values | the value that the key names |
///
/// Decimals of all four widths are meant, and floats of all three. A decimal's precision is not looked at, as it does
/// not change what its width holds. Any type can be cast to itself.
///
/// Where the bytes stay as they are (integers of one width, a unit or scale that does not change, time zones), the
/// result shares the input's memory, and its offset. Otherwise it starts at row 0; it shares the validity mask of an
/// input that does, and the bytes of strings; those of views are copied.
///
/// In libcudf `cast` (which refuses integers for dates and timestamps, and has no booleans of bits), in arrow-rs `cast`
/// (whose integers become null where they do not fit), in polars `cast`.
///
/// ```
/// use gdf::unary::cast;
/// use gdf::{Column, DataType};
///
/// let column = Column::from_options(&[Some(2.75), None, Some(-1e300), Some(f64::NAN)])?;
/// let whole = cast(&column, &DataType::Int32)?;
/// assert_eq!(whole.to_vec::<i32>()?, [Some(2), None, Some(i32::MIN), Some(0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// None where the bytes stay as they are. No wait, but one where views or dictionaries become strings or binary, for the number of bytes, and for two of
/// its offsets where an input with 2 GiB of bytes or more gets 32-bit offsets or becomes views. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) where [`is_supported_cast`] says no.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when strings do not fit 32-bit offsets, or one buffer of views.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a target that makes no sense, such as `Decimal32(40, 0)`.
/// * Driver and memory errors.
#[doc(alias("astype", "convert", "to_numeric"))]
pub fn cast<'a>(column: impl Into<ColumnView<'a>>, target: &DataType) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("cast", &[&column])?.run(|ctx| detail::unary::cast(column, target, ctx))
}

/// As [`unary_operation`], with a choice of what becomes of rows whose opposite or absolute value does not fit: that of
/// the smallest integer, and of decimals beyond their precision. Other operators never fail.
///
/// ```
/// use gdf::Column;
/// use gdf::unary::{OverflowPolicy, UnaryOperator, unary_operation_checked};
///
/// let column = Column::from_slice(&[i8::MIN, -5])?;
/// let sizes = unary_operation_checked(&column, UnaryOperator::Abs, OverflowPolicy::Null)?;
/// assert_eq!(sizes.to_vec::<i8>()?, [None, Some(5)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// No wait; 1 if the policy is `Error`. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidData`](gdf_core::Error::InvalidData) where the policy says so; and those of [`unary_operation`].
#[doc(alias("checked_abs", "checked_neg"))]
pub fn unary_operation_checked<'a>(
    column: impl Into<ColumnView<'a>>,
    op: UnaryOperator,
    overflow: OverflowPolicy,
) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("unary_operation_checked", &[&column])?
        .run(|ctx| detail::unary::unary_operation_checked(column, op, overflow, ctx))
}

/// As [`cast`], with a choice of what becomes of values that `target` does not hold: integers, dates and durations of more
/// bits, decimals of more digits than the precision of `target`, floats that, cut off, do not fit, and NaN.
///
/// Digits that are cut off, and floats that round, are no overflow. Where nothing can overflow it is [`cast`], which
/// [`OverflowPolicy::Wrap`] always is. Nulls stay null and never fail.
///
/// In SQL `CAST` is that with `Error` and `TRY_CAST` with `Null`; in arrow-rs `cast_with_options` (`safe` is `Null`), in
/// polars `cast(strict=…)`.
///
/// ```
/// use gdf::unary::{OverflowPolicy, cast_checked};
/// use gdf::{Column, DataType};
///
/// let column = Column::from_slice(&[300, -1, 7])?;
/// let bytes = cast_checked(&column, &DataType::UInt8, OverflowPolicy::Null)?;
/// assert_eq!(bytes.to_vec::<u8>()?, [None, None, Some(7)]);
/// assert!(cast_checked(&column, &DataType::UInt8, OverflowPolicy::Error).is_err());
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// As [`cast`]; 1 wait if the policy is `Error`. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidData`](gdf_core::Error::InvalidData) where the policy says so; and those of [`cast`].
#[doc(alias("try_cast", "TRY_CAST", "safe_cast", "cast_with_options", "strict"))]
pub fn cast_checked<'a>(
    column: impl Into<ColumnView<'a>>,
    target: &DataType,
    overflow: OverflowPolicy,
) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("cast_checked", &[&column])?.run(|ctx| detail::unary::cast_checked(column, target, overflow, ctx))
}
