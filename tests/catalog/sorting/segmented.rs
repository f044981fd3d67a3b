//! Entries of `sorting` that sort within segments or by several columns, and ranks.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::types::Int64Type;
use arrow_schema::{DataType, Field};
use gdf_api::groupby::NullPolicy;
use gdf_api::sorting as api;
use gdf_core::{Column, Error};

use super::rank::{METHODS, PERCENTAGES};
use super::{Keys, TWO_NULLS, few, row_numbers, single, some_keys};
use crate::catalog::shared::tables::{gather_waits, split, table, view};
use crate::catalog::{Case, Entry};
use crate::naive::sorting as naive;
use gdf_test::builders::plain;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, random_array};
use gdf_test::value::{Value, from_values, to_values};

pub(crate) fn entries() -> Vec<Entry> {
    let entry = |name, cases| Entry::new(name, Equality::Exact, cases);
    vec![
        entry("sorting.segmented_sorted_order", orders),
        entry("sorting.segmented_sort_by_key", sorts),
        entry("sorting.segmented_top_k", || top(false)),
        entry("sorting.segmented_top_k_order", || top(true)),
        entry("sorting.top_k_by_key", first_rows),
        entry("sorting.rank", ranks),
    ]
}

fn offsets_of(offsets: &[usize]) -> ArrayRef {
    plain::<Int64Type>(offsets.iter().map(|offset| *offset as i64))
}

fn read(offsets: &ArrayRef) -> Vec<usize> {
    to_values(offsets)
        .into_iter()
        .flatten()
        .filter_map(|offset| offset.as_i128())
        .map(|offset| offset as usize)
        .collect()
}

/// Returns tables with the offsets of their segments.
fn segmented(tables: Vec<Keys>) -> Vec<(Keys, Vec<usize>)> {
    let mut all = Vec::new();
    for (i, keys) in tables.into_iter().enumerate() {
        let rows = keys.rows();
        let offsets = match (i + i / 8) % 4 {
            _ if rows == 0 => vec![0, 0],
            0 => vec![0, rows / 3, rows / 3, rows * 2 / 3, rows],
            1 => vec![rows / 5, rows / 2, rows * 3 / 4],
            2 => (0..=rows).step_by(7).collect(),
            _ => vec![0, rows],
        };
        all.push((keys, offsets));
    }
    let short = single(&[DataType::Int16], &[40], TWO_NULLS).remove(1);
    for offsets in [vec![], vec![3], vec![9, 9, 9], (0..=40).collect()] {
        let keys = Keys { label: format!("offsets/{offsets:?}"), ..short.clone() };
        all.push((keys, offsets));
    }
    all
}

fn tables() -> Vec<Keys> {
    some_keys().into_iter().filter(|keys| keys.columns.len() < 40 && keys.rows() <= 5000).collect()
}

fn orders() -> Vec<Case> {
    let case = |(keys, offsets): (Keys, Vec<usize>)| {
        // The two additional waits are for the check of the offsets and for the number of bits that the segments need.
        let waits = keys.waits() + 2;
        let (orders, nulls, directions) = (keys.orders(), keys.null_orders(), keys.directions);
        Case::new(
            keys.label,
            [keys.columns, vec![offsets_of(&offsets)]].concat(),
            move |inputs| {
                let (keys, offsets) = split(inputs)?;
                Ok(vec![api::segmented_sorted_order(&keys, offsets, &orders, &nulls)?])
            },
            move |inputs| {
                let (offsets, keys) = inputs.split_last().ok_or("the offsets are missing")?;
                Ok(row_numbers(naive::segmented_order(keys, &read(offsets), &directions)))
            },
            waits,
        )
    };
    let mut cases: Vec<_> = segmented(tables()).into_iter().map(case).collect();
    let refused = |label: &str, offsets: ArrayRef, is_expected: fn(&Error) -> bool| {
        let inputs = vec![random_array(&DataType::Int8, 9, NullPattern::None, 1), offsets];
        let run = |inputs: &[Column]| {
            let (keys, offsets) = split(inputs)?;
            Ok(vec![api::segmented_sorted_order(&keys, offsets, &[], &[])?])
        };
        Case::refused(format!("refused/{label}"), inputs, run, is_expected)
    };
    let is_invalid = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    let numbers = |offsets: &[Option<i128>]| {
        let offsets: Vec<_> = offsets.iter().map(|offset| offset.map(Value::Int)).collect();
        from_values(&DataType::Int32, &offsets)
    };
    cases.push(refused("beyond the rows", numbers(&[Some(0), Some(10)]), is_invalid));
    cases.push(refused("negative", numbers(&[Some(-1), Some(3)]), is_invalid));
    cases.push(refused("descending", numbers(&[Some(4), Some(3)]), is_invalid));
    cases.push(refused("null", numbers(&[Some(0), None, Some(9)]), is_invalid));
    let floats = random_array(&DataType::Float32, 2, NullPattern::None, 1);
    cases.push(refused("floats", floats, |error| matches!(error, Error::TypeMismatch { .. })));
    cases
}

