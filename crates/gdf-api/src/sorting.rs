//! Sorting: row orders, sorted tables, tests of order, the first rows.
//!
//! All functions compare alike. Types: booleans, integers, floats, decimals, dates, times, timestamps, durations, text
//! and binary, up to 64 key columns. Numbers ascend by value, false comes before true, text and binary by unsigned
//! bytes. NaN is larger than every number and equal to every NaN; −0 equals 0. Rows compare by their first column,
//! equal ones by the second, and so on. Each column has its [`Order`] and its [`NullOrder`], which says how nulls
//! compare before the order is applied; with empty lists columns ascend with nulls before values. Everything is stable:
//! equal rows keep their order, so libcudf's `stable_` functions are these.
//!
//! Views of text and binary are decoded first, as by [`cast`](crate::unary::cast), with its launches and its wait. Of a
//! dictionary its values are sorted, and rows compare by their ranks; where it has more values than there are rows, it
//! is decoded. Sorted tables have their columns as they were given.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::sorting::{NullOrder, Order};

use crate::scope::Scope;

/// The numbers of the rows of a table in sorted order, as a column to gather by.
///
/// `UInt32`, or `UInt64` from 2³²−1 rows on. See the [module](self) for types and order.
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
/// No wait up to 4,096 rows of up to 16 keys without text. At most 1 wait up to 2¹⁸ rows, unless more than 512 rows are
/// very close to each other in the range that there is, or integers have more than 64 bits. Otherwise, or after that, 1
/// wait for each eight keys (of 256 bits each counts twice), for the ranges of their values. For text longer than 7
/// bytes 1 more for each round of 3 to 7 bytes in which rows still tie, and 1 where there are other keys. See the table
/// of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`ColumnCount`](gdf_core::Error::ColumnCount): `orders` or `null_orders` neither are empty nor have one per
///   column.
/// * [`Unsupported`](gdf_core::Error::Unsupported): a type without order here.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): more than 64 columns; rows without columns; on CUDA, text
///   with
///   2³²−1 rows or more.
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

/// The rows of a table, sorted by all of its columns.
///
/// Types of columns and their nulls are those of the table; a column has a mask where the table's has. See the
/// [module](self) for types and order.
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
/// The waits of [`sorted_order`] and of [`gather`](crate::copying::gather) within bounds. Of many rows at most 2 more
/// for those that agree in the upper bits of long keys, and 1 for the nulls of a single column of 4 or 8 bytes. See the
/// table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// As [`sorted_order`] and [`gather`](crate::copying::gather).
#[doc(alias = "stable_sort")]
#[doc(alias("sort_values", "order by", "orderby", "lexsort"))]
pub fn sort<'a>(table: impl Into<TableView<'a>>, orders: &[Order], null_orders: &[NullOrder]) -> Result<Table> {
    let table = table.into();
    Scope::for_inputs("sort", &[&table])?.run(|ctx| detail::sorting::sort(table, orders, null_orders, ctx))
}

/// The rows of `values` in the sorted order of the rows of `keys`.
///
/// Values may be of any type that [`gather`](crate::copying::gather) takes; a column has a mask where its own has. See
/// the [module](self) for types and order of keys.
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
/// The waits of [`sorted_order`] and of [`gather`](crate::copying::gather) within bounds. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `values` and `keys` have not as many rows.
/// * As [`sorted_order`] and [`gather`](crate::copying::gather).
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

/// The numbers of the rows where `mask` is true, in sorted order, as a column to gather by.
///
/// As [`sorted_order`], of the selected rows only. Rows are numbered as those of the table; rows where the mask is null are left
/// out. Only keys are filtered, so that other columns are moved once, by the order.
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
/// The waits of [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask) of the keys and of [`sort_by_key`]. See the
/// table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`LengthMismatch`](gdf_core::Error::LengthMismatch): a mask that is not
///   boolean, or has not as many rows.
/// * As [`sorted_order`].
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

/// The rows of `values` where `mask` is true, in the sorted order of the rows of `keys`.
///
/// As [`sort_by_key`] of the selected rows; rows where the mask is null are left out. Values are moved once, by
/// [`sorted_order_where`] of the keys.
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
/// The waits of [`sorted_order_where`] and of [`gather`](crate::copying::gather) within bounds. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `values` and `keys` have not as many rows.
/// * As [`sorted_order_where`] and [`gather`](crate::copying::gather).
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

/// Whether the rows of a table are in the order that [`sort`] would give them; true below two rows.
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
/// At most **1 wait**; none below two rows. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// As [`sorted_order`].
#[doc(alias("is_monotonic", "is_monotonic_increasing"))]
pub fn is_sorted<'a>(table: impl Into<TableView<'a>>, orders: &[Order], null_orders: &[NullOrder]) -> Result<bool> {
    let table = table.into();
    Scope::for_inputs("is_sorted", &[&table])?.run(|ctx| detail::sorting::is_sorted(table, orders, null_orders, ctx))
}

/// The `k` largest values of a column (with [`Order::Ascending`] the smallest), the first of them first; all if there
/// are fewer.
///
/// Nulls come after all values in either order. The result has a mask where the column has.
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
/// The waits of [`top_k_order`] and of gathering `k` rows; none for `k` = 0. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// As [`sorted_order`].
#[doc(alias("nlargest", "nsmallest", "order by limit", "bottom_k", "sort_limit"))]
pub fn top_k<'a>(column: impl Into<ColumnView<'a>>, k: usize, order: Order) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("top_k", &[&column])?.run(|ctx| detail::sorting::top_k(column, k, order, ctx))
}

/// The row numbers of what [`top_k`] gives: `UInt32`, or `UInt64` from 2³²−1 rows on.
///
/// In libcudf `top_k_order`.
///
/// # Costs
/// The waits of [`sorted_order`]; none for `k` = 0. Above 2¹⁸ numbers of at most 64 bits, with a `k` of at most some
/// hundred thousand: 1 wait for what a sample leaves, and those of gathering and sorting that; should the sample have
/// misled, those of [`sorted_order`] then. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// As [`sorted_order`].
#[doc(alias("nlargest", "nsmallest", "argpartition", "partial_sort"))]
pub fn top_k_order<'a>(column: impl Into<ColumnView<'a>>, k: usize, order: Order) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("top_k_order", &[&column])?.run(|ctx| detail::sorting::top_k_order(column, k, order, ctx))
}
