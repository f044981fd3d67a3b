//! Tests searches in texts. The texts lie at every position within the bytes that a warp reads at once.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Int32Array, StringArray};
use gdf::prelude::*;
use gdf::strings as s;
use gdf_memory::current_resource;
use gdf_test::device::{new_stream, test_device};

/// Three tiles of a warp, and an incomplete tile.
const ROWS: usize = 3 * 128 + 50;

/// Returns a text of `size` bytes with one `é`.
fn text(row: usize, size: usize, needle: &str) -> String {
    let before = row % (size - needle.len() + 1);
    let needle = if row % 5 == 4 { "" } else { needle };
    format!("{}{needle}é{}", "e".repeat(before), "x".repeat(size - before - needle.len()))
}

fn characters(text: &str, bytes: Option<usize>) -> i32 {
    bytes.map_or(-1, |bytes| text[..bytes].chars().count() as i32)
}

#[test]
fn texts_at_every_place() {
    let device = test_device();
    let (stream, resource) = (new_stream(device).unwrap(), current_resource(device).unwrap());
    for needle in ["n", "ne", "need", "needle", "needles and pins"] {
        for size in (needle.len()..needle.len() + 24).step_by(3) {
            let texts: Vec<_> = (0..ROWS).map(|row| text(row, size, needle)).collect();
            let array: ArrayRef = Arc::new(StringArray::from_iter_values(&texts));
            let all = Column::from_arrow(&array, &stream, resource.as_ref()).unwrap();
            for from in [0, 7] {
                let (column, texts) = (all.slice(from, ROWS - from).unwrap(), &texts[from..]);
                let check = |name: &str, found: Column, expected: &dyn Array| {
                    let found = found.to_arrow(&stream).unwrap();
                    assert!(found.as_ref() == expected, "{name} of {needle:?} in {size} bytes from row {from}");
                };
                let truths = |is: fn(&str, &str) -> bool| {
                    texts.iter().map(|text| Some(is(text, needle))).collect::<BooleanArray>()
                };
                let numbers = |of: fn(&str, &str) -> Option<usize>| {
                    Int32Array::from_iter_values(texts.iter().map(|text| characters(text, of(text, needle))))
                };
                check("contains", s::contains(&column, needle).unwrap(), &truths(|text, what| text.contains(what)));
                let pattern = format!("%{needle}%x%");
                let expected =
                    truths(|text, what| text.find(what).is_some_and(|at| text[at + what.len()..].contains('x')));
                check("like", s::like(&column, &*pattern, None).unwrap(), &expected);
                check("find", s::find(&column, needle, 0, None).unwrap(), &numbers(|text, what| text.find(what)));
                check("rfind", s::rfind(&column, needle, 0, None).unwrap(), &numbers(|text, what| text.rfind(what)));
                check("count", s::count_characters(&column).unwrap(), &numbers(|text, _| Some(text.len())));
            }
        }
    }
}

#[test]
fn texts_that_begin_within_themselves() {
    let device = test_device();
    let (stream, resource) = (new_stream(device).unwrap(), current_resource(device).unwrap());
    let text =
        |row: usize| (0..row % 45).map(move |at| if (row * 0x9e37_79b9) >> (at + 3) & 1 == 0 { 'a' } else { 'b' });
    let texts: Vec<String> = (0..5000).map(|row| text(row).collect()).collect();
    let array: ArrayRef = Arc::new(StringArray::from_iter_values(&texts));
    let column = Column::from_arrow(&array, &stream, resource.as_ref()).unwrap();
    let truths = |is: &dyn Fn(&str) -> bool| texts.iter().map(|text| Some(is(text))).collect::<BooleanArray>();
    let check = |name: &str, found: &Column, expected: BooleanArray| {
        assert!(found.to_arrow(&stream).unwrap().as_ref() == &expected as &dyn Array, "{name}");
    };
    let needles = [
        "aab",
        "abab",
        "",
        "abaabab",
        "bb",
        "aaaab",
        "ababb",
        "baba",
        "bab",
        "abaabaababaababaababaabaababaababaababaab",
    ];
    let found = s::contains_multiple(&column, &needles).unwrap();
    for (needle, found) in needles.iter().zip(found.columns()) {
        check(needle, found, truths(&|text| text.contains(needle)));
        check(needle, &s::contains(&column, *needle).unwrap(), truths(&|text| text.contains(needle)));
        let next = |text: &str| text.find(needle).is_some_and(|at| text[at + needle.len()..].contains("abab"));
        check(needle, &s::like(&column, &*format!("%{needle}%abab%"), None).unwrap(), truths(&next));
        let regex = s::Regex::new(&format!("{needle}(?:a|b)*?bb"), s::RegexFlags::new()).unwrap();
        let next = |text: &str| text.find(needle).is_some_and(|at| text[at + needle.len()..].contains("bb"));
        check(needle, &s::contains_re(&column, &regex).unwrap(), truths(&next));
    }
}

