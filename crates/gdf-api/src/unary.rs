//! Operations on one column, element by element. [`unary_operation`] takes the operator as an argument. For each
//! operator, there is also a function.
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

/// Applies `op` to every row.
///
/// # Types
/// See [`UnaryOperator`].
///
/// Mathematical functions, such as `Sin`, are computed in double precision. `Float32` results are rounded once. Integer
/// results are truncated; NaN becomes 0, and a result that is too large becomes the largest integer. Integers and
/// decimals wrap, so the smallest integer is its own opposite and its own absolute value.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. The result for NaN is NaN, except for
/// `Not`, which is false. The result is also NaN for arguments outside the domain of a function, such as the square
/// root of -1. Order: the order of the input.
///
/// Exact are `Sqrt`, `Sign`, `Abs`, `Negate`, and all operators that round to integers, count or invert bits, or return
/// booleans. Other results may have an error of some units in the last place of a double, and may differ between
/// devices.
///
/// In libcudf `unary_operation`, which lacks `Exp2`, `Expm1`, `Log2`, `Log10`, `Log1p`, `Degrees`, `Radians`, `Sign`
/// and `Trunc`. polars and arrow-rs have one function or kernel for each operator.
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
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) when the operator does not exist for the type.
/// * Driver and memory errors.
#[doc(alias("abs", "sqrt", "exp", "log", "ln", "round", "floor", "ceil", "not", "negate", "sin", "cos"))]
pub fn unary_operation<'a>(column: impl Into<ColumnView<'a>>, op: UnaryOperator) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("unary_operation", &[&column])?.run(|ctx| detail::unary::unary_operation(column, op, ctx))
}

/// Returns whether each row is null.
///
/// Shapes: the result has a row for each row of the input. Types: all. A row of a dictionary column is null if its key
/// is null, a row of a union if its field is null, and a row of a run-end encoded column if the value of its run is
/// null. The result is boolean and has no nulls. NaN is not null. Order: the order of the input. In libcudf, arrow-rs
/// and polars `is_null`; in arrow-rs, unions and run-end encoded columns have `logical_nulls`.
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
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * Driver and memory errors.
#[doc(alias("isna", "isnull"))]
pub fn is_null<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_null", &[&column])?.run(|ctx| detail::unary::is_null(column, ctx))
}

/// Returns whether each row is not null.
///
/// Shapes and types are those of [`is_null`]. The result is boolean and has no nulls. NaN is valid. Order: the order
/// of the input. The function does not wait for the device. In libcudf `is_valid`, in arrow-rs and polars
/// `is_not_null`.
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
/// * Driver and memory errors.
#[doc(alias("notna", "notnull", "is_not_null"))]
pub fn is_valid<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_valid", &[&column])?.run(|ctx| detail::unary::is_valid(column, ctx))
}

/// Returns whether each row is NaN, with any sign and payload.
///
/// Shapes: the result has a row for each row of the input. Types: floats of any width; the result is boolean and has no
/// nulls. For a null row the result is false. Order: the order of the input. The function does not wait for the device.
/// In libcudf and polars `is_nan`; the result of polars is null for a null row.
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
/// * [`Unsupported`](gdf_core::Error::Unsupported) when the column is not a column of floats.
/// * Driver and memory errors.
#[doc(alias("isnan"))]
pub fn is_nan<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_nan", &[&column])?.run(|ctx| detail::unary::is_nan(column, ctx))
}

/// Returns whether each row is not NaN.
///
/// Shapes: the result has a row for each row of the input. Types: floats of any width; the result is boolean and has no
/// nulls. For a null row the result is true. Order: the order of the input. The function does not wait for the device.
/// In libcudf and polars `is_not_nan`; the result of polars is null for a null row.
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
/// * [`Unsupported`](gdf_core::Error::Unsupported) when the column is not a column of floats.
/// * Driver and memory errors.
#[doc(alias("isfinite"))]
pub fn is_not_nan<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("is_not_nan", &[&column])?.run(|ctx| detail::unary::is_not_nan(column, ctx))
}

