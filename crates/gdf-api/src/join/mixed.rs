//! Joins by equal keys and a condition; part of [`join`](crate::join).

use gdf_core::{Column, Result, TableView};
use gdf_detail as detail;
use gdf_detail::join::{FilterKind, JoinKeys, JoinKind};
use gdf_expr::Expr;

use crate::scope::Scope;

/// Returns the pairs of rows of `left` and `right` with equal keys for which a condition is true: a column of left row
/// numbers and a column of right row numbers.
///
/// [`JoinKeys`] states which columns are compared by equality, and whether nulls are equal. The condition is an
/// expression over all columns of both tables. The columns of `left` have the positions from 0 on, and the columns of
/// `right` follow: column `j` of `right` is `col(left.num_columns() + j)`. The condition is tested for the pairs with
/// equal keys only. The hash table is built from the right side, so the right side should be the smaller side.
///
/// # Types
/// The types of keys are those of [`inner_join`](crate::join::inner_join()). The condition is boolean. Its columns and
/// parts have the types of [`compute_column`](crate::transform::compute_column()).
///
/// # Nulls and NaN
/// Keys that are NaN are equal to each other. [`JoinKeys`] states whether null keys are equal to each other. In the
/// condition, nulls and NaN follow the rules of the operators. A pair for which the condition is null is no match.
///
/// Shapes: two columns of the same length. Order: the left row numbers ascend, and the right row numbers of one left
/// row ascend.
///
/// In libcudf `mixed_inner_join` (which promises no order), in SQL `INNER JOIN … ON` with equalities and other
/// conditions.
///
/// ```
/// use gdf::expr::col;
/// use gdf::join::{JoinKeys, mixed_inner_join};
/// use gdf::{Column, Table};
///
/// let sales = Table::try_new(vec![Column::from_slice(&[7, 8, 7])?, Column::from_slice(&[10, 11, 12])?])?; // item, day
/// let prices = Table::try_new(vec![Column::from_slice(&[7, 7, 8])?, Column::from_slice(&[1, 11, 20])?])?; // item, since
/// let (sale, price) = mixed_inner_join(&sales, &prices, &JoinKeys::new(&[0], &[0]), &col(1).ge(col(3)))?;
/// assert_eq!(sale.to_vec::<u32>()?, [Some(0), Some(2), Some(2)]);
/// assert_eq!(price.to_vec::<u32>()?, [Some(0), Some(0), Some(1)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the costs of [`inner_join`](crate::join::inner_join()), and those of
/// [`compute_column`](crate::transform::compute_column()) for the pairs with equal keys. The pairs are tested in tiles
/// of up to 4,194,304, with 1 wait for each tile. More than 67,108,864 pairs with equal keys are divided into groups of
/// left rows, with 1 more wait for each group. On CUDA, the resulting pairs are sorted. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) when a key is not a column of its table.
/// * The errors of [`inner_join`](crate::join::inner_join()) and of
///   [`compute_column`](crate::transform::compute_column()).
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for a condition that is not boolean.
#[doc(alias("join_where", "residual condition", "join filter"))]
pub fn mixed_inner_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
    condition: &Expr,
) -> Result<(Column, Column)> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("mixed_inner_join", &[&left, &right])?
        .run(|ctx| detail::join::mixed_join(JoinKind::Inner, &left, &right, on, condition, ctx))
}

/// Returns the pairs of [`mixed_inner_join`]. In addition, each row of `left` without a match is paired with
/// [`JOIN_NO_MATCH`](crate::join::JOIN_NO_MATCH), at the position that its pairs would have.
///
/// In libcudf `mixed_left_join`, in SQL `LEFT OUTER JOIN … ON`.
///
/// # Errors
/// The errors of [`mixed_inner_join`].
#[doc(alias("left outer join"))]
pub fn mixed_left_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
    condition: &Expr,
) -> Result<(Column, Column)> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("mixed_left_join", &[&left, &right])?
        .run(|ctx| detail::join::mixed_join(JoinKind::Left, &left, &right, on, condition, ctx))
}

/// Returns the pairs of [`mixed_left_join`], followed by the rows of `right` without a match. These rows are in
/// ascending order and are paired with [`JOIN_NO_MATCH`](crate::join::JOIN_NO_MATCH).
///
/// In libcudf `mixed_full_join`, in SQL `FULL OUTER JOIN … ON`.
///
/// # Errors
/// The errors of [`mixed_inner_join`].
#[doc(alias("outer join", "full outer join"))]
pub fn mixed_full_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
    condition: &Expr,
) -> Result<(Column, Column)> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("mixed_full_join", &[&left, &right])?
        .run(|ctx| detail::join::mixed_join(JoinKind::Full, &left, &right, on, condition, ctx))
}

