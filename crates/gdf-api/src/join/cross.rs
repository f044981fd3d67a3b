//! Cross joins; part of [`join`](crate::join).

use gdf_core::{Column, Result, Table, TableView};
use gdf_detail as detail;

use crate::scope::Scope;

/// Joins each row of `left` with each row of `right`. The result has the columns of `left`, followed by the columns of
/// `right`.
///
/// The columns are of every type that [`repeat`](crate::filling::repeat) takes, with nulls as in the input. The rows
/// are in the order of `left`, and the rows of one left row are in the order of `right`.
///
/// In libcudf and polars a cross join, in pandas `merge(how="cross")`, in SQL `CROSS JOIN`.
///
/// ```text
/// a        1        a 1
/// b   ×    2   →    a 2
///                   b 1
///                   b 2
/// ```
///
/// ```
/// use gdf::join::cross_join;
/// use gdf::{Column, Table};
///
/// let left = Table::try_new(vec![Column::from_strs(["a", "b"])?])?;
/// let right = Table::try_new(vec![Column::from_slice(&[1, 2])?])?;
/// let pairs = cross_join(&left, &right)?;
/// assert_eq!(pairs.num_rows(), 4);
/// assert_eq!(pairs.column(1)?.to_vec::<i32>()?, [Some(1), Some(2), Some(1), Some(2)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most **1 wait** for each 32 columns of a side that has text, for the sizes of the texts, and
/// the waits of lists as in [`tile`](crate::reshape::tile). No row numbers are stored. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the result would have 2⁶³−1 rows or more. The error is
///   returned before anything is allocated.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the texts of a column have more than 2³¹−1 bytes in all.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for types whose rows cannot be moved.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("cartesian product", "cross product", "how=cross"))]
pub fn cross_join<'l, 'r>(left: impl Into<TableView<'l>>, right: impl Into<TableView<'r>>) -> Result<Table> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("cross_join", &[&left, &right])?.run(|ctx| detail::join::cross_join(&left, &right, ctx))
}

/// Returns the row numbers of the pairs of [`cross_join`]: a column of left row numbers and a column of right row
/// numbers. The numbers are `UInt32`, or `UInt64` if the side has 2³²−1 rows or more.
///
/// Use this function if few columns of the pairs are needed, or to gather the pairs in batches.
///
/// ```
/// use gdf::join::cross_join_rows;
/// use gdf::{Column, Table};
///
/// let left = Table::try_new(vec![Column::from_strs(["a", "b"])?])?;
/// let (left, right) = cross_join_rows(&left, &left)?;
/// assert_eq!(left.to_vec::<u32>()?, [Some(0), Some(0), Some(1), Some(1)]);
/// assert_eq!(right.to_vec::<u32>()?, [Some(0), Some(1), Some(0), Some(1)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`cross_join`].
#[doc(alias("cartesian product"))]
pub fn cross_join_rows<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
) -> Result<(Column, Column)> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("cross_join_rows", &[&left, &right])?.run(|ctx| detail::join::cross_join_rows(&left, &right, ctx))
}
