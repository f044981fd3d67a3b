//! Entries of `copying`.

pub(super) mod copy_if_else;
pub(super) mod nulls;
pub(super) mod overflow;
pub(super) mod rearrange;
pub(super) mod scatter;
pub(super) mod shift;

use arrow_array::types::{Int32Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use gdf_api::copying::{self as api, OutOfBoundsPolicy};
use gdf_core::{Column, Error, Result};

use super::shared::tables::{
    FEW, gather_waits, nested, scratch, slice_costs, split, table, types, types_of_parts, with_lists,
};
use super::{Case, Entry};
use crate::naive;
use gdf_test::builders::{ints, plain};
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, with_validity};
use gdf_test::value::{Value, from_values};

pub(super) fn entries() -> Vec<Entry> {
    vec![Entry::new("copying.gather", Equality::Exact, gathers).guessing()]
}

/// Returns the number of waits.
fn waits(columns: &[ArrayRef], policy: OutOfBoundsPolicy) -> u64 {
    // Lists of a fixed size have no offsets, so only the bounds are copied to the host.
    gather_waits(columns).max(with_lists(columns, u64::from(policy == OutOfBoundsPolicy::Error)))
}

fn run(inputs: &[Column], policy: OutOfBoundsPolicy) -> Result<Vec<Column>> {
    let (table, map) = split(inputs)?;
    Ok(api::gather(&table, map, policy)?.into_columns())
}

pub(super) fn gather(inputs: &[ArrayRef]) -> Result<Vec<ArrayRef>, String> {
    let (map, columns) = inputs.split_last().ok_or("the map is missing")?;
    naive::copying::gather(columns, map)
}

fn case(label: impl Into<String>, columns: Vec<ArrayRef>, map: ArrayRef, policy: OutOfBoundsPolicy) -> Case {
    let (waits, slices) = (waits(&columns, policy), slice_costs(&columns));
    let mut inputs = columns;
    inputs.push(map);
    Case::new(label, inputs, move |inputs| run(inputs, policy), gather, waits).with_slice_costs(slices)
}

/// Builds a case with a map that the operation refuses.
fn refused(label: &str, columns: Vec<ArrayRef>, map: ArrayRef) -> Case {
    let rows = columns.first().map_or(0, |column| column.len());
    let expected = naive::copying::first_out_of_bounds(&map, rows);
    // The operation waits once more to find the element that causes the refusal.
    let slices = slice_costs(&columns);
    let waits = waits(&columns, OutOfBoundsPolicy::Error) + waits(&columns, OutOfBoundsPolicy::Nullify) + 1;
    let mut inputs = columns;
    inputs.push(map);
    let run = move |inputs: &[Column]| {
        // The failed call runs in `scratch`, because its memory is dropped and is not part of the result.
        match scratch(inputs[0].device(), || run(inputs, OutOfBoundsPolicy::Error)) {
            Err(Error::OutOfBounds { index, len, .. }) if Some(index) == expected && len == rows => {}
            Err(error) => return Err(error),
            Ok(_) => return Err(Error::invalid_argument("the map should have been refused")),
        }
        run(inputs, OutOfBoundsPolicy::Nullify)
    };
    Case::new(label, inputs, run, gather, waits).with_slice_costs(slices)
}

