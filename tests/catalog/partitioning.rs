//! Entries of `partitioning`. The offsets are compared as an additional last column.

use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use gdf_api::partitioning::{self as api, HashFunction};
use gdf_core::{Abilities, Column, Error, Position, Result, Table};

use super::shared::tables::{
    FEW, as_table, composite_types, gather_waits, nested, nested_key_waits, scratch, shown, split, table, types,
};
use super::{Case, Entry, SliceCosts};
use crate::naive::partitioning::{Numbering, hashed, mapped, partitioned};
use gdf_test::builders::{ints, plain};
use gdf_test::compare::Equality;
use gdf_test::data::{BRACKETS, NullPattern, random_array};
use gdf_test::value::{Value, from_values};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("partitioning.hash_partition", Equality::Exact, hashes),
        Entry::new("partitioning.partition", Equality::Exact, maps),
        Entry::new("partitioning.round_robin_partition", Equality::Exact, deals),
    ]
}

/// The largest number of partitions for which the operation counts rows.
const COUNTED: usize = 256;
fn flat((table, offsets): (Table, Vec<usize>)) -> Result<Vec<Column>> {
    let offsets: Vec<u64> = offsets.into_iter().map(|offset| offset as u64).collect();
    let offsets = shown(&offsets, table.device().unwrap_or(gdf_driver::Device::Cpu))?;
    Ok([table.into_columns(), vec![offsets]].concat())
}

/// Returns the number of waits.
fn waits(columns: &[ArrayRef], partitions: usize) -> u64 {
    1 + if partitions > COUNTED { 2 } else { 0 } + gather_waits(columns)
}

/// The columns that are hashed, and how they are hashed.
#[derive(Clone)]
struct Hash {
    keys: Vec<usize>,
    partitions: usize,
    numbering: Numbering,
    seed: u32,
}

impl Hash {
    fn function(&self) -> HashFunction {
        match self.numbering {
            Numbering::Murmur3 => HashFunction::Murmur3,
            Numbering::Identity => HashFunction::Identity,
        }
    }

    fn ids(&self, columns: &[ArrayRef]) -> std::result::Result<Vec<usize>, String> {
        let keys: Vec<_> = self.keys.iter().map(|&key| columns[key].clone()).collect();
        hashed(&keys, self.partitions, self.numbering, self.seed)
    }

    fn case(self, label: String, columns: Vec<ArrayRef>) -> Case {
        // Tables with lists are partitioned twice.
        let has_lists = columns.iter().any(|column| Abilities::of(column.data_type()).lists);
        let keys: Vec<_> = self.keys.iter().map(|&key| columns[key].clone()).collect();
        let waits = waits(&columns, self.partitions) * (1 + u64::from(has_lists)) + nested_key_waits(&keys);
        let partitions = self.partitions;
        let (run, oracle) = (self.clone(), self);
        Case::new(
            label,
            columns,
            move |inputs| {
                let table = as_table(inputs)?;
                flat(api::hash_partition(&table, &run.keys, partitions, run.function(), run.seed)?)
            },
            move |inputs| partitioned(inputs, &oracle.ids(inputs)?, partitions),
            waits,
        )
        .with_host_values(partitions * (1 + usize::from(has_lists)))
        .with_slice_costs(if has_lists { SliceCosts::Own } else { SliceCosts::Same })
    }
}

const NUMBERS: [DataType; 5] =
    [DataType::Int64, DataType::Float64, DataType::UInt8, DataType::Int16, DataType::Decimal128(38, 10)];

