//! Entries of `maps`.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use gdf_api::maps::{contains_key, entries as map_entries, get, keys, values};
use gdf_core::{Column, Error, Result};
use gdf_test::compare::Equality;
use gdf_test::data::{NullPattern, SMALL_BRACKETS, random_array};
use gdf_test::value::{Value, from_values, to_values};

use super::{Case, Entry, SliceCosts};
use crate::naive::maps as naive;

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("maps.contains_key", Equality::Exact, || lookups(false)),
        Entry::new("maps.entries", Equality::Exact, || parts(|maps| map_entries(maps), naive::entries))
            .sharing_inputs(),
        Entry::new("maps.get", Equality::Exact, || lookups(true)),
        Entry::new("maps.keys", Equality::Exact, || parts(|maps| keys(maps), |maps| naive::parts(maps, 0)))
            .sharing_inputs(),
        Entry::new("maps.values", Equality::Exact, || parts(|maps| values(maps), |maps| naive::parts(maps, 1)))
            .sharing_inputs(),
    ]
}

fn map_of(key: DataType, value: DataType) -> DataType {
    let entries = DataType::Struct(vec![Field::new("keys", key, false), Field::new("values", value, true)].into());
    DataType::Map(Arc::new(Field::new("entries", entries, false)), false)
}

fn types() -> Vec<DataType> {
    let list = DataType::List(Arc::new(Field::new_list_field(DataType::Int16, true)));
    let pair =
        DataType::Struct(vec![Field::new("a", DataType::Int8, true), Field::new("b", DataType::Utf8, true)].into());
    vec![
        map_of(DataType::Utf8, DataType::Int32),
        map_of(DataType::Int8, DataType::LargeUtf8),
        map_of(DataType::Float64, DataType::Boolean),
        map_of(DataType::Boolean, list.clone()),
        map_of(list, DataType::Date32),
        map_of(pair.clone(), map_of(DataType::Int8, pair)),
    ]
}

fn maps() -> Vec<(String, ArrayRef)> {
    let mut maps = Vec::new();
    for (data_type, seed) in types().into_iter().zip(0..) {
        for nulls in [NullPattern::None, NullPattern::Some, NullPattern::All] {
            maps.push((format!("{data_type}/77/{nulls:?}"), random_array(&data_type, 77, nulls, seed)));
        }
    }
    for (&rows, seed) in SMALL_BRACKETS.iter().chain(&[3_000]).zip(100..) {
        maps.push((format!("{rows}"), random_array(&types()[0], rows, NullPattern::Some, seed)));
    }
    maps
}

fn parts(
    run: fn(&Column) -> Result<Column>,
    naive: fn(&ArrayRef) -> std::result::Result<ArrayRef, String>,
) -> Vec<Case> {
    let case = |(label, maps)| {
        Case::new(
            label,
            vec![maps],
            move |inputs| Ok(vec![run(&inputs[0])?]),
            move |inputs| Ok(vec![naive(&inputs[0])?]),
            0,
        )
    };
    let mut cases: Vec<_> = maps().into_iter().map(case).collect();
    let lists = random_array(&lists_of_numbers(), 3, NullPattern::None, 1);
    let run = move |inputs: &[Column]| Ok(vec![run(&inputs[0])?]);
    cases.push(Case::refused("refused", vec![lists], run, |error| matches!(error, Error::TypeMismatch { .. })));
    cases
}

fn lists_of_numbers() -> DataType {
    DataType::List(Arc::new(Field::new_list_field(DataType::Int32, true)))
}

/// Returns a key for each map.
fn keys_of(maps: &ArrayRef) -> std::result::Result<ArrayRef, String> {
    let lists = naive::parts(maps, 0)?;
    let DataType::List(key) = lists.data_type().clone() else {
        return Err("the keys of maps are not lists".to_owned());
    };
    let lists = to_values(&lists);
    let key_of = |row: usize| match &lists[(row + row % 3 / 2) % lists.len()] {
        Some(Value::List(keys)) if !keys.is_empty() => keys[row % keys.len()].clone(),
        _ => None,
    };
    Ok(from_values(key.data_type(), &(0..lists.len()).map(key_of).collect::<Vec<_>>()))
}

fn lookups(values: bool) -> Vec<Case> {
    let run = move |maps: &Column, key: gdf_core::Operand<'_>| match values {
        true => get(maps, key),
        false => contains_key(maps, key),
    };
    let answer = move |found: [ArrayRef; 2]| {
        let [value, is_found] = found;
        if values { value } else { is_found }
    };
    let mut cases = Vec::new();
    for (label, maps) in maps() {
        let Ok(keys) = keys_of(&maps) else { continue };
        cases.push(
            Case::new(
                format!("column/{label}"),
                vec![maps, keys],
                move |inputs| Ok(vec![run(&inputs[0], (&inputs[1]).into())?]),
                move |inputs| Ok(vec![answer(naive::find(&inputs[0], &to_values(&inputs[1]))?)]),
                64,
            )
            .with_slice_costs(SliceCosts::Own),
        );
    }
    let texts = random_array(&types()[0], 400, NullPattern::Some, 7);
    let numbers = random_array(&types()[1], 400, NullPattern::Some, 8);
    let key = keys_of(&texts).ok().and_then(|keys| to_values(&keys).into_iter().flatten().next());
    for text in [key, Some(Value::Str("no such key".to_owned()))].into_iter().flatten() {
        let Value::Str(text) = text else { continue };
        let of = text.clone();
        cases.push(
            Case::new(
                "text/400",
                vec![texts.clone()],
                move |inputs| Ok(vec![run(&inputs[0], gdf_core::Literal::from(of.as_str()).into())?]),
                move |inputs| {
                    let keys = vec![Some(Value::Str(text.clone())); inputs[0].len()];
                    Ok(vec![answer(naive::find(&inputs[0], &keys)?)])
                },
                8,
            )
            .with_slice_costs(SliceCosts::Own),
        );
    }
    cases.push(
        Case::new(
            "number/400",
            vec![numbers.clone()],
            move |inputs| Ok(vec![run(&inputs[0], 3_i8.into())?]),
            move |inputs| Ok(vec![answer(naive::find(&inputs[0], &vec![Some(Value::Int(3)); inputs[0].len()])?)]),
            8,
        )
        .with_slice_costs(SliceCosts::Own),
    );
    cases.push(
        Case::new(
            "null/400",
            vec![numbers.clone()],
            move |inputs| Ok(vec![run(&inputs[0], gdf_core::Literal::null(&DataType::Int8).into())?]),
            move |inputs| Ok(vec![answer(naive::find(&inputs[0], &vec![None; inputs[0].len()])?)]),
            8,
        )
        .with_slice_costs(SliceCosts::Own),
    );
    let by_row = move |inputs: &[Column]| Ok(vec![run(&inputs[0], (&inputs[1]).into())?]);
    let inputs = vec![texts.slice(0, 3), random_array(&DataType::Utf8, 2, NullPattern::None, 1)];
    let is_length: fn(&Error) -> bool = |error| matches!(error, Error::LengthMismatch { .. });
    cases.push(Case::refused("refused/length", inputs, by_row, is_length));
    let refused = move |inputs: &[Column]| Ok(vec![run(&inputs[0], "text".into())?]);
    let is_mismatch: fn(&Error) -> bool = |error| matches!(error, Error::TypeMismatch { .. });
    cases.push(Case::refused("refused/key", vec![numbers], refused, is_mismatch));
    let lists = random_array(&lists_of_numbers(), 3, NullPattern::None, 1);
    cases.push(Case::refused("refused/lists", vec![lists], refused, is_mismatch));
    cases
}
