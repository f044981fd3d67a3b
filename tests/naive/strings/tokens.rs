//! Oracles of tokens. The oracles apply the standard library to vectors of texts.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};

use super::edit::{column, texts};
use gdf_test::value::{Value, from_values};

/// Returns the tokens of a text.
pub fn tokens(text: &str, delimiters: &[&str]) -> Vec<String> {
    if delimiters.is_empty() {
        return text.split_whitespace().map(str::to_owned).collect();
    }
    let (mut all, mut rest) = (vec![String::new()], text);
    while let Some(character) = rest.chars().next() {
        let delimiter = delimiters.iter().find(|delimiter| rest.starts_with(**delimiter));
        match delimiter {
            Some(_) => all.push(String::new()),
            None => all.last_mut().into_iter().for_each(|token| token.push(character)),
        }
        rest = &rest[delimiter.map_or(character.len_utf8(), |delimiter| delimiter.len())..];
    }
    all.retain(|token| !token.is_empty());
    all
}

fn of_rows(input: &ArrayRef, delimiters: &[&str]) -> Vec<Vec<String>> {
    texts(input).into_iter().map(|text| tokens(&text.unwrap_or_default(), delimiters)).collect()
}

/// Returns the tokens of all rows as one column.
pub fn tokenize(input: &ArrayRef, delimiters: &[&str]) -> ArrayRef {
    column(input, of_rows(input, delimiters).into_iter().flatten().map(Some).collect())
}

/// Returns the number of tokens of each row.
pub fn count_tokens(input: &ArrayRef, delimiters: &[&str]) -> ArrayRef {
    let large = input.data_type() == &DataType::LargeUtf8;
    let counts: Vec<_> =
        of_rows(input, delimiters).into_iter().map(|tokens| Some(Value::Int(tokens.len() as i128))).collect();
    from_values(if large { &DataType::Int64 } else { &DataType::Int32 }, &counts)
}

/// Joins the tokens of each row with one space between them.
pub fn normalize_spaces(input: &ArrayRef) -> ArrayRef {
    column(input, texts(input).into_iter().map(|text| Some(tokens(&text?, &[]).join(" "))).collect())
}

/// Returns the characters of all rows as one column.
pub fn character_tokenize(input: &ArrayRef) -> ArrayRef {
    let all: String = texts(input).into_iter().flatten().collect();
    column(input, all.chars().map(|one| Some(one.to_string())).collect())
}

fn joined(texts: &[String], n: usize, separator: &str) -> Vec<Option<String>> {
    texts.windows(n).map(|texts| Some(texts.join(separator))).collect()
}

/// Joins each run of `n` consecutive texts. Null rows and empty rows are left out first.
pub fn generate_ngrams(input: &ArrayRef, n: usize, separator: &str) -> ArrayRef {
    let rows: Vec<_> = texts(input).into_iter().flatten().filter(|text| !text.is_empty()).collect();
    column(input, joined(&rows, n, separator))
}

/// Joins each run of `n` consecutive tokens of a row.
pub fn ngrams_tokenize(input: &ArrayRef, n: usize, delimiters: &[&str], separator: &str) -> ArrayRef {
    let rows = of_rows(input, delimiters).into_iter();
    column(input, rows.flat_map(|tokens| joined(&tokens, n, separator)).collect())
}

/// Returns each run of `n` consecutive characters of a text. With `whole`, a shorter text that is not empty is returned
/// as it is.
pub fn character_ngrams(text: &str, n: usize, whole: bool) -> Vec<String> {
    let characters: Vec<_> = text.chars().collect();
    if whole && characters.len() < n && !text.is_empty() {
        return vec![text.to_owned()];
    }
    characters.windows(n).map(|ngram| ngram.iter().collect()).collect()
}

/// Returns a list for each row, with the result of `element` for each run of `n` consecutive characters.
pub fn generate_character_ngrams(
    input: &ArrayRef,
    n: usize,
    field: Field,
    element: impl Fn(String) -> Value,
) -> ArrayRef {
    let list = |text: Option<String>| {
        let ngrams = character_ngrams(&text.unwrap_or_default(), n, false).into_iter();
        Some(Value::List(ngrams.map(|ngram| Some(element(ngram))).collect()))
    };
    let rows: Vec<_> = texts(input).into_iter().map(list).collect();
    from_values(&DataType::List(field.into()), &rows)
}
