//! Entries of `strings` that convert between text and numbers.

use arrow_array::ArrayRef;
use arrow_array::types::UInt64Type;
use arrow_schema::DataType;
use gdf_api::strings as api;
use gdf_core::{Column, Error, Position, Result};

use super::{TYPES, both, case, is_unsupported, refusal, refused_but, waiting};
use crate::catalog::shared::tables::shown;
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::strings::numbers as naive;
use gdf_test::builders::{bools, plain, strings};
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, SMALL_BRACKETS};
use gdf_test::value::{Value, from_values, to_values};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("strings.expect_converted", Equality::Exact, expect_converted).launching_nothing(),
        Entry::new("strings.from_booleans", Equality::Exact, from_booleans),
        Entry::new("strings.from_fixed_point", Equality::Exact, from_fixed_point),
        Entry::new("strings.from_integers", Equality::Exact, from_integers),
        Entry::new("strings.hex_to_integers", Equality::Exact, hex_to_integers),
        Entry::new("strings.integers_to_hex", Equality::Exact, integers_to_hex),
        Entry::new("strings.integers_to_ipv4", Equality::Exact, integers_to_ipv4),
        Entry::new("strings.ipv4_to_integers", Equality::Exact, ipv4_to_integers),
        Entry::new("strings.is_fixed_point", Equality::Exact, is_fixed_point),
        Entry::new("strings.is_hex", Equality::Exact, is_hex),
        Entry::new("strings.is_integer", Equality::Exact, is_integer),
        Entry::new("strings.is_ipv4", Equality::Exact, is_ipv4),
        Entry::new("strings.to_fixed_point", Equality::Exact, to_fixed_point),
        Entry::new("strings.to_integers", Equality::Exact, to_integers),
    ]
}

pub(crate) type Inputs = Vec<(String, ArrayRef, DataType)>;
type Run = fn(&Column, &DataType) -> Result<Column>;
type Oracle = fn(&ArrayRef, &DataType) -> ArrayRef;

/// Builds a case for each input of a function.
fn cases(inputs: Inputs, taken: &[DataType], waits: u64, (run, naive): (Run, Oracle)) -> Vec<Case> {
    let (_, _, first) = inputs[0].clone();
    let refused = refused_but(taken, move |column| run(column, &first));
    let of = |(label, input, data_type): (String, ArrayRef, DataType)| {
        let own = data_type.clone();
        let run = move |inputs: &[Column]| run(&inputs[0], &own);
        waiting(waits, case(label, vec![input], run, move |inputs| naive(&inputs[0], &data_type)))
    };
    inputs.into_iter().map(of).chain(refused).collect()
}

pub(crate) fn read(inputs: Inputs, run: Run, naive: Oracle) -> Vec<Case> {
    cases(inputs, &TYPES, 0, (run, naive))
}

pub(crate) fn write(inputs: Inputs, types: &[DataType], run: Run, naive: Oracle) -> Vec<Case> {
    cases(inputs, types, 1, (run, naive))
}

/// Some of these texts are numbers, some are almost numbers, and some are no numbers at all.
const TEXTS: [&str; 70] = [
    "",
    "0",
    "1",
    "-1",
    "+1",
    "-0",
    "+0",
    "007",
    "-",
    "+",
    "--1",
    "+-1",
    " 1",
    "1 ",
    "1.5",
    "1e3",
    "1_000",
    "a",
    "٣",
    "0x",
    "0X",
    "0x1F",
    "0xg",
    "x1",
    "0Xff",
    "FFFF",
    "fffffffff",
    "ffffffffffffffff",
    "0000000000000000000ff",
    "10000000000000000",
    "127",
    "128",
    "-128",
    "-129",
    "255",
    "256",
    "32767",
    "32768",
    "-32768",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999",
    "00000000000000000000000001",
    "1.2.3.4",
    "0.0.0.0",
    "255.255.255.255",
    "256.1.1.1",
    "01.2.3.4",
    "1.2.3",
    "1.2.3.4.5",
    "1..2.3",
    "1.2.3.4 ",
    "+1.2.3.4",
    "0001.2.3.4",
    "12345678",
    "-123456789",
    "1234567890123456",
    "1😀",
];

