//! Tests operations on very long rows. Kernels split such rows into chunks, or make a list of the parts to copy.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, LargeStringArray, StringArray};
use gdf::prelude::*;
use gdf::strings as s;
use gdf_core::Result;
use gdf_memory::current_resource;
use gdf_test::device::{new_stream, test_device};

/// Pairs of a text to search for and the text between two occurrences.
const TARGETS: [(&str, &str); 6] = [
    (",", "abcd"),
    ("ab,", "ééab"),
    ("a much longer text", "漢字!"),
    // Either occurrences may overlap, or the first bytes of the target also occur elsewhere.
    ("aa", "aaaab"),
    ("abab", "cab"),
    ("<a text of so many bytes that nobody looks whether it is there once more>", "<a text"),
];

const REPLACEMENTS: [&str; 3] =
    ["", "another, longer text", "a text of more bytes than a lane writes, which are sixty-four in all..."];

/// Returns short rows and nulls.
fn texts(target: &str, between: &str) -> Vec<Option<String>> {
    let period = [target, between].concat();
    let long = |size: usize, skipped: usize| {
        let text = period.repeat(size / period.len() + 2);
        let from = (skipped..).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let to = (from..=from + size).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(from);
        text[from..to].to_owned()
    };
    let mut rows = vec![Some(target.to_owned()), None, Some(String::new()), Some(between.to_owned())];
    for (number, size) in [8_191, 8_192, 8_193, 8_197, 12_288, 40_000, 4_000, 100_003].into_iter().enumerate() {
        rows.push(Some(long(size, number % period.len())));
        rows.push((number % 2 == 0).then(|| long(number, 0)));
    }
    rows.push(Some("no place where it lies. ".repeat(1_000)));
    rows.push(Some([&"-".repeat(20_000), target].concat()));
    rows.push(Some(target.repeat(9_000 / target.len())));
    rows
}

fn columns_of(texts: &[Option<String>]) -> [(Column, Vec<Option<String>>); 3] {
    let device = test_device();
    let (stream, resource) = (new_stream(device).unwrap(), current_resource(device).unwrap());
    let column = |array: ArrayRef| Column::from_arrow(&array, &stream, resource.as_ref()).unwrap();
    let all = column(Arc::new(StringArray::from_iter(texts)));
    let large = column(Arc::new(LargeStringArray::from_iter(texts)));
    let part = all.slice(3, texts.len() - 4).unwrap();
    [(all, texts.to_vec()), (large, texts.to_vec()), (part, texts[3..texts.len() - 1].to_vec())]
}

fn found(column: &Column) -> Vec<Option<String>> {
    let column = gdf::unary::cast(column, &DataType::Utf8).unwrap();
    let array = column.to_arrow(&new_stream(test_device()).unwrap()).unwrap();
    let array = array.as_any().downcast_ref::<StringArray>().unwrap();
    array.iter().map(|text| text.map(str::to_owned)).collect()
}

#[test]
fn replaced_in_chunks() {
    for (target, between) in TARGETS {
        for (column, texts) in columns_of(&texts(target, between)) {
            for replacement in REPLACEMENTS {
                for max in [None, Some(3)] {
                    let expected = texts.iter().map(|text| {
                        let text = text.as_ref()?;
                        Some(max.map_or_else(
                            || text.replace(target, replacement),
                            |max| text.replacen(target, replacement, max),
                        ))
                    });
                    let made = found(&s::replace(&column, target, replacement, max).unwrap());
                    let wrong = made.iter().zip(expected.clone()).position(|(made, expected)| *made != expected);
                    assert_eq!(
                        wrong,
                        None,
                        "{target:?} by {replacement:?}, {max:?} times at most, of {}",
                        column.data_type()
                    );
                }
            }
        }
    }
}

#[test]
fn split_in_chunks() {
    for (target, between) in TARGETS {
        for (column, texts) in columns_of(&texts(target, between)) {
            for max in [None, Some(3)] {
                let lists = s::split_record(&column, target, max).unwrap();
                let pieces = s::join_list_elements(&lists, "\u{1}", s::JoinOptions::default()).unwrap();
                let expected = texts.iter().map(|text| {
                    let pieces = text.as_ref()?.splitn(max.map_or(usize::MAX, |max| max + 1), target);
                    Some(pieces.collect::<Vec<_>>().join("\u{1}"))
                });
                let made = found(&pieces);
                let wrong = made.iter().zip(expected).position(|(made, expected)| *made != expected);
                assert_eq!(wrong, None, "{target:?}, {max:?} times at most, of {}", column.data_type());
            }
        }
    }
}

