//! Functions on columns of lists. [`explode`] returns elements as rows. Other functions return elements at positions,
//! search, sort and filter elements, treat lists as sets, reduce each list to one value, and evaluate expressions for
//! the elements.
//!
//! Functions take `List`, `LargeList`, `Map` and `FixedSizeList`, except for [`explode`], which does not take
//! `FixedSizeList`. [`from_list_view`] makes lists from list views.
//!
//! Other functions that move rows also take tables with columns of lists: filters, gathers, sorts by other columns,
//! joins, `repeat`, `reverse` and concatenation. These functions move `List`, `LargeList` and `Map` with elements of
//! any type, also as fields of structs and as elements of lists. Lists can be keys if their elements can be sorted; see
//! [how they compare](crate::sorting#structs-and-lists).

mod access;
mod aggregate;
mod build;
mod expression;
mod order;
mod search;
mod sets;

pub use self::access::{count_elements, extract_list_element, segmented_gather};
pub use self::aggregate::{all, any, max, mean, min, reduce, sum};
pub use self::build::{
    apply_boolean_mask, apply_deletion_mask, concatenate_list_elements, concatenate_rows, from_list_view, sequences,
};
pub use self::expression::{aggregate_elements, filter_elements, transform_elements};
pub use self::order::{reverse, sort_lists};
pub use self::search::{contains, contains_nulls, index_of};
pub use self::sets::{difference_distinct, distinct, have_overlap, intersect_distinct, union_distinct};
use gdf_core::{Result, Table, TableView};
use gdf_detail as detail;
use gdf_detail::lists::Explode;
pub use gdf_detail::lists::{ConcatenateNullPolicy, DuplicateKeepOption, FindOption, NanEquality, NullEquality};

use crate::scope::Scope;

/// Returns a row for each element of the lists in column number `column`.
///
/// The column of lists is replaced by the column of its elements. The other columns repeat the row of the list for each
/// element. A list that is null or empty gives no row. With [`explode_outer`], such a list gives one row. Order: the
/// order of the rows, and for one row the order of the elements of its list. The elements of a `Map` are structs of key
/// and value.
///
/// In libcudf and Spark `explode`, in SQL `UNNEST`. The `explode` of polars and pandas corresponds to
/// [`explode_outer`].
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
/// If no list is null, the elements are not copied: the result shares their memory. The function needs 1 wait for the
/// device, for the number of elements, and the waits of [`gather`](crate::copying::gather) for the other columns. See
/// the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds): the table has no column number `column`.
/// * [`Unsupported`](gdf_core::Error::Unsupported) if the column is not a column of lists, and for types of elements
///   and of other columns that [`gather`](crate::copying::gather) does not take.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("unnest", "flatten", "LATERAL VIEW"))]
pub fn explode<'a>(table: impl Into<TableView<'a>>, column: usize) -> Result<Table> {
    run("explode", table.into(), column, Explode::default())
}

/// Does the same as [`explode`], but a list that is null or empty also gives one row. The element of this row is null.
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
/// The function has the costs of [`explode`], except that the elements are always gathered.
///
/// # Errors
/// The errors of [`explode`].
#[doc(alias("LEFT JOIN UNNEST", "LATERAL VIEW OUTER"))]
pub fn explode_outer<'a>(table: impl Into<TableView<'a>>, column: usize) -> Result<Table> {
    run("explode_outer", table.into(), column, Explode { outer: true, position: false })
}

/// Does the same as [`explode`], and adds a column before the column of elements. The new column contains the position
/// of the element in its list, counted from 0. The positions are `Int32`, or `Int64` for `LargeList`.
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
/// The function has the costs of [`explode`].
///
/// # Errors
/// The errors of [`explode`].
#[doc(alias("posexplode", "WITH ORDINALITY"))]
pub fn explode_position<'a>(table: impl Into<TableView<'a>>, column: usize) -> Result<Table> {
    run("explode_position", table.into(), column, Explode { outer: false, position: true })
}

/// Does the same as [`explode_outer`], and adds the column of positions of [`explode_position`]. The position is null
/// if the list has no element.
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
/// The function has the costs of [`explode_outer`].
///
/// # Errors
/// The errors of [`explode`].
#[doc(alias = "posexplode_outer")]
pub fn explode_outer_position<'a>(table: impl Into<TableView<'a>>, column: usize) -> Result<Table> {
    run("explode_outer_position", table.into(), column, Explode { outer: true, position: true })
}

fn run(operation: &'static str, table: TableView<'_>, column: usize, rows: Explode) -> Result<Table> {
    Scope::for_inputs(operation, &[&table])?.run(|ctx| detail::lists::explode(table, column, rows, ctx))
}
