//! Replacing values and nulls.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_detail as detail;

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
