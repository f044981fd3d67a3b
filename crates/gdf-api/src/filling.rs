//! Columns and tables that are made by repeating, counting and filling.

use std::ops::Range;

use gdf_core::{Column, ColumnView, Operand, Result, Table, TableView};
use gdf_detail as detail;

use crate::scope::Scope;

/// Copies the rows of `column`, and replaces the rows of the range by `value`, which is a scalar or a
/// [literal](gdf_core::Literal). A literal takes the type of the column if that type can hold the same value.
///
/// # Types
/// The types of [`gather`](crate::copying::gather). The value has the type of the column. Different
/// dictionaries are unified as by [`concatenate`](crate::concatenate::concatenate()).
///
/// # Nulls
/// A null value makes the rows null. The result has a mask if the column or the value has a mask.
///
/// Order: the order of the column. In libcudf `fill`, in numpy `column[i:j] = value`.
///
/// ```
/// use gdf::Column;
/// use gdf::filling::fill;
///
/// let column = Column::from_slice(&[1, 2, 3, 4])?;
/// assert_eq!(fill(&column, 1..3, 0)?.to_vec::<i32>()?, [Some(1), Some(0), Some(0), Some(4)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for the device, for the size of strings or binary. Columns of parts, such as
/// lists, wait as in [`shift`](crate::copying::shift). Other types need no wait. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds), [`InvalidArgument`](gdf_core::Error::InvalidArgument): the column
///   does not have the rows, or the range ends before it begins.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the value is of another type.
/// * [`Unsupported`](gdf_core::Error::Unsupported), [`InvalidArgument`](gdf_core::Error::InvalidArgument): dictionaries
///   or views that [`concatenate`](crate::concatenate::concatenate()) does not unify, such as those in structs.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver
///   and memory errors.
#[doc(alias("assign", "set"))]
pub fn fill<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    rows: Range<usize>,
    value: impl Into<Operand<'b>>,
) -> Result<Column> {
    let (column, value) = (column.into(), value.into());
    Scope::for_inputs("fill", &[&column, &value])?.run(|ctx| detail::filling::fill(column, rows, value, ctx))
}

/// Does the same as [`fill`], but writes to the memory of `column`. No other column may share this memory.
///
/// # Types
/// Booleans, and types of a fixed width of 1, 2, 4, 8, 16 or 32 bytes, except dictionaries and views. The column keeps
/// its mask. A column without a mask does not take a value that has a mask.
///
/// ```
/// use gdf::Column;
/// use gdf::filling::fill_in_place;
///
/// let mut column = Column::from_slice(&[1, 2, 3, 4])?;
/// fill_in_place(&mut column, 1..3, 0)?;
/// assert_eq!(column.to_vec::<i32>()?, [Some(1), Some(0), Some(0), Some(4)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// After an error the column is unchanged.
/// * [`Memory`](gdf_core::Error::Memory): a clone, slice or array shares a buffer of the column, or the memory is
///   foreign.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the range ends before it begins, or the value has a mask
///   and the column has none.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds), [`TypeMismatch`](gdf_core::Error::TypeMismatch),
///   [`Unsupported`](gdf_core::Error::Unsupported), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and
///   memory errors.
#[doc(alias("assign", "set"))]
pub fn fill_in_place<'a>(column: &mut Column, rows: Range<usize>, value: impl Into<Operand<'a>>) -> Result<()> {
    let value = value.into();
    Scope::for_inputs("fill_in_place", &[&column.view(), &value])?
        .run(|ctx| detail::filling::fill_in_place(column, rows, value, ctx))
}

/// Makes a column of `rows` rows that are all `value`, which is a scalar or a [literal](gdf_core::Literal). On a GPU,
/// this function copies only the value to the device, while [`Column::full`] copies all rows.
///
/// Types are the types of [`gather`](crate::copying::gather). If the value is null, all rows
/// are null. In libcudf `make_column_from_scalar`, in numpy `full`, in polars `repeat`.
///
/// ```
/// use gdf::filling::from_scalar;
///
/// assert_eq!(from_scalar(1.5, 3)?.to_vec::<f64>()?, [Some(1.5); 3]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for the device, for the size of strings or binary. Columns of parts, such as
/// lists, wait as in [`shift`](crate::copying::shift). Other types need no wait. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): the value is a column that does not have exactly one row.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("full", "broadcast", "lit", "make_column_from_scalar"))]
pub fn from_scalar<'a>(value: impl Into<Operand<'a>>, rows: usize) -> Result<Column> {
    let value = value.into();
    Scope::for_inputs("from_scalar", &[&value])?.run(|ctx| detail::filling::from_scalar(value, rows, ctx))
}

