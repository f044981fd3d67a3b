//! Entries of operations that convert characters.

use std::ops::RangeInclusive;

use arrow_array::ArrayRef;
use gdf_api::strings::{self as api, CharacterTypes, Filter};

use super::edit::columns;
use super::{both_of_options, case, invalid, refused, shared_rows, texts, unary};
use crate::catalog::{Case, Entry};
use crate::naive::strings::characters as naive;
use gdf_test::compare::Equality;

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("strings.capitalize", Equality::Exact, capitalize).estimating(),
        Entry::new("strings.filter_characters", Equality::Exact, filter_characters).estimating(),
        Entry::new("strings.filter_characters_of_type", Equality::Exact, filter_characters_of_type).estimating(),
        Entry::new("strings.reverse", Equality::Exact, reverse).estimating(),
        Entry::new("strings.swapcase", Equality::Exact, swapcase).estimating(),
        Entry::new("strings.title", Equality::Exact, title).estimating(),
        Entry::new("strings.to_lower", Equality::Exact, to_lower).estimating(),
        Entry::new("strings.translate", Equality::Exact, translate).estimating(),
        Entry::new("strings.url_decode", Equality::Exact, url_decode).estimating(),
        Entry::new("strings.url_encode", Equality::Exact, url_encode).estimating(),
        Entry::new("strings.wrap", Equality::Exact, wrap).estimating(),
    ]
}

/// Returns columns with all characters, and columns with sigmas.
fn with_all_characters() -> Vec<(String, ArrayRef)> {
    let mut found = columns();
    let characters: Vec<char> = ('\0'..='\u{1ffff}').collect();
    let all: Vec<String> = characters.chunks(997).map(|some| some.iter().collect()).collect();
    found.push(("all characters".into(), texts(&all)));
    let has_case = |one: &&char| one.to_lowercase().ne([**one]) || one.to_uppercase().ne([**one]);
    let each: Vec<String> = characters.iter().filter(has_case).map(char::to_string).collect();
    found.push(("each with case".into(), texts(&each)));
    let short = [
        "Σ",
        "ΑΣ",
        "ΑΣ.",
        "ΑΣΑ",
        "ΑΣ Α",
        "Σ Α",
        "ΑΣ'Σ",
        "Α'Σ",
        ".Σ",
        "ΣΣΣ",
        "ǅΣ",
        "aΣ\u{301}",
        "aΣ\u{301}b",
        "日Σ",
        "Σ日",
        "ªΣʰ",
    ];
    let mut sigmas: Vec<String> = short.iter().map(|text| (*text).to_owned()).collect();
    for apart in [1, 30, 64, 300, 1_100] {
        let apart = "'".repeat(apart);
        sigmas.extend([
            format!("Α{apart}Σ{apart}"),
            format!("Α{apart}Σ{apart}Β"),
            format!("-{apart}Σ"),
            format!("ΑΣ{apart}é ΣΑΣ").repeat(5),
        ]);
    }
    // Any character may be beside a sigma.
    sigmas.extend(
        characters.chunks(31).map(|some| some.iter().flat_map(|one| [*one, 'Σ', *one, 'a', *one, 'Σ', ' ']).collect()),
    );
    found.push(("sigmas".into(), texts(&sigmas)));
    // The lower case of the first character has another number of bytes.
    found.extend(both_of_options("shared rows", &shared_rows("İaΣ")));
    found
}

fn to_lower() -> Vec<Case> {
    let naive = |column: &ArrayRef| naive::map(column, str::to_lowercase);
    unary(with_all_characters(), 3, |column| api::to_lower(column), naive)
}

fn swapcase() -> Vec<Case> {
    let naive = |column: &ArrayRef| naive::map(column, naive::swapcase);
    unary(with_all_characters(), 3, |column| api::swapcase(column), naive)
}

fn capitalize() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in with_all_characters().into_iter().enumerate() {
        let delimiters = ["", " ", "-€ ", "aß😀"][(number + number / 4) % 4];
        cases.push(case(
            format!("{label}/{delimiters}"),
            vec![input],
            move |inputs| api::capitalize(&inputs[0], delimiters),
            move |inputs| naive::map(&inputs[0], |text| naive::capitalize(text, delimiters)),
        ));
    }
    cases.extend(refused(|column| api::capitalize(column, " ")));
    cases
}

type IsOfType = fn(char) -> bool;

const TYPES: [(CharacterTypes, IsOfType); 3] = [
    (CharacterTypes::UPPER, char::is_uppercase),
    (CharacterTypes::CASE_TYPES, |one| one.is_uppercase() || one.is_lowercase()),
    (CharacterTypes::SPACE, |one| one.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&one)),
];

fn title() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in with_all_characters().into_iter().enumerate() {
        let (types, is) = TYPES[number % 3];
        cases.push(case(
            format!("{label}/{types:?}"),
            vec![input],
            move |inputs| api::title(&inputs[0], types),
            move |inputs| naive::map(&inputs[0], |text| naive::title_of(text, is)),
        ));
    }
    // Each character occurs at the start of a text and after a character that is not a letter.
    let each: Vec<String> =
        ('\0'..='\u{1ffff}').filter(|one| one.to_uppercase().ne([*one])).map(|one| format!("{one}1{one}")).collect();
    cases.push(case(
        "title case of all characters",
        vec![texts(&each)],
        |inputs| api::title(&inputs[0], CharacterTypes::CASE_TYPES),
        |inputs| naive::map(&inputs[0], |text| naive::title_of(text, |one| one.is_uppercase() || one.is_lowercase())),
    ));
    cases.extend(refused(|column| api::title(column, CharacterTypes::ALPHA)));
    cases
}

