//! Functions that sort: they return sorted row numbers, sorted tables, the first rows, or ranks, or test whether rows
//! are sorted. The functions whose names begin with `segmented_` sort within segments.
//!
//! All functions compare rows in the same way. Types: booleans, integers, floats, decimals, dates, times, timestamps,
//! durations, text and binary, up to 64 key columns. Numbers are ordered by value, false comes before true, and text
//! and binary are ordered by their unsigned bytes. NaN is larger than every number, and equal to every NaN. Both
//! zeros are equal. Rows are compared by their first column, rows that are equal there by the second column, and so
//! on.
//!
//! Each column has its [`Order`] and its [`NullOrder`]. The null order states whether nulls are smaller or larger than
//! values. The order (ascending or descending) is applied afterwards. Empty lists of orders mean ascending, with nulls
//! before values. All sorts are stable: equal rows keep their order, as in the `stable_` functions of libcudf.
//!
//! Views of text and binary are decoded first, at the costs of [`cast`](crate::unary::cast). Rows of a dictionary
//! column compare by the ranks of their values. A dictionary with more values than the column has rows is decoded
//! instead. The columns of a sorted table have the types of the input.
//!
//! # Structs and lists
//! Structs, maps, binary of a fixed size, and lists of every layout except views can be sorted if all their parts can
//! be sorted ([`Abilities::sortable`](gdf_core::types::Abilities::sortable)). They can then be keys of group-bys,
//! joins, searches and sets, too. The order of two structs is the order of the first field in which they differ. The
//! order of two lists is the order of the first element in which they differ. A list comes before all longer lists that
//! begin with the same elements. The null order of the column also applies to null fields and null elements. If an
//! operation treats nulls as unequal, a key with a null at any depth is not equal to any key.
//!
//! An operation with such a key column first replaces the column by ranks: a struct by its rank among all rows, and
//! each element of a list by its rank among all elements. The ranks of each level of nesting need one sort and one
//! search. There is 1 more wait for each level of lists, and text has the waits of a sort of text.
//!
//! Aggregations of groups, joins, `distinct`, `unique` and `search::contains` only need to know which keys are equal.
//! For these operations, the fields of a struct with at most 32 fields are key columns, without ranks. Lists in structs
//! are still replaced by ranks.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::sorting::{NullOrder, Order};

mod segmented;

pub use segmented::{
    rank, segmented_sort_by_key, segmented_sorted_order, segmented_top_k, segmented_top_k_order, top_k_by_key,
};

use crate::scope::Scope;

/// Returns the row numbers of a table in sorted order, as a column for `gather`.
///
/// The row numbers are `UInt32`, or `UInt64` from 2³²−1 rows on. See the [module](self) for types and order.
///
/// In libcudf `sorted_order`, in arrow-rs `lexsort_to_indices`, in polars `arg_sort`.
///
/// ```
/// use gdf::sorting::{NullOrder, Order, sorted_order};
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_options(&[Some(2), None, Some(5), Some(2)])?])?;
/// let order = sorted_order(&table, &[Order::Descending], &[NullOrder::After])?;
/// assert_eq!(order.to_vec::<u32>()?, [Some(1), Some(2), Some(0), Some(3)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// * Up to 4,096 rows of up to 16 keys with at most 512 KiB of text: no wait. A key of 256 bits counts as two keys.
/// * Up to 2¹⁸ rows: at most 1 wait. Exceptions are integers of more than 64 bits, and long texts with equal
///   beginnings.
/// * More rows, and the two exceptions: 1 wait for each eight keys, for the ranges of their values. A key of 256 bits
///   counts as two keys.
/// * Text longer than 7 bytes: 1 more wait for each round of 3 to 7 bytes in which rows are still equal, and 1 more
///   if there are other keys.
/// * Structs and lists add the [waits of their ranks](self#structs-and-lists).
///
/// See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`ColumnCount`](gdf_core::Error::ColumnCount): `orders` or `null_orders` is neither empty nor has one element
///   for each column.
/// * [`Unsupported`](gdf_core::Error::Unsupported): a type that has no order.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): more than 64 columns; a table that has rows but no
///   columns; on CUDA, text with 2³²−1 rows or more.
/// * Driver and memory errors.
#[doc(alias = "stable_sorted_order")]
#[doc(alias("argsort", "arg_sort", "sort_to_indices", "lexsort_to_indices", "lexsort"))]
pub fn sorted_order<'a>(
    table: impl Into<TableView<'a>>,
    orders: &[Order],
    null_orders: &[NullOrder],
) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("sorted_order", &[&table])?
        .run(|ctx| detail::sorting::sorted_order(table, orders, null_orders, ctx))
}

