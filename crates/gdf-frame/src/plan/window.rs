//! Window functions: values of each row that depend on the rows of its partition.

use std::sync::Arc;

use gdf_api::copying::{OutOfBoundsPolicy, gather, scatter, shift};
use gdf_api::groupby::{GroupBy, NullPolicy, RankOrder};
use gdf_api::join::{HashJoin, NullEquality};
use gdf_api::replace::{ReplacePolicy, replace_nulls_by_policy};
use gdf_api::rolling::{grouped_rolling_window, rolling_window};
use gdf_api::scan::{RankPercentage, ScanAggregation, ScanType, scan};
use gdf_api::scope::with_device;
use gdf_api::sorting::{NullOrder, Order};
use gdf_core::{Column, Error, Literal, Result, Table, TableView};

use super::Rows;
use super::aggregate::{check_nesting, groups};
use super::sums;
use crate::expr::{Aggregate, Aggregation, Expr, Scan, Window, WindowFunction, same};

/// Returns the values of window functions, with a row for each row of the source. The rows must have no conditions.
pub(super) fn values(rows: &mut Rows, windows: Vec<Arc<Window>>) -> Result<Vec<(Arc<Window>, Column)>> {
    let (mut computed, mut waiting) = (Vec::with_capacity(windows.len()), windows);
    while let Some(window) = waiting.pop() {
        let WindowFunction::Aggregate(_) = window.function else {
            let column = of_rows(rows, &window)?;
            computed.push((window, column));
            continue;
        };
        let is_joint =
            |of: &Arc<Window>| matches!(of.function, WindowFunction::Aggregate(_)) && same(&of.keys, &window.keys);
        let (mut joint, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(is_joint);
        waiting = others;
        joint.push(window.clone());
        let columns = of_partitions(rows, &window.keys, &joint)?;
        computed.extend(joint.into_iter().zip(columns));
    }
    Ok(computed)
}

/// Returns aggregations of partitions, for each row. The groups are joined with the rows by their keys.
fn of_partitions(rows: &mut Rows, keys: &[Expr], windows: &[Arc<Window>]) -> Result<Vec<Column>> {
    if keys.is_empty() {
        return Err(
            Error::invalid_argument("`over` has no keys").with_remedy("leave `over` out for aggregations of all rows")
        );
    }
    let keys = rows.expanded(keys)?;
    let aggregates = aggregates_of(windows)?;
    let groups = groups(rows, &keys, &aggregates, false)?;
    let (group_keys, values) = groups.table().columns().split_at(keys.len());
    let group_keys = TableView::try_new(group_keys.iter().map(Column::view).collect())?;
    let row_keys = key_columns(rows, &keys)?;
    let (left, right) = HashJoin::try_new(group_keys, NullEquality::Equal)?.inner_join(&row_keys)?;
    // Every row has exactly one group, and `scatter` puts the results in the order of the rows.
    let values = Table::try_new(values.to_vec())?;
    let found = gather(&values, &right, OutOfBoundsPolicy::Nullify)?;
    Ok(scatter(&found, &left, &found, OutOfBoundsPolicy::Nullify)?.into_columns())
}

pub(super) fn aggregates_of(windows: &[Arc<Window>]) -> Result<Vec<Arc<Aggregate>>> {
    let aggregate = |window: &Arc<Window>| match window.function {
        WindowFunction::Aggregate(function) => Ok(Arc::new(Aggregate { function, values: window.values.clone() })),
        _ => Err(Error::internal("the window function is no aggregation")),
    };
    let aggregates = windows.iter().map(aggregate).collect::<Result<Vec<_>>>()?;
    check_nesting(&aggregates)?;
    Ok(aggregates)
}

fn key_columns(rows: &mut Rows, keys: &[Expr]) -> Result<Table> {
    let keys = rows.resolve_all(keys.iter())?;
    rows.project(&keys).map(Arc::unwrap_or_clone)
}

fn of_rows(rows: &mut Rows, window: &Window) -> Result<Column> {
    let values = window.values.as_ref().ok_or_else(|| Error::internal("the window function has no values"))?;
    let values = key_columns(rows, std::slice::from_ref(values))?;
    let keys = rows.expanded(&window.keys)?;
    let keys = if keys.is_empty() { None } else { Some(key_columns(rows, &keys)?) };
    of_column(window.function, values.column(0)?, keys.as_ref())
}

/// Returns the values of a window function of a column. Rows with equal `keys` are a partition.
pub(super) fn of_column(function: WindowFunction, values: &Column, keys: Option<&Table>) -> Result<Column> {
    let groups = keys.map(|keys| GroupBy::new(keys, NullPolicy::Include));
    match (function, groups) {
        (WindowFunction::Shift(offset), None) => shift(values, offset, Literal::null(values.data_type())),
        (WindowFunction::Shift(offset), Some(groups)) => {
            groups.shift(values, offset, Literal::null(values.data_type()))
        }
        (WindowFunction::Fill { forward }, groups) => {
            let policy = if forward { ReplacePolicy::Preceding } else { ReplacePolicy::Following };
            match groups {
                None => replace_nulls_by_policy(values, policy),
                Some(groups) => groups.replace_nulls_by_policy(values, policy),
            }
        }
        (WindowFunction::Scan(of), None) => {
            let wide = sums::of_scan(of, values)?;
            let scan = |values: &Column| scan(values, of.aggregation(), ScanType::Inclusive, NullPolicy::Exclude);
            sums::checked(of == Scan::Sum, values.data_type(), &wide, scan)
        }
        (WindowFunction::Scan(of), Some(groups)) => {
            let scan = |values: &Column| groups.scan(values, of.aggregation(), ScanType::Inclusive);
            let found = sums::checked(of == Scan::Sum, values.data_type(), values, scan)?;
            match of {
                Scan::Product => sums::as_given(values.data_type(), found),
                Scan::Sum | Scan::Min | Scan::Max => Ok(found),
            }
        }
        (WindowFunction::Rank { method, descending }, groups) => {
            let order = if descending { Order::Descending } else { Order::Ascending };
            let order = RankOrder { order, null_order: NullOrder::default(), null_policy: NullPolicy::Exclude };
            let all = with_device(values.device(), || Column::full(0_i8, values.len()))?;
            let all = Table::try_new(vec![all])?;
            let groups = groups.unwrap_or_else(|| GroupBy::new(&all, NullPolicy::Include));
            groups.rank(values, method, RankPercentage::None, order)
        }
        (WindowFunction::Rolling { aggregation, rows: length, min_rows }, groups) => {
            let function = aggregation.of_windows()?;
            let length = i64::try_from(length).unwrap_or(i64::MAX);
            let windows = |values: &Column| {
                let Some(groups) = &groups else {
                    return rolling_window(values, length, 0, min_rows, function);
                };
                // A rolling window requires that the rows of a group are adjacent.
                let (order, _) = groups.groups()?;
                let sides = Table::try_new(vec![values.clone()])?;
                let sorted = gather(&sides, &order, OutOfBoundsPolicy::Nullify)?;
                let sorted_keys = gather(groups.keys().clone(), &order, OutOfBoundsPolicy::Nullify)?;
                let found = grouped_rolling_window(&sorted_keys, sorted.column(0)?, length, 0, min_rows, function)?;
                let found = Table::try_new(vec![found])?;
                let ordered = scatter(&found, &order, &found, OutOfBoundsPolicy::Nullify)?;
                ordered.into_columns().pop().ok_or_else(|| Error::internal("the window has no result"))
            };
            let wide = sums::of_windows(aggregation, values)?;
            sums::checked(aggregation == Aggregation::Sum, values.data_type(), &wide, windows)
        }
        (WindowFunction::Aggregate(_), _) => {
            Err(Error::internal("an aggregation was planned as a window function of single rows"))
        }
    }
}

impl Scan {
    fn aggregation(self) -> ScanAggregation {
        match self {
            Scan::Sum => ScanAggregation::Sum,
            Scan::Product => ScanAggregation::Product,
            Scan::Min => ScanAggregation::Min,
            Scan::Max => ScanAggregation::Max,
        }
    }
}
