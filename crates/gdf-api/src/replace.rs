//! Replacing values and nulls.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_detail as detail;
pub use gdf_detail::replace::ReplacePolicy;

use crate::scope::Scope;

/// The rows of a column, those that are null with the row of `replacement` instead.
///
/// # Shapes
/// As many rows as `column` has; the replacement has as many, or is a scalar, which stands for every row. A
/// [literal](gdf_core::Literal) takes the type of the column if that has the same value: `replace_nulls(&column, 0)`.
///
/// # Types
/// Column and replacement have the same type but for names and precision; the result has that of the column. Everything
/// of fixed width, booleans, decimals, strings and binary with offsets of either width.
///
/// # Nulls
/// A null of the replacement stays one. The result has a mask if the replacement has one. NaN is a value, and stays.
///
/// # Order
/// That of the column.
///
/// In libcudf and cuDF `replace_nulls`, `fillna`; in polars `fill_null`.
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
/// None if the column has no mask: the result shares its memory. At most 1 wait, for the size of strings and binary.
/// See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`LengthMismatch`](gdf_core::Error::LengthMismatch): the replacement
///   differs in type or length.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹−1 bytes of text or binary, if offsets have 32 bits.
/// * [`Unsupported`](gdf_core::Error::Unsupported): nested types, dictionaries and views, if the column has a mask.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("fillna", "fill_null", "coalesce", "ifnull", "nvl", "isnull"))]
pub fn replace_nulls<'a, 'b>(column: impl Into<ColumnView<'a>>, replacement: impl Into<Operand<'b>>) -> Result<Column> {
    let (column, replacement) = (column.into(), replacement.into());
    Scope::for_inputs("replace_nulls", &[&column, &replacement])?
        .run(|ctx| detail::replace::replace_nulls(column, replacement, ctx))
}

/// The rows of a column, those that are null with the nearest valid row on one side instead.
///
/// # Types
/// All that [`gather`](crate::copying::gather) takes: everything of fixed width, booleans, decimals, text and binary, views,
/// dictionaries, and structs of these.
///
/// # Nulls
/// A null row without a valid one on that side stays null. The result has a mask if the column has one. NaN is a value.
///
/// Order: that of the column. In libcudf `replace_nulls` with a `replace_policy`, in pandas `ffill` and `bfill`.
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
/// None if the column has no mask: the result shares its memory. At most 2 waits, for the size of strings and binary.
/// See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported): types that `gather` refuses, if the column has a mask.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹−1 bytes of text or binary, if offsets have 32 bits.
/// * Driver and memory errors.
#[doc(alias("ffill", "bfill", "pad", "forward_fill", "backward_fill", "fill_null", "last_value ignore nulls"))]
pub fn replace_nulls_by_policy<'a>(column: impl Into<ColumnView<'a>>, policy: ReplacePolicy) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("replace_nulls_by_policy", &[&column])?
        .run(|ctx| detail::replace::replace_nulls_by_policy(column, policy, ctx))
}

/// The rows of a floating point column, those that are NaN with the row of `replacement` instead.
///
/// Types: floats of any width; the replacement is as long as the column or a scalar, of the same type, or a literal that the
/// type can hold. Nulls stay; a null of the replacement becomes one. Order: that of the column.
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
/// No wait. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported): the column is not one of floats.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`LengthMismatch`](gdf_core::Error::LengthMismatch): the replacement
///   differs in type or length.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("fill_nan", "nan_to_num", "nanvl"))]
pub fn replace_nans<'a, 'b>(column: impl Into<ColumnView<'a>>, replacement: impl Into<Operand<'b>>) -> Result<Column> {
    let (column, replacement) = (column.into(), replacement.into());
    Scope::for_inputs("replace_nans", &[&column, &replacement])?
        .run(|ctx| detail::replace::replace_nans(column, replacement, ctx))
}

/// The rows of a floating point column, every NaN as the one without sign and payload, and −0.0 as 0.0.
///
/// Types: floats of any width. Nulls stay. Order: that of the column.
///
/// In libcudf `normalize_nans_and_zeros`. Operations of gdf take all NaN, and both zeros, for the same: this is for those who
/// look at the bits.
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
/// No wait. The mask is shared where the column begins at the first row of its memory. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported): the column is not one of floats.
/// * Driver and memory errors.
#[doc(alias("canonical NaN", "negative zero"))]
pub fn normalize_nans_and_zeros<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("normalize_nans_and_zeros", &[&column])?
        .run(|ctx| detail::replace::normalize_nans_and_zeros(column, ctx))
}

/// The rows of a column, those below `low` as `low`, others above `high` as `high`.
///
/// # Types
/// Numbers, booleans, decimals, everything temporal but intervals with days, strings and binary with offsets of either
/// width. Bounds are scalars, literals that the type can hold, or columns with a bound for each row. Views and
/// dictionaries are decoded first: the result is text, or values.
///
/// # Nulls and NaN
/// Nulls stay. A null bound is none. NaN is neither below nor above a bound, nor is anything beyond a bound that is NaN; of
/// bounds by row NaN is greater than every number.
///
/// Order: that of the column. In libcudf and polars `clamp`, `clip`.
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
/// No wait for numbers; at most 2 for strings and binary, for their sizes. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`LengthMismatch`](gdf_core::Error::LengthMismatch): a bound differs
///   in type or length.
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

/// As [`clamp`], with other values for rows beyond the bounds: each end is a bound and what rows beyond it become, null if
/// that is null.
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
/// As [`clamp`].
///
/// # Errors
/// As [`clamp`].
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

/// The rows of a column, those that are among `values_to_replace` with the row beside that in `replacement_values` instead.
///
/// # Types
/// The same of all three: numbers, booleans, decimals, everything temporal, strings and binary with offsets of either width.
/// Of equal values to replace the first one counts; there are at most 2³¹−16 of them.
///
/// # Nulls and NaN
/// Nulls stay; a row whose replacement is null becomes null. NaN is NaN, and 0.0 is −0.0.
///
/// Order: that of the column. In libcudf `find_and_replace_all`, in pandas and polars `replace`.
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
/// At most 6 waits: for the nulls and the number of distinct values to replace, the size of a join, and sizes of strings and
/// binary. Rows are looked up by their hash, whatever the number of values. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`LengthMismatch`](gdf_core::Error::LengthMismatch): the three differ
///   in type, or the two lists in length.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): a value to replace is null.
/// * [`Unsupported`](gdf_core::Error::Unsupported): nested types, dictionaries and views.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹−1 bytes of text or binary, if offsets have 32 bits.
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
