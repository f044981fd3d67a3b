//! Entries of operations that lengthen or shorten text.

use arrow_array::types::{Int8Type, Int64Type, UInt16Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::strings::{self as api, Side};
use gdf_core::{Column, Error, Result};

use super::{TYPES, both, case, invalid, refused, refused_arguments, texts, waiting};
use crate::catalog::{Case, Entry};
use crate::naive::strings::edit as naive;
use gdf_test::builders::{ints, large_strings, strings};
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, long_texts};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("strings.pad", Equality::Exact, pad).estimating(),
        Entry::new("strings.repeat", Equality::Exact, repeat).estimating(),
        Entry::new("strings.replace", Equality::Exact, replace).estimating(),
        Entry::new("strings.replace_multiple", Equality::Exact, replace_multiple).estimating(),
        Entry::new("strings.replace_slice", Equality::Exact, replace_slice).estimating(),
        Entry::new("strings.slice", Equality::Exact, slice).estimating(),
        Entry::new("strings.strip", Equality::Exact, strip).estimating(),
        Entry::new("strings.zfill", Equality::Exact, zfill).estimating(),
    ]
}

/// The number of columns of both types, every length and every null pattern. [`columns`] begins with these.
pub(crate) const GRID: usize = 2 * SMALL_BRACKETS.len() * NullPattern::ALL.len();

/// Returns columns of every length and null pattern, of short and longer texts, and of rows of very different lengths.
///
/// Column `number` of the grid has the null pattern `number % 4`. Choices of other arguments therefore also depend on
/// `number / 4`.
pub(crate) fn columns() -> Vec<(String, ArrayRef)> {
    let mut columns = data::grid(&TYPES, SMALL_BRACKETS);
    columns.extend([129, 2_049].map(|rows| (format!("long texts/{rows}"), long_texts(rows, NullPattern::Every(3), 1))));
    let texts = [
        "",
        " ",
        "a",
        "-",
        "+7",
        "-12",
        "--3",
        "a-b-c",
        "-a--b-",
        "  a b\t",
        "\u{a0}a\u{2003}",
        "ß",
        "größer€",
        "😀a😀",
        "aaaa",
        "aaa-aaa",
        "a  b c ",
        "\0",
        "€-€",
        "one two  three",
        "e\u{301}e\u{301}",
    ];
    let longer = |text: &str| text.repeat(300 / text.len().max(1) + 1);
    let rows: Vec<_> = texts.iter().map(|text| (*text).to_owned()).chain(texts.map(longer)).collect();
    let rows: Vec<_> = rows.iter().map(|row| Some(row.as_str())).chain([None]).collect();
    columns.extend(both("special", &rows));
    columns.push(("uneven".into(), uneven()));
    columns
}

/// Returns short rows, and a few rows of 21 kB.
pub(crate) fn uneven() -> ArrayRef {
    let rows: Vec<_> = (0..300).map(|row| "x-y €".repeat(if row % 97 == 3 { 3_000 } else { row % 5 })).collect();
    texts(&rows)
}

/// Builds refusals of counts and widths.
fn endless(run: fn(&Column, i64) -> Result<Column>) -> Vec<Case> {
    let mut cases = Vec::new();
    for (rows, bits) in [(1, 60), (4, 61), (4, 62), (2, 63), (1, 32), (300, 32), (16_384, 50)] {
        let count = if bits == 63 { i64::MAX } else { 1 << bits };
        let column = || std::iter::repeat_n(Some("abcd"), rows);
        for (large, input) in [(false, strings(column())), (true, large_strings(column()))] {
            if large && bits == 32 {
                continue; // memory may suffice for this result, so the operation need not refuse it
            }
            cases.push(Case::refused(
                format!("refused {count}, {rows} rows, large: {large}"),
                vec![input],
                move |inputs| Ok(vec![run(&inputs[0], count)?]),
                |error| matches!(error, Error::OffsetOverflow { .. } | Error::OutOfMemory { .. }),
            ));
        }
    }
    cases
}

