//! Pairs of a join that are filtered by a condition; part of [`join`](crate::join).

use gdf_core::{Column, ColumnView, Result, TableView};
use gdf_detail as detail;
use gdf_detail::join::JoinKind;
use gdf_expr::Expr;

use crate::scope::Scope;

/// Returns the pairs that remain if a condition is added to a join that returned `rows`: a column of left row numbers
/// and a column of right row numbers.
///
/// The condition is an expression over the columns of both tables, as in
/// [`conditional_inner_join`](super::conditional_inner_join). A pair remains if the condition is true. The kind states
/// which rows are kept without a match:
/// * `Inner`: none. Pairs with [`JOIN_NO_MATCH`](super::JOIN_NO_MATCH) are dropped.
/// * `Left`: each left row of `rows` of which no pair remains is paired once with `JOIN_NO_MATCH`.
/// * `Full`: the same, and each right row of `rows` of which no pair remains is paired once with `JOIN_NO_MATCH`.
///
/// # Shapes and types
/// The columns of `rows` have the same length, and the types of row numbers that joins return. A number that is no row
/// counts as `JOIN_NO_MATCH`, and so does a null. The condition is boolean.
///
/// # Nulls and NaN
/// A pair for which the condition is null does not remain. Nulls and NaN follow the rules of the operators.
///
/// Order: the remaining pairs in their order, then left rows without a match in ascending order, then right rows
/// without a match in ascending order. In libcudf `filter_join_indices` (which promises no order).
///
/// ```
/// use gdf::expr::col;
/// use gdf::join::{JOIN_NO_MATCH, JoinKind, NullEquality, filter_join_pairs, left_join};
/// use gdf::{Column, Table};
///
/// let sales = Table::try_new(vec![Column::from_slice(&[7, 8, 7])?, Column::from_slice(&[10, 11, 12])?])?; // item, day
/// let prices = Table::try_new(vec![Column::from_slice(&[7, 7, 8])?, Column::from_slice(&[1, 11, 20])?])?; // item, since
/// let pairs = left_join(&sales.select(&[0])?, &prices.select(&[0])?, NullEquality::Equal)?;
/// let (sale, price) = filter_join_pairs(JoinKind::Left, &sales, &prices, (&pairs.0, &pairs.1), &col(1).ge(col(3)))?;
/// assert_eq!(sale.to_vec::<u32>()?.len(), 4);
/// assert_eq!(sale.get::<u32>(3)?, Some(1));
/// assert_eq!(price.get::<u32>(3)?, Some(JOIN_NO_MATCH));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The pairs are tested in tiles of up to 4,194,304, with 1 wait for each tile and the waits of
/// [`compute_column`](crate::transform::compute_column()). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch) if the columns of `rows` differ in length;
///   [`TypeMismatch`](gdf_core::Error::TypeMismatch) if they are not row numbers of the tables.
/// * The errors of [`conditional_inner_join`](super::conditional_inner_join).
#[doc(alias("filter_join_indices", "post-filter", "residual condition"))]
pub fn filter_join_pairs<'l, 'r>(
    kind: JoinKind,
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    rows: (impl Into<ColumnView<'l>>, impl Into<ColumnView<'r>>),
    condition: &Expr,
) -> Result<(Column, Column)> {
    let (left, right) = (left.into(), right.into());
    let (left_rows, right_rows) = (rows.0.into(), rows.1.into());
    Scope::for_inputs("filter_join_pairs", &[&left, &right, &left_rows, &right_rows])?
        .run(|ctx| detail::join::filter_join_pairs(kind, [&left, &right], [left_rows, right_rows], condition, ctx))
}
