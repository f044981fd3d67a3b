//! As-of joins; part of [`join`](crate::join).

use gdf_core::{Column, Result, Table, TableView};
use gdf_detail as detail;
use gdf_detail::join::AsofKeys;

use crate::scope::Scope;

/// Joins each row of `left` with the right row that has the nearest ordered key, in one direction or in both. The
/// result has the columns of `left`, followed by the columns of `right` that are not in [`by`](AsofKeys::by).
///
/// [`AsofKeys`] names the ordered key of both sides, the direction, columns that must be equal, and the largest
/// distance. Neither side needs to be sorted. The rows of the result are the rows of `left` in their order. The columns
/// of `right` are null where no row matches.
///
/// # Types
/// The ordered key has the same type on both sides: numbers, booleans, decimals, everything temporal except intervals
/// with days, strings or binary. The direction [`Nearest`](detail::join::AsofDirection::Nearest) and tolerances need
/// integers, floats, decimals of up to 64 bits, or temporal types other than intervals. The tolerance is a number. For
/// decimals, it is a whole number or a decimal with the scale of the keys. For temporal keys, it is a duration of any
/// unit, which is rounded down to the unit of the keys. The columns of `by` have types with an order.
///
/// # Nulls, NaN and order
/// A null in the ordered key matches nothing. [`JoinKeys::nulls`](detail::join::JoinKeys::nulls) states whether nulls
/// in `by` are equal. NaN is greater than every number and equal to NaN. With a tolerance and in the direction `Nearest`,
/// NaN matches nothing. Of several right rows with equal keys, a backward search returns the last, and a forward search
/// returns the first. Of a row before and a row after at the same distance, `Nearest` returns the row before.
///
/// In pandas `merge_asof`, in polars `join_asof`, in SQL `ASOF JOIN`; libcudf has no such function.
///
/// ```text
/// time trade         time price           time trade time price
///    3     a   as of    1    10       →      3     a    1    10
///    5     b            5    20              5     b    5    20
/// ```
///
/// ```
/// use gdf::join::{AsofDirection, AsofKeys, asof_join};
/// use gdf::{Column, Table};
///
/// let trades = Table::try_new(vec![Column::from_slice(&[3, 5])?, Column::from_strs(["a", "b"])?])?;
/// let quotes = Table::try_new(vec![Column::from_slice(&[1, 5])?, Column::from_slice(&[10, 20])?])?;
/// let priced = asof_join(&trades, &quotes, &AsofKeys::new(0, 0))?;
/// assert_eq!(priced.column(3)?.to_vec::<i32>()?, [Some(10), Some(20)]);
/// let soon = AsofKeys::new(0, 0).direction(AsofDirection::Forward).within(1);
/// assert_eq!(asof_join(&trades, &quotes, &soon)?.column(3)?.to_vec::<i32>()?, [None, Some(20)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`asof_join_rows`], and the waits of [`gather`](crate::copying::gather). The columns
/// of `left` are shared, not copied. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) when a key is not a column of its table.
/// * [`ColumnCount`](gdf_core::Error::ColumnCount): `by` has different numbers of columns on both sides.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the types of the keys differ, or the type of the tolerance does
///   not fit the keys. [`InvalidArgument`](gdf_core::Error::InvalidArgument): the tolerance is null, NaN or negative,
///   or there are more than 32 keys.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for types without an order. Also for types without a distance, if
///   the direction or a tolerance requires distances.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("merge_asof", "join_asof", "as of"))]
pub fn asof_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &AsofKeys<'_>,
) -> Result<Table> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("asof_join", &[&left, &right])?.run(|ctx| detail::join::asof_join(&left, &right, on, ctx))
}

/// Returns for each row of `left` the number of the right row that [`asof_join`] matches, or null if there is no match.
/// The numbers are `UInt32`, or `UInt64` if the right side has 2³²−1 rows or more.
///
/// ```
/// use gdf::join::{AsofDirection, AsofKeys, asof_join_rows};
/// use gdf::{Column, Table};
///
/// let left = Table::try_new(vec![Column::from_slice(&[0.0, 2.5, 9.0])?])?;
/// let right = Table::try_new(vec![Column::from_slice(&[4.0, 1.0])?])?;
/// assert_eq!(asof_join_rows(&left, &right, &AsofKeys::new(0, 0))?.to_vec::<u32>()?, [None, Some(1), Some(0)]);
/// let nearest = AsofKeys::new(0, 0).direction(AsofDirection::Nearest).within(2.0);
/// assert_eq!(asof_join_rows(&left, &right, &nearest)?.to_vec::<u32>()?, [Some(1), Some(1), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`sorted_order`](crate::sorting::sorted_order) of the right keys, or of
/// [`sorted_order_where`](crate::sorting::sorted_order_where) if the keys may be null. The keys add the waits of
/// [`gather`](crate::copying::gather) without bounds check. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`asof_join`].
#[doc(alias("merge_asof", "join_asof"))]
pub fn asof_join_rows<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &AsofKeys<'_>,
) -> Result<Column> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("asof_join_rows", &[&left, &right])?
        .run(|ctx| detail::join::asof_join_rows(&left, &right, on, ctx))
}
