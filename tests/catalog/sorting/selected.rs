//! The entries of reductions and sorting of selected rows. The oracle filters the rows first.

use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::reduction::NullPolicy::{Exclude, Include};
use gdf_api::reduction::ReduceAggregation::{self, *};
use gdf_api::reduction::reduce_where;
use gdf_api::sorting::{sort_by_key_where, sorted_order_where};
use gdf_core::{Column, ColumnView, Error, Result, Table, is_floating};

use super::{Keys, TWO_NULLS, all_types, row_numbers, single};
use crate::catalog::reduction::{gentle, types, waits};
use crate::catalog::shared::tables::{few_nested, gather_waits, table};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::documented_types::reduced_type;
use crate::naive;
use crate::naive::stream_compaction::apply_boolean_mask;
use gdf_test::builders::plain;
use gdf_test::compare::Equality;
use gdf_test::data::{BRACKETS, NullPattern, nested_keys, random_array};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        // On slices, the operation filters text and guesses its size.
        Entry::new("reduction.reduce_where", Equality::Ulp(64), reductions).guessing(),
        Entry::new("sorting.sorted_order_where", Equality::Exact, orders).guessing(),
        Entry::new("sorting.sort_by_key_where", Equality::Exact, sorts_by_key).guessing(),
    ]
}

const AGGREGATIONS: [ReduceAggregation; 14] = [
    Sum,
    Min,
    Max,
    Mean,
    CountValid,
    CountAll,
    Any,
    All,
    ArgMax,
    Median,
    Variance { ddof: 1 },
    Nunique(Include),
    Nunique(Exclude),
    NthElement { n: -1, nulls: Include },
];

const FILTER: u64 = 2;

fn mask(rows: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    random_array(&DataType::Boolean, rows, nulls, 1000 + seed)
}

/// Returns the rows that the mask selects.
fn filtered(inputs: &[ArrayRef]) -> std::result::Result<Vec<ArrayRef>, String> {
    let (mask, columns) = inputs.split_last().ok_or("the mask is missing")?;
    apply_boolean_mask(columns, mask)
}

fn reduced(label: &str, input: ArrayRef, mask: ArrayRef, of: ReduceAggregation) -> Option<Case> {
    let output = reduced_type(of, input.data_type())?;
    let rows = apply_boolean_mask(std::slice::from_ref(&input), &mask).ok()?.pop()?;
    if matches!(of, NthElement { .. }) && rows.is_empty() {
        return None;
    }
    let naive_output = output.clone();
    let waits = waits(of, &DataType::Utf8).max(waits(of, input.data_type()));
    let gathered = gather_waits(std::slice::from_ref(&input));
    let case = Case::new(
        format!("{of:?} of {}/{label}", input.data_type()),
        vec![input, mask],
        move |inputs| Ok(vec![reduce_where(&inputs[0], &inputs[1], of, &output)?.into_column()]),
        // `ArgMin` and `ArgMax` return the number of a row among all rows. The oracle of the reduction returns the
        // number among the selected rows, so the test converts the expected number.
        move |inputs| match of {
            ArgMin | ArgMax => {
                let row = naive::reduction::reduce(&filtered(inputs)?[0], of, &naive_output)?.remove(0);
                let numbers = plain::<Int64Type>(0..inputs[0].len() as i64);
                naive::copying::gather(&filtered(&[numbers, inputs[1].clone()])?, &row)
            }
            _ => naive::reduction::reduce(&filtered(inputs)?[0], of, &naive_output),
        },
        FILTER + waits + gathered,
    );
    Some(case.with_slice_costs(SliceCosts::Own))
}