/// Some of these texts are decimals, some are almost decimals, and some are no decimals at all.
const DECIMALS: [&str; 50] = [
    "",
    "0",
    ".",
    "-",
    "-.",
    "+.5",
    ".5",
    "5.",
    "1.5",
    "-1.5",
    "12.345",
    "-12.349",
    "007",
    "1e2",
    "1E2",
    "1e+2",
    "1.5e-1",
    "-1.5E-1",
    "1e",
    "1e+",
    "e5",
    "1.2.3",
    "1,5",
    " 1",
    "1 ",
    "a",
    "1e2.5",
    "0.001",
    "-0.001",
    "99999999999",
    "9.99999999999999999999999",
    "0e99999",
    "1e99999",
    "1e-99999",
    "1e999999999999",
    "0.00000000000000000000000000000000000000000000000000000000000000000000000000000000001",
    "000000000000000000000000000000000000000000000000000000000000000000000000000000001",
    "123456789",
    "1234567890",
    "999999999999999999",
    "1000000000000000000",
    "99999999999999999999999999999999999999",
    "100000000000000000000000000000000000000",
    "9999999999999999999999999999999999999999999999999999999999999999999999999999",
    "-123456789012345678901234567890.12345678",
    "10000000000000000000000000000000000000000000000000000000000000000000000000000",
    "12345678901234567890e-10",
    "+3",
    "1😀",
    "99.995",
];

/// Returns inputs for parsers: columns of text, and the type to which each column is parsed.
pub(crate) fn parsed(texts: &[&str], types: &[DataType]) -> Inputs {
    let rows: Vec<_> = texts.iter().copied().map(Some).chain([None]).collect();
    let mut inputs = Vec::new();
    for data_type in types {
        for (label, input) in both("texts", &rows) {
            inputs.push((format!("{label}/{data_type}"), input, data_type.clone()));
        }
    }
    for (label, input) in data::grid(&TYPES, BRACKETS) {
        // Replaces each text of the grid by one of the given texts.
        let text = |(row, text): (usize, Option<Value>)| {
            text.map(|_| Value::Str(texts[(row * 7 + row / 5) % texts.len()].to_owned()))
        };
        let values: Vec<_> = to_values(&input).into_iter().enumerate().map(text).collect();
        inputs.push((label, from_values(input.data_type(), &values), types[0].clone()));
    }
    inputs
}

/// Returns the row of an error, or the number of rows if there is no error.
fn row_of(result: Result<()>, rows: usize) -> Result<usize> {
    match result {
        Ok(()) => Ok(rows),
        Err(error @ Error::InvalidText { .. }) => match error.context().and_then(|context| context.position()) {
            Some(Position::Row(row)) => Ok(row),
            _ => Err(error),
        },
        Err(error) => Err(error),
    }
}

fn expect_converted() -> Vec<Case> {
    let run = |inputs: &[Column]| {
        let row = row_of(api::expect_converted(&inputs[0], &inputs[1]), inputs[0].len())?;
        shown(&[row as u64], inputs[0].device())
    };
    let of = |(label, texts): (String, ArrayRef)| {
        let values = naive::to_integers(&texts, &DataType::Int32);
        let naive = |inputs: &[ArrayRef]| plain::<UInt64Type>([naive::first_unconverted(&inputs[0], &inputs[1])]);
        // The operation waits twice, for the null counts and for the row of the error.
        waiting(8, case(label, vec![texts, values], run, naive)).with_slice_costs(SliceCosts::NullCount)
    };
    let texts = parsed(&["1", "2", "3", "4", "5", "6", "7", "8", "9", "no"], &[DataType::Int32]);
    let numbers = parsed(&["12"], &[DataType::Int32]);
    let mut all: Vec<_> = texts.into_iter().map(|(label, input, _)| of((label, input))).collect();
    all.extend(numbers.into_iter().map(|(label, input, _)| of((format!("numbers/{label}"), input))));
    all.push(Case::refused(
        "refused length",
        vec![strings([Some("1")]), bools([None, None])],
        move |inputs| Ok(vec![run(inputs)?]),
        |error| matches!(error, Error::LengthMismatch { .. }),
    ));
    all
}

fn to_integers() -> Vec<Case> {
    let mut all = read(
        parsed(&TEXTS, &data::integral()),
        |column, data_type| api::to_integers(column, data_type),
        naive::to_integers,
    );
    let to_floats = |column: &Column| api::to_integers(column, &DataType::Float32);
    all.push(refusal("refused output type", "1", to_floats, is_unsupported));
    all
}