/// Makes a column of `rows` numbers: `init`, `init + step`, `init + 2 * step`, and so on. The numbers are computed on
/// the device of the scalars, or on the current device if both arguments are literals.
///
/// # Types
/// Integers, `Float32` and `Float64`. Both arguments have the same type; a [literal](gdf_core::Literal) takes the
/// type of a scalar. Integers wrap. Row `r` of floats is `init + r * step`, rounded after each of the two operations.
///
/// In libcudf `sequence`, in numpy and polars `arange`, in SQL `generate_series`. [`Column::sequence`] counts on the
/// CPU.
///
/// ```
/// use gdf::filling::sequence;
///
/// assert_eq!(sequence(10, -2, 3)?.to_vec::<i32>()?, [Some(10), Some(8), Some(6)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device, except once for each scalar that has a mask. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types; [`TypeMismatch`](gdf_core::Error::TypeMismatch):
///   the numbers differ in type.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a null.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("arange", "iota", "range", "generate_series", "linspace"))]
pub fn sequence<'a, 'b>(init: impl Into<Operand<'a>>, step: impl Into<Operand<'b>>, rows: usize) -> Result<Column> {
    let (init, step) = (init.into(), step.into());
    Scope::for_inputs("sequence", &[&init, &step])?.run(|ctx| detail::filling::sequence(init, step, rows, ctx))
}

/// Makes a column of `rows` moments: `init`, the moment `months` months later, and so on. All moments lie on the day
/// of the month of `init`. If a month does not have that day, the moment lies on the last day of the month.
///
/// `init` is a date or a timestamp, and the result has its type. If `init` is null, all rows are null. In libcudf
/// `calendrical_month_sequence`, in pandas `date_range(freq="MS")`, in polars `date_range("1mo")`.
///
/// ```
/// use gdf::filling::calendrical_month_sequence;
/// use gdf::{DataType, Literal};
///
/// let january_31 = Literal::typed(Some(30), &DataType::Date32)?; // of 1970
/// let days = calendrical_month_sequence(january_31, 1, 3)?;
/// assert_eq!(days.to_vec::<i32>()?, [Some(30), Some(58), Some(89)]); // January 31, February 28, March 31
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types; driver and memory errors.
#[doc(alias("date_range", "generate_series"))]
pub fn calendrical_month_sequence<'a>(init: impl Into<Operand<'a>>, months: i64, rows: usize) -> Result<Column> {
    let init = init.into();
    Scope::for_inputs("calendrical_month_sequence", &[&init])?
        .run(|ctx| detail::filling::calendrical_month_sequence(init, months, rows, ctx))
}

/// Repeats each row of `table` as often as `counts` states. `counts` is one number for all rows, or a column with a
/// number for each row.
///
/// # Types
/// The types of [`gather`](crate::copying::gather). Counts are integers of any type, and no count is null or
/// negative.
///
/// Order: the order of the table; the copies of a row follow one another. [`tile`](crate::reshape::tile) repeats the
/// whole table instead. In libcudf, numpy and pandas `repeat`, in polars `repeat_by`.
///
/// ```
/// use gdf::filling::repeat;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[7, 8])?])?;
/// assert_eq!(repeat(&table, 2)?.column(0)?.to_vec::<i32>()?, [Some(7), Some(7), Some(8), Some(8)]);
/// let counts = Column::from_slice(&[0, 3])?;
/// assert_eq!(repeat(&table, &counts)?.column(0)?.to_vec::<i32>()?, [Some(8); 3]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 1 wait for the device for each 32 columns of strings or binary, for their size. Lists add the
/// waits of [`gather`](crate::copying::gather). A column of counts adds 1 wait for the number of rows, and 1 wait if
/// its null count is not known. A scalar count adds 1 wait. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): a count is null or negative, the sum of the counts exceeds
///   `Int64`, or the result has more rows than `usize` can count.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the counts are not integers.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): the number of counts is not the number of rows.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow),
///   [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("repeat_by", "replicate", "np.repeat"))]
pub fn repeat<'a, 'b>(table: impl Into<TableView<'a>>, counts: impl Into<Operand<'b>>) -> Result<Table> {
    let (table, counts) = (table.into(), counts.into());
    Scope::for_inputs("repeat", &[&table, &counts])?.run(|ctx| detail::filling::repeat(table, counts, ctx))
}