/// Returns the rows of a table, sorted by all of its columns.
///
/// The columns of the result have the types and the nulls of the columns of the table. A column has a mask if the
/// column of the table has a mask. See the [module](self) for types and order.
///
/// In libcudf `sort`, in polars `sort`.
///
/// ```
/// use gdf::sorting::{Order, is_sorted, sort};
/// use gdf::{Column, Table};
///
/// let a = Column::from_options(&[Some(2), None, Some(2)])?;
/// let table = Table::try_new(vec![a, Column::from_slice(&[0.5, 1.0, 0.25])?])?;
/// let sorted = sort(&table, &[], &[])?; // (null, 1.0), (2, 0.25), (2, 0.5)
/// assert_eq!(sorted.column(1)?.to_vec::<f64>()?, [Some(1.0), Some(0.25), Some(0.5)]);
/// assert!(!is_sorted(&sorted, &[Order::Ascending, Order::Descending], &[])?);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`sorted_order`], and the waits of [`gather`](crate::copying::gather) without bounds
/// check. Many rows may add 2 waits for rows that have equal upper bits of long keys, and 1 wait for the nulls of a
/// single column of 4 or 8 bytes. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`sorted_order`] and [`gather`](crate::copying::gather).
#[doc(alias = "stable_sort")]
#[doc(alias("sort_values", "order by", "orderby", "lexsort"))]
pub fn sort<'a>(table: impl Into<TableView<'a>>, orders: &[Order], null_orders: &[NullOrder]) -> Result<Table> {
    let table = table.into();
    Scope::for_inputs("sort", &[&table])?.run(|ctx| detail::sorting::sort(table, orders, null_orders, ctx))
}

/// Returns the rows of `values` in the order in which the rows of `keys` sort.
///
/// Values may have any type that [`gather`](crate::copying::gather) takes. A column of the result has a mask if the
/// column of `values` has a mask. See the [module](self) for the types and the order of keys.
///
/// In libcudf `sort_by_key`, in polars `sort_by`.
///
/// ```
/// use gdf::sorting::sort_by_key;
/// use gdf::{Column, Table};
///
/// let keys = Table::try_new(vec![Column::from_slice(&[3, 1, 2])?])?;
/// let values = Table::try_new(vec![Column::from_options(&[Some(30), Some(10), None])?])?;
/// let sorted = sort_by_key(&values, &keys, &[], &[])?;
/// assert_eq!(sorted.column(0)?.to_vec::<i32>()?, [Some(10), None, Some(30)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`sorted_order`], and the waits of [`gather`](crate::copying::gather) without bounds
/// check. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `values` and `keys` have different numbers of rows.
/// * The errors of [`sorted_order`] and [`gather`](crate::copying::gather).
#[doc(alias = "stable_sort_by_key")]
#[doc(alias("sort_by", "order by", "sort_values"))]
pub fn sort_by_key<'a, 'b>(
    values: impl Into<TableView<'a>>,
    keys: impl Into<TableView<'b>>,
    orders: &[Order],
    null_orders: &[NullOrder],
) -> Result<Table> {
    let (values, keys) = (values.into(), keys.into());
    Scope::for_inputs("sort_by_key", &[&values, &keys])?
        .run(|ctx| detail::sorting::sort_by_key(values, keys, orders, null_orders, ctx))
}

/// Returns the numbers of the rows where `mask` is true, in sorted order, as a column for `gather`.
///
/// The result is that of [`sorted_order`] for the selected rows. The numbers are row numbers of the whole table. Rows
/// where the mask is null are left out.
///
/// In SQL `WHERE` before `ORDER BY`, in polars `filter` before `sort`.
///
/// ```
/// use gdf::sorting::sorted_order_where;
/// use gdf::{Column, Table, binaryop};
///
/// let prices = Column::from_options(&[Some(7), None, Some(1), Some(5)])?;
/// let table = Table::try_new(vec![prices.clone()])?;
/// let order = sorted_order_where(&table, &binaryop::gt(&prices, 3)?, &[], &[])?;
/// assert_eq!(order.to_vec::<u32>()?, [Some(3), Some(0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask) of the keys and
/// of [`sort_by_key`]. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): `mask` is not boolean.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `mask` and `table` have different numbers of rows.
/// * The errors of [`sorted_order`].
#[doc(alias("where", "filter", "order by"))]
pub fn sorted_order_where<'a, 'm>(
    table: impl Into<TableView<'a>>,
    mask: impl Into<ColumnView<'m>>,
    orders: &[Order],
    null_orders: &[NullOrder],
) -> Result<Column> {
    let (table, mask) = (table.into(), mask.into());
    Scope::for_inputs("sorted_order_where", &[&table, &mask])?
        .run(|ctx| detail::sorting::sorted_order_where(table, mask, orders, null_orders, ctx))
}