fn is_integer() -> Vec<Case> {
    fn given(data_type: &DataType) -> Option<&DataType> {
        Some(data_type).filter(|data_type| **data_type != DataType::Null)
    }
    let types: Vec<_> = [DataType::Null].into_iter().chain(data::integral()).collect();
    read(
        parsed(&TEXTS, &types),
        |column, data_type| api::is_integer(column, given(data_type)),
        |column, data_type| naive::is_integer(column, given(data_type)),
    )
}

fn hex_to_integers() -> Vec<Case> {
    read(
        parsed(&TEXTS, &data::integral()),
        |column, data_type| api::hex_to_integers(column, data_type),
        naive::hex_to_integers,
    )
}

fn is_hex() -> Vec<Case> {
    read(parsed(&TEXTS, &[DataType::Null]), |column, _| api::is_hex(column), |column, _| naive::is_hex(column))
}

fn ipv4_to_integers() -> Vec<Case> {
    read(
        parsed(&TEXTS, &[DataType::Null]),
        |column, _| api::ipv4_to_integers(column),
        |column, _| naive::ipv4_to_integers(column),
    )
}

fn is_ipv4() -> Vec<Case> {
    read(parsed(&TEXTS, &[DataType::Null]), |column, _| api::is_ipv4(column), |column, _| naive::is_ipv4(column))
}

/// Returns decimals of every width.
fn decimals() -> Vec<DataType> {
    vec![
        DataType::Decimal64(18, 2),
        DataType::Decimal32(9, 0),
        DataType::Decimal32(3, 2),
        DataType::Decimal64(18, -2),
        DataType::Decimal128(38, 0),
        DataType::Decimal128(38, 10),
        DataType::Decimal256(76, 0),
        DataType::Decimal256(76, 40),
    ]
}

/// Returns columns of `DECIMALS` and of numbers with large exponents.
fn decimal_texts() -> Inputs {
    let zeros = "0".repeat(1_199);
    let far = [
        format!("1{zeros}e-1199"),
        format!("0.{zeros}25e1201"),
        format!("-37{zeros}E-1200"),
        format!("2{zeros}e-01198"),
        "1e-1000".into(),
    ];
    let texts: Vec<&str> = DECIMALS.into_iter().chain(far.iter().map(String::as_str)).collect();
    parsed(&texts, &decimals())
}

fn to_fixed_point() -> Vec<Case> {
    read(decimal_texts(), |column, data_type| api::to_fixed_point(column, data_type), naive::to_fixed_point)
}

fn is_fixed_point() -> Vec<Case> {
    read(decimal_texts(), |column, data_type| api::is_fixed_point(column, data_type), naive::is_fixed_point)
}

/// Returns random values of the types, of every length.
pub(crate) fn numbers(types: &[DataType]) -> Inputs {
    data::grid(types, SMALL_BRACKETS).into_iter().map(|(label, input)| (label, input, DataType::Null)).collect()
}

fn from_integers() -> Vec<Case> {
    let types = data::integral();
    write(numbers(&types), &types, |column, _| api::from_integers(column), |column, _| naive::from_integers(column))
}

fn integers_to_hex() -> Vec<Case> {
    let types = data::integral();
    write(numbers(&types), &types, |column, _| api::integers_to_hex(column), |column, _| naive::integers_to_hex(column))
}

fn integers_to_ipv4() -> Vec<Case> {
    let types = [DataType::UInt32];
    write(
        numbers(&types),
        &types,
        |column, _| api::integers_to_ipv4(column),
        |column, _| naive::integers_to_ipv4(column),
    )
}

fn from_fixed_point() -> Vec<Case> {
    let mut types = decimals();
    types.extend(data::decimal().into_iter().filter(|data_type| !decimals().contains(data_type)));
    let naive: Oracle = |column, _| naive::from_fixed_point(column);
    write(numbers(&types), &types, |column, _| api::from_fixed_point(column), naive)
}

fn from_booleans() -> Vec<Case> {
    let types = [DataType::Boolean];
    let naive: Oracle = |column, _| naive::from_booleans(column, "yes", "né");
    let mut all = write(numbers(&types), &types, |column, _| api::from_booleans(column, "yes", "né"), naive);
    all.push(Case::refused(
        "refused texts",
        vec![bools([Some(true)])],
        |inputs| Ok(vec![api::from_booleans(&inputs[0], 1, "b")?]),
        is_unsupported,
    ));
    all
}