/// Returns a number for each row, in one of three integer types.
fn numbers(rows: usize, which: usize) -> ArrayRef {
    let number = |row: usize| (row % 7 != 3).then_some((row * 5 + which) as i64 % 11 - 2);
    match which % 3 {
        0 => ints::<Int64Type>((0..rows).map(number)),
        1 => ints::<Int8Type>((0..rows).map(|row| number(row).map(|number| number as i8))),
        _ => ints::<UInt16Type>((0..rows).map(|row| number(row).map(|number| number.unsigned_abs() as u16))),
    }
}

fn pad() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let side = [Side::Left, Side::Right, Side::Both][number % 3];
        let (width, fill) = ([0, 3, 8, 9, 300][number % 5], ['_', 'é', '€', '😀'][(number + number / 4) % 4]);
        let widths = numbers(input.len(), number + number / 4);
        cases.push(case(
            format!("{label}/{side:?} {width} {fill}"),
            vec![input.clone()],
            move |inputs| api::pad(&inputs[0], width, side, fill),
            move |inputs| naive::with(&inputs[0], &[Some(width)], |text, width| naive::pad(text, width, side, fill)),
        ));
        cases.push(case(
            format!("{label}/{side:?} by row"),
            vec![input, widths],
            move |inputs| api::pad(&inputs[0], &inputs[1], side, fill),
            move |inputs| {
                let widths = naive::integers(&inputs[1]);
                naive::with(&inputs[0], &widths, |text, width| naive::pad(text, width, side, fill))
            },
        ));
    }
    cases.extend(refused(|column| api::pad(column, 3, Side::Left, ' ')));
    cases.extend(refused_arguments("width", &DataType::Int64, |text, width| api::pad(text, width, Side::Left, ' ')));
    cases.extend(endless(|column, width| api::pad(column, width, Side::Both, '€')));
    cases
}

fn zfill() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in columns().into_iter().enumerate() {
        if (number + number / 4) % 2 == 0 {
            let width = [0_i64, 3, 8, 9, 300][number % 5];
            cases.push(case(
                format!("{label}/{width}"),
                vec![input],
                move |inputs| api::zfill(&inputs[0], width),
                move |inputs| naive::with(&inputs[0], &[Some(width)], naive::zfill),
            ));
            continue;
        }
        let widths = numbers(input.len(), number);
        cases.push(case(
            format!("{label}/by row"),
            vec![input, widths],
            |inputs| api::zfill(&inputs[0], &inputs[1]),
            |inputs| naive::with(&inputs[0], &naive::integers(&inputs[1]), naive::zfill),
        ));
    }
    cases.extend(refused(|column| api::zfill(column, 3)));
    cases.extend(refused_arguments("width", &DataType::Int64, |text, width| api::zfill(text, width)));
    cases.extend(endless(|column, width| api::zfill(column, width)));
    cases
}

fn repeat() -> Vec<Case> {
    let mut cases = Vec::new();
    let times = |text: &str, count: i64| text.repeat(usize::try_from(count).unwrap_or(0));
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let count = [-1, 0, 1, 2, 40][number % 5];
        let counts = numbers(input.len(), number);
        cases.push(case(
            format!("{label}/{count} times"),
            vec![input.clone()],
            move |inputs| api::repeat(&inputs[0], count),
            move |inputs| naive::with(&inputs[0], &[Some(count)], times),
        ));
        cases.push(case(
            format!("{label}/by row"),
            vec![input, counts],
            |inputs| api::repeat(&inputs[0], &inputs[1]),
            move |inputs| naive::with(&inputs[0], &naive::integers(&inputs[1]), times),
        ));
    }
    cases.extend(refused(|column| api::repeat(column, 3)));
    cases.extend(refused_arguments("count", &DataType::Int64, |text, count| api::repeat(text, count)));
    cases.extend(endless(|column, count| api::repeat(column, count)));
    cases
}

