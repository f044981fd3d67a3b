//! Functions that reorder rows, select rows at random, and replace rows by rows of another table.

use std::ops::Range;

use gdf_core::{Column, ColumnView, Operand, Result, Table, TableView};
use gdf_detail as detail;
use gdf_detail::copying::Replacement;

use super::operands;
use crate::scope::Scope;

/// Returns the rows of `table` in reverse order: the last row comes first.
///
/// Types are the types of [`gather`](super::gather). A column of the result has a mask if the column of the input has
/// a mask. In libcudf and polars `reverse`, in pandas `t[::-1]`.
///
/// ```
/// use gdf::copying::reverse;
/// use gdf::{Column, Table};
///
/// let rows = reverse(&Table::try_new(vec![Column::from_slice(&[1, 2, 3])?])?)?;
/// assert_eq!(rows.column(0)?.to_vec::<i32>()?, [Some(3), Some(2), Some(1)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 1 wait for the device for each 32 columns of strings or binary, for their size. Lists add the
/// waits of [`gather`](super::gather). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * Driver and memory errors.
#[doc(alias("invert", "[::-1]", "flip"))]
pub fn reverse<'a>(table: impl Into<TableView<'a>>) -> Result<Table> {
    let table = table.into();
    Scope::for_inputs("reverse", &[&table])?.run(|ctx| detail::copying::reverse(table, ctx))
}

/// Returns `rows` rows of `table`, chosen at random. For the same `seed` and the same number of rows, the choice is
/// the same on every device and in every run.
///
/// Every row is equally likely. With [`Replacement::Without`] no row is chosen twice. If `rows` is the number of rows
/// of the table, the result without replacement is a permutation of the table.
///
/// Types, nulls and their errors are the same as for [`gather`](super::gather). In libcudf, pandas and polars
/// `sample`, in SQL `TABLESAMPLE`; all of these use other random numbers.
///
/// ```
/// use gdf::copying::{Replacement, sample};
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::sequence(0, 1, 100)?])?;
/// let rows = sample(&table, 10, Replacement::Without, 42)?;
/// assert_eq!(rows.num_rows(), 10);
/// assert_eq!(rows.column(0)?.to_vec::<i32>()?, sample(&table, 10, Replacement::Without, 42)?.column(0)?.to_vec()?);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the costs of a `gather` without bounds check. The function waits for the device only for strings
/// and binary, and for lists. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): without replacement, `rows` is more than the table has.
///   With replacement, `rows` is not 0 and the table has no rows.
/// * [`Unsupported`](gdf_core::Error::Unsupported), [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) in the cases of
///   `gather`; driver and memory errors.
#[doc(alias("shuffle", "permutation", "tablesample", "random rows", "choice"))]
pub fn sample<'a>(table: impl Into<TableView<'a>>, rows: usize, replacement: Replacement, seed: u64) -> Result<Table> {
    let table = table.into();
    Scope::for_inputs("sample", &[&table])?.run(|ctx| detail::copying::sample(table, rows, replacement, seed, ctx))
}

/// Copies `target`. From row `target_begin` on, the rows `source_rows` of `source` replace the same number of rows.
///
/// Source and target have the same type, apart from names and precision. Types are the types of
/// [`gather`](super::gather). Different dictionaries are unified as by
/// [`concatenate`](crate::concatenate::concatenate()). Nulls are copied with their rows. The result has a mask if
/// either column has a mask. In libcudf `copy_range`, in numpy `target[i:j] = source[k:l]`.
///
/// ```
/// use gdf::Column;
/// use gdf::copying::copy_range;
///
/// let (source, target) = (Column::from_slice(&[7, 8, 9])?, Column::from_slice(&[0, 1, 2, 3])?);
/// assert_eq!(copy_range(&source, 1..3, &target, 2)?.to_vec::<i32>()?, [Some(0), Some(1), Some(8), Some(9)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for the device, for the size of strings or binary. Columns of parts, such as
/// lists, wait as in [`shift`](super::shift). Other types need no wait. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds), [`InvalidArgument`](gdf_core::Error::InvalidArgument): source or
///   target does not have the rows, or the range ends before it begins.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`Unsupported`](gdf_core::Error::Unsupported), [`InvalidArgument`](gdf_core::Error::InvalidArgument): dictionaries
///   or views that [`concatenate`](crate::concatenate::concatenate()) does not unify, such as those in structs.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("put", "assign slice", "update"))]
pub fn copy_range<'a, 'b>(
    source: impl Into<ColumnView<'a>>,
    source_rows: Range<usize>,
    target: impl Into<ColumnView<'b>>,
    target_begin: usize,
) -> Result<Column> {
    let (source, target) = (source.into(), target.into());
    Scope::for_inputs("copy_range", &[&source, &target])?
        .run(|ctx| detail::copying::copy_range(source, source_rows, target, target_begin, ctx))
}

