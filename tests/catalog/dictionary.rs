//! Entries of `dictionary`.

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_schema::{DataType, Field};
use gdf_api::dictionary::{
    add_keys, decode, encode, get_index, match_dictionaries, remove_keys, remove_unused_keys, set_keys,
};
use gdf_api::unary::cast;
use gdf_core::{Column, ColumnParts, Error, Result};

use super::shared::tables::{few_nested, nested_key_waits, scratch};
use super::{Case, Entry, SliceCosts};
use crate::naive::dictionary as naive;

use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};
use gdf_test::value::{Value, from_values, to_values};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("dictionary.encode", Equality::Exact, encoded).guessing(),
        Entry::new("dictionary.decode", Equality::Exact, decoded),
        Entry::new("dictionary.add_keys", Equality::Exact, || updated(Update::Add)).guessing(),
        Entry::new("dictionary.get_index", Equality::Exact, indices).guessing(),
        Entry::new("dictionary.match_dictionaries", Equality::Exact, matched).guessing(),
        Entry::new("dictionary.remove_keys", Equality::Exact, || updated(Update::Remove)).guessing(),
        Entry::new("dictionary.remove_unused_keys", Equality::Exact, unused).guessing(),
        Entry::new("dictionary.set_keys", Equality::Exact, || updated(Update::Set)).guessing(),
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
    for (of, seed) in data::nested_keys().iter().zip(1_u64..) {
        for (rows, nulls) in [(0, Plain), (1, Plain), (65, Plain), (300, Nulls), (33, All)] {
            let column = few_nested(of, rows, 40, nulls, seed);
            let mut case = case(format!("nested/{of}/{rows}/{nulls:?}"), column, DataType::Int16);
            (case.waits, case.slices) = (WAITS + nested_key_waits(&case.inputs), SliceCosts::Own);
            cases.push(case);
        }
    }
    let refused = |label: &str, column: ArrayRef, key: DataType, is_expected: fn(&Error) -> bool| {
        let run = move |inputs: &[Column]| Ok(vec![encode(&inputs[0], &key)?]);
        Case::refused(format!("refused/{label}"), vec![column], run, is_expected)
    };
    let many = from_values(&DataType::Int32, &(0..300).map(|row| Some(Value::Int(row % 129))).collect::<Vec<_>>());
    cases.push(refused("many", many.clone(), DataType::Int8, |error| matches!(error, Error::InvalidArgument { .. })));
    cases.push(refused("key", many, DataType::Float32, |error| matches!(error, Error::TypeMismatch { .. })));
    let unions = random_array(&data::unions()[0], 3, Plain, 1);
    cases.push(refused("unions", unions, DataType::Int32, |error| matches!(error, Error::Unsupported { .. })));
    let one = DataType::Struct([Field::new("number", DataType::Int32, true)].into_iter().collect());
    let many = (0..300).map(|row| Some(Value::Struct(vec![Some(Value::Int(row % 129))])));
    let many = from_values(&one, &many.collect::<Vec<_>>());
    cases.push(refused("many structs", many, DataType::Int8, |error| matches!(error, Error::InvalidArgument { .. })));
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

/// The first input has the values of the dictionary, which are unsorted and repeated.
fn indices() -> Vec<Case> {
    const ROWS: usize = 65;
    let mut cases = Vec::new();
    for (of, seed) in types().iter().chain(&[DataType::Float64]).zip(1_u64..) {
        let key = data::integral()[seed as usize % data::integral().len()].clone();
        let own = random_array(of, ROWS, NullPattern::Some, seed);
        let present = to_values(&own).iter().rev().flatten().next().cloned();
        let absent = to_values(&random_array(of, 40, NullPattern::None, seed + 99)).pop().flatten();
        for (label, value) in [("present", present), ("other", absent), ("null", None)] {
            let inputs = vec![own.clone(), from_values(of, &[value])];
            let (key, number) = (key.clone(), key.clone());
            let run = move |inputs: &[Column]| {
                let dictionary = scratch(inputs[0].device(), || {
                    let rows: Vec<i32> = (0..ROWS as i32).collect();
                    let keys = cast(&Column::from_slice(&rows)?, &key)?;
                    Column::try_from_parts(ColumnParts::dictionary(keys, inputs[0].clone()))
                })?;
                Ok(vec![get_index(&dictionary, inputs[1].view())?.into_column()])
            };
            let oracle = move |inputs: &[ArrayRef]| {
                let wanted = to_values(&inputs[1]).pop().flatten();
                let same = |value: &Option<Value>| wanted.is_some() && naive::same(value, &wanted);
                let index = to_values(&inputs[0]).iter().position(same).map(|index| naive::number(&number, index));
                Ok(vec![from_values(&number, &[index])])
            };
            cases.push(Case::new(format!("{of}/{label}"), inputs, run, oracle, 3).with_slice_costs(SliceCosts::Own));
        }
    }
    let run = |inputs: &[Column]| Ok(vec![get_index(&inputs[0], inputs[1].view())?.into_column()]);
    let plain = random_array(&DataType::Int32, 3, NullPattern::None, 1);
    let value = random_array(&DataType::Int32, 1, NullPattern::None, 1);
    let refused = |error: &Error| matches!(error, Error::TypeMismatch { .. });
    cases.push(Case::refused("refused/no dictionary", vec![plain, value.clone()], run, refused));
    let texts = random_array(&dictionary(&DataType::Int8, &DataType::Utf8), 3, NullPattern::None, 1);
    cases.push(Case::refused("refused/value", vec![texts.clone(), value], run, refused));
    let two = random_array(&DataType::Utf8, 2, NullPattern::None, 1);
    let is_length = |error: &Error| matches!(error, Error::LengthMismatch { .. });
    cases.push(Case::refused("refused/length", vec![texts, two], run, is_length));
    cases
}

