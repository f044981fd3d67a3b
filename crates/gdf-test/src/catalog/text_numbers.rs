//! Entries of `strings`: text to and from numbers.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::types::UInt64Type;
use arrow_schema::DataType;
use gdf_core::{Column, Error, Position, Result};
use gdf_detail::Ctx;
use gdf_detail::strings as detail;

use super::strings::{TYPES, both, refused};
use super::{Case, Entry, SliceCosts};
use crate::builders::{bools, plain};
use crate::compare::Equality;
use crate::data::{self, BRACKETS, NullPattern, SMALL_BRACKETS, random_array};
use crate::naive::text_numbers as naive;
use crate::value::{Value, from_values, to_values};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("strings.expect_converted", Equality::Exact, expect_converted).sharing_inputs(),
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

pub(super) type Run = fn(&Column, &DataType, Ctx<'_>) -> Result<Column>;
pub(super) type Oracle = fn(&ArrayRef, &DataType) -> ArrayRef;
pub(super) type Api = fn(&Column, &DataType) -> Result<Column>;

/// A case for each input, of a function that takes a type; of those that take none it is not looked at.
pub(super) fn cases(inputs: Vec<(String, ArrayRef, DataType)>, (run, oracle, api): (Run, Oracle, Api), waits: u64) -> Vec<Case> {
    let case = |(label, input, data_type): (String, ArrayRef, DataType)| {
        let types = [Arc::new(data_type.clone()), Arc::new(data_type.clone()), Arc::new(data_type)];
        let [a, b, c] = types;
        Case::new(
            label,
            vec![input],
            move |inputs, ctx| Ok(vec![run(&inputs[0], &a, ctx)?]),
            move |inputs| Ok(vec![oracle(&inputs[0], &b)]),
            waits,
        )
        .with_api(move |inputs| Ok(vec![api(&inputs[0], &c)?]))
    };
    inputs.into_iter().map(case).collect()
}

/// Texts that are numbers, nearly, and not at all.
const TEXTS: [&str; 70] = [
    "", "0", "1", "-1", "+1", "-0", "+0", "007", "-", "+", "--1", "+-1", " 1", "1 ", "1.5", "1e3", "1_000", "a", "٣", "0x", "0X", "0x1F",
    "0xg", "x1", "0Xff", "FFFF", "fffffffff", "ffffffffffffffff", "0000000000000000000ff", "10000000000000000", "127", "128", "-128", "-129", "255", "256",
    "32767", "32768", "-32768", "65535", "65536", "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
    "18446744073709551616", "99999999999999999999", "00000000000000000000000001", "1.2.3.4", "0.0.0.0", "255.255.255.255",
    "256.1.1.1", "01.2.3.4", "1.2.3", "1.2.3.4.5", "1..2.3", "1.2.3.4 ", "+1.2.3.4", "0001.2.3.4", "12345678", "-123456789",
    "1234567890123456", "1😀",
];

/// Texts that are decimals, nearly, and not at all.
const DECIMALS: [&str; 50] = [
    "", "0", ".", "-", "-.", "+.5", ".5", "5.", "1.5", "-1.5", "12.345", "-12.349", "007", "1e2", "1E2", "1e+2", "1.5e-1", "-1.5E-1", "1e",
    "1e+", "e5", "1.2.3", "1,5", " 1", "1 ", "a", "1e2.5", "0.001", "-0.001", "99999999999", "9.99999999999999999999999", "0e99999", "1e99999",
    "1e-99999", "1e999999999999", "0.00000000000000000000000000000000000000000000000000000000000000000000000000000000001",
    "000000000000000000000000000000000000000000000000000000000000000000000000000000001", "123456789", "1234567890",
    "999999999999999999", "1000000000000000000", "99999999999999999999999999999999999999", "100000000000000000000000000000000000000",
    "9999999999999999999999999999999999999999999999999999999999999999999999999999", "-123456789012345678901234567890.12345678",
    "10000000000000000000000000000000000000000000000000000000000000000000000000000", "12345678901234567890e-10", "+3", "1😀", "99.995",
];

/// Columns of these texts for each type, and of every length, with nulls.
pub(super) fn parsed(texts: &[&str], types: &[DataType]) -> Vec<(String, ArrayRef, DataType)> {
    let rows: Vec<_> = texts.iter().copied().map(Some).chain([None]).collect();
    let mut inputs = Vec::new();
    for data_type in types {
        for (label, input) in both("texts", &rows) {
            inputs.push((format!("{label}/{data_type}"), input, data_type.clone()));
        }
    }
    for (label, input) in data::grid(&TYPES, BRACKETS) {
        // Every text of the grid becomes one of these.
        let text = |(row, text): (usize, Option<Value>)| {
            text.map(|_| Value::Str(texts[(row * 7 + row / 5) % texts.len()].to_owned()))
        };
        let values: Vec<_> = to_values(&input).into_iter().enumerate().map(text).collect();
        inputs.push((label, from_values(input.data_type(), &values), types[0].clone()));
    }
    inputs
}

/// As [`refused`], and types that are not taken.
pub(super) fn with_refusals(mut cases: Vec<Case>, run: fn(&[Column], Ctx<'_>) -> Result<Vec<Column>>) -> Vec<Case> {
    cases.extend(refused(run));
    cases
}

/// The row that an error is about; all rows, if there is none.
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
    let run = |inputs: &[Column], ctx: Ctx<'_>| {
        let row = row_of(detail::expect_converted(inputs[0].view(), inputs[1].view(), ctx), inputs[0].len())?;
        Ok(vec![Column::from_slice_on(&[row as u64], ctx.stream, ctx.mr.output)?])
    };
    let case = |(label, texts): (String, ArrayRef)| {
        let values = naive::to_integers(&texts, &DataType::Int32);
        let oracle = |inputs: &[ArrayRef]| Ok(vec![plain::<UInt64Type>([naive::first_unconverted(&inputs[0], &inputs[1])])]);
        // Two for nulls and the row, others for its text.
        Case::new(label, vec![texts, values], run, oracle, 8).with_api(|inputs| {
            let row = row_of(gdf_api::strings::expect_converted(&inputs[0], &inputs[1]), inputs[0].len())?;
            let scope = gdf_api::scope::Scope::on("expect_converted", inputs[0].device())?;
            Ok(vec![Column::from_slice_on(&[row as u64], scope.stream(), scope.resources().output)?])
        })
        .with_slice_costs(SliceCosts::NullCount)
    };
    let texts = parsed(&["1", "2", "3", "4", "5", "6", "7", "8", "9", "no"], &[DataType::Int32]);
    let numbers = parsed(&["12"], &[DataType::Int32]);
    let mut all: Vec<_> = texts.into_iter().map(|(label, input, _)| case((label, input))).collect();
    all.extend(numbers.into_iter().map(|(label, input, _)| case((format!("numbers/{label}"), input))));
    all.push(Case::refused(
        "refused length",
        vec![both("", &[Some("1")])[0].1.clone(), bools([None, None])],
        run,
        |error| matches!(error, Error::LengthMismatch { .. }),
    ));
    all
}

