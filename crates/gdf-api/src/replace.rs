//! Functions that replace values and nulls.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_detail as detail;
pub use gdf_detail::replace::ReplacePolicy;

use crate::scope::Scope;

/// Returns the rows of a column, with each null row replaced by the row of `replacement`.
///
/// # Shapes
/// The result has as many rows as `column`. The replacement is a column with as many rows, or a scalar, which stands
/// for every row. A [literal](gdf_core::Literal) takes the type of the column if that type can hold the same value:
/// `replace_nulls(&column, 0)`.
///
/// # Types
/// Column and replacement have the same type, apart from names and precision; the result has the type of the column.
/// All types are supported. Unions and run-end encoded columns have no mask, and are returned as they are.
///
/// # Nulls
/// A null of the replacement stays null. The result has a mask if the replacement has a mask. NaN counts as a value
/// and is not replaced. A row of a dictionary is null if its key or its value is null.
///
/// # Order
/// The order of the column.
///
/// In libcudf `replace_nulls`, in cuDF `fillna`, in polars `fill_null`.
///
/// ```
/// use gdf::Column;
/// use gdf::replace::replace_nulls;
///
/// let column = Column::from_options(&[Some(1), None, Some(3)])?;
/// assert_eq!(replace_nulls(&column, 0)?.to_vec::<i32>()?, [Some(1), Some(0), Some(3)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// If the column has no mask and no nulls among the values of a dictionary, the function costs nothing, and the result
/// shares the memory of the column. Otherwise the function needs at most 1 wait for the device, for the size of strings
/// and binary, and 1 more to decode a dictionary whose values have nulls. Structs, lists, list views,
/// dictionaries and views add the waits of [`concatenate_columns`](crate::concatenate::concatenate_columns) and
/// [`gather`](crate::copying::gather). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`LengthMismatch`](gdf_core::Error::LengthMismatch): the
///   replacement differs in type or length.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹−1 bytes of text or binary, if offsets have 32
///   bits.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("fillna", "fill_null", "coalesce", "ifnull", "nvl", "isnull"))]
pub fn replace_nulls<'a, 'b>(column: impl Into<ColumnView<'a>>, replacement: impl Into<Operand<'b>>) -> Result<Column> {
    let (column, replacement) = (column.into(), replacement.into());
    Scope::for_inputs("replace_nulls", &[&column, &replacement])?
        .run(|ctx| detail::replace::replace_nulls(column, replacement, ctx))
}

/// Returns the rows of a column, with each null row replaced by the nearest valid row. `policy` states whether that row
/// is before or after the null row.
///
/// # Types
/// The types that [`gather`](crate::copying::gather) takes.
///
/// # Nulls
/// A null row stays null if there is no valid row on the side that `policy` selects. The result has a mask if the
/// column has a mask. NaN counts as a value.
///
/// Order: the order of the column. In libcudf `replace_nulls` with a `replace_policy`, in pandas `ffill` and `bfill`.
///
/// ```
/// use gdf::Column;
/// use gdf::replace::{ReplacePolicy, replace_nulls_by_policy};
///
/// let column = Column::from_options(&[None, Some(1), None, Some(3)])?;
/// let filled = replace_nulls_by_policy(&column, ReplacePolicy::Preceding)?;
/// assert_eq!(filled.to_vec::<i32>()?, [None, Some(1), Some(1), Some(3)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// If the column has no mask, the function costs nothing, and the result shares the memory of the column. Otherwise the
/// function needs at most 2 waits for the device, for the size of strings and binary. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported): types that `gather` refuses, if the column has a mask.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹−1 bytes of text or binary, if offsets have
///   32 bits.
/// * Driver and memory errors.
#[doc(alias("ffill", "bfill", "pad", "forward_fill", "backward_fill", "fill_null", "last_value ignore nulls"))]
pub fn replace_nulls_by_policy<'a>(column: impl Into<ColumnView<'a>>, policy: ReplacePolicy) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("replace_nulls_by_policy", &[&column])?
        .run(|ctx| detail::replace::replace_nulls_by_policy(column, policy, ctx))
}

