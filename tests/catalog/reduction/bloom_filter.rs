//! The entry `reduction.bloom_filter`: bits, merged bits, and rows that are found.

use arrow_array::ArrayRef;
use arrow_array::types::{Float64Type, Int64Type, UInt8Type};
use arrow_schema::DataType;
use gdf_api::reduction::BloomFilter;
use gdf_core::{Column, Error, Result};

use crate::catalog::groupby::{few, key_types};
use crate::catalog::shared::tables::{as_table, encoded_types, nested_key_waits, scratch};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::reduction::{bloom_bits, bloom_contains};
use gdf_test::builders::{bools, plain};
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};

pub(crate) fn entries() -> Vec<Entry> {
    vec![Entry::new("reduction.bloom_filter", Equality::Exact, cases)]
}

/// Builds a case of the bits of a filter.
fn case(label: String, columns: Vec<ArrayRef>, (rows, rate): (usize, f64), size: (usize, u8)) -> Case {
    let waits = 4 + nested_key_waits(&columns) + columns.len() as u64;
    let run = move |inputs: &[Column]| {
        let filter = BloomFilter::try_new(&as_table(inputs)?, rows, rate)?;
        assert_eq!((filter.bits().len(), filter.hashes()), size);
        Ok(vec![filter.bits().clone()])
    };
    let oracle = move |inputs: &[ArrayRef]| Ok(vec![bools(bloom_bits(inputs, size)?.into_iter().map(Some))]);
    Case::new(format!("{label}/{rows}/{rate}"), columns, run, oracle, waits).with_slice_costs(SliceCosts::Own)
}

/// Builds a case of the rows of the last column that are in the merged filters of the other columns.
fn found(label: String, columns: [ArrayRef; 3], (rows, rate): (usize, f64), size: (usize, u8)) -> Case {
    let waits = 3 * (5 + nested_key_waits(&columns));
    let run = move |inputs: &[Column]| {
        let of = |column: &Column| BloomFilter::try_new(&as_table(std::slice::from_ref(column))?, rows, rate);
        let filter = scratch(inputs[0].device(), || {
            let merged = of(&inputs[0])?.merge(&of(&inputs[1])?)?;
            BloomFilter::from_bits(merged.bits().clone(), merged.hashes())
        })?;
        Ok(vec![filter.contains(&as_table(&inputs[2..])?)?])
    };
    let oracle = move |inputs: &[ArrayRef]| {
        let of = |column: &ArrayRef| bloom_bits(std::slice::from_ref(column), size);
        let bits: Vec<_> = of(&inputs[0])?.into_iter().zip(of(&inputs[1])?).map(|(a, b)| a | b).collect();
        for inserted in &inputs[..2] {
            assert!(bloom_contains(std::slice::from_ref(inserted), &bits, size.1)?.iter().all(|found| *found));
        }
        Ok(vec![bools(bloom_contains(&inputs[2..], &bits, size.1)?.into_iter().map(Some))])
    };
    Case::new(format!("{label}/{rows}/{rate}"), columns.to_vec(), run, oracle, waits).with_slice_costs(SliceCosts::Own)
}

fn cases() -> Vec<Case> {
    let (few_bits, sizes) =
        (((3, 0.5), (64, 1)), [((40, 0.01), (512, 7)), ((100, 0.1), (512, 4)), ((1, 1e-12), (64, 32))]);
    let mut cases = Vec::new();
    for (of, seed) in [key_types(), encoded_types(), data::nested_keys()].concat().iter().zip(1_u64..) {
        let array = |salt| random_array(of, 65, NullPattern::Some, 3 * seed + salt);
        let (arguments, size) = sizes[seed as usize % 3];
        cases.push(case(format!("{of}"), vec![array(0)], arguments, size));
        cases.push(found(format!("found/{of}"), [array(0), array(1), array(2)], few_bits.0, few_bits.1));
    }
    for (&rows, seed) in SMALL_BRACKETS.iter().chain(&[4097]).zip(1_u64..) {
        for &nulls in NullPattern::ALL {
            let columns = vec![few(40, rows, nulls, seed), random_array(&DataType::Utf8, rows, nulls, seed)];
            let (arguments, size) = sizes[seed as usize % 3];
            cases.push(case(format!("{rows}/{nulls:?}"), columns, arguments, size));
        }
    }
    let floats = plain::<Float64Type>([0.0, -0.0, f64::NAN, -f64::NAN, 1.0]);
    cases.push(case("floats".into(), vec![floats], few_bits.0, few_bits.1));
    for (rows, size) in [(0, (64, 7)), (3, (64, 7)), (3000, (32_768, 7)), (30_000, (524_288, 7))] {
        let numbers = |first: i64| plain::<Int64Type>(first..first + rows as i64);
        let columns = [numbers(0), numbers(rows as i64), numbers(rows as i64 / 2 * 3)];
        cases.push(found(format!("merged/{rows}"), columns, (rows, 0.01), size));
    }
    cases.extend(refusals());
    cases
}

fn refusals() -> Vec<Case> {
    let column = plain::<UInt8Type>([1, 2, 3]);
    let refused =
        |label: &str, input: ArrayRef, run: fn(&[Column]) -> Result<BloomFilter>, right: fn(&Error) -> bool| {
            let run = move |inputs: &[Column]| Ok(vec![run(inputs)?.bits().clone()]);
            Case::refused(format!("refused/{label}"), vec![input], run, right)
        };
    let is_argument = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    let bits = || bools((0..64).map(|row| Some(row % 3 == 0)));
    let mut cases = Vec::new();
    for run in [
        (|inputs| BloomFilter::try_new(&as_table(inputs)?, 10, 0.0)) as fn(&[Column]) -> Result<_>,
        |inputs| BloomFilter::try_new(&as_table(inputs)?, 10, 1.0),
        |inputs| BloomFilter::try_new(&as_table(inputs)?, 10, f64::NAN),
        |inputs| BloomFilter::try_new(&as_table(inputs)?, usize::MAX, 0.01),
        |inputs| {
            let filter = BloomFilter::try_new(&as_table(inputs)?, 9, 0.5)?;
            filter.merge(&BloomFilter::try_new(&as_table(inputs)?, 9, 0.25)?)
        },
    ] {
        cases.push(refused(&format!("{}", cases.len()), column.clone(), run, is_argument));
    }
    for run in [
        (|inputs| BloomFilter::from_bits(inputs[0].slice(1, 63)?, 3)) as fn(&[Column]) -> Result<_>,
        |inputs| BloomFilter::from_bits(inputs[0].clone(), 0),
        |inputs| BloomFilter::from_bits(inputs[0].clone(), 33),
        |inputs| BloomFilter::from_bits(inputs[0].slice(0, 32)?, 3),
    ] {
        cases.push(refused(&format!("bits/{}", cases.len()), bits(), run, is_argument));
    }
    let with_null = bools((0..64).map(|row| (row > 0).then_some(true)));
    cases.push(refused("null", with_null, |inputs| BloomFilter::from_bits(inputs[0].clone(), 3), is_argument));
    cases.push(refused(
        "type",
        column.clone(),
        |inputs| BloomFilter::from_bits(inputs[0].clone(), 3),
        |error| matches!(error, Error::TypeMismatch { .. }),
    ));
    cases.push(refused(
        "sizes",
        column,
        |inputs| {
            let filter = BloomFilter::try_new(&as_table(inputs)?, 9, 0.5)?;
            filter.merge(&BloomFilter::try_new(&as_table(inputs)?, 900, 0.5)?)
        },
        |error| matches!(error, Error::LengthMismatch { .. }),
    ));
    cases
}