fn to_integers() -> Vec<Case> {
    let run: Run = |column, data_type, ctx| detail::to_integers(column.view(), data_type, ctx);
    let api: Api = |column, data_type| gdf_api::strings::to_integers(column, data_type);
    let mut all = cases(parsed(&TEXTS, &data::integral()), (run, naive::to_integers, api), 0);
    all.push(Case::refused(
        "refused output type",
        vec![both("", &[Some("1")])[0].1.clone()],
        |inputs, ctx| Ok(vec![detail::to_integers(inputs[0].view(), &DataType::Float32, ctx)?]),
        |error| matches!(error, Error::Unsupported { .. }),
    ));
    with_refusals(all, |inputs, ctx| Ok(vec![detail::to_integers(inputs[0].view(), &DataType::Int8, ctx)?]))
}

fn is_integer() -> Vec<Case> {
    let run: Run = |column, data_type, ctx| {
        let data_type = Some(data_type).filter(|data_type| **data_type != DataType::Null);
        detail::is_integer(column.view(), data_type, ctx)
    };
    let api: Api = |column, data_type| {
        let data_type = Some(data_type).filter(|data_type| **data_type != DataType::Null);
        gdf_api::strings::is_integer(column, data_type)
    };
    let oracle: Oracle = |column, data_type| {
        let data_type = Some(data_type).filter(|data_type| **data_type != DataType::Null);
        naive::is_integer(column, data_type)
    };
    let types: Vec<_> = [DataType::Null].into_iter().chain(data::integral()).collect();
    with_refusals(cases(parsed(&TEXTS, &types), (run, oracle, api), 0), |inputs, ctx| {
        Ok(vec![detail::is_integer(inputs[0].view(), None, ctx)?])
    })
}

