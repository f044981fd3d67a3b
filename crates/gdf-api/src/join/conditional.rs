//! Joins by a condition; part of [`join`](crate::join).

use gdf_core::{Column, Result, TableView};
use gdf_detail as detail;
use gdf_detail::join::{FilterKind, JoinKind};
use gdf_expr::Expr;

use crate::scope::Scope;

/// Returns the pairs of rows of `left` and `right` for which a condition is true: a column of left row numbers and a
/// column of right row numbers.
///
/// The condition is an expression over the columns of both tables. The columns of `left` have the positions from 0 on,
/// and the columns of `right` follow: column `j` of `right` is `col(left.num_columns() + j)`. The condition is tested
/// for each pair of a left row and a right row. If parts of the condition are equalities of columns,
/// [`mixed_inner_join`](crate::join::mixed_inner_join) tests far fewer pairs.
///
/// # Types
/// The condition is boolean. Its columns and parts have the types of
/// [`compute_column`](crate::transform::compute_column()): numbers, decimals, text and everything else that expressions
/// accept. The sides may have any number of columns, of different types. The row numbers are described in
/// [`join`](crate::join).
///
/// # Nulls and NaN
/// A pair for which the condition is null is no match. Nulls and NaN follow the rules of the operators: `=` of a null
/// is null, and a NaN is not equal to a NaN. `NULL_EQUALS` matches nulls.
///
/// Shapes: two columns of the same length, which is at most the product of the numbers of rows. Order: the left row
/// numbers ascend, and the right row numbers of one left row ascend.
///
/// In libcudf `conditional_inner_join` (which promises no order), in polars `join_where`, in SQL `INNER JOIN … ON`
/// with any condition.
///
/// ```
/// use gdf::expr::col;
/// use gdf::join::conditional_inner_join;
/// use gdf::{Column, Table};
///
/// let trips = Table::try_new(vec![Column::from_slice(&[4, 9])?])?; // length
/// let rates = Table::try_new(vec![Column::from_slice(&[0, 5, 8])?, Column::from_slice(&[6, 8, 20])?])?; // from, to
/// let (trip, rate) = conditional_inner_join(&trips, &rates, &col(0).ge(col(1)).and(col(0).lt(col(2))))?;
/// assert_eq!(trip.to_vec::<u32>()?, [Some(0), Some(1)]);
/// assert_eq!(rate.to_vec::<u32>()?, [Some(0), Some(2)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The time grows with the product of the numbers of rows. The memory grows with the sum of these numbers and with the
/// size of the result. Parts of the condition that depend on one side only are computed once for each row of that side.
/// On CUDA, the pairs are tested in tiles of up to 4,194,304, with 1 wait for each tile. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * The errors of [`compute_column`](crate::transform::compute_column()).
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for a condition that is not boolean.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("nested loop join", "theta join", "join_where", "inequality join"))]
pub fn conditional_inner_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    condition: &Expr,
) -> Result<(Column, Column)> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("conditional_inner_join", &[&left, &right])?
        .run(|ctx| detail::join::conditional_join(JoinKind::Inner, &left, &right, condition, ctx))
}

/// Returns the pairs of [`conditional_inner_join`]. In addition, each row of `left` without a match is paired with
/// [`JOIN_NO_MATCH`](crate::join::JOIN_NO_MATCH), at the position that its pairs would have.
///
/// In libcudf `conditional_left_join`, in SQL `LEFT OUTER JOIN … ON`.
///
/// # Costs
/// The function has the costs of [`conditional_inner_join`]. On CUDA, each group of left rows whose pairs fit a tile
/// adds some launches and 1 wait.
///
/// # Errors
/// The errors of [`conditional_inner_join`].
#[doc(alias("left outer join"))]
pub fn conditional_left_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    condition: &Expr,
) -> Result<(Column, Column)> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("conditional_left_join", &[&left, &right])?
        .run(|ctx| detail::join::conditional_join(JoinKind::Left, &left, &right, condition, ctx))
}

/// Returns the pairs of [`conditional_left_join`], followed by the rows of `right` without a match. These rows are in
/// ascending order and are paired with [`JOIN_NO_MATCH`](crate::join::JOIN_NO_MATCH).
///
/// In libcudf `conditional_full_join`, in SQL `FULL OUTER JOIN … ON`.
///
/// # Costs
/// The function has the costs of [`conditional_left_join`], and 1 more wait for the number of right rows without match.
///
/// # Errors
/// The errors of [`conditional_inner_join`].
#[doc(alias("outer join", "full outer join"))]
pub fn conditional_full_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    condition: &Expr,
) -> Result<(Column, Column)> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("conditional_full_join", &[&left, &right])?
        .run(|ctx| detail::join::conditional_join(JoinKind::Full, &left, &right, condition, ctx))
}