/// Returns the rows of a floating point column, with each NaN replaced by the row of `replacement`.
///
/// Types: floats of any width. The replacement is a column with as many rows or a scalar, of the same type, or a
/// literal that the type can hold. Nulls stay null. Where the replacement of a NaN is null, the row becomes null.
/// Order: the order of the column.
///
/// In libcudf `replace_nans`, in polars `fill_nan`.
///
/// ```
/// use gdf::Column;
/// use gdf::replace::replace_nans;
///
/// let column = Column::from_options(&[Some(f64::NAN), None, Some(3.0)])?;
/// assert_eq!(replace_nans(&column, 0.0)?.to_vec::<f64>()?, [Some(0.0), None, Some(3.0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported): the column is not a column of floats.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`LengthMismatch`](gdf_core::Error::LengthMismatch): the
///   replacement differs in type or length.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("fill_nan", "nan_to_num", "nanvl"))]
pub fn replace_nans<'a, 'b>(column: impl Into<ColumnView<'a>>, replacement: impl Into<Operand<'b>>) -> Result<Column> {
    let (column, replacement) = (column.into(), replacement.into());
    Scope::for_inputs("replace_nans", &[&column, &replacement])?
        .run(|ctx| detail::replace::replace_nans(column, replacement, ctx))
}

/// Returns the rows of a floating point column with one bit pattern for NaN and one for zero: every NaN becomes the
/// NaN without sign and payload, and −0.0 becomes 0.0.
///
/// Types: floats of any width. Nulls stay null. Order: the order of the column.
///
/// In libcudf `normalize_nans_and_zeros`. Operations of gdf treat all NaNs as equal and both zeros as equal, so only
/// code that reads the bits of the floats needs this function.
///
/// ```
/// use gdf::Column;
/// use gdf::replace::normalize_nans_and_zeros;
///
/// let normal = normalize_nans_and_zeros(&Column::from_slice(&[-0.0_f32, 1.5])?)?;
/// assert_eq!(normal.get::<f32>(0)?.map(f32::to_bits), Some(0));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. If the column begins at the first row of its memory, the result shares
/// the mask. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported): the column is not a column of floats.
/// * Driver and memory errors.
#[doc(alias("canonical NaN", "negative zero"))]
pub fn normalize_nans_and_zeros<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("normalize_nans_and_zeros", &[&column])?
        .run(|ctx| detail::replace::normalize_nans_and_zeros(column, ctx))
}

/// Limits the rows of a column to a range: rows below `low` become `low`, and rows above `high` become `high`. The
/// lower bound is checked first.
///
/// # Types
/// Numbers, booleans, decimals, everything temporal except intervals with days, strings and binary with offsets of
/// either width. A bound is a scalar, a literal that the type can hold, or a column with a bound for each row. Views
/// and dictionaries are decoded first: the result is a column of text or of values.
///
/// # Nulls and NaN
/// Nulls stay null. A null bound means no limit. A NaN row stays NaN, and a bound that is NaN means no limit.
///
/// Order: the order of the column. In libcudf and polars `clamp`, `clip`.
///
/// ```
/// use gdf::replace::clamp;
/// use gdf::{Column, DataType, Literal};
///
/// let column = Column::from_options(&[Some(-5), None, Some(3), Some(30)])?;
/// assert_eq!(clamp(&column, 0, 10)?.to_vec::<i32>()?, [Some(0), None, Some(3), Some(10)]);
/// let no_bound = Literal::null(&DataType::Int32);
/// assert_eq!(clamp(&column, 0, no_bound)?.to_vec::<i32>()?, [Some(0), None, Some(3), Some(30)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device only for the sizes of strings and binary, at most twice. Views and dictionaries
/// add the waits of [`cast`](crate::unary::cast()), in the column and in each bound. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`LengthMismatch`](gdf_core::Error::LengthMismatch): a bound
///   differs in type or length.
/// * [`Unsupported`](gdf_core::Error::Unsupported): types without an order.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("clip", "limit", "greatest", "least"))]
pub fn clamp<'a, 'l, 'h>(
    column: impl Into<ColumnView<'a>>,
    low: impl Into<Operand<'l>>,
    high: impl Into<Operand<'h>>,
) -> Result<Column> {
    let (column, low, high) = (column.into(), low.into(), high.into());
    Scope::for_inputs("clamp", &[&column, &low, &high])?.run(|ctx| detail::replace::clamp(column, low, high, ctx))
}