fn strip() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let side = [Side::Both, Side::Left, Side::Right][number % 3];
        let set = ["", "-", "a x-", "😀é€", "\u{301}"][number % 5];
        let sets = [Some(""), Some("-"), None, Some("a "), Some("ß€😀")];
        let column = strings(sets.into_iter().cycle().take(input.len()));
        cases.push(case(
            format!("{label}/{side:?} {number}"),
            vec![input.clone()],
            move |inputs| api::strip(&inputs[0], side, set),
            move |inputs| naive::with(&inputs[0], &[Some(set)], |text, set| naive::strip(text, side, set)),
        ));
        cases.push(case(
            format!("{label}/{side:?} by row"),
            vec![input, column],
            move |inputs| api::strip(&inputs[0], side, &inputs[1]),
            move |inputs| {
                naive::with(&inputs[0], &naive::texts(&inputs[1]), |text, set| naive::strip(text, side, &set))
            },
        ));
    }
    cases.extend(refused(|column| api::strip(column, Side::Both, "")));
    cases.extend(refused_arguments("set", &DataType::Utf8, |text, set| api::strip(text, Side::Both, set)));
    cases
}

fn slice() -> Vec<Case> {
    let mut cases = Vec::new();
    let all = columns();
    for (number, (label, input)) in all.iter().enumerate() {
        let (starts, stops) = (numbers(input.len(), number), numbers(input.len(), number + 1));
        let step = [1, 2, -1, -3][(number + number / 4) % 4];
        cases.push(case(
            format!("{label}/by row {step}"),
            vec![input.clone(), starts, stops],
            move |inputs| api::slice(&inputs[0], &inputs[1], &inputs[2], step),
            move |inputs| {
                let bounds = naive::integers(&inputs[1]).into_iter().zip(naive::integers(&inputs[2]));
                let bounds: Vec<_> = bounds.map(Some).collect();
                naive::with(&inputs[0], &bounds, |text, (start, stop)| naive::slice(text, start, stop, step))
            },
        ));
    }
    let bounds =
        [None, Some(0), Some(1), Some(3), Some(70), Some(400), Some(-1), Some(-4), Some(i64::MAX), Some(i64::MIN)];
    let columns = all.iter().filter(|(label, _)| label.starts_with("special") || label == "uneven");
    for (turn, (label, input)) in columns.enumerate() {
        for (number, (start, stop)) in bounds.iter().flat_map(|&a| bounds.map(|b| (a, b))).enumerate() {
            let step = [1, 1, 2, 7, -1, -2, i64::MAX, i64::MIN][(number + 3 * turn) % 8];
            cases.push(case(
                format!("{label}/{start:?} {stop:?} {step}"),
                vec![input.clone()],
                move |inputs| api::slice(&inputs[0], start, stop, step),
                move |inputs| naive::with(&inputs[0], &[Some(())], |text, ()| naive::slice(text, start, stop, step)),
            ));
        }
    }
    cases.extend(refused(|column| api::slice(column, 0, 1, 1)));
    cases.extend(refused_arguments("start", &DataType::Int64, |text, start| api::slice(text, start, 1, 1)));
    cases.extend(refused_arguments("stop", &DataType::Int64, |text, stop| api::slice(text, 0, stop, 1)));
    cases.push(invalid("a step of 0", |column| api::slice(column, 0, 1, 0)));
    cases
}

fn replace_slice() -> Vec<Case> {
    let mut cases = Vec::new();
    let parts = [(0, None), (0, Some(0)), (1, Some(2)), (3, Some(70)), (500, None)];
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let ((start, stop), with) = (parts[number % 5], ["", "x", "€uro", "😀"][(number + number / 4) % 4]);
        cases.push(case(
            format!("{label}/{start} {stop:?}"),
            vec![input],
            move |inputs| api::replace_slice(&inputs[0], with, start, stop),
            move |inputs| {
                naive::with(&inputs[0], &[Some(with)], |text, with| naive::replace_slice(text, with, start, stop))
            },
        ));
    }
    cases.extend(refused(|column| api::replace_slice(column, "", 0, None)));
    cases.extend(refused_arguments("replacement", &DataType::Utf8, |text, with| {
        api::replace_slice(text, with, 0, None)
    }));
    cases.push(invalid("a stop before the start", |column| api::replace_slice(column, "", 3, Some(2))));
    cases
}

