//! Functions that create and combine validity masks, and count their bits.

use gdf_core::{Column, ColumnView, Result, TableView};
use gdf_detail as detail;
use gdf_detail::null_mask::RowState;
pub use gdf_detail::null_mask::{Bitmask, MaskState};

use crate::scope::{Input, Scope, current_device};

/// Returns the number of null rows among the rows `[start, stop)` of a column, according to its mask. In a column of
/// type `Null` every row counts.
///
/// Types: all. The nulls of unions and run-end encoded columns are nulls of their children, and do not count.
///
/// In libcudf `null_count`, in arrow-rs `NullBuffer::null_count`, in polars `null_count`.
///
/// ```
/// use gdf::Column;
/// use gdf::null_mask::null_count;
///
/// let column = Column::from_options(&[None, Some(2), None, Some(4)])?;
/// assert_eq!(null_count(&column, 1, 4)?, 1);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most **once**. It does not wait if the column has no mask, if the range is
/// empty, or if the null count is known. The count of a part is known only if the column has no nulls or only nulls.
/// See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `start` is greater than `stop`.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds): `stop` is greater than the number of rows.
/// * Driver and memory errors.
#[doc(alias("isna", "isnull", "count nulls"))]
pub fn null_count<'a>(column: impl Into<ColumnView<'a>>, start: usize, stop: usize) -> Result<usize> {
    let column = column.into();
    Scope::for_inputs("null_count", &[&column])?
        .run(|ctx| detail::null_mask::null_count(column, start, stop, ctx.stream))
}

/// Returns the result of [`null_count`] for the same rows of each column.
///
/// Types: all; the columns may differ in type and length. In libcudf `batch_null_count`.
///
/// ```
/// use gdf::Column;
/// use gdf::null_mask::batch_null_count;
///
/// let (a, b) = (Column::from_options(&[None, Some(2), None])?, Column::from_slice(&[2.5, 3.5])?);
/// assert_eq!(batch_null_count(&[a.view(), b.view()], 0, 2)?, [1, 0]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most **1 wait** for each 64 columns whose nulls have to be counted. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`null_count`], with the position of the column.
#[doc(alias("isna", "count nulls"))]
pub fn batch_null_count(columns: &[ColumnView<'_>], start: usize, stop: usize) -> Result<Vec<usize>> {
    let inputs: Vec<&dyn Input> = columns.iter().map(|column| column as &dyn Input).collect();
    Scope::for_inputs("batch_null_count", &inputs)?
        .run(|ctx| detail::null_mask::batch_null_count(columns, start, stop, ctx.stream))
}

/// Returns a mask of the rows that are valid in all columns of a table.
///
/// Types: all. A column without a mask counts as valid, and a column of type `Null` as null. If no column has a mask,
/// the result is not allocated. Bit 0 of the result is row 0 of the table.
///
/// In libcudf `bitmask_and`, in arrow-rs `NullBuffer::union`.
///
/// ```
/// use gdf::null_mask::{bitmask_and, bitmask_or};
/// use gdf::{Column, Stream, Table};
///
/// let a = Column::from_options(&[Some(1), None, None])?;
/// let b = Column::from_options(&[Some(1), Some(2), None])?;
/// let table = Table::try_new(vec![a, b])?;
/// assert_eq!(bitmask_and(&table)?.null_count(&Stream::cpu())?, 2);
/// assert_eq!(bitmask_or(&table)?.null_count(&Stream::cpu())?, 1);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. The null count stays on the device until the count is read. See the table
/// of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * Driver and memory errors.
#[doc(alias("and masks", "intersect nulls", "NullBuffer::union"))]
pub fn bitmask_and<'a>(table: impl Into<TableView<'a>>) -> Result<Bitmask> {
    let table = table.into();
    Scope::for_inputs("bitmask_and", &[&table])?.run(|ctx| detail::null_mask::bitmask_and(&table, ctx))
}

