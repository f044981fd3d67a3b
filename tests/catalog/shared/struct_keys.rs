//! Keys that are structs, in all forms that their fields and nulls can have.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{DataType, Field, Fields};

use gdf_test::data::{NullPattern, random_array};
use gdf_test::value::{Value, from_values, to_values};

/// Returns a struct of the fields, with nulls of the pattern.
fn structs(fields: Vec<ArrayRef>, rows: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    let named = (0..).zip(&fields).map(|(i, of)| Field::new(format!("f{i}"), of.data_type().clone(), true));
    let nulls = nulls.validity(rows, seed);
    let structs = StructArray::try_new_with_length(named.collect::<Fields>(), fields, nulls, rows);
    Arc::new(structs.expect("all fields have this number of rows"))
}

/// Returns `rows` numbers below `distinct`.
fn numbers(data_type: DataType, rows: usize, distinct: u64, nulls: NullPattern, seed: u64) -> ArrayRef {
    let number = |row: usize| (row as u64 ^ seed << 20).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 15;
    let value = |number: u64| match data_type {
        DataType::Boolean => Value::Bool(number == 1),
        _ => Value::Int(i128::from(number)),
    };
    let values: Vec<_> = (0..rows).map(|row| Some(value(number(row) % distinct))).collect();
    gdf_test::data::with_validity(&from_values(&data_type, &values), nulls.validity(rows, seed + 7))
}

/// Returns `rows` values of a type, of which about `distinct` differ.
fn few(data_type: &DataType, rows: usize, distinct: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    let values = to_values(&random_array(data_type, distinct, nulls, seed));
    let rows: Vec<_> = (0..rows).map(|row| values[(row * 7 + row / distinct) % distinct].clone()).collect();
    from_values(data_type, &rows)
}

/// Returns keys of `rows` rows with their names.
pub(crate) fn struct_keys(rows: usize, seed: u64) -> Vec<(&'static str, ArrayRef)> {
    use NullPattern::{None as Plain, Some as Nulls};
    let small = |nulls, salt| numbers(DataType::Int32, rows, 4, nulls, seed * 10 + salt);
    let two = |own, [first, second]: [NullPattern; 2]| {
        let second = numbers(DataType::Int8, rows, 3, second, seed * 10 + 2);
        structs(vec![small(first, 1), second], rows, own, seed + 1)
    };
    let inner = |own, field| structs(vec![small(field, 3)], rows, own, seed + 2);
    let texts = |data_type: &DataType| few(data_type, rows, 7, Nulls, 3);
    let dictionary = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let sliced = structs(vec![numbers(DataType::Boolean, rows + 3, 2, Nulls, seed)], rows + 3, Nulls, seed + 3);
    let wide = (0..40).map(|i| numbers(DataType::Int8, rows, 2 - u64::from(i > 3), Nulls, i % 4)).collect();
    vec![
        ("no nulls", two(Plain, [Plain, Plain])),
        ("null structs", two(Nulls, [Plain, Plain])),
        ("null fields", two(Plain, [Nulls, Nulls])),
        ("one field with nulls", two(Nulls, [Nulls, Plain])),
        ("nulls of all kinds", two(Nulls, [Nulls, Nulls])),
        ("no fields", structs(Vec::new(), rows, Nulls, seed)),
        ("nested", structs(vec![inner(Nulls, Plain)], rows, Nulls, seed + 4)),
        ("nested, inner nulls", structs(vec![inner(Nulls, Nulls), small(Nulls, 4)], rows, Nulls, seed + 5)),
        ("nested, no fields", structs(vec![structs(Vec::new(), rows, Nulls, seed)], rows, Nulls, seed + 6)),
        ("slice of booleans", sliced.slice(3, rows)),
        ("floats", structs(vec![few(&DataType::Float64, rows, 9, Nulls, 1)], rows, Nulls, seed + 7)),
        ("texts", structs(vec![texts(&DataType::Utf8), texts(&DataType::LargeBinary)], rows, Nulls, seed + 8)),
        ("encoded", structs(vec![texts(&dictionary), texts(&DataType::Utf8View)], rows, Nulls, seed + 9)),
        ("bytes", structs(vec![texts(&DataType::FixedSizeBinary(2)), small(Nulls, 5)], rows, Nulls, seed + 10)),
        ("more fields than keys", structs(wide, rows, Nulls, seed + 11)),
    ]
}