fn hashes() -> Vec<Case> {
    let mut cases = Vec::new();
    let hash = |keys: &[usize], partitions, numbering, seed| Hash { keys: keys.to_vec(), partitions, numbering, seed };
    for (&rows, seed) in BRACKETS.iter().chain(&[4096, 4097]).zip(0..) {
        for (&nulls, partitions) in NullPattern::ALL.iter().zip([3, 64, 16, 7]) {
            let columns = table(&NUMBERS, rows, NullPattern::None, seed);
            let call = hash(&[0, 3], partitions, Numbering::Murmur3, seed as u32);
            if nulls == NullPattern::None || nulls == NullPattern::Some {
                cases.push(call.clone().case(format!("numbers/{rows}/{partitions}"), columns));
            }
            if rows < 2000 || nulls == NullPattern::Some {
                let columns = table(&FEW, rows, nulls, seed);
                cases.push(
                    hash(&[5, 0], partitions, Numbering::Murmur3, 1).case(format!("table/{rows}/{nulls:?}"), columns),
                );
            }
        }
    }
    // The rows have every type.
    for (data_type, seed) in types().into_iter().chain(composite_types()).zip(100..) {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let columns = table(&[DataType::Int32, data_type.clone()], 77, nulls, seed);
            cases.push(hash(&[0], 5, Numbering::Murmur3, 0).case(format!("{data_type}/77/{nulls:?}"), columns));
        }
    }
    // Lists are keys, and are copied.
    for (rows, seed) in [0, 1, 77, 3_000].into_iter().zip(150..) {
        for partitions in [5, 300] {
            let list = DataType::List(std::sync::Arc::new(Field::new_list_field(DataType::Utf8, true)));
            let columns = table(&[DataType::Int32, list, nested()], rows, NullPattern::Some, seed);
            for keys in [&[0][..], &[1], &[2, 1, 0]] {
                let call = hash(keys, partitions, Numbering::Murmur3, seed as u32);
                cases.push(call.case(format!("lists/{rows}/{partitions}/{keys:?}"), columns.clone()));
            }
        }
    }
    // Rows are counted for up to 256 partitions.
    for partitions in [1, 2, 65, 66, 100, 256, 257, 5_000] {
        for rows in [300, 10_000] {
            let columns = table(&NUMBERS, rows, NullPattern::None, 5);
            let label = format!("partitions {partitions}/{rows}");
            cases.push(hash(&[0], partitions, Numbering::Murmur3, 3).case(label, columns));
        }
        let columns = table(&FEW, 300, NullPattern::Every(3), 5);
        cases.push(
            hash(&[0, 1], partitions, Numbering::Murmur3, 3).case(format!("partitions {partitions}/table"), columns),
        );
    }
    // In one case, all rows belong to one partition.
    for (name, by) in [("same", 0), ("sorted", 1)] {
        let key = plain::<Int32Type>((0..20_000).map(|row| row / 1_000 * by));
        let columns = vec![key, random_array(&DataType::Float64, 20_000, NullPattern::None, 1)];
        cases.push(hash(&[0], 32, Numbering::Identity, 0).case(format!("{name}/20000"), columns));
    }
    // With the numbering `Identity`, the partition of a row follows from the number itself and not from a hash.
    let numbers = [gdf_test::data::numeric(), vec![DataType::Boolean]].concat();
    for (data_type, seed) in numbers.iter().zip(200..) {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let columns = vec![random_array(data_type, 300, nulls, seed)];
            cases.push(hash(&[0], 6, Numbering::Identity, 0).case(format!("identity {data_type}/{nulls:?}"), columns));
        }
    }
    // The columns need several launches.
    let all: Vec<usize> = (0..70).collect();
    let many: Vec<_> = numbers.iter().cloned().cycle().take(70).collect();
    for numbering in [Numbering::Murmur3, Numbering::Identity] {
        let columns = table(&many, 300, NullPattern::Some, 7);
        cases.push(hash(&all, 9, numbering, 0).case(format!("wide {numbering:?}"), columns));
        let columns = table(&many, 300, NullPattern::None, 8);
        cases.push(hash(&all, 300, numbering, 0).case(format!("wide {numbering:?} by order"), columns));
    }
    for nulls in [NullPattern::None, NullPattern::Some] {
        let columns = table(&[DataType::Utf8, nested(), DataType::Null], 257, nulls, 9);
        cases.push(hash(&[0], 4, Numbering::Murmur3, 0).case(format!("struct/257/{nulls:?}"), columns));
    }
    cases
}

fn by_map(inputs: &[Column], partitions: usize) -> Result<Vec<Column>> {
    let (table, map) = split(inputs)?;
    flat(api::partition(&table, map, partitions)?)
}

fn map_case(label: String, columns: Vec<ArrayRef>, map: ArrayRef, partitions: usize) -> Case {
    let waits = waits(&columns, partitions);
    let mut inputs = columns;
    inputs.push(map);
    Case::new(
        label,
        inputs,
        move |inputs| by_map(inputs, partitions),
        move |inputs| {
            let (map, columns) = inputs.split_last().ok_or("the map is missing")?;
            partitioned(columns, &mapped(map, partitions)?, partitions)
        },
        waits,
    )
    .with_host_values(partitions)
}

/// Builds a case with a map that the operation refuses.
fn refused(label: &str, map: ArrayRef, partitions: usize, expected: fn(&Error) -> bool) -> Case {
    let good = plain::<Int32Type>((0..map.len()).map(|row| (row % 3) as i32));
    let case = map_case(label.to_owned(), vec![map.clone()], good, partitions);
    let waits = case.waits + waits(std::slice::from_ref(&map), partitions);
    let naive = case.naive.clone();
    Case::new(
        label,
        case.inputs.clone(),
        move |inputs| {
            let (table, _) = split(inputs)?;
            // The failed call runs in `scratch`, because its memory is dropped and is not part of the result.
            match scratch(inputs[0].device(), || api::partition(&table, &inputs[0], partitions)) {
                Err(error) if expected(&error) => by_map(inputs, partitions),
                Err(error) => Err(error),
                Ok(_) => Err(Error::invalid_argument("the map should have been refused")),
            }
        },
        move |inputs| naive(inputs),
        waits,
    )
    .with_host_values(2 * partitions)
}