/// Returns `len` row numbers of type `data_type` for a table of `rows` rows, in no particular order.
pub(super) fn map(
    data_type: &DataType,
    len: usize,
    rows: usize,
    outside: usize,
    nulls: NullPattern,
    seed: u64,
) -> ArrayRef {
    let signed = gdf_core::is_signed_integral(data_type);
    let rows = rows as i128;
    let number = |at: usize| {
        let random = (at as u64 ^ seed << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let number = if rows == 0 { 0 } else { i128::from(random) % rows };
        let from_end = signed && random >> 20 & 1 == 1;
        let outside = outside > 0 && at % outside == outside - 1;
        match (outside, from_end) {
            (false, false) => number,
            (false, true) => number - rows,
            (true, false) => rows + number,
            (true, true) => -rows - 1 - number,
        }
    };
    let value = |number: i128| if signed { Value::Int(number) } else { Value::UInt(number as u64) };
    let numbers: Vec<_> = (0..len).map(|at| Some(value(number(at)))).collect();
    let validity: Option<NullBuffer> = nulls.validity(len, seed);
    with_validity(&from_values(data_type, &numbers), validity)
}

fn gathers() -> Vec<Case> {
    use NullPattern::{None as Plain, Some as Nulls};
    use OutOfBoundsPolicy::{Error as Strict, Nullify};
    let numbers = &FEW[..5];
    let mut cases = Vec::new();
    for (&len, seed) in BRACKETS.iter().zip(0..) {
        for (policy, outside) in [(Strict, 0), (Nullify, 5)] {
            for (nulls, map_nulls) in [(Plain, Nulls), (Nulls, Plain), (NullPattern::All, Plain)] {
                if len > 300 && nulls != Nulls {
                    continue;
                }
                let map = map(&DataType::Int32, len, 500, outside, map_nulls, seed);
                let columns = table(&FEW, 500, nulls, seed);
                cases.push(case(format!("table/{len}/{nulls:?}/{policy:?}"), columns, map.clone(), policy));
                let columns = table(numbers, 500, nulls, seed);
                cases.push(case(format!("numbers/{len}/{nulls:?}/{policy:?}"), columns, map, policy));
            }
        }
    }
    // The tables are large, or have no rows.
    let map_of = |len, rows, outside| map(&DataType::Int64, len, rows, outside, Plain, 3);
    cases.push(case("table/3000 of 10000", table(&FEW, 10_000, Nulls, 1), map_of(3_000, 10_000, 0), Strict));
    cases.push(case("table/40 of 0", table(&FEW, 0, Plain, 1), map_of(40, 0, 1), Nullify));
    for (data_type, seed) in data::integral().into_iter().zip(20..) {
        for (nulls, policy, outside) in [(Plain, Strict, 0), (Nulls, Nullify, 3)] {
            let map = map(&data_type, 100, 40, outside, nulls, seed);
            let columns = table(numbers, 40, nulls, seed);
            cases.push(case(format!("map {data_type}/100/{policy:?}"), columns, map, policy));
        }
    }
    for (data_type, seed) in types().into_iter().zip(100..) {
        for (nulls, policy, outside) in [(Plain, Strict, 0), (Nulls, Nullify, 4)] {
            let map = map(&DataType::Int16, 77, 65, outside, Plain, seed);
            let columns = table(std::slice::from_ref(&data_type), 65, nulls, seed);
            cases.push(case(format!("{data_type}/77/{policy:?}"), columns, map, policy));
        }
    }
    // The map has the rows in order, the rows in reverse order, or one row repeatedly.
    for (name, step, first) in [("order", 1, 0), ("reverse", -1, -1), ("same", 0, 4)] {
        let map = plain::<Int32Type>((0..2_500).map(|row| first + step * row));
        cases.push(case(format!("table/2500/{name}"), table(&FEW, 2_500, NullPattern::Every(3), 4), map, Strict));
    }
    // There are so many rows that each thread handles several rows of a tile.
    let map_of_many = map(&DataType::UInt32, 300_000, 90, 0, Plain, 4);
    cases.push(case("table/300000 of 90", table(&FEW[..3], 90, Nulls, 2), map_of_many, Strict));
    // Each of these tables needs several launches, because one launch takes 32 columns.
    let text = vec![DataType::Utf8; 40];
    for policy in [Strict, Nullify] {
        let map = map(&DataType::UInt8, 257, 99, 0, Plain, 5);
        cases.push(case(format!("wide/257/{policy:?}"), table(&types(), 99, Nulls, 5), map.clone(), policy));
        cases.push(case(format!("text/257/{policy:?}"), table(&text, 99, Nulls, 6), map.clone(), policy));
        let nested = [nested(), DataType::Null];
        cases.push(case(format!("struct/257/{policy:?}"), table(&nested, 257, Nulls, 7), map, policy));
    }
    // Some elements exceed 63 bits.
    let huge = plain::<UInt64Type>([0, 1, u64::MAX, 1 << 63, 39]);
    cases.push(case("map UInt64/huge", table(numbers, 40, Nulls, 8), huge.clone(), Nullify));
    cases.push(refused("refused/huge", table(numbers, 40, Nulls, 8), huge));
    cases.push(refused("refused/text", table(&FEW, 40, Nulls, 9), map_of(5_000, 40, 3_000)));
    let negative = ints::<Int32Type>([Some(3), None, Some(-40), Some(-41), Some(40)]);
    cases.push(refused("refused/negative", table(numbers, 40, Plain, 9), negative));
    for rows in data::limit_brackets() {
        let columns = table(&[DataType::Int64, DataType::Utf8], 90, Nulls, 3);
        cases.push(case(format!("limits/{rows}"), columns, map_of(rows, 90, 0), Strict));
    }
    for nulls in [Plain, Nulls] {
        let long = vec![data::long_texts(400, nulls, 1)];
        cases.push(case(format!("long text/700/{nulls:?}"), long, map_of(700, 400, 0), Strict));
    }
    for (data_type, seed) in types_of_parts().into_iter().zip(60..) {
        for (policy, nulls, outside) in [(Strict, Plain, 0), (Strict, Nulls, 0), (Nullify, Nulls, 5)] {
            let columns = table(&[data_type.clone(), DataType::Int32], 90, nulls, seed);
            let map = map(&DataType::Int32, 130, 90, outside, Plain, seed);
            cases.push(case(format!("{data_type}/130/{nulls:?}/{policy:?}"), columns, map, policy));
        }
    }
    for rows in [0, 1, 2_049] {
        let map = map(&DataType::Int32, rows, 300, 0, Nulls, 4);
        cases.push(case(format!("lists/{rows}"), table(&types_of_parts(), 300, Nulls, 4), map, Strict));
    }
    let negative = ints::<Int32Type>([Some(3), None, Some(-41), Some(40)]);
    cases.push(refused("refused/lists", table(&types_of_parts()[..1], 40, Plain, 9), negative));
    cases.extend(overflow::gather());
    cases
}