fn hex_to_integers() -> Vec<Case> {
    let run: Run = |column, data_type, ctx| detail::hex_to_integers(column.view(), data_type, ctx);
    let api: Api = |column, data_type| gdf_api::strings::hex_to_integers(column, data_type);
    with_refusals(cases(parsed(&TEXTS, &data::integral()), (run, naive::hex_to_integers, api), 0), |inputs, ctx| {
        Ok(vec![detail::hex_to_integers(inputs[0].view(), &DataType::Int8, ctx)?])
    })
}

fn is_hex() -> Vec<Case> {
    let run: Run = |column, _, ctx| detail::is_hex(column.view(), ctx);
    let api: Api = |column, _| gdf_api::strings::is_hex(column);
    let oracle: Oracle = |column, _| naive::is_hex(column);
    with_refusals(cases(parsed(&TEXTS, &[DataType::Null]), (run, oracle, api), 0), |inputs, ctx| {
        Ok(vec![detail::is_hex(inputs[0].view(), ctx)?])
    })
}

fn ipv4_to_integers() -> Vec<Case> {
    let run: Run = |column, _, ctx| detail::ipv4_to_integers(column.view(), ctx);
    let api: Api = |column, _| gdf_api::strings::ipv4_to_integers(column);
    let oracle: Oracle = |column, _| naive::ipv4_to_integers(column);
    with_refusals(cases(parsed(&TEXTS, &[DataType::Null]), (run, oracle, api), 0), |inputs, ctx| {
        Ok(vec![detail::ipv4_to_integers(inputs[0].view(), ctx)?])
    })
}

fn is_ipv4() -> Vec<Case> {
    let run: Run = |column, _, ctx| detail::is_ipv4(column.view(), ctx);
    let api: Api = |column, _| gdf_api::strings::is_ipv4(column);
    let oracle: Oracle = |column, _| naive::is_ipv4(column);
    with_refusals(cases(parsed(&TEXTS, &[DataType::Null]), (run, oracle, api), 0), |inputs, ctx| {
        Ok(vec![detail::is_ipv4(inputs[0].view(), ctx)?])
    })
}

/// Decimals of every width, with digits after the point, without, and with zeros before it.
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

/// Columns of decimals, and of numbers whose exponents, of four digits, take as many zeros back.
fn decimal_texts() -> Vec<(String, ArrayRef, DataType)> {
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
    let run: Run = |column, data_type, ctx| detail::to_fixed_point(column.view(), data_type, ctx);
    let api: Api = |column, data_type| gdf_api::strings::to_fixed_point(column, data_type);
    with_refusals(cases(decimal_texts(), (run, naive::to_fixed_point, api), 0), |inputs, ctx| {
        Ok(vec![detail::to_fixed_point(inputs[0].view(), &DataType::Decimal32(9, 0), ctx)?])
    })
}

fn is_fixed_point() -> Vec<Case> {
    let run: Run = |column, data_type, ctx| detail::is_fixed_point(column.view(), data_type, ctx);
    let api: Api = |column, data_type| gdf_api::strings::is_fixed_point(column, data_type);
    with_refusals(cases(decimal_texts(), (run, naive::is_fixed_point, api), 0), |inputs, ctx| {
        Ok(vec![detail::is_fixed_point(inputs[0].view(), &DataType::Decimal32(9, 0), ctx)?])
    })
}

/// Random values of these types, of every length; they hold the ends of the range.
pub(super) fn numbers(types: &[DataType]) -> Vec<(String, ArrayRef, DataType)> {
    data::grid(types, SMALL_BRACKETS).into_iter().map(|(label, input)| (label, input, DataType::Null)).collect()
}