/// An operation that changes the values of a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Update {
    Set,
    Add,
    Remove,
}

impl Update {
    /// Makes a dictionary from the rows of the first input, and updates its values with the last input.
    fn run(self, inputs: &[Column], key: &DataType) -> Result<Column> {
        if self == Update::Add {
            let [rows, keys] = inputs else { return Err(Error::column_count(2, inputs.len())) };
            return add_keys(&encode(rows, key)?, keys);
        }
        let [rows, unused, keys] = inputs else { return Err(Error::column_count(3, inputs.len())) };
        let column = scratch(rows.device(), || add_keys(&encode(rows, key)?, unused))?;
        if self == Update::Set { set_keys(&column, keys) } else { remove_keys(&column, keys) }
    }

    /// Returns the plain rows of the result, and its values.
    fn naive(self, inputs: &[ArrayRef]) -> std::result::Result<[ArrayRef; 2], String> {
        let keys = &inputs[inputs.len() - 1];
        let new = to_values(keys);
        let old = match self {
            Update::Add => to_values(&naive::values(&inputs[0])?),
            _ => added(&inputs[0], &inputs[1])?,
        };
        let values = match self {
            Update::Set => naive::values(keys)?,
            Update::Remove => {
                naive::chosen(&from_values(inputs[0].data_type(), &old), |value| !naive::has(&new, value))?
            }
            Update::Add => from_values(inputs[0].data_type(), &added(&inputs[0], keys)?),
        };
        Ok([naive::only(&inputs[0], &values)?, values])
    }
}

fn added(rows: &ArrayRef, keys: &ArrayRef) -> std::result::Result<Vec<Option<Value>>, String> {
    let mut values = to_values(&naive::values(rows)?);
    let new = naive::chosen(keys, |value| !naive::has(&values, value))?;
    values.extend(to_values(&new));
    Ok(values)
}

fn shown(column: &Column) -> Result<[Column; 2]> {
    Ok([decode(column)?, column.children()[0].clone()])
}

fn few(of: &DataType, rows: usize, distinct: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    let values = to_values(&random_array(of, distinct.max(1), nulls, seed));
    let row = |row: usize| values[row.wrapping_mul(0x9e37_79b9) / 64 % values.len()].clone();
    from_values(of, &(0..rows).map(row).collect::<Vec<_>>())
}

