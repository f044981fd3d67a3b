//! The entry `reduction.distinct_sketch`: registers, merged registers and estimates.

use arrow_array::ArrayRef;
use arrow_array::types::{Float64Type, UInt8Type};
use arrow_schema::DataType;
use gdf_api::reduction::{DistinctSketch, NullPolicy};
use gdf_core::{Column, Error, Result};

use crate::catalog::groupby::{few, key_types};
use crate::catalog::shared::tables::{as_table, copied, encoded_types, nested_key_waits, scratch, shown};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::reduction::{distinct_estimate, distinct_registers};
use gdf_test::builders::plain;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};
use gdf_test::value::{Value, from_values};

pub(crate) fn entries() -> Vec<Entry> {
    vec![Entry::new("reduction.distinct_sketch", Equality::Exact, cases)]
}

fn case(label: String, columns: Vec<ArrayRef>, nulls: NullPolicy, precision: u8) -> Case {
    let waits = 4 + nested_key_waits(&columns) + columns.len() as u64;
    let run = move |inputs: &[Column]| {
        Ok(vec![DistinctSketch::try_new(&as_table(inputs)?, nulls, precision)?.registers().clone()])
    };
    let oracle = move |inputs: &[ArrayRef]| {
        let registers = distinct_registers(inputs, nulls, precision)?;
        Ok(vec![plain::<UInt8Type>(registers)])
    };
    Case::new(format!("{label}/{nulls:?}/{precision}"), columns, run, oracle, waits).with_slice_costs(SliceCosts::Own)
}

/// Builds a case of the sketches of two columns, which are merged, stored and read again.
fn merged(label: String, columns: [ArrayRef; 2], precision: u8) -> Case {
    let exact = columns.each_ref().map(|column| column.len()).into_iter().sum::<usize>();
    let run = move |inputs: &[Column]| {
        let of = |column: &Column| {
            DistinctSketch::try_new(&as_table(std::slice::from_ref(column))?, NullPolicy::Include, precision)
        };
        let device = inputs[0].device();
        let [one, other] = [scratch(device, || of(&inputs[0]))?, scratch(device, || of(&inputs[1]))?];
        let merged = scratch(device, || one.merge(&other))?;
        let stored = DistinctSketch::from_registers(merged.registers().clone())?;
        Ok(vec![copied(stored.registers())?, shown(&[stored.estimate()?], device)?])
    };
    let oracle = move |inputs: &[ArrayRef]| {
        let of = |column: &ArrayRef| distinct_registers(std::slice::from_ref(column), NullPolicy::Include, precision);
        let (one, other) = (of(&inputs[0])?, of(&inputs[1])?);
        let registers: Vec<_> = one.into_iter().zip(other).map(|(a, b)| a.max(b)).collect();
        let estimate = distinct_estimate(&registers).round();
        // All rows of large cases are distinct.
        let error = 6.0 * 1.04 / f64::from(1_u32 << precision).sqrt();
        assert!(exact < 1000 || (estimate / exact as f64 - 1.0).abs() < error, "{estimate} for {exact} rows");
        let estimate = from_values(&DataType::UInt64, &[Some(Value::UInt(estimate as u64))]);
        Ok(vec![plain::<UInt8Type>(registers), estimate])
    };
    Case::new(format!("{label}/{precision}"), columns.to_vec(), run, oracle, 12)
        .with_host_values(1 << (precision - 3))
        .with_slice_costs(SliceCosts::Own)
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let policies = [NullPolicy::Include, NullPolicy::Exclude];
    for (of, seed) in [key_types(), encoded_types(), data::nested_keys()].concat().iter().zip(1_u64..) {
        let column = random_array(of, 65, NullPattern::Some, seed);
        cases.push(case(format!("{of}"), vec![column], policies[seed as usize % 2], 4 + (seed % 3) as u8));
    }
    for (&rows, seed) in SMALL_BRACKETS.iter().chain(&[4097]).zip(1_u64..) {
        for &nulls in NullPattern::ALL {
            let columns = vec![few(40, rows, nulls, seed), random_array(&DataType::Utf8, rows, nulls, seed)];
            cases.push(case(format!("{rows}/{nulls:?}"), columns, policies[seed as usize % 2], 6));
        }
    }
    let floats = plain::<Float64Type>([0.0, -0.0, f64::NAN, -f64::NAN, 1.0]);
    cases.push(case("floats".into(), vec![floats], NullPolicy::Include, 4));
    for (rows, precision) in [(0, 4), (3, 4), (3000, 4), (40, 12), (2000, 12), (30_000, 12), (2000, 18)] {
        let numbers = |first: i64| plain::<arrow_array::types::Int64Type>(first..first + rows);
        cases.push(merged(format!("merged/{rows}"), [numbers(0), numbers(rows)], precision));
    }
    let column = plain::<UInt8Type>([1, 2, 3]);
    let refused =
        |label: &str, input: ArrayRef, run: fn(&[Column]) -> Result<DistinctSketch>, right: fn(&Error) -> bool| {
            let run = move |inputs: &[Column]| Ok(vec![run(inputs)?.registers().clone()]);
            Case::refused(format!("refused/{label}"), vec![input], run, right)
        };
    let is_argument = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    for run in [
        (|inputs| DistinctSketch::try_new(&as_table(inputs)?, NullPolicy::Include, 3)) as fn(&[Column]) -> Result<_>,
        |inputs| DistinctSketch::try_new(&as_table(inputs)?, NullPolicy::Include, 19),
        |inputs| DistinctSketch::from_registers(inputs[0].clone()),
    ] {
        cases.push(refused(&format!("{}", cases.len()), column.clone(), run, is_argument));
    }
    let wide = plain::<arrow_array::types::Int32Type>([0; 16]);
    cases.push(refused(
        "type",
        wide,
        |inputs| DistinctSketch::from_registers(inputs[0].clone()),
        |error| matches!(error, Error::TypeMismatch { .. }),
    ));
    let zeros = plain::<UInt8Type>([0; 16]);
    cases.push(refused(
        "precisions",
        zeros,
        |inputs| {
            let sketch = DistinctSketch::from_registers(inputs[0].clone())?;
            sketch.merge(&DistinctSketch::try_new(&as_table(inputs)?, NullPolicy::Include, 5)?)
        },
        |error| matches!(error, Error::LengthMismatch { .. }),
    ));
    let large = plain::<UInt8Type>([62; 16]);
    cases.push(refused(
        "register",
        large,
        |inputs| {
            let sketch = DistinctSketch::from_registers(inputs[0].clone())?;
            sketch.estimate().map(|_| sketch)
        },
        is_argument,
    ));
    cases
}
