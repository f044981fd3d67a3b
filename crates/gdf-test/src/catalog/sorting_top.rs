//! Cases of the entries that give the first rows only.

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use super::moved_rows::split;
use super::sorting::{Keys, MANY_ROWS, TWO_NULLS, all_types, few, gathering, plus, row_numbers, single, special};
use super::sorting_cost::{Way, way};
use super::{Case, Cost};
use crate::naive;
use crate::naive::sorting::Direction;

/// Columns, how many rows of them, and the order: nulls last in either.
fn top_inputs() -> Vec<(Keys, usize)> {
    let mut all = Vec::new();
    let columns = [all_types(), single(&few(), &[0, 1, 33, 300, 5000], TWO_NULLS), special()].concat();
    let many = single(&[DataType::Float64], &[MANY_ROWS + 1], &TWO_NULLS[1..]);
    for (i, mut keys) in columns.into_iter().filter(|keys| keys.columns.len() == 1).chain(many).enumerate() {
        let descending = i % 2 == 0;
        keys.directions = vec![Direction { descending, nulls_smallest: descending }];
        for k in [1, 10, usize::MAX] {
            // Of many rows a thousand: sorting all of them is shown above.
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

/// The cost of the row numbers of the first `k` rows, whose rows are `first`.
fn top_cost(keys: &Keys, first: &[ArrayRef]) -> Cost {
    if keys.rows() <= MANY_ROWS {
        return way(&keys.columns, &keys.directions).order();
    }
    // A sample, those that it leaves, their values, and their order by one launch.
    let own = Cost { launches: 3, waits: 2, allocations: 3, device_to_host_bytes: 0 };
    plus(own, gathering(&keys.columns, first))
}

/// How the rows are sorted, if there are any.
fn way_of_rows(keys: &Keys) -> Option<Way> {
    (keys.rows() > 0).then(|| way(&keys.columns, &keys.directions))
}

pub(super) fn top() -> Vec<Case> {
    let case = |(keys, k): (Keys, usize)| {
        let order = keys.orders()[0];
        let sorted = naive::sorting::sort_by_key(&keys.columns, &keys.columns, &keys.directions, k).unwrap_or_default();
        let gathered = gathering(&keys.columns, &sorted);
        let cost = match way_of_rows(&keys) {
            Some(way) if matches!(way, Way::Small) => way.direct(&keys.columns).unwrap_or_default(),
            Some(_) => plus(top_cost(&keys, &sorted), gathered),
            None => gathered,
        };
        let directions = keys.directions;
        Case::new(
            keys.label,
            keys.columns,
            move |inputs, stream, mr| {
                let (_, column) = split(inputs)?;
                Ok(vec![gdf_detail::sorting::top_k(column.view(), k, order, stream, mr)?])
            },
            move |inputs| naive::sorting::sort_by_key(inputs, inputs, &directions, k),
            cost,
        )
        .with_api(move |inputs| Ok(vec![gdf_api::sorting::top_k(split(inputs)?.1, k, order)?]))
    };
    top_inputs().into_iter().map(case).collect()
}

pub(super) fn top_rows() -> Vec<Case> {
    let case = |(keys, k): (Keys, usize)| {
        let order = keys.orders()[0];
        let cost = if keys.rows() == 0 { Cost::default() } else { top_cost(&keys, &keys.columns) };
        let directions = keys.directions;
        Case::new(
            keys.label,
            keys.columns,
            move |inputs, stream, mr| {
                let (_, column) = split(inputs)?;
                Ok(vec![gdf_detail::sorting::top_k_order(column.view(), k, order, stream, mr)?])
            },
            move |inputs| {
                let rows = naive::sorting::order(inputs, &directions);
                Ok(row_numbers(rows.into_iter().take(k).collect()))
            },
            cost,
        )
        .with_api(move |inputs| Ok(vec![gdf_api::sorting::top_k_order(split(inputs)?.1, k, order)?]))
    };
    top_inputs().into_iter().map(case).collect()
}