/// Does the same as [`copy_range`], but writes to the memory of `target`. No other column may share this memory.
///
/// Types and errors are the same as for [`fill_in_place`](crate::filling::fill_in_place). After an error the column
/// is unchanged.
///
/// ```
/// use gdf::Column;
/// use gdf::copying::copy_range_in_place;
///
/// let (source, mut target) = (Column::from_slice(&[7, 8, 9])?, Column::from_slice(&[0, 1, 2, 3])?);
/// copy_range_in_place(&source, 1..3, &mut target, 2)?;
/// assert_eq!(target.to_vec::<i32>()?, [Some(0), Some(1), Some(8), Some(9)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * The errors of [`fill_in_place`](crate::filling::fill_in_place).
#[doc(alias("put", "assign slice", "update"))]
pub fn copy_range_in_place<'a>(
    source: impl Into<ColumnView<'a>>,
    source_rows: Range<usize>,
    target: &mut Column,
    target_begin: usize,
) -> Result<()> {
    let source = source.into();
    Scope::for_inputs("copy_range_in_place", &[&source, &target.view()])?
        .run(|ctx| detail::copying::copy_range_in_place(source, source_rows, target, target_begin, ctx))
}

/// Copies the rows of `target`. The rows where `mask` is true are replaced by the rows of `source` in order: the first
/// replaced row becomes row 0 of `source`, the second replaced row becomes row 1, and so on.
///
/// `mask` is boolean and has as many rows as the target. Where `mask` is null, the row of `target` stays. `source`
/// has at least as many rows as are replaced. Types and nulls are the same as for [`scatter`](super::scatter). In
/// libcudf `boolean_mask_scatter`, in numpy `target[mask] = source`, in pandas `t.loc[mask] = source`.
///
/// ```
/// use gdf::copying::boolean_mask_scatter;
/// use gdf::{Column, Table};
///
/// let source = Table::try_new(vec![Column::from_slice(&[7, 8])?])?;
/// let target = Table::try_new(vec![Column::from_slice(&[0, 1, 2])?])?;
/// let result = boolean_mask_scatter(&source, &target, &Column::from_slice(&[true, false, true])?)?;
/// assert_eq!(result.column(0)?.to_vec::<i32>()?, [Some(7), Some(1), Some(8)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 1 wait for the device, for the number of replaced rows, and the waits of a `scatter` without
/// bounds check. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when `mask` is not boolean, or columns differ in type;
///   [`ColumnCount`](gdf_core::Error::ColumnCount), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch) when `mask` is not as long as the target, or `source` has
///   too few rows.
/// * [`Unsupported`](gdf_core::Error::Unsupported), [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) in the cases of
///   `scatter`; driver and memory errors.
#[doc(alias("place", "putmask", "assign where"))]
pub fn boolean_mask_scatter<'a, 'b, 'c>(
    source: impl Into<TableView<'a>>,
    target: impl Into<TableView<'b>>,
    mask: impl Into<ColumnView<'c>>,
) -> Result<Table> {
    let (source, target, mask) = (source.into(), target.into(), mask.into());
    Scope::for_inputs("boolean_mask_scatter", &[&source, &target, &mask])?
        .run(|ctx| detail::copying::boolean_mask_scatter(source, target, mask, ctx))
}

/// Does the same as [`boolean_mask_scatter`], but every replaced row gets the same values. `source` has one value for
/// each column of `target`, as for [`scatter_scalars`](super::scatter_scalars).
///
/// ```
/// use gdf::copying::boolean_mask_scatter_scalars;
/// use gdf::{Column, Table};
///
/// let target = Table::try_new(vec![Column::from_slice(&[0, 1, 2])?])?;
/// let mask = Column::from_slice(&[true, false, true])?;
/// let result = boolean_mask_scatter_scalars(&[9], &target, &mask)?;
/// assert_eq!(result.column(0)?.to_vec::<i32>()?, [Some(9), Some(1), Some(9)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device only for the sizes of strings and binary, at most once for each such column. See
/// the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`boolean_mask_scatter`].
#[doc(alias("putmask", "mask", "where"))]
pub fn boolean_mask_scatter_scalars<'a, 'b, 's>(
    source: &[impl Into<Operand<'s>> + Copy],
    target: impl Into<TableView<'a>>,
    mask: impl Into<ColumnView<'b>>,
) -> Result<Table> {
    let (source, target, mask) = (operands(source), target.into(), mask.into());
    Scope::for_inputs("boolean_mask_scatter_scalars", &[&target, &mask])?
        .run(|ctx| detail::copying::boolean_mask_scatter_scalars(&source, target, mask, ctx))
}
