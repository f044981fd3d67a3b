//! Entries of `strings` that convert between text and floats.

use std::sync::Arc;

use arrow_array::{Float32Array, Float64Array};
use arrow_schema::DataType;
use gdf_api::strings as api;
use gdf_core::Column;

use super::numbers::{Inputs, numbers, parsed, read, write};
use super::{both_of, is_unsupported, refusal};
use crate::catalog::{Case, Entry};
use crate::naive::strings::floats as naive;
use gdf_test::compare::Equality;

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("strings.from_floats", Equality::Exact, from_floats),
        Entry::new("strings.is_float", Equality::Exact, is_float),
        Entry::new("strings.to_floats", Equality::Exact, to_floats),
    ]
}

/// Some of these texts are floats, some are almost floats, and some are no floats at all.
const TEXTS: [&str; 72] = [
    "",
    "0",
    "-0",
    "0.0",
    ".",
    "-",
    "+",
    "-.",
    ".5",
    "5.",
    "+1",
    "--1",
    "1.5",
    "-2.25",
    "1e5",
    "1E5",
    "1e+5",
    "1e-5",
    "1e",
    "1e+",
    "e5",
    ".e5",
    "1.e5",
    "1.2.3",
    "1_000",
    "1,5",
    " 1",
    "1 ",
    "0x1p3",
    "inf",
    "-inf",
    "+Inf",
    "INFINITY",
    "infinit",
    "infinityy",
    "nan",
    "-NaN",
    "nanx",
    "in",
    "1a",
    "1e5.0",
    "1f",
    "٣",
    "1😀",
    "3.4028235e38",
    "3.4028236e38",
    "1.7976931348623157e308",
    "1.7976931348623159e308",
    "1e309",
    "-1e400",
    "1e99999999999999999999",
    "0e99999999999999999999",
    "1e-99999999999999999999",
    "5e-324",
    "2e-324",
    "3e-324",
    "2.2250738585072011e-308",
    "1e-45",
    "1.17549435e-38",
    "8.5e22",
    "1e23",
    "9007199254740993",
    "9007199254740992.9999999999999",
    "9007199254740993.00000000000000000000000000000001",
    "123456789012345678901234567890",
    "0.000000000000000000000000000000000000000000000001e48",
    "16777217",
    "18446744073709551616",
    "99999999999999999999",
    "7.2057594037927933e16",
    "1.00000005960464477539062500001",
    "1000000000000000000000000000000000000000e-39",
];

/// Returns the number halfway between a float and the next float.
fn halfway(value: f64, next: f64) -> String {
    let digits = |value: f64| format!("{value:.1100}").into_bytes();
    let (low, high) = (digits(value), digits(next));
    let low = [vec![b'0'; high.len() - low.len()], low].concat();
    let mut carry = 0;
    let mut sum = Vec::new();
    for (low, high) in low.iter().zip(&high).rev().filter(|(low, _)| **low != b'.') {
        let digit = low - b'0' + high - b'0' + carry;
        sum.push(digit % 10);
        carry = digit / 10;
    }
    sum.push(carry);
    let mut rest = 0;
    let half = sum.iter().rev().map(|digit| {
        let value = rest * 10 + digit;
        rest = value % 2;
        char::from(b'0' + value / 2)
    });
    let mut text: String = half.collect();
    text.insert(text.len() - 1100, '.');
    text
}

/// Returns numbers halfway between two floats, and the neighbors of these numbers.
fn halves() -> Vec<String> {
    let doubles = [
        0,
        1,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x3ff0_0000_0000_0000,
        0x4340_0000_0000_0001,
        0x7fef_ffff_ffff_fffe,
    ];
    let singles = [0_u32, 1, 0x007f_ffff, 0x3f80_0000, 0x3f80_0001, 0x4b80_0000, 0x7f7f_fffe];
    let pairs = doubles.map(|bits: u64| (f64::from_bits(bits), f64::from_bits(bits + 1)));
    let others = singles.map(|bits| (f32::from_bits(bits).into(), f32::from_bits(bits + 1).into()));
    let mut texts = Vec::new();
    for (value, next) in pairs.into_iter().chain(others) {
        let half = halfway(value, next);
        let last = half.rfind(|digit| digit != '0' && digit != '.').expect("the number has a digit other than 0");
        let below = char::from(half.as_bytes()[last] - 1);
        texts.extend([format!("{}{below}99", &half[..last]), half.clone(), half + "01"]);
    }
    texts
}

fn texts() -> Inputs {
    let types = [DataType::Float64, DataType::Float32];
    let mut all = parsed(&TEXTS, &types);
    let mut halves = halves();
    // Some of the exponents have more digits than `str::parse` reads.
    let zeros = "0".repeat(65_600);
    halves.extend(["655360", "65536", "-1000000"].map(|exponent| format!("0.{zeros}1e{exponent}")));
    for data_type in types {
        all.extend(
            both_of("halves", &halves).map(|(label, input)| (format!("{label}/{data_type}"), input, data_type.clone())),
        );
    }
    all
}

fn to_floats() -> Vec<Case> {
    let mut all = read(texts(), |column, data_type| api::to_floats(column, data_type), naive::to_floats);
    let to_halves = |column: &Column| api::to_floats(column, &DataType::Float16);
    all.push(refusal("refused output type", "1", to_halves, is_unsupported));
    all
}

fn is_float() -> Vec<Case> {
    read(parsed(&TEXTS, &[DataType::Null]), |column, _| api::is_float(column), |column, _| naive::is_float(column))
}

/// Returns the two neighbors and the negation of powers of two, of powers of ten, and of floats with up to 18 digits
/// before the decimal point.
fn special() -> Vec<f64> {
    let mut values: Vec<f64> = (-1074..1024).map(|power| 2_f64.powi(power)).collect();
    values.extend((-323..309).map(|power| format!("1e{power}").parse::<f64>().expect("the text is a number")));
    values.extend((0..19).map(|digits| 123_456_789_012_345_678_f64 / 10_f64.powi(digits)));
    let neighbors =
        |value: &f64| [f64::from_bits(value.to_bits().saturating_sub(1)), -value, f64::from_bits(value.to_bits() + 1)];
    values.iter().flat_map(neighbors).collect()
}

fn from_floats() -> Vec<Case> {
    let types = [DataType::Float32, DataType::Float64];
    let mut inputs = numbers(&types);
    let doubles = special();
    let singles: Vec<_> = doubles.iter().map(|value| *value as f32).collect();
    inputs.push(("special/Float64".to_owned(), Arc::new(Float64Array::from(doubles)), DataType::Null));
    inputs.push(("special/Float32".to_owned(), Arc::new(Float32Array::from(singles)), DataType::Null));
    write(inputs, &types, |column, _| api::from_floats(column), |column, _| naive::from_floats(column))
}
