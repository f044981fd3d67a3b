//! Entries of `dictionary`.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::dictionary::{decode, encode};
use gdf_core::{Column, Error};

use super::{Case, Entry};
use crate::naive::dictionary as naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};
use gdf_test::value::{Value, from_values};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("dictionary.encode", Equality::Exact, encoded).guessing(),
        Entry::new("dictionary.decode", Equality::Exact, decoded),
    ]
}

fn dictionary(key: &DataType, values: &DataType) -> DataType {
    DataType::Dictionary(Box::new(key.clone()), Box::new(values.clone()))
}

/// Returns the types of the dictionary values. Floats are left out: the operation returns the same zero for zeros of
/// both signs, but the oracle keeps the sign of each zero.
fn types() -> Vec<DataType> {
    data::ordered().into_iter().filter(|of| !data::floating().contains(of)).collect()
}

/// The largest number of waits: for finding the distinct rows, for sorting them, for the search, for removing nulls,
/// and for the sizes of text.
const WAITS: u64 = 24;

fn encoded() -> Vec<Case> {
    use NullPattern::{All, None as Plain, Some as Nulls};
    let case = |label: String, column: ArrayRef, key: DataType| {
        let oracle_key = key.clone();
        Case::new(
            label,
            vec![column],
            move |inputs| {
                let encoded = encode(&inputs[0], &key)?;
                Ok(vec![encoded.clone(), encoded.children()[0].clone()])
            },
            move |inputs| {
                let values = naive::values(&inputs[0])?;
                let encoded = naive::with_type(&inputs[0], &dictionary(&oracle_key, values.data_type()))?;
                Ok(vec![encoded, values])
            },
            WAITS,
        )
    };
    let mut cases = Vec::new();
    for (of, seed) in types().iter().zip(1_u64..) {
        for nulls in [Plain, Nulls] {
            let key = data::integral()[seed as usize % data::integral().len()].clone();
            cases.push(case(format!("types/{of}/{key}/{nulls:?}"), random_array(of, 65, nulls, seed), key));
        }
    }
    for (&rows, seed) in SMALL_BRACKETS.iter().chain(&[2049]).zip(1_u64..) {
        for nulls in [Nulls, All] {
            let column = random_array(&DataType::UInt8, rows, nulls, seed);
            cases.push(case(format!("rows/{rows}/{nulls:?}"), column, DataType::Int16));
        }
    }
    let refused = |label: &str, column: ArrayRef, key: DataType, is_expected: fn(&Error) -> bool| {
        let run = move |inputs: &[Column]| Ok(vec![encode(&inputs[0], &key)?]);
        Case::refused(format!("refused/{label}"), vec![column], run, is_expected)
    };
    let many = from_values(&DataType::Int32, &(0..300).map(|row| Some(Value::Int(row % 129))).collect::<Vec<_>>());
    cases.push(refused("many", many.clone(), DataType::Int8, |error| matches!(error, Error::InvalidArgument { .. })));
    cases.push(refused("key", many, DataType::Float32, |error| matches!(error, Error::TypeMismatch { .. })));
    let lists = random_array(&data::nested()[0], 3, Plain, 1);
    cases.push(refused("lists", lists, DataType::Int32, |error| matches!(error, Error::Unsupported { .. })));
    cases
}

fn decoded() -> Vec<Case> {
    let mut cases = Vec::new();
    for (values, seed) in types().iter().zip(1_u64..) {
        let key = data::integral()[seed as usize % data::integral().len()].clone();
        let of = dictionary(&key, values);
        let (column, values) = (random_array(&of, 65, NullPattern::Some, seed), values.clone());
        cases.push(Case::new(
            format!("{of}"),
            vec![column],
            |inputs| Ok(vec![decode(&inputs[0])?]),
            move |inputs| Ok(vec![naive::with_type(&inputs[0], &values)?]),
            2,
        ));
    }
    let plain = random_array(&DataType::Int32, 3, NullPattern::None, 1);
    let run = |inputs: &[Column]| Ok(vec![decode(&inputs[0])?]);
    cases.push(Case::refused("refused", vec![plain], run, |error| matches!(error, Error::TypeMismatch { .. })));
    cases
}
