//! Tests texts of many rows. The result has the estimated size, a much smaller size, or a much larger size.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Int64Array, LargeStringArray, StringArray};
use arrow_buffer::NullBuffer;
use gdf::prelude::*;
use gdf::strings as s;
use gdf_core::Result;
use gdf_memory::current_resource;
use gdf_test::device::{new_stream, test_device};

/// The numbers of rows.
const ROWS: [usize; 3] = [100, 40_000, 140_001];

type Operation = (&'static str, fn(&Column) -> Result<Column>, fn(&str) -> String);

const OPERATIONS: &[Operation] = &[
    ("as long", |x| s::to_upper(x), |text| text.to_uppercase()),
    ("as long, lower case", |x| s::to_lower(x), |text| text.to_lowercase()),
    ("shorter", |x| s::slice(x, 1, 2, 1), |text| text.chars().skip(1).take(1).collect()),
    ("shorter, which nobody knows before", |x| s::split_part(x, " ", 1), |text| text.split(' ').nth(1).unwrap().into()),
    ("a little longer", |x| s::replace(x, "x", "xy", None), |text| text.replace('x', "xy")),
    (
        "far longer",
        |x| s::replace(x, " ", "0123456789 0123456789", None),
        |text| text.replace(' ', "0123456789 0123456789"),
    ),
    ("several times", |x| s::repeat(x, 5), |text| text.repeat(5)),
    ("parts", |x| joined(&s::split_record(x, " ", None)?), |text| text.replace(' ', "|")),
    (
        "parts by a regular expression",
        |x| joined(&s::split_record_re(x, &regex("[ ]")?, None)?),
        |text| text.replace(' ', "|"),
    ),
    (
        "matches",
        |x| joined(&s::findall(x, &regex("[0-9]")?)?),
        |text| text.chars().filter(char::is_ascii_digit).map(String::from).collect::<Vec<_>>().join("|"),
    ),
    (
        "a column of parts",
        |x| Ok(s::split(x, " ", None)?.column(1)?.clone()),
        |text| text.split(' ').nth(1).unwrap().into(),
    ),
    (
        "shorter, as a sample says",
        |x| s::replace_re(x, &regex("[0-9 ]")?, "", None),
        |text| text.replace(|one: char| one.is_ascii_digit() || one == ' ', ""),
    ),
    (
        "longer, as a sample says",
        |x| s::replace_re(x, &regex("[0-9]")?, "<digit>", None),
        |text| text.chars().map(|one| if one.is_ascii_digit() { "<digit>".into() } else { one.to_string() }).collect(),
    ),
    (
        "rows joined",
        |x| s::concatenate(&Table::try_new(vec![x.clone(), x.clone()])?, ", ", s::JoinOptions::default()),
        |text| format!("{text}, {text}"),
    ),
    ("wider", |x| s::pad(x, 70, gdf::strings::Side::Right, 'ß'), |text| format!("{text:ß<70}")),
];

fn regex(pattern: &str) -> Result<s::Regex> {
    s::Regex::new(pattern, s::RegexFlags::new())
}

fn joined(lists: &Column) -> Result<Column> {
    s::join_list_elements(lists, "|", s::JoinOptions::default())
}

/// Returns a text.
fn text(row: usize, is_short: bool) -> Option<String> {
    let word = ["the quick", "ŉaß x", "ÉÉéé", "", "ΑΣ", "漢字 x", "İ"][row % 7];
    let long = if row % 4_099 == 11 && !is_short { 90 } else { 1 };
    (row % 13 != 5).then(|| format!("{}a {row} x{}", word.repeat(long), &"yyyyyyyyyyyy"[..row % 11]))
}

#[test]
fn texts_of_other_sizes() {
    let device = test_device();
    let (stream, resource) = (new_stream(device).unwrap(), current_resource(device).unwrap());
    for (rows, is_short) in ROWS.into_iter().flat_map(|rows| [(rows, false), (rows, true)]) {
        let texts: Vec<_> = (0..rows).map(|row| text(row, is_short)).collect();
        let array: ArrayRef = Arc::new(StringArray::from_iter(&texts));
        let all = Column::from_arrow(&array, &stream, resource.as_ref()).unwrap();
        let from = rows / 3;
        for (column, texts) in [(all.clone(), &texts[..]), (all.slice(from, rows - from).unwrap(), &texts[from..])] {
            for (name, run, expected) in OPERATIONS {
                let expected = StringArray::from_iter(texts.iter().map(|text| text.as_deref().map(expected)));
                let found = run(&column).unwrap().to_arrow(&stream).unwrap();
                assert!(found.as_ref() == &expected as &dyn Array, "{name}, {} rows", column.len());
            }
            let expected =
                StringArray::from_iter((0..column.len()).map(|row| Some((i64::MAX - row as i64).to_string())));
            let numbers: ArrayRef =
                Arc::new(Int64Array::from_iter_values((0..column.len()).map(|row| i64::MAX - row as i64)));
            let numbers = Column::from_arrow(&numbers, &stream, resource.as_ref()).unwrap();
            let found = s::from_integers(&numbers).unwrap().to_arrow(&stream).unwrap();
            assert!(found.as_ref() == &expected as &dyn Array, "numbers, {} rows", column.len());
            let tokens = texts.iter().flatten().flat_map(|text| text.split(' ')).filter(|token| !token.is_empty());
            let expected = StringArray::from_iter(tokens.map(Some));
            let made = s::tokenize(&column, &[" "]).unwrap().to_arrow(&stream).unwrap();
            assert!(made.as_ref() == &expected as &dyn Array, "tokens, {} rows", column.len());
        }
    }
}

/// On CUDA, each block writes several tiles of rows.
#[test]
fn rows_of_more_tiles_than_blocks_are_written() {
    gdf::scope::with_device(test_device(), || {
        let rows = if test_device().is_cpu() { 10_000 } else { 3_000_000 };
        let texts: Vec<_> = (0..rows).map(|row| ["x 1", "", "ax", "22 y"][row % 4]).collect();
        let column = Column::from_strs(&texts).unwrap();
        let replaced = s::replace(&column, "x", "<>", None).unwrap();
        let by_regex = s::replace_re(&column, &regex("[0-9]+").unwrap(), "#", None).unwrap();
        for (made, expected) in [(replaced, ["<> 1", "", "a<>", "22 y"]), (by_regex, ["x #", "", "ax", "# y"])] {
            let expected = Column::from_strs((0..rows).map(|row| expected[row % 4]).collect::<Vec<_>>()).unwrap();
            assert!(made.to_array().unwrap() == expected.to_array().unwrap());
        }
    });
}

fn texts_of(array: &ArrayRef) -> Vec<Option<String>> {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    match array.as_string_opt::<i32>() {
        Some(texts) => texts.iter().map(owned).collect(),
        None => array.as_string::<i64>().iter().map(owned).collect(),
    }
}

fn bytes_of(array: &ArrayRef) -> usize {
    match array.as_string_opt::<i32>() {
        Some(texts) => (texts.offsets()[texts.len()] - texts.offsets()[0]) as usize,
        None => {
            let texts = array.as_string::<i64>();
            (texts.offsets()[texts.len()] - texts.offsets()[0]) as usize
        }
    }
}

/// If no character changes its length, the operation converts all bytes without looking at rows.
#[test]
fn characters_that_stay_as_long() {
    const PARTS: [&str; 10] =
        ["", "a", "Zebra", "café ", "ÉÀ", "я", "日本語x", "😀", "𐐨𐐀", "0123456789 plain WORDS of ascii "];
    let device = test_device();
    let (stream, resource) = (new_stream(device).unwrap(), current_resource(device).unwrap());
    let operations: [Operation; 3] = [
        ("upper", |x| s::to_upper(x), |text| text.to_uppercase()),
        ("lower", |x| s::to_lower(x), |text| text.to_lowercase()),
        (
            "swapped",
            |x| s::swapcase(x),
            |text| {
                let swapped = |one: char| {
                    if one.is_uppercase() { one.to_lowercase().to_string() } else { one.to_uppercase().to_string() }
                };
                text.chars().map(swapped).collect()
            },
        ),
    ];
    let text = |row: usize| {
        let number = row.wrapping_mul(0x9e37_79b9) >> 7;
        [PARTS[number % PARTS.len()], PARTS[number / 64 % PARTS.len()]].concat()
    };
    for rows in [100, 140_001] {
        let texts: Vec<_> = (0..rows).map(text).collect();
        for last in ["", "aŉ", "Σ"] {
            let plain = || texts.iter().map(String::as_str).chain([last]);
            let mask: NullBuffer = (0..=rows).map(|row| row % 7 != 3).collect();
            let arrays: [ArrayRef; 4] = [
                Arc::new(StringArray::from_iter_values(plain())),
                Arc::new(LargeStringArray::from_iter(plain().zip(&mask).map(|(text, valid)| valid.then_some(text)))),
                Arc::new(StringArray::from_iter(plain().enumerate().map(|(row, text)| (row > 0).then_some(text)))),
                // The null rows have bytes.
                Arc::new(StringArray::new(
                    StringArray::from_iter_values(plain()).offsets().clone(),
                    StringArray::from_iter_values(plain()).values().clone(),
                    Some(mask.clone()),
                )),
            ];
            for array in arrays {
                let all = Column::from_arrow(&array, &stream, resource.as_ref()).unwrap();
                for (from, len) in [(0, rows + 1), (rows / 8 + 3, rows - rows / 8 - 5)] {
                    let (column, array) = (all.slice(from, len).unwrap(), array.slice(from, len));
                    for (name, run, expected) in operations {
                        let found = run(&column).unwrap();
                        assert_eq!(found.null_count().unwrap(), array.null_count(), "{name}");
                        let found = found.to_arrow(&stream).unwrap();
                        let expected: Vec<_> =
                            texts_of(&array).into_iter().map(|text| text.map(|text| expected(&text))).collect();
                        assert!(
                            texts_of(&found) == expected,
                            "{name}: wrong texts of {len} rows from row {from}, with the last text {last:?}"
                        );
                        let bytes = expected.iter().flatten().map(String::len).sum::<usize>();
                        assert_eq!(bytes_of(&found), bytes, "{name}: null rows must have no bytes");
                    }
                }
            }
        }
    }
}