fn updated(update: Update) -> Vec<Case> {
    let inputs_of = move |[rows, unused, keys]: [ArrayRef; 3]| match update {
        Update::Add => vec![rows, keys],
        Update::Remove | Update::Set => vec![rows, unused, keys],
    };
    let case = |label: String, inputs: [ArrayRef; 3], key: DataType| {
        Case::new(
            label,
            inputs_of(inputs),
            move |inputs| Ok(shown(&update.run(inputs, &key)?)?.to_vec()),
            move |inputs| Ok(update.naive(inputs)?.to_vec()),
            4 * WAITS,
        )
    };
    let mut cases = Vec::new();
    for (of, seed) in types().iter().zip(1_u64..) {
        let key = [DataType::Int16, DataType::UInt32, DataType::Int64][seed as usize % 3].clone();
        let rows = few(of, 65, 20, NullPattern::Some, seed);
        let unused = random_array(of, 15, NullPattern::Some, seed + 50);
        // Some of the keys are values of the dictionary.
        let some = to_values(&rows).into_iter().step_by(9).chain(to_values(&unused).into_iter().step_by(4));
        let others = to_values(&random_array(of, 12, NullPattern::Some, seed + 100));
        let keys = from_values(of, &some.chain(others).collect::<Vec<_>>());
        cases.push(case(format!("types/{of}"), [rows, unused, keys], key));
    }
    for (&rows, seed) in SMALL_BRACKETS.iter().chain(&[2049]).zip(1_u64..) {
        let text = |rows, distinct, seed| few(&DataType::Utf8, rows, distinct, NullPattern::Some, seed);
        let inputs = [text(rows, 40, seed), text(rows / 3, 9, seed + 7), text(rows / 2, 30, seed)];
        cases.push(case(format!("rows/{rows}"), inputs, DataType::Int16));
    }
    let refused = |label: &str, inputs: [ArrayRef; 3], is_expected: fn(&Error) -> bool| {
        let run = move |inputs: &[Column]| Ok(vec![update.run(inputs, &DataType::Int8)?]);
        Case::refused(format!("refused/{label}"), inputs_of(inputs), run, is_expected)
    };
    let is_mismatch: fn(&Error) -> bool = |error| matches!(error, Error::TypeMismatch { .. });
    let number = random_array(&DataType::Int32, 3, NullPattern::None, 1);
    let text = random_array(&DataType::Utf8, 3, NullPattern::None, 1);
    cases.push(refused("keys", [text.clone(), text, number.clone()], is_mismatch));
    let plain = move |inputs: &[Column]| {
        let [column, keys] = [&inputs[0], &inputs[0]];
        Ok(vec![match update {
            Update::Set => set_keys(column, keys)?,
            Update::Add => add_keys(column, keys)?,
            Update::Remove => remove_keys(column, keys)?,
        }])
    };
    cases.push(Case::refused("refused/plain", vec![number.clone()], plain, is_mismatch));
    if update != Update::Remove {
        let many = from_values(&DataType::Int32, &(0..300).map(|row| Some(Value::Int(row))).collect::<Vec<_>>());
        let few = [number.clone(), number, many];
        cases.push(refused("many", few, |error| matches!(error, Error::InvalidArgument { .. })));
    }
    cases
}

fn unused() -> Vec<Case> {
    let mut cases = Vec::new();
    for (of, seed) in types().iter().zip(1_u64..) {
        for rows in [0, 7, 65] {
            // Most values are used by rows that are filtered out.
            let column = few(&dictionary(&DataType::UInt16, of), 200, 90, NullPattern::Some, seed);
            cases.push(Case::new(
                format!("{of}/{rows}"),
                vec![column.slice(200 - rows, rows)],
                |inputs| Ok(shown(&remove_unused_keys(&inputs[0])?)?.to_vec()),
                |inputs| {
                    let of = inputs[0].as_any_dictionary().values().data_type().clone();
                    let rows = naive::with_type(&inputs[0], &of)?;
                    Ok(vec![rows.clone(), naive::values(&rows)?])
                },
                2 * WAITS,
            ));
        }
    }
    cases
}

fn matched() -> Vec<Case> {
    let keys = [DataType::Int16, DataType::UInt32, DataType::Int64];
    let mut cases = Vec::new();
    for (of, seed) in types().iter().zip(1_u64..) {
        let columns =
            [65, 0, 33].into_iter().zip(0..).map(|(rows, i)| few(of, rows, 20, NullPattern::Some, seed * 3 + i));
        let keys = keys.clone();
        cases.push(Case::new(
            format!("{of}"),
            columns.collect(),
            move |inputs| {
                let encoded = scratch(inputs[0].device(), || {
                    inputs.iter().zip(&keys).map(|(rows, key)| encode(rows, key)).collect::<Result<Vec<_>>>()
                })?;
                let matched = match_dictionaries(&encoded.iter().map(Column::view).collect::<Vec<_>>())?;
                let mut shown = matched.iter().map(decode).collect::<Result<Vec<_>>>()?;
                shown.extend(matched.first().map(|column| column.children()[0].clone()));
                Ok(shown)
            },
            |inputs| {
                let all: Vec<_> = inputs.iter().flat_map(|input| to_values(input)).collect();
                let common = naive::values(&from_values(inputs[0].data_type(), &all))?;
                Ok([inputs.to_vec(), vec![common]].concat())
            },
            8 * WAITS,
        ));
    }
    let texts = few(&dictionary(&DataType::Int8, &DataType::Utf8), 3, 3, NullPattern::None, 1);
    let numbers = few(&dictionary(&DataType::Int8, &DataType::Int32), 3, 3, NullPattern::None, 1);
    let run = |inputs: &[Column]| match_dictionaries(&inputs.iter().map(Column::view).collect::<Vec<_>>());
    cases
        .push(Case::refused("refused", vec![texts, numbers], run, |error| matches!(error, Error::TypeMismatch { .. })));
    cases
}
