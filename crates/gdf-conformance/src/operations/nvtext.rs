//! Area `nvtext`: tokens, n-grams and similarity of text.

use gdf_api::strings as api;

use super::Operation;
use crate::call::{Call, Failure};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[
    ("nvtext.character_tokenize", |call| Ok(Answer::column(api::character_tokenize(&call.column("input")?)?)?)),
    ("nvtext.count_tokens_column", |call| {
        let delimiters = texts(call, "delimiters")?;
        Ok(Answer::column(api::count_tokens(&call.column("input")?, &borrowed(&delimiters))?)?)
    }),
    ("nvtext.count_tokens_scalar", |call| {
        let delimiters = characters(call, "delimiter")?;
        Ok(Answer::column(api::count_tokens(&call.column("input")?, &borrowed(&delimiters))?)?)
    }),
    ("nvtext.normalize_spaces", |call| Ok(Answer::column(api::normalize_spaces(&call.column("input")?)?)?)),
    ("nvtext.tokenize_column", |call| {
        let delimiters = texts(call, "delimiters")?;
        Ok(Answer::column(api::tokenize(&call.column("input")?, &borrowed(&delimiters))?)?)
    }),
    ("nvtext.tokenize_scalar", |call| {
        let delimiters = characters(call, "delimiter")?;
        Ok(Answer::column(api::tokenize(&call.column("input")?, &borrowed(&delimiters))?)?)
    }),
];

/// The texts of a column.
fn texts(call: &Call<'_>, name: &str) -> Result<Vec<String>, Failure> {
    Ok(call.column(name)?.to_strings()?.into_iter().flatten().collect())
}

/// The characters of a scalar, each of which is a delimiter; none where it is absent.
fn characters(call: &Call<'_>, name: &str) -> Result<Vec<String>, Failure> {
    let text = if call.has(name) { call.scalar(name)?.value::<String>()? } else { None };
    Ok(text.unwrap_or_default().chars().map(String::from).collect())
}

fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}
