//! Oracles of tokens: the standard library, on vectors of texts.

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use super::strings_edit::{column, texts};
use crate::value::{Value, from_values};

/// The tokens of a text.
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

/// Those of each row, of nulls none.
fn of_rows(input: &ArrayRef, delimiters: &[&str]) -> Vec<Vec<String>> {
    texts(input).into_iter().map(|text| tokens(&text.unwrap_or_default(), delimiters)).collect()
}

/// The tokens of all rows.
pub fn tokenize(input: &ArrayRef, delimiters: &[&str]) -> ArrayRef {
    column(input, of_rows(input, delimiters).into_iter().flatten().map(Some).collect())
}

/// How many there are in each row.
pub fn count_tokens(input: &ArrayRef, delimiters: &[&str]) -> ArrayRef {
    let large = input.data_type() == &DataType::LargeUtf8;
    let counts: Vec<_> =
        of_rows(input, delimiters).into_iter().map(|tokens| Some(Value::Int(tokens.len() as i128))).collect();
    from_values(if large { &DataType::Int64 } else { &DataType::Int32 }, &counts)
}

/// Tokens with a space between them.
pub fn normalize_spaces(input: &ArrayRef) -> ArrayRef {
    column(input, texts(input).into_iter().map(|text| Some(tokens(&text?, &[]).join(" "))).collect())
}

/// The characters of all rows.
pub fn character_tokenize(input: &ArrayRef) -> ArrayRef {
    let all: String = texts(input).into_iter().flatten().collect();
    column(input, all.chars().map(|one| Some(one.to_string())).collect())
}
