//! Functions that move rows: gather, scatter, conditional copy, and copies without the hidden data of null rows. Other
//! functions return views of parts of a table.

mod like;
mod rearrange;

use gdf_core::{Column, ColumnView, Operand, Result, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::copying::{OutOfBoundsPolicy, Replacement, gather_unchecked};

pub use self::like::{allocate_like, empty_like, empty_like_column, get_element};
pub use self::rearrange::{
    boolean_mask_scatter, boolean_mask_scatter_scalars, copy_range, copy_range_in_place, reverse, sample,
};
use crate::scope::Scope;

/// Returns the rows of `table` in the order of `map`, which is an integer column of any type: row `r` of the result is
/// row `map[r]` of the table.
///
/// Numbers from `-rows` to -1 of signed maps count from the end of the table.
///
/// # Shapes
/// The result has as many rows as `map`, also when `table` has no columns.
///
/// # Types
/// Types of fixed width, booleans, decimals, strings and binary with offsets of either width, string and binary views,
/// dictionaries, nulls, structs of these, lists and maps of all of them, list views, unions and run-end encoded
/// columns. The result shares with the input the characters of views, the values of dictionaries, and the elements of
/// list views. A null list of a fixed size has null elements in the result. Neighboring rows of the same run are one
/// run.
///
/// # Nulls
/// The row of the result is null where an element of `map` is null. `policy` decides whether an element out of bounds
/// makes a null row or an error. A column of the result has a mask if the column of the input or `map` has a mask. With
/// [`Nullify`](OutOfBoundsPolicy::Nullify) every column has a mask. The fields of a null struct become null. A null row
/// of a union is a null of its first field.
///
/// Order: the order of `map`. In libcudf `gather` (where maps have no nulls and bounds are not checked), in arrow-rs
/// and pyarrow `take`, in polars `gather`.
///
/// ```
/// use gdf::copying::{OutOfBoundsPolicy, gather};
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[10, 11, 12])?])?;
/// let rows = gather(&table, &Column::from_slice(&[2, 0, -1, 7])?, OutOfBoundsPolicy::Nullify)?;
/// assert_eq!(rows.column(0)?.to_vec::<i32>()?, [Some(12), Some(10), Some(12), None]);
/// assert!(gather(&table, &Column::from_slice(&[7])?, OutOfBoundsPolicy::Error).is_err());
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for the device, for the bounds check of [`Error`](OutOfBoundsPolicy::Error) and
/// for the size of strings and binary. Row numbers that a join, a filter, a sort or a pipeline has returned for a table
/// with at most as many rows are not checked again. There is 1 more wait in each of these cases:
/// * for each 32 columns of strings and binary beyond the first 32;
/// * if the memory that was guessed for few rows of strings or binary is too small;
/// * if the map is refused;
/// * for each list column, whose elements have the waits of a table;
/// * for each run-end encoded column, and for each field of a dense union.
///
/// List views, unions and run-end encoded columns are copied apart from the other columns, with the waits that a table
/// of their values has. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) with the first element that is out of bounds, for
///   [`OutOfBoundsPolicy::Error`].
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when a column would have more than 2³¹−1 bytes of text or
///   binary and its offsets have 32 bits, or more rows than its run ends can express.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when `map` is not an integer column;
///   [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * Driver and memory errors.
#[doc(alias("take", "loc", "iloc", "select rows", "reindex"))]
pub fn gather<'a>(
    table: impl Into<TableView<'a>>,
    map: impl Into<ColumnView<'a>>,
    policy: OutOfBoundsPolicy,
) -> Result<Table> {
    let (table, map) = (table.into(), map.into());
    Scope::for_inputs("gather", &[&table, &map])?.run(|ctx| detail::copying::gather(table, map, policy, ctx))
}

