//! Mark joins; part of [`join`](crate::join).

use gdf_core::{Column, Result, TableView};
use gdf_detail as detail;
use gdf_detail::join::NullEquality;

use crate::scope::Scope;

/// Returns for each row of `left` whether `right` has an equal row. All columns of both tables are keys.
///
/// The result is a boolean column without nulls, with a row for each row of `left`, in the order of `left`. Types,
/// nulls and NaN: as for [`inner_join`](crate::join::inner_join). With
/// [`NullEquality::Unequal`](crate::join::NullEquality::Unequal), a row with a null key has no match, and the result is
/// false. The three-valued result of `IN` in SQL is null in such a row.
///
/// In libcudf `contains` of tables, in pandas and polars `isin`, in SQL `EXISTS (…)` as a column. The rows for which
/// the result is true are those of [`left_semi_join`](crate::join::left_semi_join), which libcudf's `mark_join`
/// returns.
///
/// ```
/// use gdf::join::{NullEquality, mark_join};
/// use gdf::{Column, Table};
///
/// let orders = Table::try_new(vec![Column::from_slice(&[3, 1, 3, 9])?])?;
/// let parts = Table::try_new(vec![Column::from_slice(&[1, 2, 3, 3])?])?;
/// let known = mark_join(&orders, &parts, NullEquality::Unequal)?;
/// assert_eq!(known.to_vec::<bool>()?, [true, true, true, false].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`left_semi_join`](crate::join::left_semi_join). See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * The errors of [`inner_join`](crate::join::inner_join).
#[doc(alias("exists", "isin", "contains", "semi join"))]
pub fn mark_join<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    nulls: NullEquality,
) -> Result<Column> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("mark_join", &[&left, &right])?.run(|ctx| detail::join::mark_join(&left, &right, nulls, ctx))
}