fn sorts() -> Vec<Case> {
    let values = [DataType::Float64, DataType::Utf8, DataType::Boolean];
    let case = |(keys, offsets): (Keys, Vec<usize>)| {
        let columns = table(&values, keys.rows(), NullPattern::Some, 99);
        let waits = keys.waits() + 2 + gather_waits(&columns);
        let (orders, nulls, directions) = (keys.orders(), keys.null_orders(), keys.directions);
        let count = columns.len();
        Case::new(
            keys.label,
            [columns, keys.columns, vec![offsets_of(&offsets)]].concat(),
            move |inputs| {
                let (columns, offsets) = split(inputs)?;
                let (values, keys) = columns.columns().split_at(count);
                let (values, keys) = (view(values)?, view(keys)?);
                Ok(api::segmented_sort_by_key(values, keys, offsets, &orders, &nulls)?.into_columns())
            },
            move |inputs| {
                let (offsets, columns) = inputs.split_last().ok_or("the offsets are missing")?;
                let (values, keys) = columns.split_at(count);
                let rows = naive::segmented_order(keys, &read(offsets), &directions);
                crate::naive::copying::gather(values, &row_numbers(rows)[0])
            },
            waits,
        )
    };
    // Half of the tables are sorted. The null pattern changes from table to table, and the choice after two tables.
    let chosen = segmented(tables()).into_iter().enumerate().filter(|(i, _)| (i / 2 + i / 8) % 2 == 0);
    let mut cases: Vec<_> = chosen.map(|(_, table)| case(table)).collect();
    let rows = |rows| random_array(&DataType::Int8, rows, NullPattern::None, 1);
    let uneven = |inputs: &[Column]| {
        let (values, keys) = (view(&inputs[..1])?, view(&inputs[1..2])?);
        Ok(api::segmented_sort_by_key(values, keys, &inputs[2], &[], &[])?.into_columns())
    };
    let is_length = |error: &Error| matches!(error, Error::LengthMismatch { .. });
    cases.push(Case::refused("refused/length", vec![rows(4), rows(3), offsets_of(&[0, 3])], uneven, is_length));
    cases
}

fn top(numbers: bool) -> Vec<Case> {
    let columns = single(&[data::ordered(), few()].concat(), &[0, 1, 33, 300], &TWO_NULLS[1..]);
    let mut cases = Vec::new();
    for (i, (mut keys, offsets)) in segmented(columns).into_iter().enumerate() {
        let (descending, k) = ((i + i / 4) % 2 == 0, [3, 0, usize::MAX, 1, 10][i % 5]);
        keys.directions.iter_mut().for_each(|by| (by.descending, by.nulls_smallest) = (descending, descending));
        let (order, directions) = (keys.orders()[0], keys.directions.clone());
        let waits = keys.waits() + 4 + gather_waits(&keys.columns);
        cases.push(Case::new(
            format!("{}/{k}", keys.label),
            [keys.columns, vec![offsets_of(&offsets)]].concat(),
            move |inputs| {
                let run = if numbers { api::segmented_top_k_order } else { api::segmented_top_k };
                Ok(vec![run(&inputs[0], &inputs[1], k, order)?])
            },
            move |inputs| {
                let (values, offsets) = (to_values(&inputs[0]), read(&inputs[1]));
                let rows = naive::segmented_order(&inputs[..1], &offsets, &directions);
                let element = |row: &usize| if numbers { Some(Value::UInt(*row as u64)) } else { values[*row].clone() };
                let list = |segment: &[usize]| {
                    let first = rows[segment[0]..segment[1]].iter().take(k);
                    Some(Value::List(first.map(element).collect()))
                };
                let lists: Vec<_> = offsets.windows(2).map(list).collect();
                let of = if numbers { &DataType::UInt32 } else { inputs[0].data_type() };
                let item = Arc::new(Field::new_list_field(of.clone(), true));
                Ok(vec![from_values(&DataType::List(item), &lists)])
            },
            waits,
        ));
    }
    cases
}

fn first_rows() -> Vec<Case> {
    let mut cases = Vec::new();
    for (i, keys) in tables().into_iter().enumerate() {
        let k = [1, 10, usize::MAX, 0][(i / 2 + i / 8) % 4];
        let columns = table(&[DataType::Utf8, DataType::Int32], keys.rows(), NullPattern::Some, 98);
        let (waits, count) = (keys.waits() + gather_waits(&columns), columns.len());
        let (orders, nulls, directions) = (keys.orders(), keys.null_orders(), keys.directions);
        cases.push(Case::new(
            format!("{}/{k}", keys.label),
            [columns, keys.columns].concat(),
            move |inputs| {
                let (values, keys) = inputs.split_at(count);
                Ok(api::top_k_by_key(view(values)?, view(keys)?, k, &orders, &nulls)?.into_columns())
            },
            move |inputs| {
                let (values, keys) = inputs.split_at(count);
                naive::sort_by_key(values, keys, &directions, k)
            },
            waits,
        ));
    }
    cases
}

fn ranks() -> Vec<Case> {
    let mut cases = Vec::new();
    for (i, keys) in tables().into_iter().enumerate() {
        let (method, percentage) = (METHODS[i % 5], PERCENTAGES[i / 5 % 3]);
        let excludes = (i / 2 + i / 8) % 2 == 0;
        let policy = if excludes { NullPolicy::Exclude } else { NullPolicy::Include };
        // Some of the additional waits are for the number of runs of equal rows, for which the operation waits twice.
        let waits = keys.waits() + 5;
        let (orders, nulls, directions) = (keys.orders(), keys.null_orders(), keys.directions);
        cases.push(Case::new(
            format!("{method:?}/{percentage:?}/{policy:?}/{}", keys.label),
            keys.columns,
            move |inputs| Ok(vec![api::rank(view(inputs)?, method, percentage, &orders, &nulls, policy)?]),
            move |inputs| naive::rank(inputs, &directions, (method, percentage), excludes),
            waits,
        ));
    }
    cases
}
