//! Joins of sorted rows by binary search; part of [`join`](crate::join).

use gdf_core::{Column, Result, TableView};
use gdf_detail as detail;
use gdf_detail::join::{JoinKind, NullEquality, Presorted};

use crate::scope::Scope;

/// Returns the pairs of [`inner_join`](super::inner_join()), which are found by binary search in the sorted right side.
///
/// A right side that is [sorted already](Presorted::Yes), ascending and with nulls first, is neither copied nor hashed.
/// Otherwise it is sorted first. The left side may have any order. Each left row needs two searches of about log₂(right
/// rows) comparisons, where a hash join needs one lookup. The function suits a right side that is sorted, or whose hash
/// table would not fit in memory.
///
/// Shapes and types: as for [`inner_join`](super::inner_join()). Nulls and NaN: the same; a NaN equals a NaN.
///
/// Order: the left row numbers ascend. The right row numbers of one left row are in the order of the sorted side, so
/// they ascend with [`Presorted::Yes`]. With `Yes` and a right side that is not sorted, pairs may be missing or wrong,
/// but all row numbers are rows of their side.
///
/// In libcudf `sort_merge_join::inner_join`, in DuckDB and Spark merge join.
///
/// ```
/// use gdf::join::{NullEquality, Presorted, sort_merge_inner_join};
/// use gdf::{Column, Table};
///
/// let keys = |keys: &[i32]| Table::try_new(vec![Column::from_slice(keys)?]);
/// let (left, right) = (keys(&[4, 2, 9])?, keys(&[1, 2, 2, 4])?);
/// let (rows, others) = sort_merge_inner_join(&left, &right, NullEquality::Equal, Presorted::Yes)?;
/// assert_eq!(rows.to_vec::<u32>()?, [Some(0), Some(1), Some(1)]);
/// assert_eq!(others.to_vec::<u32>()?, [Some(3), Some(1), Some(2)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the costs of [`lower_bound`](crate::search::lower_bound()), of
/// [`upper_bound`](crate::search::upper_bound()), of [`repeat`](crate::filling::repeat()), and with [`Presorted::No`]
/// of [`sorted_order`](crate::sorting::sorted_order()). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) without columns.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns that cannot be sorted, and for structs and lists with
///   [`NullEquality::Unequal`].
/// * The errors of [`lower_bound`](crate::search::lower_bound()); driver and memory errors.
#[doc(alias("merge join", "sort_merge_join", "sorted join"))]
pub fn sort_merge_inner_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    nulls: NullEquality,
    presorted: Presorted,
) -> Result<(Column, Column)> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("sort_merge_inner_join", &[&left, &right])?
        .run(|ctx| detail::join::sort_merge_join(JoinKind::Inner, &left, &right, nulls, presorted, ctx))
}

/// Returns the pairs of [`sort_merge_inner_join`]. In addition, each row of `left` without a match is paired with
/// [`JOIN_NO_MATCH`](super::JOIN_NO_MATCH), at the position that its pairs would have.
///
/// In libcudf `sort_merge_join::left_join`.
///
/// # Errors
/// * The errors of [`sort_merge_inner_join`].
#[doc(alias("merge join", "left outer join"))]
pub fn sort_merge_left_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    nulls: NullEquality,
    presorted: Presorted,
) -> Result<(Column, Column)> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("sort_merge_left_join", &[&left, &right])?
        .run(|ctx| detail::join::sort_merge_join(JoinKind::Left, &left, &right, nulls, presorted, ctx))
}
