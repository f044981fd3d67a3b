//! Entries of tokens of text.

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use gdf_api::strings as api;

use super::edit::{GRID, columns};
use super::{case, invalid, refused, unary, unwaiting, waiting};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::hashing::murmur32;
use crate::naive::strings::tokens as naive;
use gdf_test::builders::strings;
use gdf_test::compare::Equality;
use gdf_test::value::Value;

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("strings.character_tokenize", Equality::Exact, character_tokenize).estimating(),
        Entry::new("strings.count_tokens", Equality::Exact, count_tokens),
        Entry::new("strings.generate_character_ngrams", Equality::Exact, generate_character_ngrams).estimating(),
        Entry::new("strings.generate_ngrams", Equality::Exact, generate_ngrams).estimating(),
        Entry::new("strings.hash_character_ngrams", Equality::Exact, hash_character_ngrams).estimating(),
        Entry::new("strings.ngrams_tokenize", Equality::Exact, ngrams_tokenize).estimating(),
        Entry::new("strings.normalize_spaces", Equality::Exact, normalize_spaces).estimating(),
        Entry::new("strings.tokenize", Equality::Exact, tokenize).estimating(),
    ]
}

/// Lists of delimiters: delimiters of one character, delimiters of several characters, delimiters that are the
/// beginning of another delimiter, and more delimiters than a block keeps in its memory.
const DELIMITERS: [&[&str]; 4] = [
    &[],
    &["-", "€"],
    &["aa", "a", " ", "y €x-y €x-y "],
    &["0", "1", "2", "3", "4", "5", "6", "7", "é", "a-", "-", "\u{a0}", "b"],
];

/// Returns rows in which white space and delimiters occur at the beginning, in the middle and at the end.
pub(crate) fn all() -> Vec<(String, ArrayRef)> {
    let rows = [
        "\u{3000}a\u{85}\u{2029}b\u{1680}",
        "á\u{301}\u{200b}-€",
        "0123 4567 8é9",
        "a-a--a",
        "\x1c\x1f\0 x",
        "\u{2003}",
    ];
    let long = rows.map(|row| row.repeat(97));
    let rows = rows.into_iter().chain(long.iter().map(String::as_str)).map(Some).chain([None]);
    columns().into_iter().chain([("between/Utf8".to_owned(), strings(rows))]).collect()
}

fn tokenize() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in all().into_iter().enumerate() {
        let delimiters = DELIMITERS[1 + (number + number / 4) % 3];
        for delimiters in if number < 4 { vec![delimiters] } else { vec![&[][..], delimiters] } {
            let one = case(
                format!("{label}/{}", delimiters.len()),
                vec![input.clone()],
                move |inputs| api::tokenize(&inputs[0], delimiters),
                move |inputs| naive::tokenize(&inputs[0], delimiters),
            );
            cases.push(waiting(2, one));
        }
    }
    cases.push(invalid("empty delimiter", |column| api::tokenize(column, &["a", ""])));
    cases.extend(refused(|column| api::tokenize(column, &[])));
    cases
}

fn count_tokens() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in all().into_iter().enumerate() {
        let turn = number + number / 4;
        let grid = vec![DELIMITERS[turn % 4]];
        let beyond = vec![DELIMITERS[0], DELIMITERS[1 + turn % 3]];
        for delimiters in if number < GRID { grid } else { beyond } {
            cases.push(unwaiting(
                format!("{label}/{}", delimiters.len()),
                vec![input.clone()],
                move |inputs| api::count_tokens(&inputs[0], delimiters),
                move |inputs| naive::count_tokens(&inputs[0], delimiters),
            ));
        }
    }
    cases.push(invalid("empty delimiter", |column| api::count_tokens(column, &[""])));
    cases.extend(refused(|column| api::count_tokens(column, &[])));
    cases
}

fn normalize_spaces() -> Vec<Case> {
    unary(all(), 1, |column| api::normalize_spaces(column), naive::normalize_spaces)
}

fn character_tokenize() -> Vec<Case> {
    unary(all(), 2, |column| api::character_tokenize(column), naive::character_tokenize)
}

/// Numbers of elements in an n-gram.
const COUNTS: [usize; 4] = [2, 3, 5, 5_000];

fn generate_character_ngrams() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in all().into_iter().enumerate() {
        let n = COUNTS[(number + number / 4) % 4];
        let one = case(
            format!("{label}/{n}"),
            vec![input],
            move |inputs| api::generate_character_ngrams(&inputs[0], n),
            move |inputs| {
                let field = Field::new_list_field(inputs[0].data_type().clone(), true);
                naive::generate_character_ngrams(&inputs[0], n, field, Value::Str)
            },
        );
        cases.push(waiting(3, one));
    }
    cases.push(invalid("single characters", |column| api::generate_character_ngrams(column, 1)));
    cases.extend(refused(|column| api::generate_character_ngrams(column, 2)));
    cases
}

fn hash_character_ngrams() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in all().into_iter().enumerate() {
        let (n, seed) = (COUNTS[(number + number / 4) % 4], [0, 5, 0x9e37_79b9][number % 3]);
        let one = case(
            format!("{label}/{n}"),
            vec![input],
            move |inputs| api::hash_character_ngrams(&inputs[0], n, seed),
            move |inputs| {
                let field = Field::new_list_field(DataType::UInt32, false);
                let hash = |text: String| Value::UInt(murmur32(text.as_bytes(), seed).into());
                naive::generate_character_ngrams(&inputs[0], n, field, hash)
            },
        );
        cases.push(waiting(3, one));
    }
    cases.push(invalid("single characters", |column| api::hash_character_ngrams(column, 1, 0)));
    cases.extend(refused(|column| api::hash_character_ngrams(column, 2, 0)));
    cases
}

fn generate_ngrams() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in all().into_iter().enumerate() {
        let (n, separator) = ([2, 3, 33, 5_000][(number + number / 4) % 4], ["_", "", "€ "][number % 3]);
        let one = case(
            format!("{label}/{n}"),
            vec![input],
            move |inputs| api::generate_ngrams(&inputs[0], n, separator),
            move |inputs| naive::generate_ngrams(&inputs[0], n, separator),
        );
        cases.push(waiting(if n > 32 { 4 } else { 3 }, one).with_slice_costs(SliceCosts::Own));
    }
    cases.push(invalid("single rows", |column| api::generate_ngrams(column, 1, "")));
    cases.extend(refused(|column| api::generate_ngrams(column, 2, "")));
    cases
}

fn ngrams_tokenize() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in all().into_iter().enumerate() {
        let (n, separator) = ([1, 2, 3, 40][(number + number / 4) % 4], ["_", "", "€ "][number % 3]);
        let delimiters = DELIMITERS[(2 * number + number / 4) % 4];
        let one = case(
            format!("{label}/{n}"),
            vec![input],
            move |inputs| api::ngrams_tokenize(&inputs[0], n, delimiters, separator),
            move |inputs| naive::ngrams_tokenize(&inputs[0], n, delimiters, separator),
        );
        cases.push(waiting(if n > 32 { 7 } else { 6 }, one).with_slice_costs(SliceCosts::Own));
    }
    cases.push(invalid("no tokens", |column| api::ngrams_tokenize(column, 0, &[], "")));
    cases.push(invalid("empty delimiter", |column| api::ngrams_tokenize(column, 2, &[""], "")));
    cases.extend(refused(|column| api::ngrams_tokenize(column, 2, &[], "")));
    cases
}