/// Returns whether the error is about this row of the map.
fn is_of_row(error: &Error, row: usize) -> bool {
    let expected = (Some("map"), Some(Position::Row(row)));
    error.context().is_some_and(|context| (context.argument(), context.position()) == expected)
}

fn maps() -> Vec<Case> {
    let mut cases = Vec::new();
    let map = |data_type: &DataType, rows: usize, partitions: usize| {
        let id = |row: usize| (row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % partitions;
        let value = |row| {
            let id = id(row) as i128;
            Some(if matches!(data_type, DataType::UInt64) { Value::UInt(id as u64) } else { Value::Int(id) })
        };
        let values: Vec<_> = (0..rows).map(value).collect();
        from_values(data_type, &values)
    };
    for (data_type, partitions) in gdf_test::data::integral().into_iter().zip([1, 9, 61, 62, 100, 256, 300, 64]) {
        let most = if matches!(data_type, DataType::Int8) { 100 } else { 200 };
        let partitions = if data_type.primitive_width() == Some(1) { partitions.min(most) } else { partitions };
        for rows in [0, 1, 33, 4_097] {
            let own = map(&data_type, rows, partitions);
            let label = format!("map {data_type}/{rows}/{partitions}");
            cases.push(map_case(label.clone(), table(&NUMBERS, rows, NullPattern::None, 1), own.clone(), partitions));
            cases.push(map_case(label + "/table", table(&FEW, rows, NullPattern::Some, 2), own, partitions));
        }
    }
    for rows in gdf_test::data::limit_brackets() {
        let columns = table(&NUMBERS[..1], rows, NullPattern::None, 3);
        cases.push(map_case(format!("limits/{rows}"), columns, map(&DataType::Int32, rows, 9), 9));
    }
    for (data_type, seed) in types().into_iter().zip(300..) {
        let columns = vec![random_array(&data_type, 257, NullPattern::Some, seed)];
        cases.push(map_case(format!("{data_type}/257"), columns, map(&DataType::Int32, 257, 5), 5));
    }
    let outside = |error: &Error| matches!(error, Error::OutOfBounds { index: 7, .. }) && is_of_row(error, 4_321);
    let negative = |error: &Error| matches!(error, Error::OutOfBounds { index: -1, .. }) && is_of_row(error, 4_321);
    let null = |error: &Error| matches!(error, Error::InvalidData { .. }) && is_of_row(error, 4_321);
    for partitions in [3, 7] {
        let map =
            |bad: Option<i32>| ints::<Int32Type>((0..5_000).map(|row| if row == 4_321 { bad } else { Some(row % 3) }));
        cases.push(refused(&format!("outside/{partitions}"), map(Some(7)), partitions, outside));
        cases.push(refused(&format!("negative/{partitions}"), map(Some(-1)), partitions, negative));
        cases.push(refused(&format!("null/{partitions}"), map(None), partitions, null));
    }
    let wide = ints::<Int32Type>((0..500).map(|row| if row < 300 { Some(row) } else { None }));
    let late_null = |error: &Error| matches!(error, Error::InvalidData { .. }) && is_of_row(error, 300);
    cases.push(refused("null/300", wide, 300, late_null));
    cases
}

fn deals() -> Vec<Case> {
    let mut cases = Vec::new();
    for (&rows, seed) in BRACKETS.iter().zip(0..) {
        for (partitions, start) in [(1, 0), (2, 1), (7, 3), (64, 63), (300, 0), (3_000, 2_999)] {
            let types: &[DataType] = if rows < 300 { &FEW } else { &NUMBERS };
            let nulls = if partitions == 7 { NullPattern::Some } else { NullPattern::None };
            cases.push(deal("table", table(types, rows, nulls, seed), partitions, start));
        }
    }
    for rows in gdf_test::data::limit_brackets() {
        cases.push(deal("limits", table(&NUMBERS[..1], rows, NullPattern::None, 3), 7, 3));
    }
    for (data_type, seed) in types().into_iter().zip(300..) {
        let columns = vec![random_array(&data_type, 257, NullPattern::Some, seed)];
        cases.push(deal(&data_type.to_string(), columns, 5, 2));
    }
    cases
}

fn deal(label: &str, columns: Vec<ArrayRef>, partitions: usize, start: usize) -> Case {
    let rows = columns[0].len();
    let waits = gather_waits(&columns);
    Case::new(
        format!("{label}/{rows}/{partitions}/{start}"),
        columns,
        move |inputs| flat(api::round_robin_partition(&as_table(inputs)?, partitions, start)?),
        move |inputs| {
            let ids: Vec<_> = (0..inputs[0].len()).map(|row| (row + start) % partitions).collect();
            partitioned(inputs, &ids, partitions)
        },
        waits,
    )
}