/// A refusal of every type but these.
pub(super) fn refused_but(types: &[DataType], run: fn(&[Column], Ctx<'_>) -> Result<Vec<Column>>) -> Vec<Case> {
    let others = data::all().into_iter().filter(|data_type| !types.contains(data_type));
    let case = |data_type: DataType| {
        let inputs = vec![random_array(&data_type, 3, NullPattern::None, 1)];
        Case::refused(format!("refused {data_type}"), inputs, run, |error| matches!(error, Error::Unsupported { .. }))
    };
    others.map(case).collect()
}

fn from_integers() -> Vec<Case> {
    let run: Run = |column, _, ctx| detail::from_integers(column.view(), ctx);
    let api: Api = |column, _| gdf_api::strings::from_integers(column);
    let mut all = cases(numbers(&data::integral()), (run, |column, _| naive::from_integers(column), api), 1);
    all.extend(refused_but(&data::integral(), |inputs, ctx| Ok(vec![detail::from_integers(inputs[0].view(), ctx)?])));
    all
}

fn integers_to_hex() -> Vec<Case> {
    let run: Run = |column, _, ctx| detail::integers_to_hex(column.view(), ctx);
    let api: Api = |column, _| gdf_api::strings::integers_to_hex(column);
    let mut all = cases(numbers(&data::integral()), (run, |column, _| naive::integers_to_hex(column), api), 1);
    all.extend(refused_but(&data::integral(), |inputs, ctx| Ok(vec![detail::integers_to_hex(inputs[0].view(), ctx)?])));
    all
}

fn integers_to_ipv4() -> Vec<Case> {
    let run: Run = |column, _, ctx| detail::integers_to_ipv4(column.view(), ctx);
    let api: Api = |column, _| gdf_api::strings::integers_to_ipv4(column);
    let types = [DataType::UInt32];
    let mut all = cases(numbers(&types), (run, |column, _| naive::integers_to_ipv4(column), api), 1);
    all.extend(refused_but(&types, |inputs, ctx| Ok(vec![detail::integers_to_ipv4(inputs[0].view(), ctx)?])));
    all
}

fn from_fixed_point() -> Vec<Case> {
    let run: Run = |column, _, ctx| detail::from_fixed_point(column.view(), ctx);
    let api: Api = |column, _| gdf_api::strings::from_fixed_point(column);
    let mut types = decimals().to_vec();
    types.extend(data::decimal().into_iter().filter(|data_type| !decimals().contains(data_type)));
    let mut all = cases(numbers(&types), (run, |column, _| naive::from_fixed_point(column), api), 1);
    let others = data::all().into_iter().filter(|data_type| !data_type.is_decimal());
    all.extend(others.map(|data_type| {
        Case::refused(
            format!("refused {data_type}"),
            vec![random_array(&data_type, 3, NullPattern::None, 1)],
            |inputs, ctx| Ok(vec![detail::from_fixed_point(inputs[0].view(), ctx)?]),
            |error| matches!(error, Error::Unsupported { .. }),
        )
    }));
    all
}

fn from_booleans() -> Vec<Case> {
    let run: Run = |column, _, ctx| detail::from_booleans(column.view(), "yes".into(), "né".into(), ctx);
    let api: Api = |column, _| gdf_api::strings::from_booleans(column, "yes", "né");
    let oracle: Oracle = |column, _| naive::from_booleans(column, "yes", "né");
    let mut all = cases(numbers(&[DataType::Boolean]), (run, oracle, api), 1);
    all.extend(refused_but(&[DataType::Boolean], |inputs, ctx| {
        Ok(vec![detail::from_booleans(inputs[0].view(), "a".into(), "b".into(), ctx)?])
    }));
    all.push(Case::refused(
        "refused texts",
        vec![bools([Some(true)])],
        |inputs, ctx| Ok(vec![detail::from_booleans(inputs[0].view(), 1.into(), "b".into(), ctx)?]),
        |error| matches!(error, Error::Unsupported { .. }),
    ));
    all
}
