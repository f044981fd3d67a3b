//! Columns and tables made by repeating, counting and filling.

use std::ops::Range;

use gdf_core::{Column, ColumnView, Operand, Result, Table, TableView};
use gdf_detail as detail;

use crate::scope::Scope;

/// The rows of `column`, those of the range replaced by `value`: a scalar, or a [literal](gdf_core::Literal), which takes the
/// type of the column if that has the same value.
///
/// # Types
/// Those of [`gather`](crate::copying::gather) but lists and maps; the value is of the column's type. Dictionaries and views
/// have to point to the same values.
///
/// # Nulls
/// A null value makes nulls. The result has a mask if column or value has one.
///
/// Order: that of the column. In libcudf `fill`, in numpy `column[i:j] = value`.
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
/// No wait; at most 1 with strings or binary, for their size. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds), [`InvalidArgument`](gdf_core::Error::InvalidArgument): the column does not
///   have the rows, or the range ends before it begins.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the value is of another type.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for lists, maps, unions and run-end encoded columns;
///   [`OffsetOverflow`](gdf_core::Error::OffsetOverflow), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and
///   memory errors.
#[doc(alias("assign", "set"))]
pub fn fill<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    rows: Range<usize>,
    value: impl Into<Operand<'b>>,
) -> Result<Column> {
    let (column, value) = (column.into(), value.into());
    Scope::for_inputs("fill", &[&column, &value])?.run(|ctx| detail::filling::fill(column, rows, value, ctx))
}

/// As [`fill`], in the memory of `column`, which nothing else may share.
///
/// # Types
/// Booleans, and fixed width of 1, 2, 4, 8, 16 or 32 bytes. The column keeps its mask; without one it takes no value that has a mask.
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
/// No wait. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// The column is as it was.
/// * [`Memory`](gdf_core::Error::Memory) (shared): a clone, slice or array shares a buffer, or the memory is foreign.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the range ends before it begins, or a value with a mask for a
///   column without.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds), [`TypeMismatch`](gdf_core::Error::TypeMismatch),
///   [`Unsupported`](gdf_core::Error::Unsupported), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory
///   errors.
#[doc(alias("assign", "set"))]
pub fn fill_in_place<'a>(column: &mut Column, rows: Range<usize>, value: impl Into<Operand<'a>>) -> Result<()> {
    let value = value.into();
    Scope::for_inputs("fill_in_place", &[&column.view(), &value])?
        .run(|ctx| detail::filling::fill_in_place(column, rows, value, ctx))
}

/// `rows` rows of one value: a scalar, or a [literal](gdf_core::Literal). Where that is a GPU, the value alone is copied
/// there; [`Column::full`] copies all rows.
///
/// Types are those of [`gather`](crate::copying::gather) but lists and maps; the rows of a null are null. In libcudf
/// `make_column_from_scalar`, in numpy `full`, in polars `repeat`.
///
/// ```
/// use gdf::filling::from_scalar;
///
/// assert_eq!(from_scalar(1.5, 3)?.to_vec::<f64>()?, [Some(1.5); 3]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// No wait; at most 1 with strings or binary, for their size. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for lists, maps, unions and run-end encoded columns.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch) for a column of other than one row.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("full", "broadcast", "lit", "make_column_from_scalar"))]
pub fn from_scalar<'a>(value: impl Into<Operand<'a>>, rows: usize) -> Result<Column> {
    let value = value.into();
    Scope::for_inputs("from_scalar", &[&value])?.run(|ctx| detail::filling::from_scalar(value, rows, ctx))
}

/// `init`, `init + step`, `init + 2 * step`, …: `rows` numbers, computed on the device of the scalars, or the current one.
///
/// # Types
/// Integers, `Float32` and `Float64`; both numbers have one type, which a [literal](gdf_core::Literal) takes from a scalar.
/// Integers wrap; row `r` of floats is `init + r * step`, rounded after each operation.
///
/// In libcudf `sequence`, in numpy and polars `arange`, in SQL `generate_series`. [`Column::sequence`] counts on the CPU.
///
/// ```
/// use gdf::filling::sequence;
///
/// assert_eq!(sequence(10, -2, 3)?.to_vec::<i32>()?, [Some(10), Some(8), Some(6)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// No wait; 1 for each scalar that has a mask. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types; [`TypeMismatch`](gdf_core::Error::TypeMismatch): the
///   numbers differ in type.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a null.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("arange", "iota", "range", "generate_series", "linspace"))]
pub fn sequence<'a, 'b>(init: impl Into<Operand<'a>>, step: impl Into<Operand<'b>>, rows: usize) -> Result<Column> {
    let (init, step) = (init.into(), step.into());
    Scope::for_inputs("sequence", &[&init, &step])?.run(|ctx| detail::filling::sequence(init, step, rows, ctx))
}

/// `init`, `months` months later, and so on: `rows` moments on the same day of their month, or the last one that it has.
///
/// `init` is a date or a timestamp, and the result has its type; all rows of a null are null. In libcudf
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
/// No wait. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types; driver and memory errors.
#[doc(alias("date_range", "generate_series"))]
pub fn calendrical_month_sequence<'a>(init: impl Into<Operand<'a>>, months: i64, rows: usize) -> Result<Column> {
    let init = init.into();
    Scope::for_inputs("calendrical_month_sequence", &[&init])?
        .run(|ctx| detail::filling::calendrical_month_sequence(init, months, rows, ctx))
}

/// The rows of `table`, each as often as `counts` says: one number for all, or a column with a number for each.
///
/// # Types
/// Those of [`gather`](crate::copying::gather); counts are integers of any type, none of them null or negative.
///
/// Order: that of the table, equal rows one behind the other; [`tile`](crate::reshape::tile) repeats the table. In libcudf,
/// numpy and pandas `repeat`, in polars `repeat_by`.
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
/// By a literal no wait, and 1 for each 32 columns of strings or binary, for their size. By a column 1 more for the number of
/// rows, and 1 where it is not known whether counts are null; by a scalar 1 more. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): a number is null or negative, or there are more rows than can be
///   counted.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the numbers are no integers;
///   [`LengthMismatch`](gdf_core::Error::LengthMismatch): they are not as many as rows.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for list views, lists of a fixed size, unions and run-end encoded columns;
///   [`OffsetOverflow`](gdf_core::Error::OffsetOverflow), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and
///   memory errors.
#[doc(alias("repeat_by", "replicate", "np.repeat"))]
pub fn repeat<'a, 'b>(table: impl Into<TableView<'a>>, counts: impl Into<Operand<'b>>) -> Result<Table> {
    let (table, counts) = (table.into(), counts.into());
    Scope::for_inputs("repeat", &[&table, &counts])?.run(|ctx| detail::filling::repeat(table, counts, ctx))
}
