//! Entries of `structs`.

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use gdf_api::structs as api;
use gdf_core::{Column, Error, Result, Table};

use super::lists::elements::list;
use super::shared::tables::{list_types, with_lists};
use super::{Case, Entry, SliceCosts};
use crate::naive::structs as naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("structs.drop_fields", Equality::Exact, drop_fields).sharing_inputs(),
        Entry::new("structs.field", Equality::Exact, || fields(false)).sharing_inputs(),
        Entry::new("structs.field_by_name", Equality::Exact, || fields(true)).sharing_inputs(),
        Entry::new("structs.from_columns", Equality::Exact, from_columns).sharing_inputs(),
        Entry::new("structs.rename_fields", Equality::Exact, rename_fields).sharing_inputs(),
        Entry::new("structs.with_field", Equality::Exact, with_field).sharing_inputs(),
    ]
}

fn struct_of(fields: &[(&str, DataType)]) -> DataType {
    let of = fields.iter().map(|(name, data_type)| Field::new(*name, data_type.clone(), true));
    DataType::Struct(of.collect())
}

/// Returns types of structs with two fields, `a` and `b`.
fn types() -> Vec<DataType> {
    let inner = struct_of(&[("c", DataType::Float32), ("d", list(DataType::Utf8))]);
    let dictionary = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let mut pairs = vec![
        (DataType::Int32, DataType::Utf8),
        (DataType::Boolean, list(DataType::Int16)),
        (inner, dictionary),
        (DataType::Utf8View, DataType::FixedSizeBinary(3)),
    ];
    pairs.extend(list_types().into_iter().zip(data::views()));
    pairs.extend(data::unions().into_iter().map(|union| (union, DataType::Decimal128(20, 2))));
    pairs.into_iter().map(|(a, b)| struct_of(&[("a", a), ("b", b)])).collect()
}

fn columns() -> Vec<(String, ArrayRef)> {
    let mut columns = Vec::new();
    for (data_type, seed) in types().into_iter().zip(0..) {
        for nulls in [NullPattern::None, NullPattern::Some, NullPattern::All] {
            columns.push((format!("{data_type}/77/{nulls:?}"), random_array(&data_type, 77, nulls, seed)));
        }
    }
    for (&rows, seed) in SMALL_BRACKETS.iter().zip(100..) {
        columns.push((format!("{rows}"), random_array(&types()[0], rows, NullPattern::Some, seed)));
    }
    columns
}

fn case(
    label: String,
    inputs: Vec<ArrayRef>,
    run: impl Fn(&[Column]) -> Result<Column> + Send + Sync + 'static,
    oracle: impl Fn(&[ArrayRef]) -> std::result::Result<ArrayRef, String> + Send + Sync + 'static,
) -> Case {
    let waits = 8 + with_lists(&inputs, 2);
    let run = move |inputs: &[Column]| Ok(vec![run(inputs)?]);
    Case::new(label, inputs, run, move |inputs| Ok(vec![oracle(inputs)?]), waits).with_slice_costs(SliceCosts::Own)
}

fn refused(
    label: &str,
    run: impl Fn(&[Column]) -> Result<Column> + Send + Sync + 'static,
    data_type: DataType,
    right: fn(&Error) -> bool,
) -> Case {
    let inputs =
        vec![random_array(&data_type, 3, NullPattern::None, 1), random_array(&data_type, 2, NullPattern::None, 1)];
    Case::refused(format!("refused {label}"), inputs, move |inputs| Ok(vec![run(inputs)?]), right)
}

fn is_mismatch(error: &Error) -> bool {
    matches!(error, Error::TypeMismatch { .. })
}

fn is_length(error: &Error) -> bool {
    matches!(error, Error::LengthMismatch { .. })
}

fn is_unknown(error: &Error) -> bool {
    matches!(error, Error::NameNotFound { .. })
}

fn fields(named: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    let run = move |structs: &Column, index: usize| match named {
        true => api::field_by_name(structs, ["a", "b", "z"][index]),
        false => api::field(structs, index),
    };
    for (label, structs) in columns() {
        for index in 0..2 {
            cases.push(case(
                format!("{index}/{label}"),
                vec![structs.clone()],
                move |inputs| run(&inputs[0], index),
                move |inputs| naive::field(&inputs[0], index),
            ));
        }
    }
    let missing: fn(&Error) -> bool =
        if named { is_unknown } else { |error| matches!(error, Error::OutOfBounds { .. }) };
    cases.push(refused("number", move |inputs| run(&inputs[0], 0), DataType::Int32, is_mismatch));
    cases.push(refused("missing", move |inputs| run(&inputs[0], 2), types()[0].clone(), missing));
    cases
}

fn from_columns() -> Vec<Case> {
    let run = |inputs: &[Column]| api::from_columns(&Table::try_new(inputs.to_vec())?, &["x", "y"]);
    let of = |(label, structs): (String, ArrayRef)| {
        let other = random_array(&DataType::LargeUtf8, structs.len(), NullPattern::Some, 3);
        case(label, vec![structs, other], run, |inputs| naive::from_columns(inputs, &["x", "y"]))
    };
    let mut cases: Vec<_> = columns().into_iter().map(of).collect();
    let names = |inputs: &[Column]| api::from_columns(&Table::try_new(inputs[..1].to_vec())?, &["x", "y"]);
    cases.push(refused("names", names, DataType::Int8, is_length));
    cases
}

fn with_field() -> Vec<Case> {
    let mut cases = Vec::new();
    for (label, structs) in columns() {
        let other = random_array(&list(DataType::Int8), structs.len(), NullPattern::Some, 3);
        for (index, name) in [(0, "a"), (2, "z")] {
            cases.push(case(
                format!("{name}/{label}"),
                vec![structs.clone(), other.clone()],
                move |inputs| api::with_field(&inputs[0], name, &inputs[1]),
                move |inputs| naive::with_field(&inputs[0], index, name, &inputs[1]),
            ));
        }
    }
    let run = |inputs: &[Column]| api::with_field(&inputs[0], "z", &inputs[1]);
    cases.push(refused("number", run, DataType::Int32, is_mismatch));
    cases.push(refused("length", run, types()[0].clone(), is_length));
    cases
}

fn rename_fields() -> Vec<Case> {
    let run = |inputs: &[Column]| api::rename_fields(&inputs[0], &["x", "y"]);
    let of =
        |(label, structs)| case(label, vec![structs], run, |inputs| naive::project(&inputs[0], &[0, 1], &["x", "y"]));
    let mut cases: Vec<_> = columns().into_iter().map(of).collect();
    cases.push(refused("number", run, DataType::Int32, is_mismatch));
    let names = |inputs: &[Column]| api::rename_fields(&inputs[0], &["x"]);
    cases.push(refused("names", names, types()[0].clone(), is_length));
    cases
}

fn drop_fields() -> Vec<Case> {
    let run = |inputs: &[Column]| api::drop_fields(&inputs[0], &["a"]);
    let of = |(label, structs)| case(label, vec![structs], run, |inputs| naive::project(&inputs[0], &[1], &["b"]));
    let mut cases: Vec<_> = columns().into_iter().map(of).collect();
    cases.push(refused("number", run, DataType::Int32, is_mismatch));
    let unknown = |inputs: &[Column]| api::drop_fields(&inputs[0], &["z"]);
    cases.push(refused("missing", unknown, types()[0].clone(), is_unknown));
    cases
}
