//! Rows so long that kernels cut them into chunks: what is searched for lies across the ends of chunks, and begins or ends rows.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, LargeStringArray, StringArray};
use gdf::prelude::*;
use gdf::strings as s;
use gdf_memory::current_resource;
use gdf_test::device::{new_stream, test_device};

/// Searched for, and what stands between: periods that have no divisor with the size of a chunk in common.
const TARGETS: [(&str, &str); 6] = [
    (",", "abcd"),
    ("ab,", "ééab"),
    ("a much longer text", "漢字!"),
    // Places where it lies may overlap, or its first byte is there once more.
    ("aa", "aaaab"),
    ("abab", "cab"),
    ("<a text of so many bytes that nobody looks whether it is there once more>", "<a text"),
];

const REPLACEMENTS: [&str; 3] =
    ["", "another, longer text", "a text of more bytes than a lane writes, which are sixty-four in all..."];

/// Short rows, nulls, and rows about as long as the shortest that are cut, and far longer ones.
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