fn reverse() -> Vec<Case> {
    let naive = |column: &ArrayRef| naive::map(column, |text| text.chars().rev().collect());
    unary(columns(), 1, |column| api::reverse(column), naive)
}

fn translate() -> Vec<Case> {
    const TABLE: [(char, Option<char>); 7] = [
        ('a', Some('€')),
        ('€', None),
        ('-', Some('-')),
        ('ß', Some('s')),
        (' ', Some('😀')),
        ('a', None),
        ('\0', Some('\0')),
    ];
    let mut cases = Vec::new();
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let table = &TABLE[..[0, 7, 7, 1][(number + number / 4) % 4]];
        cases.push(case(
            format!("{label}/{} pairs", table.len()),
            vec![input],
            move |inputs| api::translate(&inputs[0], table),
            move |inputs| naive::map(&inputs[0], |text| naive::translate(text, table)),
        ));
    }
    cases.extend(refused(|column| api::translate(column, &[])));
    cases
}

const FILTERS: [Filter; 2] = [Filter::Keep, Filter::Remove];

fn filter_characters() -> Vec<Case> {
    const RANGES: [RangeInclusive<char>; 4] = ['a'..='c', 'b'..='z', '€'..='€', '\u{300}'..='\u{1ffff}'];
    let mut cases = Vec::new();
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let ranges = &RANGES[..[0, 4, 1, 3][(number + number / 4) % 4]];
        let (filter, with) = (FILTERS[(number / 2 + number / 4) % 2], ["", "_", "é€"][number % 3]);
        cases.push(case(
            format!("{label}/{filter:?} {} ranges {with}", ranges.len()),
            vec![input],
            move |inputs| api::filter_characters(&inputs[0], ranges, filter, with),
            move |inputs| naive::map(&inputs[0], |text| naive::filter(text, naive::within(ranges), filter, with)),
        ));
    }
    cases.extend(refused(|column| api::filter_characters(column, &[], Filter::Keep, "")));
    cases
}

fn filter_characters_of_type() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let ((types, is), with) = (TYPES[number % 3], ["", "_", "é€"][(number + number / 4) % 4 % 3]);
        let filter = FILTERS[(number / 2 + number / 4) % 2];
        cases.push(case(
            format!("{label}/{filter:?} {types:?} {with}"),
            vec![input],
            move |inputs| api::filter_characters_of_type(&inputs[0], types, filter, with),
            move |inputs| naive::map(&inputs[0], |text| naive::filter(text, is, filter, with)),
        ));
    }
    cases.extend(refused(|column| api::filter_characters_of_type(column, CharacterTypes::ALPHA, Filter::Keep, "")));
    cases
}

fn url_encode() -> Vec<Case> {
    let mut inputs = columns();
    let all: Vec<String> = ('\0'..='\u{ff}').chain(['\u{ffff}', '\u{10ffff}']).map(|one| one.to_string()).collect();
    inputs.push(("all bytes of ASCII".into(), texts(&all)));
    unary(inputs, 1, |column| api::url_encode(column), |column| naive::map(column, naive::url_encode))
}

fn url_decode() -> Vec<Case> {
    let mut inputs = columns();
    let byte: Vec<String> = (0..=255).map(|byte| format!("a%{byte:02x}b")).collect();
    inputs.push(("each byte".into(), texts(&byte)));
    // The bytes cover the limits of UTF-8: the first and last character of each length, surrogates, characters beyond
    // the last valid character, overlong encodings, and truncated encodings.
    let bytes: [&[u8]; 22] = [
        b"\x7f",
        b"\x80",
        b"\xc1\xbf",
        b"\xc2\x80",
        b"\xdf\xbf",
        b"\xdf\xc0",
        b"\xe0\x9f\xbf",
        b"\xe0\xa0\x80",
        b"\xed\x9f\xbf",
        b"\xed\xa0\x80",
        b"\xee\x80\x80",
        b"\xef\xbf\xbf",
        b"\xf0\x8f\xbf\xbf",
        b"\xf0\x90\x80\x80",
        b"\xf4\x8f\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80",
        b"\xc2",
        b"\xe2\x82",
        b"\xf0\x9f\x98",
        b"\xe2\x28\xa1",
        b"\xff",
    ];
    let escaped = |bytes: &[u8]| bytes.iter().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let mut rows: Vec<String> = bytes.iter().map(|bytes| escaped(bytes)).collect();
    rows.extend(bytes.iter().map(|bytes| escaped(bytes) + "é%41"));
    rows.extend(bytes.iter().map(|bytes| "plain é€😀 text ".repeat(30) + &escaped(bytes)));
    rows.extend(
        ["%", "%2", "%zz", "%%41", "%4%41", "100%", "%2541", "%e6%97%a5", "a+b", "%C3é", "é%"].map(String::from),
    );
    inputs.push(("bounds of UTF-8".into(), texts(&rows)));
    unary(inputs, 1, |column| api::url_decode(column), naive::url_decode)
}

fn wrap() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let width = [5, 9, 60, usize::MAX, 1, 2][(number + number / 4) % 6];
        cases.push(case(
            format!("{label}/{width}"),
            vec![input],
            move |inputs| api::wrap(&inputs[0], width),
            move |inputs| naive::map(&inputs[0], |text| naive::wrap(text, width)),
        ));
    }
    cases.extend(refused(|column| api::wrap(column, 3)));
    cases.push(invalid("a width of 0", |column| api::wrap(column, 0)));
    cases
}
