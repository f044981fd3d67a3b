//! Cases of sorts in which nulls come after all values, except inside of lists.

use arrow_array::ArrayRef;
use gdf_api::sorting::{NullOrder, Order, is_sorted, sort, sorted_order};
use gdf_core::Column;

use super::row_numbers;
use crate::catalog::shared::tables::{as_table, few_nested, gather_waits, nested_key_waits, shown};
use crate::catalog::{Case, SliceCosts};
use crate::naive::sorting as naive;
use gdf_test::builders::bools;
use gdf_test::data::{self, NullPattern};

const NULLS: [NullOrder; 1] = [NullOrder::AfterOutsideOfLists];

/// Returns columns of nested types with the label and the order of each column.
fn inputs() -> Vec<(String, ArrayRef, Order)> {
    let mut all = Vec::new();
    for (seed, data_type) in (0_u64..).zip(data::nested_keys()) {
        for (rows, order) in [(33, Order::Ascending), (120, Order::Descending)] {
            let column = few_nested(&data_type, rows, rows / 2, NullPattern::Some, seed);
            all.push((format!("outside of lists {data_type}/{rows}/{order:?}"), column, order));
        }
    }
    all
}

fn waits(column: &ArrayRef) -> u64 {
    6 + nested_key_waits(std::slice::from_ref(column))
}

pub(crate) fn orders() -> Vec<Case> {
    let case = |(label, column, order): (String, ArrayRef, Order)| {
        let waits = waits(&column);
        let run = move |inputs: &[Column]| Ok(vec![sorted_order(&as_table(inputs)?, &[order], &NULLS)?]);
        let oracle = move |inputs: &[ArrayRef]| {
            Ok(row_numbers(naive::order_outside_of_lists(&inputs[0], order == Order::Descending)))
        };
        Case::new(label, vec![column], run, oracle, waits).with_slice_costs(SliceCosts::Own)
    };
    inputs().into_iter().map(case).collect()
}

pub(crate) fn sorts() -> Vec<Case> {
    let case = |(label, column, order): (String, ArrayRef, Order)| {
        let waits = waits(&column) + gather_waits(std::slice::from_ref(&column));
        let run = move |inputs: &[Column]| Ok(sort(&as_table(inputs)?, &[order], &NULLS)?.into_columns());
        let oracle = move |inputs: &[ArrayRef]| {
            let rows = naive::order_outside_of_lists(&inputs[0], order == Order::Descending);
            crate::naive::copying::gather(inputs, &row_numbers(rows)[0])
        };
        Case::new(label, vec![column], run, oracle, waits).with_slice_costs(SliceCosts::Own)
    };
    inputs().into_iter().map(case).collect()
}

/// Builds cases of tests of the order of sorted and unsorted columns.
pub(crate) fn tests_of_order() -> Vec<Case> {
    let mut cases = Vec::new();
    for (label, column, order) in inputs() {
        let is_descending = order == Order::Descending;
        let rows = row_numbers(naive::order_outside_of_lists(&column, is_descending));
        let sorted = crate::naive::copying::gather(std::slice::from_ref(&column), &rows[0]).unwrap_or_default();
        for (label, inputs) in [(format!("{label}, sorted"), sorted), (label, vec![column])] {
            let run = move |inputs: &[Column]| {
                let is_sorted = is_sorted(&as_table(inputs)?, &[order], &NULLS)?;
                Ok(vec![shown(&[is_sorted], inputs[0].device())?])
            };
            let oracle = move |inputs: &[ArrayRef]| {
                let rows = naive::order_outside_of_lists(&inputs[0], is_descending);
                Ok(vec![bools([Some(rows.is_sorted())])])
            };
            let waits = 1 + nested_key_waits(&inputs);
            cases.push(Case::new(label, inputs, run, oracle, waits).with_slice_costs(SliceCosts::Own));
        }
    }
    cases
}
