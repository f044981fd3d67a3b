//! Functions that sort within segments, compute ranks, and return the first rows by several keys. They are part of
//! [`sorting`](crate::sorting).

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_detail as detail;
use gdf_detail::groupby::NullPolicy;
use gdf_detail::scan::{RankMethod, RankPercentage};
use gdf_detail::sorting::{NullOrder, Order};

use crate::scope::Scope;

/// Returns the row numbers that sort the rows within each segment: `UInt32`, or `UInt64` from 2³²−1 rows on.
///
/// Segment `i` has the rows from `offsets[i]` to `offsets[i + 1]`; `offsets` is of any integer type. Rows outside of
/// all segments keep their positions. Rows with equal keys keep their order. Types, nulls, NaN and the orders are those
/// of [`sorted_order`](crate::sorting::sorted_order()), with at most 63 keys.
///
/// In libcudf `stable_segmented_sorted_order`.
///
/// ```
/// use gdf::sorting::segmented_sorted_order;
/// use gdf::{Column, Table};
///
/// let keys = Table::try_new(vec![Column::from_slice(&[9, 3, 5, 4, 1])?])?;
/// let offsets = Column::from_slice(&[0, 2, 4])?;
/// let order = segmented_sorted_order(&keys, &offsets, &[], &[])?;
/// assert_eq!(order.to_vec::<u32>()?, [Some(1), Some(0), Some(3), Some(2), Some(4)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs **1 wait** for the check of the offsets, and the waits of
/// [`sorted_order`](crate::sorting::sorted_order()) of the segments and the keys. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for offsets that are not integers;
///   [`InvalidArgument`](gdf_core::Error::InvalidArgument) for offsets that are null, do not ascend, or are beyond the
///   rows.
/// * The errors of [`sorted_order`](crate::sorting::sorted_order()).
#[doc(alias("stable_segmented_sorted_order", "argsort by group"))]
pub fn segmented_sorted_order<'k, 'o>(
    keys: impl Into<TableView<'k>>,
    offsets: impl Into<ColumnView<'o>>,
    orders: &[Order],
    null_orders: &[NullOrder],
) -> Result<Column> {
    let (keys, offsets) = (keys.into(), offsets.into());
    Scope::for_inputs("segmented_sorted_order", &[&keys, &offsets])?
        .run(|ctx| detail::sorting::segmented_sorted_order(&keys, offsets, orders, null_orders, ctx))
}

/// Returns the rows of `values`, sorted by `keys` within each segment, as [`segmented_sorted_order`] orders them.
///
/// In libcudf `stable_segmented_sort_by_key`.
///
/// ```
/// use gdf::sorting::{Order, segmented_sort_by_key};
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[3, 9, 5, 4])?])?;
/// let offsets = Column::from_slice(&[0, 2, 4])?;
/// let sorted = segmented_sort_by_key(&table, &table, &offsets, &[Order::Descending], &[])?;
/// assert_eq!(sorted.column(0)?.to_vec::<i32>()?, [Some(9), Some(3), Some(5), Some(4)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`segmented_sorted_order`], and the waits of [`gather`](crate::copying::gather)
/// without bounds check. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `values` and `keys` have different numbers of rows.
/// * The errors of [`segmented_sorted_order`] and [`gather`](crate::copying::gather).
#[doc(alias("stable_segmented_sort_by_key", "sort_values by group"))]
pub fn segmented_sort_by_key<'v, 'k, 'o>(
    values: impl Into<TableView<'v>>,
    keys: impl Into<TableView<'k>>,
    offsets: impl Into<ColumnView<'o>>,
    orders: &[Order],
    null_orders: &[NullOrder],
) -> Result<Table> {
    let (values, keys, offsets) = (values.into(), keys.into(), offsets.into());
    Scope::for_inputs("segmented_sort_by_key", &[&values, &keys, &offsets])?
        .run(|ctx| detail::sorting::segmented_sort_by_key(&values, &keys, offsets, orders, null_orders, ctx))
}

/// Returns for each segment the list of its `k` largest values in descending order, or with [`Order::Ascending`] the
/// list of its `k` smallest values in ascending order. If a segment has fewer rows, the list has all values of the
/// segment.
///
/// Segments are those of [`segmented_sorted_order`]. Nulls come after all values in either order. The result is a
/// column of `List` with a row for each segment.
///
/// In libcudf `segmented_top_k`.
///
/// ```
/// use gdf::Column;
/// use gdf::sorting::{Order, segmented_top_k};
///
/// let values = Column::from_slice(&[3, 9, 5, 4])?;
/// let offsets = Column::from_slice(&[0, 3, 4])?;
/// let first = segmented_top_k(&values, &offsets, 2, Order::Descending)?;
/// assert_eq!(first.len(), 2);
/// assert_eq!(first.children()[0].to_vec::<i32>()?, [Some(9), Some(5), Some(4)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`segmented_sorted_order`], **1 wait** for the number of results, and the waits of
/// [`gather`](crate::copying::gather) without bounds check. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) for a column of 2³¹ rows or more.
/// * The errors of [`segmented_sorted_order`] and [`gather`](crate::copying::gather).
#[doc(alias("nlargest by group", "top_k by group"))]
pub fn segmented_top_k<'c, 'o>(
    column: impl Into<ColumnView<'c>>,
    offsets: impl Into<ColumnView<'o>>,
    k: usize,
    order: Order,
) -> Result<Column> {
    let (column, offsets) = (column.into(), offsets.into());
    Scope::for_inputs("segmented_top_k", &[&column, &offsets])?
        .run(|ctx| detail::sorting::segmented_top_k(column, offsets, k, order, ctx))
}

