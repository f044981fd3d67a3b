//! Area `nvtext`: tokens, n-grams and similarity of text.

use gdf_api::strings as api;
use gdf_core::{NativeValue, Scalar};

use crate::call::{Call, Failure};
use crate::operations::{Operation, hashing};
use crate::output::Answer;

pub(crate) const OPERATIONS: &[(&str, Operation)] = &[
    ("nvtext.character_tokenize", |call| Ok(Answer::column(api::character_tokenize(&call.column("input")?)?)?)),
    ("nvtext.count_tokens_column", |call| {
        let delimiters = texts(call, "delimiters")?;
        Ok(Answer::column(api::count_tokens(&call.column("input")?, &borrowed(&delimiters))?)?)
    }),
    ("nvtext.count_tokens_scalar", |call| {
        let delimiters = characters(call, "delimiter")?;
        Ok(Answer::column(api::count_tokens(&call.column("input")?, &borrowed(&delimiters))?)?)
    }),
    ("nvtext.edit_distance", |call| {
        let (column, targets) = (call.column("input")?, call.column("targets")?);
        // A single target applies to all rows.
        Ok(Answer::column(if targets.len() == 1 {
            api::edit_distance(&column, &Scalar::from_column(targets)?)?
        } else {
            api::edit_distance(&column, &targets)?
        })?)
    }),
    ("nvtext.generate_character_ngrams", |call| {
        Ok(Answer::column(api::generate_character_ngrams(&call.column("input")?, call.count("ngrams")?)?)?)
    }),
    ("nvtext.generate_ngrams", |call| {
        let (separator, n) = (text(call, "separator")?, call.count("ngrams")?);
        Ok(Answer::column(api::generate_ngrams(&call.column("input")?, n, &separator)?)?)
    }),
    ("nvtext.hash_character_ngrams", |call| {
        let (n, seed) = (call.count("ngrams")?, hashing::narrow(call)?);
        Ok(Answer::column(api::hash_character_ngrams(&call.column("input")?, n, seed)?)?)
    }),
    ("nvtext.jaccard_index", |call| {
        let (column, other) = (call.column("input")?, call.column("other")?);
        Ok(Answer::column(api::jaccard_index(&column, &other, call.count("width")?)?)?)
    }),
    ("nvtext.minhash", |call| {
        let (width, seed, pairs) = (call.count("width")?, hashing::narrow(call)?, pairs(call)?);
        Ok(Answer::column(api::minhash(&call.column("input")?, width, seed, &pairs)?)?)
    }),
    ("nvtext.minhash64", |call| {
        let (width, seed, pairs) = (call.count("width")?, hashing::seed(call)?, pairs(call)?);
        Ok(Answer::column(api::minhash64(&call.column("input")?, width, seed, &pairs)?)?)
    }),
    ("nvtext.ngrams_tokenize", |call| {
        let (delimiters, separator) = (characters(call, "delimiter")?, text(call, "separator")?);
        let (column, n) = (call.column("input")?, call.count("ngrams")?);
        Ok(Answer::column(api::ngrams_tokenize(&column, n, &borrowed(&delimiters), &separator)?)?)
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

/// Returns the texts of a column, without the nulls.
fn texts(call: &Call<'_>, name: &str) -> Result<Vec<String>, Failure> {
    Ok(call.column(name)?.to_strings()?.into_iter().flatten().collect())
}

/// Returns the characters of a scalar. Each character is a delimiter. If the scalar is absent, there are no delimiters.
fn characters(call: &Call<'_>, name: &str) -> Result<Vec<String>, Failure> {
    Ok(if call.has(name) { text(call, name)?.chars().map(String::from).collect() } else { Vec::new() })
}

fn text(call: &Call<'_>, name: &str) -> Result<String, Failure> {
    let text = call.scalar(name)?.value::<String>()?;
    text.ok_or_else(|| gdf_core::Error::invalid_argument("the text of a scalar is null").into())
}

fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// Returns the parameters `a` and `b` of each permutation.
fn pairs<T: NativeValue>(call: &Call<'_>) -> Result<Vec<(T, T)>, Failure> {
    let [a, b] = [call.column("a")?.to_vec::<T>()?, call.column("b")?.to_vec::<T>()?];
    Ok(a.into_iter().flatten().zip(b.into_iter().flatten()).collect())
}
