//! Joins by conditions. A condition can call every function that expressions have, including functions of text.

use gdf_compute::expression::Condition;
use gdf_compute::reduction::minmax;
use gdf_core::{Abilities, Column, ColumnView, Error, Result, TableView, ValueOrder, is_floating};
use gdf_engine::check;
use gdf_engine::decoded::{decoded_type, has_null_values};
use gdf_expr::{Expr, KeySet, Value, col, lit};
use gdf_relational::join::{self as relational, KeyFilter};
pub use gdf_relational::join::{
    AsofDirection, AsofKeys, FilterKind, JOIN_NO_MATCH, JoinKeys, JoinKind, JoinTable, NullEquality, Partitions,
    Presorted, asof_join, asof_join_rows, cross_join, cross_join_rows, filter, filter_table, join, join_tables, lookup,
    mark_join, match_counts, probe_marks, right_rows, sort_merge_join,
};

use crate::Ctx;
use crate::expression::AllFunctions;

/// Returns a condition that is true for every left row with a match in `table`. `columns` are the positions of the left
/// keys. `gdf_api::join::HashJoin::filter` documents the condition. The function **waits** for the range of the keys.
///
/// # Errors
/// * [`ColumnCount`](Error::ColumnCount) if `columns` does not have a position for each key; driver and memory errors.
pub fn key_filter(table: &JoinTable<'_>, columns: &[usize], ctx: Ctx<'_>) -> Result<Expr> {
    let keys = table.keys();
    if columns.len() != keys.num_columns() {
        return Err(Error::column_count(keys.num_columns(), columns.len()).in_argument("columns"));
    }
    if keys.num_rows() == 0 {
        return Ok(lit(false));
    }
    let has_null_keys =
        |key: &ColumnView<'_>| table.nulls() == NullEquality::Equal && (key.has_validity() || has_null_values(*key));
    let is_null =
        |key: &ColumnView<'_>, position: usize| col(position).cast(decoded_type(key.data_type()).clone()).is_null();
    let or_null = |condition: Expr| {
        let nullable = keys.columns().iter().zip(columns).filter(|(key, _)| has_null_keys(key));
        nullable.fold(condition, |condition, (key, position)| condition.or(is_null(key, *position)))
    };
    let filter = KeyFilter::new(keys, ctx)?;
    let has_bit_of_each_value = filter.as_ref().is_some_and(|filter| filter.first().is_some());
    let mut conditions = Vec::new();
    if let Some(filter) = filter {
        conditions.push(or_null(Expr::is_key(columns.iter().map(|position| col(*position)), &KeySet::new(filter))));
    }
    // The filter has a bit for each value in the range of its keys, so a test of the range would be a second one.
    let bounded = if has_bit_of_each_value { &[] } else { columns };
    for (key, position) in keys.columns().iter().zip(bounded) {
        let bounds = match bounds_of(*key, *position, ctx)? {
            Some(bounds) if has_null_keys(key) => bounds.or(is_null(key, *position)),
            Some(bounds) => bounds,
            None => continue,
        };
        conditions.push(bounds);
    }
    Ok(conditions.into_iter().rev().reduce(Expr::and).unwrap_or_else(|| lit(true)))
}

/// Returns a condition on left rows with the keys `left_keys`, which is true for exactly the rows with a match in
/// `right`. `gdf_api::join::semi_condition` documents the condition. The function **waits** for the range of the keys.
///
/// # Errors
/// * [`ColumnCount`](Error::ColumnCount) if `left_keys` and `right` have different numbers of keys; driver and memory
///   errors.
pub fn semi_condition(
    left_keys: &[Expr],
    right: &TableView<'_>,
    left_rows: usize,
    ctx: Ctx<'_>,
) -> Result<Option<Expr>> {
    check::table(right, ctx)?;
    if left_keys.len() != right.num_columns() {
        return Err(Error::column_count(right.num_columns(), left_keys.len()).in_argument("left_keys"));
    }
    // A join with a larger right side first removes its rows without a match.
    if right.num_rows() > left_rows {
        return Ok(None);
    }
    let filter = KeyFilter::of_range(right, left_rows, ctx)?;
    Ok(filter.map(|filter| Expr::is_key(left_keys.iter().cloned(), &KeySet::new(filter))))
}

/// Returns the condition that the column at `position` lies between the smallest and the largest row of `key`. Returns
/// `None` for keys that are not numbers, dates or times, and for keys with a NaN.
fn bounds_of(key: ColumnView<'_>, position: usize, ctx: Ctx<'_>) -> Result<Option<Expr>> {
    let abilities = Abilities::of(key.data_type());
    if !matches!(abilities.order, Some(ValueOrder::Words | ValueOrder::Wide)) || abilities.encoded {
        return Ok(None);
    }
    let (smallest, largest) = minmax(key, ctx.scratch())?;
    let [smallest, largest] = [Value::from_scalar(&smallest)?, Value::from_scalar(&largest)?];
    let of_float = |value: &Value| value.float().or(value.half_or_single().map(f64::from));
    // If the table has a NaN key, the largest key is NaN. A join matches a NaN with a NaN, but in a condition no NaN is
    // equal to a NaN.
    let has_nan = is_floating(key.data_type()) && of_float(&largest).is_some_and(f64::is_nan);
    Ok(match () {
        () if has_nan => None,
        () if smallest.is_null() => Some(lit(false)),
        () => Some(col(position).between(smallest, largest)),
    })
}

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

/// Returns the numbers of the left rows with a match, or without a match, as `kind` states. The numbers ascend.
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

/// Returns the number of pairs that [`conditional_join`] returns. The function **waits** for the number.
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

/// Returns the number of rows that [`conditional_filter`] returns. The function **waits** for the number.
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

/// Returns the numbers of the left rows with a match, or without a match, as `kind` states. The numbers ascend.
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

/// Returns the number of pairs that [`mixed_join`] returns. The function **waits** for the number.
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

/// Returns the number of matches of each left row of [`conditional_join`].
///
/// # Errors
/// * The errors of [`conditional_join`].
pub fn conditional_match_counts(
    left: &TableView<'_>,
    right: &TableView<'_>,
    condition: &Expr,
    ctx: Ctx<'_>,
) -> Result<Column> {
    relational::conditional_match_counts(left, right, with_functions(condition), ctx)
}

/// Returns the number of matches of each left row of [`mixed_join`].
///
/// # Errors
/// * The errors of [`mixed_join`].
pub fn mixed_match_counts(
    left: &TableView<'_>,
    right: &TableView<'_>,
    on: &JoinKeys<'_>,
    condition: &Expr,
    ctx: Ctx<'_>,
) -> Result<Column> {
    relational::mixed_match_counts(left, right, on, with_functions(condition), ctx)
}

/// Returns the pairs of `rows` that remain in a join with the condition.
///
/// # Errors
/// * [`LengthMismatch`](Error::LengthMismatch), [`TypeMismatch`](Error::TypeMismatch) for the row numbers.
/// * The errors of [`conditional_join`].
pub fn filter_join_pairs(
    kind: JoinKind,
    sides: [&TableView<'_>; 2],
    rows: [ColumnView<'_>; 2],
    condition: &Expr,
    ctx: Ctx<'_>,
) -> Result<(Column, Column)> {
    relational::filter_join_pairs(kind, sides, rows, with_functions(condition), ctx)
}