#[test]
fn integers_at_every_place() {
    let device = test_device();
    let (stream, resource) = (new_stream(device).unwrap(), current_resource(device).unwrap());
    for size in 0..40 {
        let text = |row: usize| match row % 7 {
            0 => format!("-{}", "7".repeat(size)),
            1 => format!("{}x{}", "1".repeat(row % (size + 1)), "2".repeat(size - row % (size + 1))),
            2 => format!("{}-", "9".repeat(size)),
            3 => format!("+{}:", "0".repeat(size)),
            4 => "é/0"[..2 + row % 2].to_owned(),
            _ => "0123456789".repeat(4)[..size].to_owned(),
        };
        let is_integer = |text: &str| {
            let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        let texts: Vec<_> = (0..ROWS).map(text).collect();
        let array: ArrayRef = Arc::new(StringArray::from_iter_values(&texts));
        let column = Column::from_arrow(&array, &stream, resource.as_ref()).unwrap();
        let found = s::is_integer(&column, None).unwrap().to_arrow(&stream).unwrap();
        let expected: BooleanArray = texts.iter().map(|text| Some(is_integer(text))).collect();
        assert!(found.as_ref() == &expected as &dyn Array, "{size} digits");
    }
}

/// The second alternative matches the empty text between the two bytes of the `é`, where no match counts.
#[test]
fn empty_matches_within_characters() {
    let device = test_device();
    let (stream, resource) = (new_stream(device).unwrap(), current_resource(device).unwrap());
    let regex = s::Regex::new(r"xéz|\b{start-half}\b{end-half}", s::RegexFlags::new().ascii()).unwrap();
    for rows in [1, 1 << 15] {
        let array: ArrayRef = Arc::new(StringArray::from_iter_values(std::iter::repeat_n("xéz", rows)));
        let column = Column::from_arrow(&array, &stream, resource.as_ref()).unwrap();
        let found = s::contains_re(&column, &regex).unwrap().to_arrow(&stream).unwrap();
        let expected: BooleanArray = std::iter::repeat_n(Some(true), rows).collect();
        assert!(found.as_ref() == &expected as &dyn Array, "{rows} rows");
        let counts = s::count_re(&column, &regex).unwrap().to_arrow(&stream).unwrap();
        assert!(counts.as_ref() == &Int32Array::from_value(1, rows) as &dyn Array, "{rows} rows");
    }
}

/// One alternative of the pattern begins to match first, but does not match in the end.
#[test]
fn matches_that_begin_within_others() {
    let device = test_device();
    let (stream, resource) = (new_stream(device).unwrap(), current_resource(device).unwrap());
    let letters = ["a", "b", "c", "d"];
    let texts: Vec<_> = (0..4_usize.pow(6))
        .map(|row| (0..6).map(|at| letters[row / 4_usize.pow(at) % 4]).collect::<String>())
        .collect();
    let array: ArrayRef = Arc::new(StringArray::from_iter_values(&texts));
    let column = Column::from_arrow(&array, &stream, resource.as_ref()).unwrap();
    for pattern in ["abca|bcd", "abcda|bcdb|cdc", "aab+c|bbd", "ab*c|b+d", "a[a-c]{2}d|[bc]a"] {
        let regex = s::Regex::new(pattern, s::RegexFlags::new()).unwrap();
        let oracle = regex::Regex::new(pattern).unwrap();
        let check = |name: &str, found: Column, expected: &dyn Array| {
            assert!(found.to_arrow(&stream).unwrap().as_ref() == expected, "{name} of {pattern}");
        };
        let places = texts.iter().map(|text| oracle.find(text).map_or(-1, |found| found.start() as i32));
        check("find_re", s::find_re(&column, &regex).unwrap(), &Int32Array::from_iter_values(places));
        let replaced = StringArray::from_iter_values(texts.iter().map(|text| oracle.replace_all(text, "<>")));
        check("replace_re", s::replace_re(&column, &regex, "<>", None).unwrap(), &replaced);
        let all = |text: &String| oracle.find_iter(text).map(|one| one.as_str()).collect::<Vec<_>>().join("|");
        let matches = s::findall(&column, &regex).unwrap();
        let joined = s::join_list_elements(&matches, "|", s::JoinOptions::default()).unwrap();
        check("findall", joined, &StringArray::from_iter_values(texts.iter().map(all)));
    }
}