/// Returns the bitwise AND of `len` bits of each mask. An element of `masks` is a mask and the position of its first
/// bit.
///
/// A mask that is not allocated counts as valid. If no mask is allocated, the result is not allocated.
///
/// In libcudf `bitmask_and` of masks with begin bits.
///
/// ```
/// use gdf::null_mask::{bitmask_and_masks, copy_bitmask};
/// use gdf::{Column, Stream};
///
/// let a = copy_bitmask(&Column::from_options(&[Some(1), None, Some(3), Some(4)])?)?;
/// let b = copy_bitmask(&Column::from_options(&[None, Some(2)])?)?;
/// let both = bitmask_and_masks(&[(&a, 2), (&b, 0)], 2)?;
/// assert_eq!(both.null_count(&Stream::cpu())?, 1);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the costs of [`bitmask_and`].
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) without masks.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds), with the position of the mask, if a mask has too few bits.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("and masks", "NullBuffer::union"))]
pub fn bitmask_and_masks(masks: &[(&Bitmask, usize)], len: usize) -> Result<Bitmask> {
    let Some((first, _)) = masks.first() else {
        let error = gdf_core::Error::invalid_argument("there are no masks; pass at least 1 mask");
        return Err(error.in_argument("masks").in_operation("bitmask_and_masks"));
    };
    Scope::on("bitmask_and_masks", first.device())?.run(|ctx| detail::null_mask::bitmask_and_masks(masks, len, ctx))
}

/// Returns a mask of the rows that are valid in at least one column of a table.
///
/// Types: all. If a column has no mask, all rows are valid and the result is not allocated. A column of type `Null`
/// counts as null. Bit 0 of the result is row 0 of the table.
///
/// Costs and example: as for [`bitmask_and`].
///
/// In libcudf `bitmask_or`.
///
/// # Errors
/// * Driver and memory errors.
#[doc(alias("or masks"))]
pub fn bitmask_or<'a>(table: impl Into<TableView<'a>>) -> Result<Bitmask> {
    let table = table.into();
    Scope::for_inputs("bitmask_or", &[&table])?.run(|ctx| detail::null_mask::bitmask_or(&table, ctx))
}

/// Copies the mask of a column. Bit 0 of the copy is the first row of the column, even if the column is a slice.
///
/// Types: all. If the column has no mask, the result is not allocated. If the column has type `Null`, every row of the
/// result is null.
///
/// In libcudf `copy_bitmask`.
///
/// ```
/// use gdf::null_mask::copy_bitmask;
/// use gdf::{Column, Stream};
///
/// let column = Column::from_options(&[Some(1), None, Some(3)])?;
/// let mask = copy_bitmask(&column.slice(1, 2)?)?;
/// assert_eq!(mask.null_count(&Stream::cpu())?, 1);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * Driver and memory errors.
#[doc(alias("validity"))]
pub fn copy_bitmask<'a>(column: impl Into<ColumnView<'a>>) -> Result<Bitmask> {
    let column = column.into();
    Scope::for_inputs("copy_bitmask", &[&column])?.run(|ctx| detail::null_mask::copy_bitmask(column, ctx))
}

/// Creates a mask of `len` rows on the current device of the scope.
///
/// In libcudf `create_null_mask`.
///
/// ```
/// use gdf::Stream;
/// use gdf::null_mask::{MaskState, create_null_mask, set_null_mask};
///
/// let mut mask = create_null_mask(10, MaskState::AllNull)?;
/// set_null_mask(&mut mask, 3, 5, true)?;
/// assert_eq!(mask.null_count(&Stream::cpu())?, 8);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * Driver and memory errors.
#[doc(alias("validity", "new_null"))]
pub fn create_null_mask(len: usize, state: MaskState) -> Result<Bitmask> {
    Scope::on("create_null_mask", current_device())?.run(|ctx| detail::null_mask::create_null_mask(len, state, ctx))
}

/// Makes the rows `[begin, end)` of a mask valid or null, in place. If other owners share the mask, the mask is
/// copied first.
///
/// In libcudf `set_null_mask`. Example: see [`create_null_mask`].
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `begin` is greater than `end`, or rows are to be made null
///   in a mask that is not allocated.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds): `end` is greater than the number of rows.
/// * Driver and memory errors.
#[doc(alias("set validity"))]
pub fn set_null_mask(mask: &mut Bitmask, begin: usize, end: usize, valid: bool) -> Result<()> {
    let state = if valid { RowState::Valid } else { RowState::Null };
    Scope::on("set_null_mask", mask.device())?.run(|ctx| detail::null_mask::set_null_mask(mask, begin, end, state, ctx))
}

