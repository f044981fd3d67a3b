//! Functions that search columns: for the position of rows in a sorted table, and for membership in a set of values.

use gdf_core::{Column, ColumnView, Result, TableView};
use gdf_detail as detail;
pub use gdf_detail::sorting::{NullOrder, Order};

use crate::scope::Scope;

/// Returns for each row of `needles` the first position in the sorted table `haystack` at which the row can be inserted
/// without breaking the order. This position is the number of rows of `haystack` that are less than the row.
///
/// # Types
/// Both tables have the same types: numbers, booleans, decimals, everything temporal except intervals with days,
/// strings and binary with offsets of either width, structs and lists of these ([how they
/// compare](crate::sorting#structs-and-lists)); 1 to 32 columns. Views and dictionaries are decoded first. The
/// result is `UInt32`, or `UInt64` from 2³²−1 rows on.
///
/// # Nulls, NaN and order
/// `haystack` is sorted by `orders` and `null_orders`, which have the same meaning as in
/// [`sort`](crate::sorting::sort): empty slices mean ascending, with nulls before values. NaN is greater than every
/// number and equal to NaN. 0.0 equals −0.0. If `haystack` is not sorted in this way, the positions lie within
/// `haystack` but have no meaning. The result has no nulls and is in the order of `needles`.
///
/// In libcudf `lower_bound`, in numpy, pandas and polars `searchsorted`.
///
/// ```
/// use gdf::search::{lower_bound, upper_bound};
/// use gdf::{Column, Table};
///
/// let haystack = Table::try_new(vec![Column::from_slice(&[10, 20, 20, 30])?])?;
/// let needles = Table::try_new(vec![Column::from_slice(&[20, 35])?])?;
/// assert_eq!(lower_bound(&haystack, &needles, &[], &[])?.to_vec::<u32>()?, [Some(1), Some(4)]);
/// assert_eq!(upper_bound(&haystack, &needles, &[], &[])?.to_vec::<u32>()?, [Some(3), Some(4)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device only for structs and lists ([waits of their
/// ranks](crate::sorting#structs-and-lists)), and for views and dictionaries ([`cast`](crate::unary::cast)). See the
/// table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`ColumnCount`](gdf_core::Error::ColumnCount): the tables have different numbers of columns, or the lists of
///   orders have another number of elements.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the types of the columns differ.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for no or more than 32 columns.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for types without an order.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("searchsorted", "search_sorted", "bisect_left", "binary_search", "partition_point"))]
pub fn lower_bound<'h, 'n>(
    haystack: impl Into<TableView<'h>>,
    needles: impl Into<TableView<'n>>,
    orders: &[Order],
    null_orders: &[NullOrder],
) -> Result<Column> {
    let (haystack, needles) = (haystack.into(), needles.into());
    Scope::for_inputs("lower_bound", &[&haystack, &needles])?
        .run(|ctx| detail::search::lower_bound(&haystack, &needles, orders, null_orders, ctx))
}

/// Returns for each row of `needles` the last position in the sorted table `haystack` at which the row can be inserted
/// without breaking the order. This position is the number of rows of `haystack` that are not greater than the row.
///
/// Types, nulls, order and example: as for [`lower_bound`].
///
/// In libcudf `upper_bound`, in numpy, pandas and polars `searchsorted(side="right")`.
///
/// # Costs
/// The function has the costs of [`lower_bound`].
///
/// # Errors
/// The errors of [`lower_bound`].
#[doc(alias("searchsorted", "search_sorted", "bisect_right", "binary_search", "partition_point"))]
pub fn upper_bound<'h, 'n>(
    haystack: impl Into<TableView<'h>>,
    needles: impl Into<TableView<'n>>,
    orders: &[Order],
    null_orders: &[NullOrder],
) -> Result<Column> {
    let (haystack, needles) = (haystack.into(), needles.into());
    Scope::for_inputs("upper_bound", &[&haystack, &needles])?
        .run(|ctx| detail::search::upper_bound(&haystack, &needles, orders, null_orders, ctx))
}

/// Returns whether each row of `needles` is equal to a row of `haystack`.
///
/// Types: both columns have the same type: integers, booleans, floats, decimals, everything temporal, strings and
/// binary with offsets of either width, structs and lists of these ([how they
/// compare](crate::sorting#structs-and-lists)). Views and dictionaries are decoded first.
///
/// Nulls: the result is null for a null needle. A null of `haystack` is not equal to any needle. NaN equals NaN, and
/// 0.0 equals −0.0. Order: the order of `needles`; `haystack` need not be sorted.
///
/// In libcudf `contains`, in pandas `isin`, in polars `is_in`.
///
/// ```
/// use gdf::Column;
/// use gdf::search::contains;
///
/// let haystack = Column::from_strs(["apple", "pear"])?;
/// let found = contains(&haystack, &Column::from_strs([Some("pear"), None, Some("fig")])?)?;
/// assert_eq!(found.to_vec::<bool>()?, [Some(true), None, Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for the device, for the number of rows that are found, and the waits of
/// [`inner_join`](crate::join::inner_join) for text and lists. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the columns differ in type.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): more than 2³¹−16 rows.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for types that cannot be compared.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("isin", "is_in", "in_list", "member"))]
pub fn contains<'h, 'n>(haystack: impl Into<ColumnView<'h>>, needles: impl Into<ColumnView<'n>>) -> Result<Column> {
    let (haystack, needles) = (haystack.into(), needles.into());
    Scope::for_inputs("contains", &[&haystack, &needles])?.run(|ctx| detail::search::contains(haystack, needles, ctx))
}
