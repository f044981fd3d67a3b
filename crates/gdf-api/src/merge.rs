//! Merging of sorted tables.

use gdf_core::{Result, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::sorting::{NullOrder, Order};

use crate::scope::{Input, Scope};

/// Returns the rows of all `tables` as one sorted table. Each table is sorted by the columns `keys`.
///
/// All tables have the same types. The merge is stable: among rows with equal keys, the rows of earlier tables come
/// first, and the rows of one table keep their order.
///
/// # Types
/// Keys: numbers, booleans, decimals, everything temporal except intervals with days, strings and binary; views,
/// dictionaries, structs and lists of such types ([how they compare](crate::sorting#structs-and-lists)). Other columns:
/// every type that [`concatenate`](crate::concatenate::concatenate()) takes.
///
/// # Nulls, NaN and order
/// `orders` and `null_orders` have one element for each key, and the same meaning as in [`sort`](crate::sorting::sort).
/// Empty slices mean ascending, with nulls before values. NaN is greater than every number. 0.0 equals −0.0. For tables
/// that are not sorted in this way, only this is guaranteed: the result has as many rows as all tables together, and
/// each of its rows is a row of one of the tables.
///
/// In libcudf `merge`, in polars `merge_sorted`, in SQL `UNION ALL … ORDER BY`.
///
/// ```text
/// 1 a     2 c     1 a
/// 2 b  ,  3 d  →  2 b
///                 2 c
///                 3 d
/// ```
///
/// ```
/// use gdf::merge::merge;
/// use gdf::{Column, Table};
///
/// let first = Table::try_new(vec![Column::from_slice(&[1, 2])?, Column::from_strs(["a", "b"])?])?;
/// let second = Table::try_new(vec![Column::from_slice(&[2, 3])?, Column::from_strs(["c", "d"])?])?;
/// let merged = merge(&[first.view(), second.view()], &[0], &[], &[])?;
/// assert_eq!(merged.column(0)?.to_vec::<i32>()?, [Some(1), Some(2), Some(2), Some(3)]);
/// assert_eq!(merged.column(1)?.to_strings()?[2], Some("c".to_owned()));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`concatenate`](crate::concatenate::concatenate()) and of
/// [`gather`](crate::copying::gather) without bounds check. More than 4 tables or more than 32 keys add the waits of
/// [`sorted_order`](crate::sorting::sorted_order). Keys that are structs or lists add the [waits of their
/// ranks](crate::sorting#structs-and-lists). If only one table has rows, the result shares its memory. See the table of
/// costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) if there are no tables or no keys;
///   [`OutOfBounds`](gdf_core::Error::OutOfBounds) when a key is not a column.
/// * [`ColumnCount`](gdf_core::Error::ColumnCount): the lists of orders have another number of elements than `keys`, or
///   the tables have different numbers of columns.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when the types of the tables differ.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for keys of types without an order.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) for texts of more than 2³¹−1 bytes in all;
///   [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("merge_sorted", "union all order by"))]
pub fn merge(tables: &[TableView<'_>], keys: &[usize], orders: &[Order], null_orders: &[NullOrder]) -> Result<Table> {
    let inputs: Vec<&dyn Input> = tables.iter().map(|table| table as &dyn Input).collect();
    Scope::for_inputs("merge", &inputs)?.run(|ctx| detail::merge::merge(tables, keys, orders, null_orders, ctx))
}
