//! Entries of tokens of text.

use arrow_array::ArrayRef;
use gdf_api::strings as api;
use gdf_core::Error;
use gdf_detail::strings as detail;

use super::strings_edit::{case, columns, refused};
use super::{Case, Ctx, Entry};
use crate::builders::strings;
use crate::compare::Equality;
use crate::naive::strings_tokens as naive;

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("strings.character_tokenize", Equality::Exact, character_tokenize).estimating(),
        Entry::new("strings.count_tokens", Equality::Exact, count_tokens),
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
fn all() -> Vec<(String, ArrayRef)> {
    let rows = ["\u{3000}a\u{85}\u{2029}b\u{1680}", "á\u{301}\u{200b}-€", "0123 4567 8é9", "a-a--a", "\x1c\x1f\0 x", "\u{2003}"];
    let long = rows.map(|row| row.repeat(97));
    let rows = rows.into_iter().chain(long.iter().map(String::as_str)).map(Some).chain([None]);
    columns().into_iter().chain([("between/Utf8".to_owned(), strings(rows))]).collect()
}

/// A case that waits twice at most.
fn twice(case: Case) -> Case {
    Case { waits: 2, ..case }
}

/// A refusal of an empty delimiter.
fn empty_delimiter(run: fn(&gdf_core::Column, Ctx<'_>) -> gdf_core::Result<gdf_core::Column>) -> Case {
    let run = move |inputs: &[gdf_core::Column], ctx: Ctx<'_>| Ok(vec![run(&inputs[0], ctx)?]);
    let is_right = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    Case::refused("empty delimiter", vec![strings([Some("a")])], run, is_right)
}

fn tokenize() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in all().into_iter().enumerate() {
        let delimiters = DELIMITERS[number % 4];
        for delimiters in if number < 4 { vec![delimiters] } else { vec![&[][..], delimiters] } {
            cases.push(twice(case(
                format!("{label}/{}", delimiters.len()),
                vec![input.clone()],
                move |inputs, ctx| detail::tokenize(inputs[0].view(), delimiters, ctx),
                move |inputs| api::tokenize(&inputs[0], delimiters),
                move |inputs| naive::tokenize(&inputs[0], delimiters),
            )));
        }
    }
    cases.push(empty_delimiter(|column, ctx| detail::tokenize(column.view(), &["a", ""], ctx)));
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
    cases.push(empty_delimiter(|column, ctx| detail::count_tokens(column.view(), &[""], ctx)));
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
        cases.push(twice(case(
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
