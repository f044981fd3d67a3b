//! Oracles of `groupby.scan` and `groupby.rank`.

use arrow_array::{Array, ArrayRef};
use gdf_core::is_floating;
use gdf_detail::groupby::{GroupByAggregation as A, NullPolicy, RankOrder};
use gdf_detail::scan::{RankMethod, RankPercentage, ScanAggregation, ScanType};
use gdf_detail::sorting::{NullOrder, Order};

use super::{groups, one};
use crate::documented_types::group_type;
use crate::naive::scan::nothing;
use crate::naive::sorting::{Direction, order};
use crate::naive::unary::cast::float;
use gdf_test::value::{Value, from_values, to_values};

/// Returns the aggregation of groups that computes the same value as the scan.
pub fn aggregation_of(scan: ScanAggregation) -> A {
    match scan {
        ScanAggregation::Sum => A::Sum,
        ScanAggregation::Product => A::Product,
        ScanAggregation::Min => A::Min,
        ScanAggregation::Max => A::Max,
        ScanAggregation::CountValid => A::CountValid,
        _ => A::CountAll,
    }
}

/// For each row, returns the aggregation of the rows of the same group before this row. An inclusive scan also includes
/// this row.
///
/// # Errors
/// * The type of the values does not support the aggregation.
pub fn scan(
    keys: &[ArrayRef],
    values: &ArrayRef,
    policy: NullPolicy,
    aggregation: ScanAggregation,
    scan_type: ScanType,
) -> Result<Vec<ArrayRef>, String> {
    let aggregate = aggregation_of(aggregation);
    let input = values.data_type();
    let output = group_type(aggregate, input).ok_or_else(|| format!("{aggregation:?} of {input} is not documented"))?;
    let all = to_values(values);
    let counts = matches!(aggregate, A::CountValid | A::CountAll);
    let mut result = vec![None; all.len()];
    for rows in groups(keys, policy).values() {
        for (at, row) in rows.iter().enumerate().filter(|(_, row)| counts || all[**row].is_some()) {
            let end = if scan_type == ScanType::Exclusive { at } else { at + 1 };
            result[*row] = match one(aggregate, input, &output, &all, &rows[..end]) {
                None if is_floating(&output) => Some(float(f64::from(aggregate == A::Product), &output)),
                None => Some(nothing(aggregation, &output)?),
                found => found,
            };
        }
    }
    Ok(vec![from_values(&output, &result)])
}

/// Returns the rank of each value among the sorted values of its group.
///
/// # Errors
/// * The result cannot be built.
pub fn rank(
    keys: &[ArrayRef],
    values: &ArrayRef,
    policy: NullPolicy,
    (method, percentage): (RankMethod, RankPercentage),
    by: RankOrder,
) -> Result<Vec<ArrayRef>, String> {
    let all = to_values(values);
    let direction =
        Direction { descending: by.order == Order::Descending, nulls_smallest: by.null_order == NullOrder::Before };
    let mut result: Vec<Option<Value>> = vec![None; all.len()];
    let mut output = crate::naive::scan::rank(&[values.slice(0, 0)], method, percentage)?;
    for rows in groups(keys, policy).values() {
        let counted = |row: &&usize| by.null_policy == NullPolicy::Include || all[**row].is_some();
        let rows: Vec<usize> = rows.iter().filter(counted).copied().collect();
        let own = |rows: &[usize]| {
            from_values(values.data_type(), &rows.iter().map(|row| all[*row].clone()).collect::<Vec<_>>())
        };
        let sorted: Vec<usize> = order(&[own(&rows)], &[direction]).into_iter().map(|at| rows[at]).collect();
        let ranks = crate::naive::scan::rank(&[own(&sorted)], method, percentage)?;
        for (row, rank) in sorted.into_iter().zip(to_values(&ranks[0])) {
            result[row] = rank;
        }
    }
    output[0] = from_values(output[0].data_type(), &result);
    Ok(output)
}