/// Converts `column` to a column of type `target`.
///
/// Shapes: the result has a row for each row of the input. Nulls stay null. Order: the order of the input. The result
/// is defined for all data:
///
/// | from | to | result for a value |
/// |---|---|---|
/// | boolean, integer, float | boolean | whether the value is not 0; false for NaN |
/// | boolean, integer | integer, decimal | the same number, wrapping at the width of the result |
/// | float | integer | truncated towards zero; a value out of range becomes the nearest value in range; NaN becomes 0 |
/// | any number | float | the nearest float, ties to even |
/// | decimal | decimal, integer | rescaled, truncated towards zero, wrapping at the width of the result |
/// | decimal | boolean | whether the value is not 0 |
/// | decimal | float | the double nearest to the unscaled number, multiplied or divided by a power of ten, then rounded |
/// | float | decimal | the digits of the shortest decimal number that parses to the float, truncated to the scale; a value out of range becomes the nearest value in range; NaN becomes 0. Digits beyond the precision of the float are those of its exact value. For scales above 22 and below 0, the digits are those that double precision gives |
/// | date, timestamp, duration, time of day | another unit | floored, wrapping at the width of the result. Dates, timestamps and durations also convert to each other. Times of day also convert to and from durations |
/// | duration | integer, float | the number of ticks, as an integer; the reverse conversion is also supported |
/// | date, timestamp, time of day | integer | the number of ticks, wrapping at the width of the result; the reverse conversion is also supported |
/// | timestamp | another time zone | the same moment |
/// | string, binary | the same with the other width of offsets, or as views; views as strings or binary; string to binary | the same bytes |
/// | dictionary | the type of its values, lists and structs too; text and bytes also with the other width of offsets, or as views | the value that the key names |
/// | any type that can be sorted, also a dictionary, a list or a struct | a dictionary of this type, or of one that it can be cast to | the key of the value; the values are distinct and sorted, as those of [`encode`](crate::dictionary::encode) |
///
/// "Decimal" means decimals of all four widths, and "float" floats of all three widths. The precision of a decimal is
/// ignored, because the precision does not change which values the width can hold. Any type can be cast to itself.
///
/// Casts between integers of one width, between equal units or scales, and between time zones keep the bytes. The
/// result of such a cast shares the memory and the offset of the input. The result of any other cast starts at row 0,
/// and shares the validity mask of an input that starts at row 0. The bytes of strings are shared, and the bytes of
/// views are copied.
///
/// In libcudf `cast`, which does not cast integers to dates or timestamps, and has no booleans of one bit. In
/// arrow-rs `cast`, which makes null of integers that are out of range. In polars `cast`.
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
/// Casts that keep the bytes cost nothing. A cast of views or dictionaries to strings or binary waits once, for the
/// number of bytes. A cast to a dictionary has the waits of [`encode`](crate::dictionary::encode). A cast of 2 GiB of
/// bytes or more to 32-bit offsets or to views waits once, for two of the offsets of the input. Other casts do not
/// wait. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) where [`is_supported_cast`] returns false.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when strings do not fit 32-bit offsets, or do not fit one
///   buffer of views.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a target type that is not valid, such as
///   `Decimal32(40, 0)`, and for a dictionary whose keys cannot count the distinct values.
/// * Driver and memory errors.
#[doc(alias("astype", "convert", "to_numeric"))]
pub fn cast<'a>(column: impl Into<ColumnView<'a>>, target: &DataType) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("cast", &[&column])?.run(|ctx| detail::unary::cast(column, target, ctx))
}

/// Computes the same as [`unary_operation`], with a policy for rows that overflow. The operators `Abs` and `Negate`
/// overflow for the smallest number of a signed integer type, for the smallest duration, and for decimals whose result
/// exceeds the precision. Other operators never overflow.
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
/// The function waits for the device only if the policy is `Error`, once. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidData`](gdf_core::Error::InvalidData) if the policy is `Error` and a row overflows.
/// * The errors of [`unary_operation`].
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

/// Casts in the same way as [`cast`], with a policy for values that `target` cannot hold:
/// * integers, dates, timestamps, times of day and durations that need more bits;
/// * numbers with more digits than the precision of a decimal `target`;
/// * NaN, and floats that are out of range after truncation, unless `target` is a float or boolean.
///
/// Truncated digits and rounded floats do not count as overflow. If no value can overflow, or if the policy is
/// [`OverflowPolicy::Wrap`], the function does the same as [`cast`]. Nulls stay null and never fail.
///
/// In SQL `CAST` corresponds to the policy `Error`, and `TRY_CAST` to the policy `Null`. In arrow-rs
/// `cast_with_options`, where `safe` corresponds to `Null`; in polars `cast(strict=…)`.
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
/// The function has the costs of [`cast`], and 1 wait if the policy is `Error`. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidData`](gdf_core::Error::InvalidData) if the policy is `Error` and a value overflows.
/// * The errors of [`cast`].
#[doc(alias("try_cast", "TRY_CAST", "safe_cast", "cast_with_options", "strict"))]
pub fn cast_checked<'a>(
    column: impl Into<ColumnView<'a>>,
    target: &DataType,
    overflow: OverflowPolicy,
) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("cast_checked", &[&column])?.run(|ctx| detail::unary::cast_checked(column, target, overflow, ctx))
}
