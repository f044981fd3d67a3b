//! Semi joins as conditions on the rows of the left side.

use gdf_core::{Result, TableView};
use gdf_detail as detail;
use gdf_expr::Expr;

use crate::scope::Scope;

/// Returns a condition that is true for exactly those left rows for which [`semi`](super::semi) finds a match in
/// `right`. `left_keys` are the keys of the left side, and `left_rows` is its number of rows.
///
/// A pipeline tests this condition together with its other conditions. Several semi joins and filters of the same rows
/// thus need no copies in between. The condition has a bit for each value in the range of the right keys. Nulls match
/// nothing: the condition is null for a left row with a null key. A condition with bits cannot be serialized, and can
/// be used on the device of `right` only. [`HashJoin::filter`](super::HashJoin::filter) makes conditions for other
/// keys, which may be true for rows without a match.
///
/// Returns `None` if [`semi`](super::semi) is the better way, in each of these cases:
/// * The keys are not one column of integers, dates, times or decimals of at most 64 bits.
/// * There are more right rows than left rows.
/// * The range of the right keys has more than 64 values for each right row, and also more than two for each left row.
///
/// If the types of the left keys differ from the types of `right`, binding the condition is an error.
///
/// The function **waits** for the range of a right column that stores no bounds.
///
/// ```
/// use gdf::expr::col;
/// use gdf::join::semi_condition;
/// use gdf::pipeline::Pipeline;
/// use gdf::{Column, Table};
///
/// let parts = Table::try_new(vec![Column::from_slice(&[20, 30, 25])?])?;
/// let lines = Table::try_new(vec![Column::from_slice(&[30, 7, 20, 30])?, Column::from_slice(&[1.0, 2.0, 3.0, 4.0])?])?;
/// let Some(of_parts) = semi_condition(&[col(0)], &parts, lines.num_rows())? else { unreachable!() };
/// let found = Pipeline::new(&lines).filter(of_parts).filter(col(1).gt(2.0)).project(&[col(0)])?;
/// assert_eq!(found.column(0)?.to_vec::<i32>()?, [Some(20), Some(30)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * [`ColumnCount`](gdf_core::Error::ColumnCount) if `left_keys` and `right` have different numbers of keys.
/// * Driver and memory errors.
#[doc(alias("dynamic filter", "semi join reduction", "in subquery", "exists"))]
pub fn semi_condition<'r>(
    left_keys: &[Expr],
    right: impl Into<TableView<'r>>,
    left_rows: usize,
) -> Result<Option<Expr>> {
    let right = right.into();
    Scope::for_inputs("semi_condition", &[&right])?
        .run(|ctx| detail::join::semi_condition(left_keys, &right, left_rows, ctx))
}