/// Returns the rows of `values` where `mask` is true, in the order in which the rows of `keys` sort.
///
/// The result is that of [`sort_by_key`] for the selected rows. Rows where the mask is null are left out.
///
/// In SQL `WHERE` before `ORDER BY`, in polars `filter` before `sort_by`.
///
/// ```
/// use gdf::sorting::{Order, sort_by_key_where};
/// use gdf::{Column, Table};
///
/// let keys = Table::try_new(vec![Column::from_slice(&[3, 1, 2])?])?;
/// let values = Table::try_new(vec![Column::from_strs(["c", "a", "b"])?])?;
/// let mask = Column::from_slice(&[true, false, true])?;
/// let sorted = sort_by_key_where(&values, &keys, &mask, &[Order::Ascending], &[])?;
/// assert_eq!(sorted.column(0)?.to_strings()?, [Some("b".to_owned()), Some("c".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`sorted_order_where`], and the waits of [`gather`](crate::copying::gather) without
/// bounds check. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `values` and `keys` have different numbers of rows.
/// * The errors of [`sorted_order_where`] and [`gather`](crate::copying::gather).
#[doc(alias("where", "filter", "order by"))]
pub fn sort_by_key_where<'a, 'b, 'm>(
    values: impl Into<TableView<'a>>,
    keys: impl Into<TableView<'b>>,
    mask: impl Into<ColumnView<'m>>,
    orders: &[Order],
    null_orders: &[NullOrder],
) -> Result<Table> {
    let (values, keys, mask) = (values.into(), keys.into(), mask.into());
    Scope::for_inputs("sort_by_key_where", &[&values, &keys, &mask])?
        .run(|ctx| detail::sorting::sort_by_key_where(values, keys, mask, orders, null_orders, ctx))
}

/// Returns whether the rows of a table are in the order that [`sort`] gives. A table of fewer than two rows is always
/// sorted.
///
/// In libcudf `is_sorted`, in polars `is_sorted`.
///
/// ```
/// use gdf::sorting::{NullOrder, is_sorted};
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_options(&[Some(1), Some(4), None])?])?;
/// assert!(is_sorted(&table, &[], &[NullOrder::After])?);
/// assert!(!is_sorted(&table, &[], &[])?);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most **once**, and not at all if there are fewer than two rows. Structs and
/// lists add the [waits of their ranks](self#structs-and-lists). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`sorted_order`].
#[doc(alias("is_monotonic", "is_monotonic_increasing"))]
pub fn is_sorted<'a>(table: impl Into<TableView<'a>>, orders: &[Order], null_orders: &[NullOrder]) -> Result<bool> {
    let table = table.into();
    Scope::for_inputs("is_sorted", &[&table])?.run(|ctx| detail::sorting::is_sorted(table, orders, null_orders, ctx))
}

/// Returns the `k` largest values of a column in descending order, or with [`Order::Ascending`] the `k` smallest
/// values in ascending order. If the column has fewer than `k` rows, all rows are returned.
///
/// Nulls come after all values in either order. The result has a mask if the column has a mask.
///
/// In libcudf `top_k`, whose result is in no order; in polars `top_k`.
///
/// ```
/// use gdf::Column;
/// use gdf::sorting::{Order, top_k};
///
/// let column = Column::from_options(&[Some(3), None, Some(9), Some(4)])?;
/// assert_eq!(top_k(&column, 2, Order::Descending)?.to_vec::<i32>()?, [Some(9), Some(4)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`top_k_order`] and of gathering `k` rows. If `k` is at least the number of rows, the
/// function has the waits of [`sort`]. If `k` is 0, the function does not wait.
/// See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`sorted_order`].
#[doc(alias("nlargest", "nsmallest", "order by limit", "bottom_k", "sort_limit"))]
pub fn top_k<'a>(column: impl Into<ColumnView<'a>>, k: usize, order: Order) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("top_k", &[&column])?.run(|ctx| detail::sorting::top_k(column, k, order, ctx))
}

/// Returns the row numbers of the values that [`top_k`] returns: `UInt32`, or `UInt64` from 2³²−1 rows on.
///
/// In libcudf `top_k_order`.
///
/// # Costs
/// The function has the waits of [`sorted_order`]. If `k` is 0, the function does not wait. A sample is used for more
/// than 2¹⁸ numbers of at most 64 bits, if `k` is at most some hundred thousand. It needs 1 wait for the number of
/// candidate rows, and the waits of gathering and sorting the candidates. A misleading sample adds the waits of
/// [`sorted_order`]. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`sorted_order`].
#[doc(alias("nlargest", "nsmallest", "argpartition", "partial_sort"))]
pub fn top_k_order<'a>(column: impl Into<ColumnView<'a>>, k: usize, order: Order) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("top_k_order", &[&column])?.run(|ctx| detail::sorting::top_k_order(column, k, order, ctx))
}