/// Copies the rows of `column` without the hidden data of null rows: the bytes, elements and field values that a null
/// row still has, at any depth. The result is [sanitized](Column::sanitized), and shares no memory with the column.
///
/// # Shapes
/// The result has the type and the rows of the column.
///
/// # Types
/// The types of [`gather()`] without list views, unions and run-end encoded columns at any depth.
///
/// # Nulls
/// Null rows of text, binary, lists and maps become empty. Where a struct is null, its fields become null. Where a list
/// of a fixed size is null, its elements become null: its layout has elements for each row. Nothing else changes.
///
/// Order: the order of the input. In libcudf `purge_nonempty_nulls`; arrow-rs and polars have no such function.
///
/// ```
/// use gdf::copying::{has_nonempty_nulls, purge_nonempty_nulls};
/// use gdf::core::{NullCount, Validity, make_strings_column};
/// use gdf::memory::{Buffer, current_resource};
/// use gdf::{Column, Device, Stream};
///
/// let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu)?);
/// let offsets = Column::from_slice(&[0, 1, 3])?;
/// let text = Buffer::from_host(b"abc", &stream, &mr)?;
/// let mask = Buffer::from_host(&[0b01], &stream, &mr)?;
/// let column = make_strings_column(&offsets, text, Some(Validity { mask, null_count: NullCount::Unknown }))?;
/// assert!(has_nonempty_nulls(&column)?);
/// let clean = purge_nonempty_nulls(&column)?;
/// assert!(clean.sanitized() && !has_nonempty_nulls(&clean)?);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for each 32 columns and fields, for the size of the strings and binary that may
/// have nulls. Lists have the waits of [`gather()`], and lists of a fixed size also those of [`copy_if_else()`] of
/// their elements. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for list views, unions and run-end encoded columns.
/// * [`BrokenData`](gdf_core::Error::BrokenData) for data that break the rules of their type; driver and memory errors.
#[doc(alias("sanitize"))]
pub fn purge_nonempty_nulls<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("purge_nonempty_nulls", &[&column])?.run(|ctx| detail::copying::purge_nonempty_nulls(column, ctx))
}

/// Returns whether a null row of `column` has hidden data, at any depth. Hidden data are text, bytes and elements of a
/// list. Fields of a struct and elements of a list of a fixed size are hidden data if they are not null.
///
/// Types: the types of [`purge_nonempty_nulls`], whose example also shows this function. In libcudf
/// `has_nonempty_nulls`, which ignores the fields of null structs.
///
/// # Costs
/// The function costs nothing for a column that is known to be [sanitized](Column::sanitized) and has no lists of a
/// fixed size. For other columns, the function has the waits of [`purge_nonempty_nulls`], and **one more wait** for
/// each column of text, for each field of a struct, and two for each level of lists. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * The errors of [`purge_nonempty_nulls`].
#[doc(alias("is_sanitized"))]
pub fn has_nonempty_nulls<'a>(column: impl Into<ColumnView<'a>>) -> Result<bool> {
    let column = column.into();
    Scope::for_inputs("has_nonempty_nulls", &[&column])?.run(|ctx| detail::copying::has_nonempty_nulls(column, ctx))
}

/// Returns for each row the row of `lhs` if `mask` is true, and the row of `rhs` if `mask` is false or null.
///
/// # Shapes
/// The result has as many rows as `mask`. Each side is a column with as many rows, or a scalar, which stands for
/// every row. A [literal](gdf_core::Literal) takes the type of the other side if that type can hold the same value:
/// `copy_if_else(&column, 0, &mask)`.
///
/// # Types
/// `mask` is boolean. Both sides have the same type, apart from names and precision, and the result has the type of
/// `lhs`. Types are the types of [`gather()`]. Structs, lists, views and dictionaries of both sides are concatenated
/// first, with the waits of [`concatenate`](crate::concatenate::concatenate()) and [`gather()`].
///
/// # Nulls
/// Where `mask` is null, the row comes from `rhs`. Null rows of either side stay null. The result has a mask if
/// either side has a mask.
///
/// Order: the order of the inputs. In libcudf `copy_if_else`, in arrow-rs `zip`, in polars
/// `when … then … otherwise`.
///
/// ```
/// use gdf::Column;
/// use gdf::copying::copy_if_else;
///
/// let numbers = Column::from_slice(&[1, 2, 3])?;
/// let mask = Column::from_options(&[Some(true), Some(false), None])?;
/// assert_eq!(copy_if_else(&numbers, 0, &mask)?.to_vec::<i32>()?, [Some(1), Some(0), Some(0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for the device, for the size of strings and binary. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when `mask` is not boolean, or the sides differ in type.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when the result would have more than 2³¹−1 bytes of text or
///   binary and its offsets have 32 bits.
/// * Driver and memory errors.
#[doc(alias("if_else", "ifelse", "case when", "when then otherwise", "where", "zip", "iif"))]
pub fn copy_if_else<'a, 'b, 'c>(
    lhs: impl Into<Operand<'a>>,
    rhs: impl Into<Operand<'b>>,
    mask: impl Into<ColumnView<'c>>,
) -> Result<Column> {
    let (lhs, rhs, mask) = (lhs.into(), rhs.into(), mask.into());
    Scope::for_inputs("copy_if_else", &[&lhs, &rhs, &mask])?
        .run(|ctx| detail::copying::copy_if_else(lhs, rhs, mask, ctx))
}

