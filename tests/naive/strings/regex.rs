//! Oracles of regular expressions. The oracles apply the regex crate to each row.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
use regex::{Captures, Regex, RegexBuilder};

use gdf_test::value::{Value, from_values, to_values};

/// Compiles a pattern of the regex crate.
///
/// # Panics
/// If the crate rejects the pattern.
pub fn compile(pattern: &str, flags: &str) -> Regex {
    RegexBuilder::new(pattern)
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m'))
        .dot_matches_new_line(flags.contains('s'))
        .build()
        .expect("the pattern is a regular expression")
}

/// Applies `f` to each text.
pub fn map(column: &ArrayRef, output_type: &DataType, f: impl Fn(&str) -> Option<Value>) -> ArrayRef {
    let of = |row: &Option<Value>| match row {
        Some(Value::Str(text)) => f(text),
        _ => None,
    };
    let rows: Vec<_> = to_values(column).iter().map(of).collect();
    from_values(output_type, &rows)
}

/// Does the same as [`map`], but the result is a column of lists of texts.
pub fn lists(column: &ArrayRef, f: impl Fn(&str) -> Option<Vec<Option<String>>>) -> ArrayRef {
    let field = Field::new_list_field(column.data_type().clone(), true);
    let list = |texts: Vec<Option<String>>| Value::List(texts.into_iter().map(|text| text.map(Value::Str)).collect());
    map(column, &DataType::List(Arc::new(field)), |text| f(text).map(list))
}

/// Does the same as [`lists`], but returns a column for each position of the longest list.
pub fn columns(column: &ArrayRef, f: impl Fn(&str) -> Vec<Option<String>>) -> Vec<ArrayRef> {
    let rows = to_values(column);
    let len = |row: &Option<Value>| match row {
        Some(Value::Str(text)) => f(text).len(),
        _ => 0,
    };
    let most = rows.iter().map(len).max().unwrap_or(0).max(1);
    let nth = |nth: usize| map(column, column.data_type(), |text| f(text).get(nth).cloned().flatten().map(Value::Str));
    (0..most).map(nth).collect()
}

/// Returns the groups of a match.
pub fn groups(found: &Captures<'_>, first: usize) -> Vec<Option<String>> {
    found.iter().skip(first).map(|group| group.map(|group| group.as_str().to_owned())).collect()
}

/// Splits a text at the first `limit` matches. With `from_end`, splits the text at the last `limit` matches.
pub fn split(regex: &Regex, text: &str, limit: Option<usize>, from_end: bool) -> Vec<Option<String>> {
    let all: Vec<_> = regex.find_iter(text).map(|found| found.range()).collect();
    let limit = limit.unwrap_or(all.len()).min(all.len());
    let chosen = if from_end { &all[all.len() - limit..] } else { &all[..limit] };
    let begins = std::iter::once(0).chain(chosen.iter().map(|range| range.end));
    let ends = chosen.iter().map(|range| range.start).chain([text.len()]);
    begins.zip(ends).map(|(begin, end)| Some(text[begin..end].to_owned())).collect()
}

/// Replaces the first `limit` matches in a text.
pub fn replace(
    regex: &Regex,
    text: &str,
    limit: Option<usize>,
    replacement: impl Fn(&Captures<'_>) -> String,
) -> String {
    let mut result = String::new();
    let mut last = 0;
    for found in regex.captures_iter(text).take(limit.unwrap_or(usize::MAX)) {
        let whole = found.get(0).expect("group 0 is the whole match");
        result += &text[last..whole.start()];
        result += &replacement(&found);
        last = whole.end();
    }
    result + &text[last..]
}