/// Returns the numbers of the rows of `left` for which the condition is true with some row of `right`, in ascending
/// order. The condition follows the rules of [`conditional_inner_join`].
///
/// In libcudf `conditional_left_semi_join` (in any order), in SQL `WHERE EXISTS`.
///
/// # Costs
/// The function has the costs of [`conditional_left_join`]. On the CPU, a left row is not tested any more after its
/// first match. Conditions with functions of text or 256-bit numbers of both sides are an exception.
///
/// # Errors
/// The errors of [`conditional_inner_join`].
#[doc(alias("semi join", "exists"))]
pub fn conditional_left_semi_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    condition: &Expr,
) -> Result<Column> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("conditional_left_semi_join", &[&left, &right])?
        .run(|ctx| detail::join::conditional_filter(FilterKind::Semi, &left, &right, condition, ctx))
}

/// Returns the numbers of the rows of `left` for which the condition is true with no row of `right`, in ascending
/// order. The condition is that of [`conditional_inner_join`].
///
/// In libcudf `conditional_left_anti_join` (in any order), in SQL `WHERE NOT EXISTS`.
///
/// # Costs
/// The function has the costs of [`conditional_left_semi_join`].
///
/// # Errors
/// The errors of [`conditional_inner_join`].
#[doc(alias("anti join", "not exists"))]
pub fn conditional_left_anti_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    condition: &Expr,
) -> Result<Column> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("conditional_left_anti_join", &[&left, &right])?
        .run(|ctx| detail::join::conditional_filter(FilterKind::Anti, &left, &right, condition, ctx))
}

/// Returns the number of pairs that [`conditional_inner_join`] returns. The pairs are not kept.
///
/// In libcudf `conditional_inner_join_size`.
///
/// ```
/// use gdf::expr::col;
/// use gdf::join::conditional_inner_join_size;
/// use gdf::{Column, Table};
///
/// let numbers = Table::try_new(vec![Column::from_slice(&[1, 2, 3])?])?;
/// assert_eq!(conditional_inner_join_size(&numbers, &numbers, &col(0).lt(col(1)))?, 3);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// The errors of [`conditional_inner_join`].
pub fn conditional_inner_join_size<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    condition: &Expr,
) -> Result<usize> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("conditional_inner_join_size", &[&left, &right])?
        .run(|ctx| detail::join::conditional_join_size(JoinKind::Inner, &left, &right, condition, ctx))
}

/// Returns the number of pairs that [`conditional_left_join`] returns. The pairs are not kept.
///
/// In libcudf `conditional_left_join_size`.
///
/// # Errors
/// The errors of [`conditional_inner_join`].
pub fn conditional_left_join_size<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    condition: &Expr,
) -> Result<usize> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("conditional_left_join_size", &[&left, &right])?
        .run(|ctx| detail::join::conditional_join_size(JoinKind::Left, &left, &right, condition, ctx))
}

/// Returns the number of rows that [`conditional_left_semi_join`] returns. The rows are not kept.
///
/// In libcudf `conditional_left_semi_join_size`.
///
/// # Errors
/// The errors of [`conditional_inner_join`].
pub fn conditional_left_semi_join_size<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    condition: &Expr,
) -> Result<usize> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("conditional_left_semi_join_size", &[&left, &right])?
        .run(|ctx| detail::join::conditional_filter_size(FilterKind::Semi, &left, &right, condition, ctx))
}

/// Returns the number of rows that [`conditional_left_anti_join`] returns. The rows are not kept.
///
/// In libcudf `conditional_left_anti_join_size`.
///
/// # Errors
/// The errors of [`conditional_inner_join`].
pub fn conditional_left_anti_join_size<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    condition: &Expr,
) -> Result<usize> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("conditional_left_anti_join_size", &[&left, &right])?
        .run(|ctx| detail::join::conditional_filter_size(FilterKind::Anti, &left, &right, condition, ctx))
}

/// Returns the number of matches of each row of `left`, as `Int64` without nulls: the right rows for which the
/// condition of [`conditional_inner_join`] is true. The pairs are not kept.
///
/// The result has a row for each row of `left`, in the order of `left`. A left join has one pair, with
/// [`JOIN_NO_MATCH`](crate::join::JOIN_NO_MATCH), for a row with 0 matches. Nulls and NaN: as for
/// [`conditional_inner_join`]. In polars `join_where` and `group_by(…).len()`.
///
/// ```
/// use gdf::expr::col;
/// use gdf::join::conditional_match_counts;
/// use gdf::{Column, Table};
///
/// let numbers = |numbers: &[i32]| Table::try_new(vec![Column::from_slice(numbers)?]);
/// let counts = conditional_match_counts(&numbers(&[5, 1, 9])?, &numbers(&[1, 4, 7])?, &col(0).gt(col(1)))?;
/// assert_eq!(counts.to_vec::<i64>()?, [Some(2), Some(0), Some(3)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the costs of [`conditional_inner_join`], and of two searches in the left row numbers of each group
/// of left rows.
///
/// # Errors
/// * The errors of [`conditional_inner_join`].
#[doc(alias("match context", "per-row counts"))]
pub fn conditional_match_counts<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    condition: &Expr,
) -> Result<Column> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("conditional_match_counts", &[&left, &right])?
        .run(|ctx| detail::join::conditional_match_counts(&left, &right, condition, ctx))
}
