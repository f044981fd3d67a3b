//! Entries of tokens of text.

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use gdf_api::strings as api;
use gdf_core::{Column, Error, Result};
use gdf_detail::strings as detail;

use super::strings_edit::{case, columns, refused};
use super::{Case, Ctx, Entry, SliceCosts};
use crate::builders::strings;
use crate::compare::Equality;
use crate::naive::hashing::murmur32;
use crate::naive::strings_tokens as naive;
use crate::value::Value;

pub(super) fn entries() -> Vec<Entry> {
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

/// Delimiters of one character and more, one that begins another, and more than a block keeps.
const DELIMITERS: [&[&str]; 4] = [
    &[],
    &["-", "€"],
    &["aa", "a", " ", "y €x-y €x-y "],
    &["0", "1", "2", "3", "4", "5", "6", "7", "é", "a-", "-", "\u{a0}", "b"],
];

/// Rows between which white space and delimiters stand everywhere.
pub(super) fn all() -> Vec<(String, ArrayRef)> {
    let rows = ["\u{3000}a\u{85}\u{2029}b\u{1680}", "á\u{301}\u{200b}-€", "0123 4567 8é9", "a-a--a", "\x1c\x1f\0 x", "\u{2003}"];
    let long = rows.map(|row| row.repeat(97));
    let rows = rows.into_iter().chain(long.iter().map(String::as_str)).map(Some).chain([None]);
    columns().into_iter().chain([("between/Utf8".to_owned(), strings(rows))]).collect()
}

/// A case that waits so often at most.
fn waiting(waits: u64, case: Case) -> Case {
    Case { waits, ..case }
}

/// A refusal of an argument.
pub(super) fn invalid(label: &str, run: fn(&Column, Ctx<'_>) -> Result<Column>) -> Case {
    let run = move |inputs: &[Column], ctx: Ctx<'_>| Ok(vec![run(&inputs[0], ctx)?]);
    let is_right = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    Case::refused(label, vec![strings([Some("a")])], run, is_right)
}

fn tokenize() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in all().into_iter().enumerate() {
        let delimiters = DELIMITERS[number % 4];
        for delimiters in if number < 4 { vec![delimiters] } else { vec![&[][..], delimiters] } {
            cases.push(waiting(2, case(
                format!("{label}/{}", delimiters.len()),
                vec![input.clone()],
                move |inputs, ctx| detail::tokenize(inputs[0].view(), delimiters, ctx),
                move |inputs| api::tokenize(&inputs[0], delimiters),
                move |inputs| naive::tokenize(&inputs[0], delimiters),
            )));
        }
    }
    cases.push(invalid("empty delimiter", |column, ctx| detail::tokenize(column.view(), &["a", ""], ctx)));
    cases.extend(refused(|column, ctx| detail::tokenize(column.view(), &[], ctx)));
    cases
}

fn count_tokens() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in all().into_iter().enumerate() {
        let delimiters = DELIMITERS[number % 4];
        let one = case(
            format!("{label}/{}", delimiters.len()),
            vec![input],
            move |inputs, ctx| detail::count_tokens(inputs[0].view(), delimiters, ctx),
            move |inputs| api::count_tokens(&inputs[0], delimiters),
            move |inputs| naive::count_tokens(&inputs[0], delimiters),
        );
        cases.push(Case { waits: 0, ..one });
    }
    cases.push(invalid("empty delimiter", |column, ctx| detail::count_tokens(column.view(), &[""], ctx)));
    cases.extend(refused(|column, ctx| detail::count_tokens(column.view(), &[], ctx)));
    cases
}

fn normalize_spaces() -> Vec<Case> {
    let mut cases = Vec::new();
    for (label, input) in all() {
        cases.push(case(
            label,
            vec![input],
            |inputs, ctx| detail::normalize_spaces(inputs[0].view(), ctx),
            |inputs| api::normalize_spaces(&inputs[0]),
            |inputs| naive::normalize_spaces(&inputs[0]),
        ));
    }
    cases.extend(refused(|column, ctx| detail::normalize_spaces(column.view(), ctx)));
    cases
}