/// Does the same as [`clamp`], but rows beyond a bound become another value than the bound. `low` and `high` are each a
/// bound, followed by the value for the rows beyond it. A null value makes these rows null.
///
/// In libcudf `clamp` with `lo_replace` and `hi_replace`.
///
/// ```
/// use gdf::replace::clamp_with_replacements;
/// use gdf::{Column, DataType, Literal};
///
/// let column = Column::from_slice(&[-5, 3, 30])?;
/// let null = Literal::null(&DataType::Int32);
/// let clamped = clamp_with_replacements(&column, [0.into(), (-1).into()], [10.into(), null.into()])?;
/// assert_eq!(clamped.to_vec::<i32>()?, [Some(-1), Some(3), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the costs of [`clamp`].
///
/// # Errors
/// The errors of [`clamp`].
#[doc(alias("clip", "winsorize"))]
pub fn clamp_with_replacements<'a>(
    column: impl Into<ColumnView<'a>>,
    low: [Operand<'_>; 2],
    high: [Operand<'_>; 2],
) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("clamp_with_replacements", &[&column, &low[0], &low[1], &high[0], &high[1]])?
        .run(|ctx| detail::replace::clamp_with_replacements(column, low, high, ctx))
}

/// Replaces the rows of a column that are equal to a row of `values_to_replace` by the row at the same position in
/// `replacement_values`.
///
/// # Types
/// All three columns have the same type: numbers, booleans, decimals, everything temporal, strings and binary with
/// offsets of either width, views, dictionaries, and structs and lists that can be
/// [sorted](crate::sorting#structs-and-lists). If `values_to_replace` has equal rows, the first of these rows is used.
/// `values_to_replace` has at most 2³¹−16 rows.
///
/// # Nulls and NaN
/// Nulls stay null. A row whose replacement is null becomes null. NaN equals NaN, and 0.0 equals −0.0.
///
/// Order: the order of the column. In libcudf `find_and_replace_all`, in pandas and polars `replace`.
///
/// ```
/// use gdf::Column;
/// use gdf::replace::find_and_replace_all;
///
/// let column = Column::from_strs(["a", "b", "c"])?;
/// let replaced = find_and_replace_all(&column, &Column::from_strs(["c", "a"])?, &Column::from_strs(["see", "hey"])?)?;
/// assert_eq!(replaced.to_strings()?, [Some("hey".into()), Some("b".into()), Some("see".into())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 6 waits: for the nulls and the number of distinct values to replace, for the size of a
/// join, and for the sizes of strings and binary. Views, dictionaries, structs and lists add the waits of a
/// [`left_join`](crate::join::left_join), and of [`copy_if_else`](crate::copying::copy_if_else). See the table of
/// costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the three columns differ in type.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `values_to_replace` and `replacement_values` differ in
///   length.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): a value to replace is null.
/// * [`Unsupported`](gdf_core::Error::Unsupported): nested types that cannot be sorted, list views, unions and run-end
///   encoded columns.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹−1 bytes of text or binary, if offsets have
///   32 bits.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("replace", "replace_strict", "map", "recode", "case when", "decode"))]
pub fn find_and_replace_all<'a, 'b, 'c>(
    column: impl Into<ColumnView<'a>>,
    values_to_replace: impl Into<ColumnView<'b>>,
    replacement_values: impl Into<ColumnView<'c>>,
) -> Result<Column> {
    let (column, from, to) = (column.into(), values_to_replace.into(), replacement_values.into());
    Scope::for_inputs("find_and_replace_all", &[&column, &from, &to])?
        .run(|ctx| detail::replace::find_and_replace_all(column, from, to, ctx))
}
