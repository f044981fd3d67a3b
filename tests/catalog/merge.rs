//! The entry `merge.merge`.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::merge::{NullOrder, Order, merge};
use gdf_core::{Column, Error, Result, TableView};

use super::shared::tables::{
    concatenate_waits, few_nested, gather_waits, nested, nested_key_waits, own_parts, slice_costs, types, view,
};
use super::{Case, Entry};
use crate::naive;
use crate::naive::sorting::{Direction, sort_by_key};
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, random_array};

pub(super) fn entries() -> Vec<Entry> {
    vec![Entry::new("merge.merge", Equality::Exact, cases).sharing_inputs().guessing()]
}

fn views(inputs: &[Column], width: usize) -> Result<Vec<TableView<'_>>> {
    inputs.chunks(width.max(1)).map(view).collect()
}

/// Builds a case that merges tables. `turn` has two bits for each key: the order and the null order.
fn case(label: String, tables: Vec<Vec<ArrayRef>>, keys: Vec<usize>, turn: usize) -> Case {
    let direction = |key: usize| Direction {
        descending: (turn >> (2 * key)) & 1 == 1,
        nulls_smallest: (turn >> (2 * key + 1)) & 1 == 0,
    };
    let directions: Vec<Direction> = (0..keys.len()).map(direction).collect();
    let orders = |direction: &Direction| if direction.descending { Order::Descending } else { Order::Ascending };
    let nulls = |direction: &Direction| if direction.nulls_smallest { NullOrder::Before } else { NullOrder::After };
    let (orders, nulls): (Vec<_>, Vec<_>) = directions.iter().map(|by| (orders(by), nulls(by))).unzip();
    let sorted = |table: Vec<ArrayRef>| {
        let own: Vec<_> = keys.iter().map(|&key| table[key].clone()).collect();
        sort_by_key(&table, &own, &directions, usize::MAX).unwrap_or(table)
    };
    let tables: Vec<_> = tables.into_iter().map(sorted).collect();
    let (width, first) = (tables[0].len(), tables[0].clone());
    // Five or more tables are merged by sorting all keys, so the waits include those of a sort.
    let waits = concatenate_waits(&first) + gather_waits(&first) + concatenate_waits(&first) + 16;
    let waits = waits + 6 * nested_key_waits(&first);
    let oracle_keys = keys.clone();
    Case::new(
        label,
        tables.concat(),
        move |inputs| Ok(merge(&views(inputs, width)?, &keys, &orders, &nulls)?.into_columns()),
        move |inputs| {
            let tables: Vec<_> = inputs.chunks(width).map(<[ArrayRef]>::to_vec).collect();
            naive::merge::merge(&tables, &oracle_keys, &directions)
        },
        waits,
    )
    .with_slice_costs(slice_costs(&first))
}

