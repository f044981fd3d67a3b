//! Joins by conditions. The conditions can call the functions of all crates.

use gdf_compute::expression::Condition;
use gdf_core::{Column, Result, TableView};
use gdf_expr::Expr;
use gdf_relational::join as relational;
pub use gdf_relational::join::{
    AsofDirection, AsofKeys, FilterKind, JOIN_NO_MATCH, JoinKeys, JoinKind, JoinTable, NullEquality, asof_join,
    asof_join_rows, cross_join, cross_join_rows, filter, filter_table, join, join_tables,
};

use crate::Ctx;
use crate::expression::AllFunctions;

fn with_functions(expression: &Expr) -> Condition<'_> {
    Condition { expression, functions: &AllFunctions }
}

/// Finds the pairs of rows for which the condition is true. The function returns the row numbers of the pairs in two
/// columns: the left rows, then the right rows.
///
/// # Errors
/// * The errors of [`Graph::bind`](gdf_expr::Graph::bind), and of the operations.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for a condition that is not boolean.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
pub fn conditional_join(
    kind: JoinKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    condition: &Expr,
    ctx: Ctx<'_>,
) -> Result<(Column, Column)> {
    relational::conditional_join(kind, left, right, with_functions(condition), ctx)
}

/// Returns the numbers of the selected left rows in ascending order.
///
/// # Errors
/// * The errors of [`conditional_join`].
pub fn conditional_filter(
    kind: FilterKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    condition: &Expr,
    ctx: Ctx<'_>,
) -> Result<Column> {
    relational::conditional_filter(kind, left, right, with_functions(condition), ctx)
}

/// Returns the number of pairs that [`conditional_join`] returns. **Waits** for the number.
///
/// # Errors
/// * The errors of [`conditional_join`].
pub fn conditional_join_size(
    kind: JoinKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    condition: &Expr,
    ctx: Ctx<'_>,
) -> Result<usize> {
    relational::conditional_join_size(kind, left, right, with_functions(condition), ctx)
}

/// Returns the number of rows that [`conditional_filter`] returns. **Waits** for the number.
///
/// # Errors
/// * The errors of [`conditional_join`].
pub fn conditional_filter_size(
    kind: FilterKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    condition: &Expr,
    ctx: Ctx<'_>,
) -> Result<usize> {
    relational::conditional_filter_size(kind, left, right, with_functions(condition), ctx)
}

/// Finds the pairs of rows that have equal keys and for which the condition is true. The function returns the row
/// numbers of the pairs in two columns: the left rows, then the right rows.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) if the position of a key is not a column of its table.
/// * The errors of [`join`](join()) and [`conditional_join`].
pub fn mixed_join(
    kind: JoinKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    on: &JoinKeys<'_>,
    condition: &Expr,
    ctx: Ctx<'_>,
) -> Result<(Column, Column)> {
    relational::mixed_join(kind, left, right, on, with_functions(condition), ctx)
}

/// Returns the numbers of the selected left rows in ascending order.
///
/// # Errors
/// * The errors of [`mixed_join`].
pub fn mixed_filter(
    kind: FilterKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    on: &JoinKeys<'_>,
    condition: &Expr,
    ctx: Ctx<'_>,
) -> Result<Column> {
    relational::mixed_filter(kind, left, right, on, with_functions(condition), ctx)
}

/// Returns the number of pairs that [`mixed_join`] returns. **Waits** for the number.
///
/// # Errors
/// * The errors of [`mixed_join`].
pub fn mixed_join_size(
    kind: JoinKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    on: &JoinKeys<'_>,
    condition: &Expr,
    ctx: Ctx<'_>,
) -> Result<usize> {
    relational::mixed_join_size(kind, left, right, on, with_functions(condition), ctx)
}