/// Copies the rows of `target`, with some rows replaced by rows of `source`: for every element `r` of `map`, row
/// `map[r]` becomes row `r` of `source`. `map` is an integer column of any type.
///
/// Numbers from `-rows` to -1 of signed maps count from the end of the target.
///
/// # Shapes
/// The result has as many rows as `target`. `map` has at most as many rows as `source`; the rows of `source` beyond the
/// end of `map` are not used. If `map` names a row of `target` twice, one of the two rows of `source` is stored. On the
/// CPU the last of these rows of `source` is stored. On CUDA the choice is not specified, and may differ between
/// columns if no column has nulls, strings or booleans.
///
/// # Types
/// `source` and `target` have the same types, apart from names and precision, and the result has the types of
/// `target`. Types are the types of [`gather()`]. Structs, lists, views and dictionaries of both tables are
/// concatenated first, with the waits of [`concatenate`](crate::concatenate::concatenate()) and [`gather()`].
///
/// # Nulls
/// Where an element of `map` is null, the row of `source` is not stored. If an element is out of bounds, `policy`
/// decides whether the row is not stored ([`Nullify`](OutOfBoundsPolicy::Nullify)) or the operation fails. Null rows of
/// `source` are stored as nulls. A column of the result has a mask if the column of `source` or of `target` has a mask.
///
/// Order: the order of `target`. In libcudf `scatter` (where bounds are not checked), in polars `scatter`, in numpy
/// `put`.
///
/// ```
/// use gdf::copying::{OutOfBoundsPolicy, scatter};
/// use gdf::{Column, Table};
///
/// let source = Table::try_new(vec![Column::from_slice(&[7, 8])?])?;
/// let target = Table::try_new(vec![Column::from_slice(&[0, 1, 2, 3])?])?;
/// let result = scatter(&source, &Column::from_slice(&[2, -4])?, &target, OutOfBoundsPolicy::Error)?;
/// assert_eq!(result.column(0)?.to_vec::<i32>()?, [Some(8), Some(1), Some(7), Some(3)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for the device, for the bounds check of [`Error`](OutOfBoundsPolicy::Error) and
/// for the size of strings and binary. There is 1 more wait for each 16 columns of strings and binary beyond the first
/// 16, and 1 for a map that is refused. If a column of `target` has at least 96 MiB, and `map` has at least an eighth
/// as many elements as `target` has rows, the function takes scratch memory for one column and 4 bytes for each element
/// of `map`. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) with the first element that is out of bounds, for
///   [`OutOfBoundsPolicy::Error`].
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when `map` is not an integer column, or when a column of
///   `source` and the column of `target` at the same position differ in type.
/// * [`ColumnCount`](gdf_core::Error::ColumnCount), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch) when `map` is longer than `source`.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when a column would have more than 2³¹−1 bytes of text or
///   binary and its offsets have 32 bits.
/// * Driver and memory errors.
#[doc(alias("put", "set", "assign rows", "update"))]
pub fn scatter<'a, 'b, 'c>(
    source: impl Into<TableView<'a>>,
    map: impl Into<ColumnView<'b>>,
    target: impl Into<TableView<'c>>,
    policy: OutOfBoundsPolicy,
) -> Result<Table> {
    let (source, map, target) = (source.into(), map.into(), target.into());
    Scope::for_inputs("scatter", &[&source, &map, &target])?
        .run(|ctx| detail::copying::scatter(source, map, target, policy, ctx))
}

/// Does the same as [`scatter`], but stores the same row for every element of `map`. `source` has one value for each
/// column of `target`: a scalar or a [literal](gdf_core::Literal). A literal takes the type of the column if that type
/// can hold the same value. For values of several types, pass an array of [`Operand`]: `[Operand::from(9),
/// Operand::from("x")]`.
///
/// ```
/// use gdf::copying::{OutOfBoundsPolicy, scatter_scalars};
/// use gdf::{Column, Table};
///
/// let target = Table::try_new(vec![Column::from_slice(&[1, 2, 3])?])?;
/// let map = Column::from_slice(&[1])?;
/// let result = scatter_scalars(&[9], &map, &target, OutOfBoundsPolicy::Error)?;
/// assert_eq!(result.column(0)?.to_vec::<i32>()?, [Some(1), Some(9), Some(3)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// The errors of [`scatter`], except `LengthMismatch`.
#[doc(alias("fill rows", "put scalar", "set scalar"))]
pub fn scatter_scalars<'a, 'b, 's>(
    source: &[impl Into<Operand<'s>> + Copy],
    map: impl Into<ColumnView<'a>>,
    target: impl Into<TableView<'b>>,
    policy: OutOfBoundsPolicy,
) -> Result<Table> {
    let (source, map, target) = (operands(source), map.into(), target.into());
    Scope::for_inputs("scatter_scalars", &[&map, &target])?
        .run(|ctx| detail::copying::scatter_scalars(&source, map, target, policy, ctx))
}

fn operands<'s>(values: &[impl Into<Operand<'s>> + Copy]) -> Vec<Operand<'s>> {
    values.iter().map(|value| (*value).into()).collect()
}