/// Returns the numbers of the rows of `left` that have a match in `right`, in ascending order. A match is a pair of
/// rows with equal keys for which the condition of [`mixed_inner_join`] is true.
///
/// In libcudf `mixed_left_semi_join` (in any order), in SQL `WHERE EXISTS`.
///
/// # Errors
/// The errors of [`mixed_inner_join`].
#[doc(alias("semi join", "exists"))]
pub fn mixed_left_semi_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
    condition: &Expr,
) -> Result<Column> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("mixed_left_semi_join", &[&left, &right])?
        .run(|ctx| detail::join::mixed_filter(FilterKind::Semi, &left, &right, on, condition, ctx))
}

/// Returns the numbers of the rows of `left` that have no match in `right`, in ascending order. A match is a pair of
/// rows with equal keys for which the condition of [`mixed_inner_join`] is true.
///
/// In libcudf `mixed_left_anti_join` (in any order), in SQL `WHERE NOT EXISTS`.
///
/// # Errors
/// The errors of [`mixed_inner_join`].
#[doc(alias("anti join", "not exists"))]
pub fn mixed_left_anti_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
    condition: &Expr,
) -> Result<Column> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("mixed_left_anti_join", &[&left, &right])?
        .run(|ctx| detail::join::mixed_filter(FilterKind::Anti, &left, &right, on, condition, ctx))
}

/// Returns the number of pairs that [`mixed_inner_join`] returns. The pairs are not kept.
///
/// In libcudf `mixed_inner_join_size`.
///
/// # Errors
/// The errors of [`mixed_inner_join`].
pub fn mixed_inner_join_size<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
    condition: &Expr,
) -> Result<usize> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("mixed_inner_join_size", &[&left, &right])?
        .run(|ctx| detail::join::mixed_join_size(JoinKind::Inner, &left, &right, on, condition, ctx))
}

/// Returns the number of pairs that [`mixed_left_join`] returns. The pairs are not kept.
///
/// In libcudf `mixed_left_join_size`.
///
/// # Errors
/// The errors of [`mixed_inner_join`].
pub fn mixed_left_join_size<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
    condition: &Expr,
) -> Result<usize> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("mixed_left_join_size", &[&left, &right])?
        .run(|ctx| detail::join::mixed_join_size(JoinKind::Left, &left, &right, on, condition, ctx))
}

/// Returns the number of matches of each row of `left`, as `Int64` without nulls: the right rows with equal keys for
/// which the condition of [`mixed_inner_join`] is true. The pairs are not kept.
///
/// The result has a row for each row of `left`, in the order of `left`. A left join has one pair, with
/// [`JOIN_NO_MATCH`](crate::join::JOIN_NO_MATCH), for a row with 0 matches. Nulls and NaN: as for
/// [`mixed_inner_join`]. In libcudf the counts of `mixed_inner_join_size` and `mixed_left_join_size`.
///
/// ```
/// use gdf::expr::col;
/// use gdf::join::{JoinKeys, mixed_match_counts};
/// use gdf::{Column, Table};
///
/// let sales = Table::try_new(vec![Column::from_slice(&[7, 8, 7])?, Column::from_slice(&[10, 11, 12])?])?; // item, day
/// let prices = Table::try_new(vec![Column::from_slice(&[7, 7, 8])?, Column::from_slice(&[1, 11, 20])?])?; // item, since
/// let counts = mixed_match_counts(&sales, &prices, &JoinKeys::new(&[0], &[0]), &col(1).ge(col(3)))?;
/// assert_eq!(counts.to_vec::<i64>()?, [Some(1), Some(0), Some(2)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the costs of [`mixed_inner_join`], and of two searches in the left row numbers of each group of
/// left rows.
///
/// # Errors
/// * The errors of [`mixed_inner_join`].
#[doc(alias("match context", "per-row counts"))]
pub fn mixed_match_counts<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
    condition: &Expr,
) -> Result<Column> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("mixed_match_counts", &[&left, &right])?
        .run(|ctx| detail::join::mixed_match_counts(&left, &right, on, condition, ctx))
}
