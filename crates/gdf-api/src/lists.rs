//! Columns of lists: their elements as rows.
//!
//! Tables with columns of lists are filtered, gathered, sorted by other columns, joined, repeated, reversed and put one behind
//! the other like others: their lists, of whatever elements, go along. `List`, `LargeList` and `Map` are lists, and so are
//! those that are fields of structs or elements of lists; keys they cannot be.

use gdf_core::{Result, Table, TableView};
use gdf_detail as detail;
use gdf_detail::lists::Explode;

use crate::scope::Scope;

/// A row for each element of the lists in column number `column`.
///
/// The elements are in the place of their lists; the other columns have the row of the list again and again. A list that is
/// null or empty has no row, which [`explode_outer`] gives it. Order: that of the rows, and within a list that of its
/// elements. The elements of a `Map` are structs of key and value.
///
/// In libcudf and Spark `explode`, in SQL `UNNEST`; that of polars and pandas is [`explode_outer`].
///
/// ```
/// use gdf::lists::explode;
/// use gdf::core::make_lists_column;
/// use gdf::{Column, Table};
///
/// let offsets = Column::from_slice(&[0, 2, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// let table = Table::try_new(vec![Column::from_slice(&[1_i64, 2, 3])?, lists])?;
/// let rows = explode(&table, 1)?;
/// assert_eq!(rows.column(0)?.to_vec::<i64>()?, [Some(1), Some(1), Some(3)]);
/// assert_eq!(rows.column(1)?.to_vec::<i32>()?, [Some(7), Some(8), Some(9)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// Elements of lists none of which is null are not copied: the result shares their memory. One wait for their number, and
/// those of [`gather`](crate::copying::gather) for other columns. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds): there is no such column.
/// * [`Unsupported`](gdf_core::Error::Unsupported) where it is not of lists, and for elements and other columns as of
///   [`gather`](crate::copying::gather).
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("unnest", "flatten", "LATERAL VIEW"))]
pub fn explode<'a>(table: impl Into<TableView<'a>>, column: usize) -> Result<Table> {
    run("explode", table.into(), column, Explode::default())
}

/// As [`explode`], with a row for each list that is null or empty, too, whose element is null.
///
/// In libcudf and Spark `explode_outer`, in polars and pandas `explode`.
///
/// ```
/// use gdf::lists::explode_outer;
/// use gdf::core::make_lists_column;
/// use gdf::{Column, Table};
///
/// let offsets = Column::from_slice(&[0, 2, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// let rows = explode_outer(&Table::try_new(vec![lists])?, 0)?;
/// assert_eq!(rows.column(0)?.to_vec::<i32>()?, [Some(7), Some(8), None, Some(9)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// As [`explode`], but elements are always gathered.
///
/// # Errors
/// As [`explode`].
#[doc(alias("LEFT JOIN UNNEST", "LATERAL VIEW OUTER"))]
pub fn explode_outer<'a>(table: impl Into<TableView<'a>>, column: usize) -> Result<Table> {
    run("explode_outer", table.into(), column, Explode { outer: true, position: false })
}

/// As [`explode`], with a column before that of the elements that says where in its list each is, from 0 on: `Int32`, or
/// `Int64` of `LargeList`.
///
/// In libcudf `explode_position`, in Spark `posexplode`, in SQL `UNNEST … WITH ORDINALITY`, which counts from 1.
///
/// ```
/// use gdf::lists::explode_position;
/// use gdf::core::make_lists_column;
/// use gdf::{Column, Table};
///
/// let offsets = Column::from_slice(&[0, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// let rows = explode_position(&Table::try_new(vec![lists])?, 0)?;
/// assert_eq!(rows.column(0)?.to_vec::<i32>()?, [Some(0), Some(1), Some(0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// As [`explode`].
///
/// # Errors
/// As [`explode`].
#[doc(alias("posexplode", "WITH ORDINALITY"))]
pub fn explode_position<'a>(table: impl Into<TableView<'a>>, column: usize) -> Result<Table> {
    run("explode_position", table.into(), column, Explode { outer: false, position: true })
}

/// As [`explode_outer`], with positions as [`explode_position`] has them; null where there is no element.
///
/// In libcudf `explode_outer_position`, in Spark `posexplode_outer`.
///
/// ```
/// use gdf::lists::explode_outer_position;
/// use gdf::core::make_lists_column;
/// use gdf::{Column, Table};
///
/// let offsets = Column::from_slice(&[0, 0, 2])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8])?, None)?;
/// let rows = explode_outer_position(&Table::try_new(vec![lists])?, 0)?;
/// assert_eq!(rows.column(0)?.to_vec::<i32>()?, [None, Some(0), Some(1)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// As [`explode_outer`].
///
/// # Errors
/// As [`explode`].
#[doc(alias = "posexplode_outer")]
pub fn explode_outer_position<'a>(table: impl Into<TableView<'a>>, column: usize) -> Result<Table> {
    run("explode_outer_position", table.into(), column, Explode { outer: true, position: true })
}

fn run(operation: &'static str, table: TableView<'_>, column: usize, rows: Explode) -> Result<Table> {
    Scope::for_inputs(operation, &[&table])?.run(|ctx| detail::lists::explode(table, column, rows, ctx))
}