fn cases() -> Vec<Case> {
    use NullPattern::{None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    // The keys have every type.
    for (data_type, seed) in data::ordered().iter().zip(1_u64..) {
        let number = seed as usize;
        let mixed = if number.is_multiple_of(2) { (Plain, Nulls) } else { (Nulls, Plain) };
        let of_tables = [((Plain, Plain), number % 2), ((Nulls, Nulls), number % 4), (mixed, number / 2 % 4)];
        for ((first, second), turn) in of_tables {
            let table = |rows, nulls, salt| {
                let seed = seed * 16 + salt;
                vec![random_array(data_type, rows, nulls, seed), random_array(&DataType::Int64, rows, Plain, seed)]
            };
            let label = format!("keys/{data_type}/{first:?}/{second:?}/{turn}");
            cases.push(case(label, vec![table(65, first, 0), table(90, second, 1)], vec![0], turn));
        }
    }
    for (data_type, seed) in data::nested_keys().iter().zip(1_u64..) {
        let table = |rows, nulls, salt| {
            let number = random_array(&DataType::Int64, rows, Plain, salt);
            vec![few_nested(data_type, rows, 40, nulls, seed * 16 + salt), number]
        };
        let tables = vec![table(65, Nulls, 0), table(33, Nulls, 0), table(9, Plain, 1)];
        cases.push(case(format!("nested keys/{data_type}"), tables, vec![0], seed as usize));
    }
    // The columns that are not keys have every type.
    for (data_type, seed) in types().into_iter().chain([nested()]).chain(own_parts()).zip(1_u64..) {
        let table = |rows, nulls, salt| {
            let seed = seed * 16 + salt;
            // With the same seed, both columns would have the same null rows.
            vec![random_array(&data_type, rows, nulls, seed), random_array(&DataType::Int8, rows, nulls, seed + 8)]
        };
        let (first, second) = [(Nulls, Nulls), (Nulls, Plain), (Plain, Nulls)][seed as usize % 3];
        let tables = vec![table(33, first, 0), table(34, second, 1)];
        cases.push(case(format!("columns/{data_type}"), tables, vec![1], seed as usize % 4));
    }
    // The keys have few different values, so most keys also occur in other tables.
    let counts: [&[usize]; 10] = [
        &[0, 0],
        &[5],
        &[0, 40, 0],
        &[1, 1],
        &[3000, 1],
        &[2049, 4000],
        &[31, 32, 33],
        &[64, 0, 65, 1],
        &[9, 8, 7, 6, 5],
        &[700; 6],
    ];
    for (i, counts) in counts.iter().enumerate() {
        for at in 0..3 {
            // All numbers of four bits occur.
            let turn = (i * 3 + at) * 5 % 16;
            let table = |(t, &rows): (usize, &usize)| {
                let seed = (i * 64 + t) as u64;
                let of = [DataType::Boolean, DataType::UInt8, DataType::Int64];
                let nulls = if t + 1 == at { Plain } else { Nulls };
                (0_u64..).zip(&of).map(|(at, of)| random_array(of, rows, nulls, seed + 16 * at)).collect::<Vec<_>>()
            };
            let tables = counts.iter().enumerate().map(table).collect();
            cases.push(case(format!("rows/{counts:?}/{turn}"), tables, vec![1, 0], turn));
        }
    }
    let number = |rows| random_array(&DataType::Int32, rows, Plain, 7);
    let union = || random_array(&data::unions()[0], 3, Plain, 7);
    let refused = |label: &str, inputs: Vec<ArrayRef>, keys: &'static [usize], is_expected: fn(&Error) -> bool| {
        let run = move |inputs: &[Column]| Ok(merge(&views(inputs, 1)?, keys, &[], &[])?.into_columns());
        Case::refused(format!("refused/{label}"), inputs, run, is_expected)
    };
    cases.push(refused("no keys", vec![number(3), number(2)], &[], |error| {
        matches!(error, Error::InvalidArgument { .. })
    }));
    cases.push(refused("no column", vec![number(3), number(2)], &[1], |error| {
        matches!(error, Error::OutOfBounds { .. })
    }));
    cases.push(refused("unions", vec![union(), union()], &[0], |error| matches!(error, Error::Unsupported { .. })));
    let other = random_array(&DataType::Int64, 3, Plain, 7);
    cases.push(refused("types", vec![number(3), other], &[0], |error| matches!(error, Error::TypeMismatch { .. })));
    let is_of_counts: fn(&Error) -> bool = |error| matches!(error, Error::ColumnCount { .. });
    let orders = |inputs: &[Column]| Ok(merge(&views(inputs, 1)?, &[0], &[Order::Ascending; 2], &[])?.into_columns());
    cases.push(Case::refused("refused/orders", vec![number(3), number(2)], orders, is_of_counts));
    let widths =
        |inputs: &[Column]| Ok(merge(&[view(&inputs[..2])?, view(&inputs[2..])?], &[0], &[], &[])?.into_columns());
    cases.push(Case::refused("refused/columns", vec![number(3), number(3), number(2)], widths, is_of_counts));
    cases
}