fn reductions() -> Vec<Case> {
    let mut cases = Vec::new();
    for (seed, data_type) in (0..).zip(&types()) {
        for (rows, nulls, of_mask) in [
            (77, NullPattern::Some, NullPattern::None),
            (257, NullPattern::None, NullPattern::Some),
            (65, NullPattern::Some, NullPattern::Some),
            (33, NullPattern::None, NullPattern::All),
        ] {
            let input = match is_floating(data_type) {
                true => gentle(data_type, rows, nulls, false),
                false => random_array(data_type, rows, nulls, seed),
            };
            let label = format!("{rows}/{nulls:?}/{of_mask:?}");
            let case = |of| reduced(&label, input.clone(), mask(rows, of_mask, seed), of);
            cases.extend(AGGREGATIONS.into_iter().filter_map(case));
        }
    }
    for (seed, data_type) in (0..).zip(nested_keys()) {
        for of_mask in [NullPattern::None, NullPattern::Some, NullPattern::All] {
            let input = few_nested(&data_type, 90, 40, NullPattern::Some, seed);
            let case = |of| reduced(&format!("nested/{of_mask:?}"), input.clone(), mask(90, of_mask, seed), of);
            cases.extend([ArgMin, ArgMax, Max].into_iter().filter_map(case));
        }
    }
    for &rows in BRACKETS {
        for nulls in TWO_NULLS.iter().copied() {
            let (input, mask) = (random_array(&DataType::Int64, rows, nulls, 5), mask(rows, nulls, 6));
            let case = |of| reduced(&format!("rows {rows}/{nulls:?}"), input.clone(), mask.clone(), of);
            cases.extend([Sum, CountAll, Max].into_iter().filter_map(case));
        }
    }
    let refused = |label: &str, mask: ArrayRef, is_right: fn(&Error) -> bool| {
        let inputs = vec![random_array(&DataType::Int64, 3, NullPattern::None, 1), mask];
        let run =
            |inputs: &[Column]| Ok(vec![reduce_where(&inputs[0], &inputs[1], Sum, &DataType::Int64)?.into_column()]);
        Case::refused(format!("refused mask {label}"), inputs, run, is_right)
    };
    let bytes = random_array(&DataType::Int8, 3, NullPattern::None, 1);
    cases.push(refused("type", bytes, |error| matches!(error, Error::TypeMismatch { .. })));
    let longer = mask(4, NullPattern::None, 1);
    cases.push(refused("length", longer, |error| matches!(error, Error::LengthMismatch { .. })));
    cases
}

fn inputs() -> Vec<(Keys, ArrayRef)> {
    let lengths = [0, 1, 32, 33, 4097, 20_000];
    let keys = [all_types(), single(&[DataType::Int64, DataType::Utf8], &lengths, TWO_NULLS)].concat();
    let with_mask = |(seed, keys): (usize, Keys)| {
        let mask = mask(keys.rows(), TWO_NULLS[seed / 2 % 2], seed as u64);
        (keys, mask)
    };
    keys.into_iter().enumerate().map(with_mask).collect()
}

/// Returns the values, the keys and the mask.
fn parts(inputs: &[Column], count: usize) -> Result<(Table, Table, ColumnView<'_>)> {
    let (mask, columns) = inputs.split_last().ok_or(Error::column_count(1, 0))?;
    let (values, keys) = columns.split_at_checked(count).ok_or(Error::column_count(count, 0))?;
    let table = |columns: &[Column]| Table::try_with_rows(columns.to_vec(), mask.len());
    Ok((table(values)?, table(keys)?, mask.view()))
}

fn orders() -> Vec<Case> {
    let case = |(keys, mask): (Keys, ArrayRef)| {
        let waits = keys.waits() + FILTER + gather_waits(&keys.columns);
        let (orders, nulls, directions) = (keys.orders(), keys.null_orders(), keys.directions);
        Case::new(
            keys.label,
            [keys.columns, vec![mask]].concat(),
            move |inputs| {
                let (_, keys, mask) = parts(inputs, 0)?;
                Ok(vec![sorted_order_where(&keys, mask, &orders, &nulls)?])
            },
            move |inputs| {
                let numbers = row_numbers((0..inputs[0].len()).collect());
                let mut rows = filtered(&[&numbers, inputs].concat())?;
                let numbers = rows.remove(0);
                naive::sorting::sort_by_key(&[numbers], &rows, &directions, usize::MAX)
            },
            waits,
        )
        .with_slice_costs(SliceCosts::Own)
    };
    inputs().into_iter().map(case).collect()
}

fn sorts_by_key() -> Vec<Case> {
    let values = [DataType::Utf8, DataType::Float64, DataType::Boolean];
    let count = values.len();
    let case = |(keys, mask): (Keys, ArrayRef)| {
        let columns = table(&values, keys.rows(), NullPattern::Some, 99);
        let waits = keys.waits() + FILTER + gather_waits(&keys.columns) + gather_waits(&columns);
        let (orders, nulls, directions) = (keys.orders(), keys.null_orders(), keys.directions);
        Case::new(
            keys.label,
            [columns, keys.columns, vec![mask]].concat(),
            move |inputs| {
                let (values, keys, mask) = parts(inputs, count)?;
                Ok(sort_by_key_where(&values, &keys, mask, &orders, &nulls)?.into_columns())
            },
            move |inputs| {
                let rows = filtered(inputs)?;
                let (values, keys) = rows.split_at(count);
                naive::sorting::sort_by_key(values, keys, &directions, usize::MAX)
            },
            waits,
        )
        .with_slice_costs(SliceCosts::Own)
    };
    inputs().into_iter().map(case).collect()
}