type Operation = (&'static str, fn(&Column) -> Result<Column>, fn(&str) -> String);

/// Operations that copy the rows, in whole or in part, once or several times.
const COPIES: &[Operation] = &[
    ("strip", |x| s::strip(x, s::Side::Both, "ab"), |text| text.trim_matches(['a', 'b']).into()),
    ("slice", |x| s::slice(x, 5, i64::MAX, 1), |text| text.chars().skip(5).collect()),
    ("repeat", |x| s::repeat(x, 3), |text| text.repeat(3)),
    ("pad", |x| s::pad(x, 20_011, s::Side::Left, '.'), |text| format!("{text:.>20011}")),
    ("two columns", |x| joined(&[x, x]), |text| [text, "-", text].concat()),
    (
        "three columns",
        |x| joined(&[x, &s::slice(x, 0, 3, 1)?, x]),
        |text| [text, "-", &text.chars().take(3).collect::<String>(), "-", text].concat(),
    ),
    (
        "parts replaced",
        |x| s::replace_slice(x, "new", 4, Some(6)),
        |text| text.chars().take(4).chain("new".chars()).chain(text.chars().skip(6)).collect(),
    ),
    ("few replaced", |x| s::replace(x, "b", "", Some(2)), |text| text.replacen('b', "", 2)),
    ("the last part", |x| s::split_part(x, "a", -1), |text| text.rsplit('a').next().unwrap_or_default().into()),
];

fn joined(columns: &[&Column]) -> Result<Column> {
    s::concatenate(&Table::try_new(columns.iter().map(|one| (*one).clone()).collect())?, "-", s::JoinOptions::default())
}

#[test]
fn long_rows_are_copied() {
    let mut texts: Vec<_> = (0..40).map(|row| Some("abcd"[..row % 5].to_owned())).collect();
    for (number, size) in [4_000, 4_096, 4_097, 16_384, 16_385, 16_391, 32_768, 50_001, 140_003].into_iter().enumerate()
    {
        let text = ["漢x", "0123456789", "é", "xyzcd"].concat().repeat(size / 8);
        let from = (number..).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let to = (from..=from + size).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(from);
        texts.push(Some(text[from..to].to_owned()));
        texts.push((number % 3 != 0).then(|| "ab".repeat(number)));
        texts.push(Some(["ba", &text[from..to], "a"].concat()));
    }
    for (column, texts) in columns_of(&texts) {
        for (name, run, expected) in COPIES {
            let made = found(&run(&column).unwrap());
            let expected = texts.iter().map(|text| text.as_deref().map(expected));
            let wrong = made.iter().zip(expected).position(|(made, expected)| *made != expected);
            assert_eq!(wrong, None, "{name} of {}", column.data_type());
        }
    }
}

fn numbers() -> s::Regex {
    s::Regex::new("([0-9]+)(?:é|,)", s::RegexFlags::new()).unwrap()
}

fn text_of(numbers: Column) -> Result<Column> {
    s::from_integers(&numbers)
}

type Read = (&'static str, fn(&Column) -> Result<Column>, fn(&str) -> Option<String>);

/// Operations that read the rows in shared memory, and return a value, a text or a list for each row.
const READS: &[Read] = &[
    ("upper", |x| s::to_upper(x), |text| Some(text.to_uppercase())),
    ("replaced", |x| s::replace(x, ",", "; ", None), |text| Some(text.replace(',', "; "))),
    ("replaced twice at most", |x| s::replace(x, ",", "", Some(2)), |text| Some(text.replacen(',', "", 2))),
    ("stripped", |x| s::strip(x, s::Side::Both, ",1"), |text| Some(text.trim_matches([',', '1']).into())),
    (
        "sliced",
        |x| s::slice(x, 3, -1, 1),
        |text| {
            let count = text.chars().count();
            Some(text.chars().take(count.max(1) - 1).skip(3).collect())
        },
    ),
    (
        "split",
        |x| s::join_list_elements(&s::split_record(x, ",", None)?, "|", s::JoinOptions::default()),
        |text| Some(text.replace(',', "|")),
    ),
    (
        "found",
        |x| text_of(s::find(x, "é", 0, None)?),
        |text| Some(text.find('é').map_or(-1, |at| text[..at].chars().count() as i64).to_string()),
    ),
    ("characters", |x| text_of(s::count_characters(x)?), |text| Some(text.chars().count().to_string())),
    ("matches", |x| text_of(s::count_re(x, &numbers())?), |text| Some(oracle().find_iter(text).count().to_string())),
    (
        "like",
        |x| gdf::unary::cast(&s::like(x, "%2é%", None)?, &DataType::Int32).and_then(text_of),
        |text| Some(u8::from(text.contains("2é")).to_string()),
    ),
    (
        "a match",
        |x| gdf::unary::cast(&s::contains_re(x, &numbers())?, &DataType::Int32).and_then(text_of),
        |text| Some(u8::from(oracle().find(text).is_some()).to_string()),
    ),
    ("a group", |x| s::extract_single(x, &numbers(), 1), |text| Some(oracle().captures(text)?[1].into())),
    (
        "matches replaced",
        |x| s::replace_re(x, &numbers(), "<>", None),
        |text| Some(oracle().replace_all(text, "<>").into()),
    ),
    (
        "matches listed",
        |x| s::join_list_elements(&s::findall(x, &numbers())?, "|", s::JoinOptions::default()),
        |text| Some(oracle().captures_iter(text).map(|found| found[1].to_owned()).collect::<Vec<_>>().join("|")),
    ),
];

fn oracle() -> regex::Regex {
    regex::Regex::new("([0-9]+)(?:é|,)").unwrap()
}

/// Each long row fits into the shared memory of its warp.
#[test]
fn long_rows_lie_in_shared_memory() {
    for size in [254, 255, 256, 257, 509, 510, 511, 512, 513, 1_023, 1_500, 2_046, 2_047, 2_048, 2_049, 3_900] {
        let short = (0..70).map(|row| (row % 9 != 4).then(|| ["", "1,", "é", "a12é,", ","][row % 5].to_owned()));
        let mut texts: Vec<_> = short.collect();
        let long = |from: usize| [&"x".repeat(from), "12é,", &"y".repeat(size - 13 - from), "3,,4é,1"].concat();
        texts[33] = Some(long(size / 3));
        texts.push(Some(long(0)).filter(|_| size < 1_900));
        texts.push(Some(",".repeat(size / 8)));
        for (column, texts) in columns_of(&texts) {
            for (name, run, expected) in READS {
                let made = found(&run(&column).unwrap());
                let expected = texts.iter().map(|text| text.as_deref().and_then(expected));
                let wrong = made.iter().zip(expected).position(|(made, expected)| *made != expected);
                assert_eq!(wrong, None, "{name} of {}, {size} bytes", column.data_type());
            }
        }
    }
}

/// A warp stages elements of a list in shared memory, unless the separator has more than eight bytes.
#[test]
fn lists_of_more_than_a_warp_stages() {
    for parts in [1, 2, 3, 5, 9] {
        let text = |row: usize| match row % 13 {
            4 => None,
            9 => Some(String::new()),
            _ => Some(
                (0..parts).map(|at| format!("{:0size$}", row + at, size = 32 / parts)).collect::<Vec<_>>().join(","),
            ),
        };
        for (column, texts) in columns_of(&(0..1_000).map(text).collect::<Vec<_>>()) {
            let lists = s::split_record(&column, ",", None).unwrap();
            for separator in ["", "|", "--", "<and then>"] {
                let made = found(&s::join_list_elements(&lists, separator, s::JoinOptions::default()).unwrap());
                let expected = texts.iter().map(|text| text.as_ref().map(|text| text.replace(',', separator)));
                let wrong = made.iter().zip(expected).position(|(made, expected)| *made != expected);
                assert_eq!(wrong, None, "{parts} parts, {separator:?}, of {}", column.data_type());
            }
        }
    }
}