fn character_tokenize() -> Vec<Case> {
    let mut cases = Vec::new();
    for (label, input) in all() {
        cases.push(waiting(2, case(
            label,
            vec![input],
            |inputs, ctx| detail::character_tokenize(inputs[0].view(), ctx),
            |inputs| api::character_tokenize(&inputs[0]),
            |inputs| naive::character_tokenize(&inputs[0]),
        )));
    }
    cases.extend(refused(|column, ctx| detail::character_tokenize(column.view(), ctx)));
    cases
}

/// Numbers of elements: none of a row has so many as the last one.
const COUNTS: [usize; 4] = [2, 3, 5, 5_000];

fn generate_character_ngrams() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in all().into_iter().enumerate() {
        let n = COUNTS[number % 4];
        cases.push(waiting(3, case(
            format!("{label}/{n}"),
            vec![input],
            move |inputs, ctx| detail::generate_character_ngrams(inputs[0].view(), n, ctx),
            move |inputs| api::generate_character_ngrams(&inputs[0], n),
            move |inputs| {
                let field = Field::new_list_field(inputs[0].data_type().clone(), true);
                naive::generate_character_ngrams(&inputs[0], n, field, Value::Str)
            },
        )));
    }
    cases.push(invalid("single characters", |column, ctx| {
        detail::generate_character_ngrams(column.view(), 1, ctx)
    }));
    cases.extend(refused(|column, ctx| detail::generate_character_ngrams(column.view(), 2, ctx)));
    cases
}

fn hash_character_ngrams() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in all().into_iter().enumerate() {
        let (n, seed) = (COUNTS[number % 4], [0, 5, 0x9e37_79b9][number % 3]);
        cases.push(waiting(3, case(
            format!("{label}/{n}"),
            vec![input],
            move |inputs, ctx| detail::hash_character_ngrams(inputs[0].view(), n, seed, ctx),
            move |inputs| api::hash_character_ngrams(&inputs[0], n, seed),
            move |inputs| {
                let field = Field::new_list_field(DataType::UInt32, false);
                let hash = |text: String| Value::UInt(murmur32(text.as_bytes(), seed).into());
                naive::generate_character_ngrams(&inputs[0], n, field, hash)
            },
        )));
    }
    cases.push(invalid("single characters", |column, ctx| detail::hash_character_ngrams(column.view(), 1, 0, ctx)));
    cases.extend(refused(|column, ctx| detail::hash_character_ngrams(column.view(), 2, 0, ctx)));
    cases
}

fn generate_ngrams() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in all().into_iter().enumerate() {
        let (n, separator) = ([2, 3, 33, 5_000][number % 4], ["_", "", "€ "][number % 3]);
        let one = case(
            format!("{label}/{n}"),
            vec![input],
            move |inputs, ctx| detail::generate_ngrams(inputs[0].view(), n, separator, ctx),
            move |inputs| api::generate_ngrams(&inputs[0], n, separator),
            move |inputs| naive::generate_ngrams(&inputs[0], n, separator),
        );
        cases.push(Case { waits: if n > 32 { 4 } else { 3 }, ..one }.with_slice_costs(SliceCosts::Own));
    }
    cases.push(invalid("single rows", |column, ctx| detail::generate_ngrams(column.view(), 1, "", ctx)));
    cases.extend(refused(|column, ctx| detail::generate_ngrams(column.view(), 2, "", ctx)));
    cases
}

fn ngrams_tokenize() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in all().into_iter().enumerate() {
        let (n, separator, delimiters) = ([1, 2, 3, 40][number % 4], ["_", "", "€ "][number % 3], DELIMITERS[number % 4]);
        let one = case(
            format!("{label}/{n}"),
            vec![input],
            move |inputs, ctx| detail::ngrams_tokenize(inputs[0].view(), n, delimiters, separator, ctx),
            move |inputs| api::ngrams_tokenize(&inputs[0], n, delimiters, separator),
            move |inputs| naive::ngrams_tokenize(&inputs[0], n, delimiters, separator),
        );
        cases.push(Case { waits: if n > 32 { 7 } else { 6 }, ..one }.with_slice_costs(SliceCosts::Own));
    }
    cases.push(invalid("no tokens", |column, ctx| detail::ngrams_tokenize(column.view(), 0, &[], "", ctx)));
    cases.push(invalid("empty delimiter", |column, ctx| {
        detail::ngrams_tokenize(column.view(), 2, &[""], "", ctx)
    }));
    cases.extend(refused(|column, ctx| detail::ngrams_tokenize(column.view(), 2, &[], "", ctx)));
    cases
}
