//! Values over partitions: aggregations of the rows with equal keys, for each row.

use gdf_api::copying::{OutOfBoundsPolicy, gather, scatter};
use gdf_api::join::{HashJoin, NullEquality};
use gdf_core::{Column, Error, Result, TableView};

use super::Rows;
use super::aggregate::{Aggregates, groups};
use crate::expr::{Expr, Over};

/// Returns a row for each row of the source, which has no conditions.
///
/// The rows are grouped by the keys. The value of each group is then found by a join of the rows with the groups.
pub(super) fn values(rows: &mut Rows, over: &Over) -> Result<Column> {
    if over.keys.is_empty() {
        return Err(
            Error::invalid_argument("`over` has no keys").with_remedy("pass the columns that form the partitions")
        );
    }
    if !over.value.is_aggregated() {
        return Err(Error::invalid_argument(
            "the expression before `over` contains a column outside of an aggregation",
        )
        .in_expression(|| over.value.to_string()));
    }
    let keys = rows.expanded(&over.keys)?;
    let aggregates = Aggregates::new([&over.value]);
    let groups = groups(rows, &keys, &aggregates, false)?;
    let value = aggregates.value(&over.value, &keys)?;
    let values = gdf_api::pipeline::Pipeline::new(groups.table()).project(&[value])?;
    let group_keys = TableView::try_new(groups.table().columns()[..keys.len()].iter().map(Column::view).collect())?;
    let key_values = rows.resolve_all(keys.iter().collect::<Vec<&Expr>>().into_iter())?;
    let row_keys = rows.project(&key_values)?;
    let (left, right) = HashJoin::try_new(group_keys, NullEquality::Equal)?.inner_join(&row_keys)?;
    // Every row has exactly one group, so the result has a row for each row. The rows of a join are in no order.
    let found = gather(&values, &right, OutOfBoundsPolicy::Nullify)?;
    let ordered = scatter(&found, &left, &found, OutOfBoundsPolicy::Nullify)?;
    ordered.into_columns().pop().ok_or_else(|| Error::internal("the values over partitions are missing"))
}