/// Returns the position of the first valid row among the rows `[start, stop)` of a column, counted from `start`. If no
/// row is valid, the result is the number of rows, `stop - start`.
///
/// Types: all. Unions and run-end encoded columns have no mask of their own, so their rows count as valid.
///
/// In libcudf `index_of_first_set_bit`, in pandas `first_valid_index`.
///
/// ```
/// use gdf::Column;
/// use gdf::null_mask::index_of_first_set_bit;
///
/// let column = Column::from_options(&[Some(1), None, None, Some(4)])?;
/// assert_eq!(index_of_first_set_bit(&column, 1, 4)?, 2);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most **once**. It does not wait if the column has no mask, if the range is
/// empty, or if all rows are known to be valid or all rows are known to be null. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`null_count`].
#[doc(alias("first_valid_index", "first non-null"))]
pub fn index_of_first_set_bit<'a>(column: impl Into<ColumnView<'a>>, start: usize, stop: usize) -> Result<usize> {
    let column = column.into();
    Scope::for_inputs("index_of_first_set_bit", &[&column])?
        .run(|ctx| detail::null_mask::index_of_first_set_bit(column, start, stop, ctx.stream))
}

/// Converts a boolean column to a mask: true rows are valid, and false or null rows are null.
///
/// In libcudf `bools_to_mask`.
///
/// ```
/// use gdf::null_mask::{bools_to_mask, mask_to_bools};
/// use gdf::{Column, Stream};
///
/// let mask = bools_to_mask(&Column::from_options(&[Some(true), None, Some(false)])?)?;
/// assert_eq!(mask.null_count(&Stream::cpu())?, 2);
/// assert_eq!(mask_to_bools(&mask, 0, 2)?.to_vec::<bool>()?, [Some(true), Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. The null count stays on the device until the count is read. See the table
/// of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the column is not boolean.
/// * Driver and memory errors.
#[doc(alias("NullBuffer::new", "boolean to validity"))]
pub fn bools_to_mask<'a>(column: impl Into<ColumnView<'a>>) -> Result<Bitmask> {
    let column = column.into();
    Scope::for_inputs("bools_to_mask", &[&column])?.run(|ctx| detail::null_mask::bools_to_mask(column, ctx))
}

/// Returns the rows `[begin, end)` of a mask as a boolean column that is true for valid rows. The column shares the
/// memory of the mask. If the mask is not allocated, the function allocates the column.
///
/// In libcudf `mask_to_bools`. Example: see [`bools_to_mask`].
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `begin` is greater than `end`.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds): `end` is greater than the number of rows.
/// * Driver and memory errors.
#[doc(alias("validity to boolean"))]
pub fn mask_to_bools(mask: &Bitmask, begin: usize, end: usize) -> Result<Column> {
    Scope::on("mask_to_bools", mask.device())?.run(|ctx| detail::null_mask::mask_to_bools(mask, begin, end, ctx))
}

/// Concatenates the masks of the columns. The first row of the first column is bit 0 of the result.
///
/// Types: all; the columns may differ in type. A column without a mask counts as valid, and a column of type `Null`
/// as null. If no column has a mask, the result is not allocated.
///
/// In libcudf `concatenate_masks`.
///
/// ```
/// use gdf::null_mask::concatenate_masks;
/// use gdf::{Column, Stream};
///
/// let (a, b) = (Column::from_options(&[Some(1), None])?, Column::from_slice(&[2.5, 3.5])?);
/// let mask = concatenate_masks(&[a.view(), b.view()])?;
/// assert_eq!((mask.len(), mask.null_count(&Stream::cpu())?), (4, 1));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. The null count stays on the device until the count is read. See the table
/// of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("append masks"))]
pub fn concatenate_masks(columns: &[ColumnView<'_>]) -> Result<Bitmask> {
    let inputs: Vec<&dyn Input> = columns.iter().map(|column| column as &dyn Input).collect();
    Scope::for_inputs("concatenate_masks", &inputs)?.run(|ctx| detail::null_mask::concatenate_masks(columns, ctx))
}
