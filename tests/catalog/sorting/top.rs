//! Cases of the entries that return only the first rows.

use arrow_schema::DataType;

use super::{Keys, MANY_ROWS, TWO_NULLS, all_types, few, row_numbers, single, special};
use crate::catalog::Case;
use crate::catalog::shared::tables::{gather_waits, split};
use crate::naive;
use crate::naive::sorting::Direction;

/// Returns columns, the number of rows to return, and the order.
fn top_inputs() -> Vec<(Keys, usize)> {
    let mut all = Vec::new();
    let columns = [all_types(), single(&few(), &[0, 1, 33, 300, 5000], TWO_NULLS), special()].concat();
    let many = single(&[DataType::Float64], &[MANY_ROWS + 1], &TWO_NULLS[1..]);
    for (i, mut keys) in columns.into_iter().filter(|keys| keys.columns.len() == 1).chain(many).enumerate() {
        // The null pattern changes from column to column, and the order after two columns.
        let descending = i / 2 % 2 == 1;
        keys.directions = vec![Direction { descending, nulls_smallest: descending }];
        for k in [1, 10, usize::MAX] {
            // If a table has many rows, the case returns only 1,000 rows.
            let k = match (keys.rows() > MANY_ROWS, k) {
                (true, 10) => 1000,
                (true, _) => continue,
                (false, k) => k,
            };
            let mut keys = keys.clone();
            keys.label += if descending { ", largest" } else { ", smallest" };
            if k != usize::MAX {
                keys.label += &format!(" {k}");
            }
            all.push((keys, k));
        }
    }
    all
}

pub(crate) fn top() -> Vec<Case> {
    let case = |(keys, k): (Keys, usize)| {
        let order = keys.orders()[0];
        let waits = keys.waits() + gather_waits(&keys.columns);
        let directions = keys.directions;
        Case::new(
            keys.label,
            keys.columns,
            move |inputs| Ok(vec![gdf_api::sorting::top_k(split(inputs)?.1, k, order)?]),
            move |inputs| naive::sorting::sort_by_key(inputs, inputs, &directions, k),
            waits,
        )
    };
    top_inputs().into_iter().map(case).collect()
}

pub(crate) fn top_rows() -> Vec<Case> {
    let case = |(keys, k): (Keys, usize)| {
        let order = keys.orders()[0];
        let waits = keys.waits();
        let directions = keys.directions;
        Case::new(
            keys.label,
            keys.columns,
            move |inputs| Ok(vec![gdf_api::sorting::top_k_order(split(inputs)?.1, k, order)?]),
            move |inputs| {
                let rows = naive::sorting::order(inputs, &directions);
                Ok(row_numbers(rows.into_iter().take(k).collect()))
            },
            waits,
        )
    };
    top_inputs().into_iter().map(case).collect()
}