/// Returns the row numbers of the values that [`segmented_top_k`] returns, as a list for each segment. The numbers are
/// row numbers of `column`, and not positions within the segment.
///
/// In libcudf `segmented_top_k_order`.
///
/// # Costs
/// The function has the waits of [`segmented_sorted_order`], and **1 wait** for the number of results. See the table of
/// costs, `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`segmented_top_k`].
#[doc(alias("nlargest by group"))]
pub fn segmented_top_k_order<'c, 'o>(
    column: impl Into<ColumnView<'c>>,
    offsets: impl Into<ColumnView<'o>>,
    k: usize,
    order: Order,
) -> Result<Column> {
    let (column, offsets) = (column.into(), offsets.into());
    Scope::for_inputs("segmented_top_k_order", &[&column, &offsets])?
        .run(|ctx| detail::sorting::segmented_top_k_order(column, offsets, k, order, ctx))
}

/// Returns the first `k` rows of `values` in the order of `keys`: the first rows that
/// [`sort_by_key`](crate::sorting::sort_by_key()) returns. If the table has fewer rows, all rows are returned.
///
/// The function is like [`top_k`](crate::sorting::top_k()), but compares several columns. Each column has its own
/// direction and null order. Rows with equal keys keep their order.
///
/// In polars `top_k(k, by=…)`, in pandas `nlargest`, in SQL `ORDER BY … LIMIT k`.
///
/// ```
/// use gdf::sorting::{Order, top_k_by_key};
/// use gdf::{Column, Table};
///
/// let keys = Table::try_new(vec![Column::from_slice(&[1, 2, 2])?, Column::from_strs(["c", "b", "a"])?])?;
/// let first = top_k_by_key(&keys, &keys, 2, &[Order::Descending, Order::Ascending], &[])?;
/// assert_eq!(first.column(1)?.to_strings()?, [Some("a".to_owned()), Some("b".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`top_k_order`](crate::sorting::top_k_order()), and of
/// [`gather`](crate::copying::gather) without bounds check. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`sort_by_key`](crate::sorting::sort_by_key()).
#[doc(alias("nlargest", "order by limit"))]
pub fn top_k_by_key<'v, 'k>(
    values: impl Into<TableView<'v>>,
    keys: impl Into<TableView<'k>>,
    k: usize,
    orders: &[Order],
    null_orders: &[NullOrder],
) -> Result<Table> {
    let (values, keys) = (values.into(), keys.into());
    Scope::for_inputs("top_k_by_key", &[&values, &keys])?
        .run(|ctx| detail::sorting::top_k_by_key(&values, &keys, k, orders, null_orders, ctx))
}

/// Returns the rank of each row among all rows of a table, whose rows may be in any order. Ranks are in the order of
/// the input.
///
/// Ranks count from 1, in the order in which [`sort`](crate::sorting::sort()) sorts; [`RankMethod`] determines the
/// ranks of rows with equal keys. The result is `UInt32` (`UInt64` from 2³²−1 rows on), or `Float64` for averages
/// and for shares by [`RankPercentage`].
///
/// Nulls are equal to each other, and NaNs are equal to each other. With
/// [`Exclude`](NullPolicy::Exclude), a row with a null in any column has a null rank and is not counted.
///
/// In libcudf and pandas `rank`, in polars `rank`, in SQL `RANK() OVER (ORDER BY …)` and `DENSE_RANK`.
///
/// ```
/// use gdf::groupby::NullPolicy;
/// use gdf::scan::{RankMethod, RankPercentage};
/// use gdf::sorting::rank;
/// use gdf::{Column, Table};
///
/// let scores = Table::try_new(vec![Column::from_options(&[Some(7), Some(5), None, Some(7)])?])?;
/// let ranks = rank(&scores, RankMethod::Min, RankPercentage::None, &[], &[], NullPolicy::Exclude)?;
/// assert_eq!(ranks.to_vec::<u32>()?, [Some(2), Some(1), None, Some(2)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`GroupBy::rank`](crate::groupby::GroupBy::rank). See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`sorted_order`](crate::sorting::sorted_order()).
#[doc(alias("dense_rank", "percent_rank", "row_number"))]
pub fn rank<'a>(
    table: impl Into<TableView<'a>>,
    method: RankMethod,
    percentage: RankPercentage,
    orders: &[Order],
    null_orders: &[NullOrder],
    nulls: NullPolicy,
) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("sorting.rank", &[&table])?
        .run(|ctx| detail::sorting::rank(&table, method, percentage, orders, null_orders, nulls, ctx))
}