fn replace() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let target = ["aa", "€", "x-y €x-y €x", "", "a", "-"][(number + number / 4) % 6];
        let with = ["", "é", "aaa"][number % 3];
        let max = [None, Some(0), Some(1), Some(3), Some(1_000)][number % 5];
        let rows = |texts: &'static [Option<&'static str>]| strings(texts.iter().copied().cycle().take(input.len()));
        let by_row = vec![
            input.clone(),
            rows(&[Some("a"), Some("-a"), None, Some("€"), Some("")]),
            rows(&[Some(""), Some("é"), Some("aa"), None]),
        ];
        cases.push(case(
            format!("{label}/{number} {max:?}"),
            vec![input],
            move |inputs| api::replace(&inputs[0], target, with, max),
            move |inputs| naive::with(&inputs[0], &[Some(())], |text, ()| naive::replace(text, target, with, max)),
        ));
        cases.push(case(
            format!("{label}/by row {max:?}"),
            by_row,
            move |inputs| api::replace(&inputs[0], &inputs[1], &inputs[2], max),
            move |inputs| {
                let pairs = naive::texts(&inputs[1]).into_iter().zip(naive::texts(&inputs[2]));
                let pairs: Vec<_> = pairs.map(|(target, with)| target.zip(with)).collect();
                naive::with(&inputs[0], &pairs, |text, (target, with)| naive::replace(text, &target, &with, max))
            },
        ));
    }
    // The operation splits long rows into chunks, so this case has long rows.
    let chunks = case(
        "uneven/chunks",
        vec![uneven()],
        |inputs| api::replace(&inputs[0], "-y", "é", None),
        |inputs| naive::with(&inputs[0], &[Some(())], |text, ()| naive::replace(text, "-y", "é", None)),
    );
    cases.push(waiting(2, chunks));
    cases.extend(refused(|column| api::replace(column, "a", "", None)));
    cases.extend(refused_arguments("target", &DataType::Utf8, |text, target| api::replace(text, target, "", None)));
    cases.extend(refused_arguments("replacement", &DataType::Utf8, |text, with| api::replace(text, "a", with, None)));
    cases
}

fn replace_multiple() -> Vec<Case> {
    let mut cases = Vec::new();
    let targets = strings([Some("aa"), None, Some("a"), Some(""), Some("€"), Some("-b"), Some("y €x-")]);
    let many = strings([Some("A"), Some("?"), None, Some("?"), Some("€€"), Some(""), Some("long enough")]);
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let with = if number % 3 == 0 { strings([Some("é")]) } else { many.clone() };
        cases.push(case(
            format!("{label}/{} replacements", with.len()),
            vec![input, targets.clone(), with],
            |inputs| api::replace_multiple(&inputs[0], &inputs[1], &inputs[2]),
            |inputs| {
                let (targets, with) = (naive::texts(&inputs[1]), naive::texts(&inputs[2]));
                naive::with(&inputs[0], &[Some(())], |text, ()| naive::replace_multiple(text, &targets, &with))
            },
        ));
    }
    cases.extend(refused(|column| api::replace_multiple(column, column, column)));
    let run = |inputs: &[Column]| Ok(vec![api::replace_multiple(&inputs[0], &inputs[1], &inputs[2])?]);
    let is_length = |error: &Error| matches!(error, Error::LengthMismatch { .. });
    let inputs = vec![targets.clone(), targets.slice(0, 3), targets.slice(0, 2)];
    cases.push(Case::refused("refused replacements", inputs, run, is_length));
    cases
}