/// Moves rows by `offset`: row `r` of the result is row `r - offset` of `column`, or `fill_value` where `column` has
/// no such row. A positive offset moves rows towards the end, and a negative offset towards the beginning.
///
/// # Shapes
/// The result has as many rows as `column`. If the offset is at least that number, in either direction, all rows of
/// the result are the fill value.
///
/// # Types
/// The types of [`gather`]. The fill value has the type of the column. A [literal](gdf_core::Literal) takes that type
/// if the type can hold the same value. Where a fill value has another dictionary than the
/// column, or other buffers of views, the two are unified as by [`concatenate`](crate::concatenate::concatenate()).
///
/// # Nulls
/// Nulls move with their rows. A null fill value makes null rows. The result has a mask if the column or the fill
/// value has a mask. Order: the order of `column`. In libcudf and polars `shift`.
///
/// ```
/// use gdf::Column;
/// use gdf::copying::shift;
///
/// let column = Column::from_slice(&[10, 11, 12])?;
/// assert_eq!(shift(&column, 1, 7)?.to_vec::<i32>()?, [Some(7), Some(10), Some(11)]);
/// assert_eq!(shift(&column, -2, None::<i32>)?.to_vec::<i32>()?, [Some(12), None, None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for the device, for the size of strings or binary. Lists, maps, list views, unions
/// and run-end encoded columns have the waits of
/// [`concatenate_columns`](crate::concatenate::concatenate_columns) and [`reverse`]. Other types need no wait. See the
/// table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the fill value is of another type.
/// * [`Unsupported`](gdf_core::Error::Unsupported), [`InvalidArgument`](gdf_core::Error::InvalidArgument): dictionaries
///   or views that [`concatenate`](crate::concatenate::concatenate()) does not unify, such as those in structs.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when the result would have more than 2³¹−1 bytes of text or
///   binary and its offsets have 32 bits.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch). Driver and memory errors.
#[doc(alias("lag", "lead"))]
pub fn shift<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    offset: i64,
    fill_value: impl Into<Operand<'b>>,
) -> Result<Column> {
    let (column, fill_value) = (column.into(), fill_value.into());
    Scope::for_inputs("shift", &[&column, &fill_value])?
        .run(|ctx| detail::copying::shift(column, offset, fill_value, ctx))
}

/// Returns views of parts of `table`. `indices` alternates between the begin and the end of each part; the row at an
/// end does not belong to the part.
///
/// Nothing is copied, launched or allocated on the device, for any type. The views borrow the table. In libcudf
/// `slice`.
///
/// ```
/// use gdf::copying::slice;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[1, 2, 3])?])?;
/// let parts = slice(&table, &[0, 2, 1, 3])?;
/// assert_eq!(parts[1].column(0)?.to_vec::<i32>()?, [Some(2), Some(3)]);
/// assert!(slice(&table, &[2, 1]).is_err());
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when `indices` has a begin without an end, or an end
///   before its begin.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) when an end is beyond the last row.
#[doc(alias("head", "tail", "limit", "offset", "iloc"))]
pub fn slice<'a>(table: impl Into<TableView<'a>>, indices: &[usize]) -> Result<Vec<TableView<'a>>> {
    detail::copying::slice(&table.into(), indices)
}

/// Slices a column in the same way as [`slice()`].
///
/// # Errors
/// The errors of [`slice()`].
#[doc(alias("head", "tail", "limit", "offset"))]
pub fn slice_column<'a>(column: impl Into<ColumnView<'a>>, indices: &[usize]) -> Result<Vec<ColumnView<'a>>> {
    detail::copying::slice_column(column.into(), indices)
}

/// Returns views of the parts of `table` between `splits`. The first view ends at the first split, and the last view
/// begins at the last split, so `n` splits give `n + 1` views.
///
/// Nothing is copied, launched or allocated on the device, for any type. The views borrow the table. In libcudf
/// `split`.
///
/// ```
/// use gdf::copying::split;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[1, 2, 3])?])?;
/// let parts = split(&table, &[1])?;
/// assert_eq!(parts[0].column(0)?.to_vec::<i32>()?, [Some(1)]);
/// assert_eq!(parts[1].column(0)?.to_vec::<i32>()?, [Some(2), Some(3)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when a split is less than the previous split.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) when a split is beyond the last row.
#[doc(alias("split_at", "array_split", "partition_by_rows"))]
pub fn split<'a>(table: impl Into<TableView<'a>>, splits: &[usize]) -> Result<Vec<TableView<'a>>> {
    detail::copying::split(&table.into(), splits)
}

/// Splits a column in the same way as [`split()`].
///
/// # Errors
/// The errors of [`split()`].
#[doc(alias("split_at", "array_split"))]
pub fn split_column<'a>(column: impl Into<ColumnView<'a>>, splits: &[usize]) -> Result<Vec<ColumnView<'a>>> {
    detail::copying::split_column(column.into(), splits)
}
