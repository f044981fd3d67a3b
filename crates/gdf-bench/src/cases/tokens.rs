//! Cases of tokens, n-grams and similarity of text.
//!
//! The number of bytes per row is the number of bytes of the phrases, as the comment at the top of `text.rs` explains.

use gdf::strings::{
    character_tokenize, count_tokens, edit_distance, generate_character_ngrams, jaccard_index, minhash,
    ngrams_tokenize, normalize_spaces, tokenize,
};

use super::{Case, call};

const PHRASE: f64 = 23.2;

pub(super) const CASES: &[Case] = &[
    Case::new("strings.normalize_spaces", 2.0 * PHRASE, |inputs| {
        let a = inputs.phrases()?;
        call(move || normalize_spaces(&a))
    })
    .at_most(10_000_000),
    Case::new("strings.tokenize", 2.0 * PHRASE, |inputs| {
        let a = inputs.phrases()?;
        call(move || tokenize(&a, &[]))
    })
    .at_most(10_000_000),
    Case::new("strings.tokenize_delimiters", 2.0 * PHRASE, |inputs| {
        let a = inputs.phrases()?;
        call(move || tokenize(&a, &[",", " ", "é"]))
    })
    .at_most(10_000_000),
    Case::new("strings.count_tokens", PHRASE + 4.0, |inputs| {
        let a = inputs.phrases()?;
        call(move || count_tokens(&a, &[]))
    })
    .at_most(10_000_000),
    Case::new("strings.character_tokenize", 6.0 * PHRASE, |inputs| {
        let a = inputs.phrases()?;
        call(move || character_tokenize(&a))
    })
    .at_most(10_000_000),
    Case::new("strings.ngrams_tokenize", 3.0 * PHRASE, |inputs| {
        let a = inputs.phrases()?;
        call(move || ngrams_tokenize(&a, 2, &[], "_"))
    })
    .at_most(10_000_000),
    Case::new("strings.generate_character_ngrams", 6.0 * PHRASE, |inputs| {
        let a = inputs.phrases()?;
        call(move || generate_character_ngrams(&a, 3))
    })
    .at_most(10_000_000),
    Case::new("strings.edit_distance", PHRASE + 4.0, |inputs| {
        let a = inputs.phrases()?;
        call(move || edit_distance(&a, "the special requests sleep"))
    })
    .at_most(10_000_000),
    Case::new("strings.jaccard_index", PHRASE + 4.0, |inputs| {
        let a = inputs.phrases()?;
        call(move || jaccard_index(&a, "the special requests sleep", 3))
    })
    .at_most(10_000_000),
    Case::new("strings.minhash", PHRASE + 68.0, |inputs| {
        let a = inputs.phrases()?;
        let permutations: Vec<_> = (1..=16).map(|number| (number * 7_919, number * 104_729)).collect();
        call(move || minhash(&a, 4, 0, &permutations))
    })
    .at_most(10_000_000),
];
