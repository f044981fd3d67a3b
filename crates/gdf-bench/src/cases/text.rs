//! Cases with text: tests, searches, edits, splits, joins, conversions of numbers, and regular expressions.
//!
//! The number of bytes per row is the number of bytes of the text, plus 4 bytes for an offset. A phrase has 19.2 bytes
//! on average. The digits of a number have 8.9 bytes on average.

use anyhow::Result;
use gdf::strings::{
    CharacterTypes, JoinOptions, Regex, RegexFlags, Side, all_characters_of_type, concatenate, contains,
    contains_multiple, contains_re, count_characters, count_re, ends_with, extract, extract_single, find, findall,
    from_fixed_point, from_integers, is_integer, join_list_elements, join_strings, like, pad, repeat, replace,
    replace_multiple, replace_re, slice, split, split_part, split_record, split_record_re, starts_with, strip,
    to_fixed_point, to_integers, to_upper, zfill,
};
use gdf::unary::cast;
use gdf::{Column, DataType, Table};

use super::{Case, call};
use crate::inputs::Inputs;
use crate::measure::Run;

const PHRASE: f64 = 23.2;
const DIGITS: f64 = 12.9;
const MONEY: DataType = DataType::Decimal64(18, 3);

pub(super) const CASES: &[Case] = &[
    text("strings.contains", PHRASE + 0.125, |inputs| contained(inputs.phrases()?)),
    text("strings.starts_with", PHRASE + 0.125, started),
    text("strings.ends_with", PHRASE + 0.125, ended),
    text("strings.find", PHRASE + 4.0, found),
    text("strings.like", PHRASE + 0.125, |inputs| liked(inputs.phrases()?)),
    text("strings.contains_multiple", PHRASE + 0.375, contained_multiple),
    text("strings.count_characters", PHRASE + 4.0, |inputs| counted(inputs.phrases()?)),
    text("strings.is_alpha", PHRASE + 0.125, letters_only),
    text("strings.to_upper", 2.0 * PHRASE, |inputs| upper(inputs.phrases()?)),
    text("strings.slice", PHRASE + 10.0, |inputs| sliced(inputs.phrases()?)),
    text("strings.strip", 2.0 * PHRASE, |inputs| stripped(inputs.phrases()?)),
    text("strings.pad", PHRASE + 36.0, padded),
    text("strings.zfill", DIGITS + 16.0, filled),
    text("strings.repeat", 2.0 * PHRASE + 20.0, repeated),
    text("strings.replace", 2.0 * PHRASE, |inputs| replaced(inputs.phrases()?)),
    text("strings.replace_multiple", 2.0 * PHRASE, replaced_multiple),
    text("strings.split_record", 2.0 * PHRASE + 12.0, |inputs| split_record_at(inputs.phrases()?)),
    text("strings.split", 2.0 * PHRASE + 12.0, split_columns),
    text("strings.split_part", PHRASE + 12.0, part),
    text("strings.concat_cols", 2.0 * PHRASE + 2.0 * DIGITS, concatenated),
    text("strings.join_strings", 2.0 * PHRASE, joined),
    text("strings.join_list_elements", 2.0 * PHRASE + 12.0, joined_lists),
    text("strings.to_integers", DIGITS + 8.0, to_numbers),
    text("strings.from_integers", DIGITS + 8.0, from_numbers),
    text("strings.is_integer", DIGITS + 0.125, are_integers),
    text("strings.to_fixed_point", DIGITS + 12.0, to_decimals),
    text("strings.from_fixed_point", DIGITS + 12.0, from_decimals),
    text("strings.contains_re", PHRASE + 0.125, |inputs| contained_re(inputs.phrases()?)),
    text("strings.count_re", PHRASE + 4.0, |inputs| counted_re(inputs.phrases()?)),
    text("strings.findall", 2.0 * PHRASE + 12.0, found_all),
    text("strings.extract_single", PHRASE + 10.0, extracted_single),
    text("strings.extract", PHRASE + 20.0, extracted),
    text("strings.replace_re", 2.0 * PHRASE, |inputs| replaced_re(inputs.phrases()?)),
    text("strings.split_record_re", 2.0 * PHRASE + 12.0, split_lists_re),
];

const fn text(name: &'static str, bytes_per_row: f64, prepare: fn(&Inputs) -> Result<Run>) -> Case {
    Case::new(name, bytes_per_row, prepare).at_most(10_000_000).repeated(40, 9)
}

pub(super) fn contained(a: Column) -> Result<Run> {
    call(move || contains(&a, "special"))
}

fn started(inputs: &Inputs) -> Result<Run> {
    let a = inputs.phrases()?;
    call(move || starts_with(&a, "PROMO"))
}

fn ended(inputs: &Inputs) -> Result<Run> {
    let a = inputs.phrases()?;
    call(move || ends_with(&a, "dog"))
}

fn found(inputs: &Inputs) -> Result<Run> {
    let a = inputs.phrases()?;
    call(move || find(&a, "the", 0, None))
}

pub(super) fn liked(a: Column) -> Result<Run> {
    call(move || like(&a, "%o%the%", None))
}

fn contained_multiple(inputs: &Inputs) -> Result<Run> {
    let a = inputs.phrases()?;
    call(move || contains_multiple(&a, &["the", "special", "café"]))
}

pub(super) fn counted(a: Column) -> Result<Run> {
    call(move || count_characters(&a))
}

fn letters_only(inputs: &Inputs) -> Result<Run> {
    let a = inputs.phrases()?;
    call(move || all_characters_of_type(&a, CharacterTypes::ALPHA, CharacterTypes::ALL_TYPES))
}

pub(super) fn upper(a: Column) -> Result<Run> {
    call(move || to_upper(&a))
}

pub(super) fn sliced(a: Column) -> Result<Run> {
    call(move || slice(&a, 2, 8, 1))
}

pub(super) fn stripped(a: Column) -> Result<Run> {
    call(move || strip(&a, Side::Both, "tad"))
}

fn padded(inputs: &Inputs) -> Result<Run> {
    let a = inputs.phrases()?;
    call(move || pad(&a, 32, Side::Left, ' '))
}

fn filled(inputs: &Inputs) -> Result<Run> {
    let a = inputs.digits()?;
    call(move || zfill(&a, 12))
}

fn repeated(inputs: &Inputs) -> Result<Run> {
    let a = inputs.phrases()?;
    call(move || repeat(&a, 2))
}

pub(super) fn replaced(a: Column) -> Result<Run> {
    call(move || replace(&a, "the", "THAT", None))
}

fn replaced_multiple(inputs: &Inputs) -> Result<Run> {
    let (a, targets) = (inputs.phrases()?, inputs.texts_of(&["the", "special", ","])?);
    let replacements = inputs.texts_of(&["a", "SPECIAL", "; "])?;
    call(move || replace_multiple(&a, &targets, &replacements))
}

pub(super) fn split_record_at(a: Column) -> Result<Run> {
    call(move || split_record(&a, ",", None))
}

fn split_columns(inputs: &Inputs) -> Result<Run> {
    let a = inputs.phrases()?;
    call(move || split(&a, " ", None))
}

fn part(inputs: &Inputs) -> Result<Run> {
    let a = inputs.phrases()?;
    call(move || split_part(&a, " ", 1))
}

fn concatenated(inputs: &Inputs) -> Result<Run> {
    let both = Table::try_new(vec![inputs.phrases()?, inputs.digits()?])?;
    call(move || concatenate(&both, "-", JoinOptions::default()))
}

fn joined(inputs: &Inputs) -> Result<Run> {
    let a = inputs.phrases()?;
    call(move || join_strings(&a, ";", None))
}

fn joined_lists(inputs: &Inputs) -> Result<Run> {
    let lists = split_record(&inputs.phrases()?, " ", None)?;
    call(move || join_list_elements(&lists, "+", JoinOptions::default()))
}

fn to_numbers(inputs: &Inputs) -> Result<Run> {
    let digits = inputs.digits()?;
    call(move || to_integers(&digits, &DataType::Int64))
}

fn from_numbers(inputs: &Inputs) -> Result<Run> {
    let counts = inputs.counts()?;
    call(move || from_integers(&counts))
}

fn are_integers(inputs: &Inputs) -> Result<Run> {
    let digits = inputs.digits()?;
    call(move || is_integer(&digits, None))
}

fn money(inputs: &Inputs) -> Result<Column> {
    Ok(cast(&inputs.counts()?, &MONEY)?)
}

fn to_decimals(inputs: &Inputs) -> Result<Run> {
    let texts = from_fixed_point(&money(inputs)?)?;
    call(move || to_fixed_point(&texts, &MONEY))
}

fn from_decimals(inputs: &Inputs) -> Result<Run> {
    let money = money(inputs)?;
    call(move || from_fixed_point(&money))
}

fn regex(pattern: &str) -> Result<Regex> {
    Ok(Regex::new(pattern, RegexFlags::new())?)
}

pub(super) fn contained_re(a: Column) -> Result<Run> {
    let regex = regex("q[a-z]+k|sp.c")?;
    call(move || contains_re(&a, &regex))
}

pub(super) fn counted_re(a: Column) -> Result<Run> {
    let regex = regex("[a-z]+")?;
    call(move || count_re(&a, &regex))
}

fn found_all(inputs: &Inputs) -> Result<Run> {
    let (a, regex) = (inputs.phrases()?, regex("[a-z]+")?);
    call(move || findall(&a, &regex))
}

fn extracted_single(inputs: &Inputs) -> Result<Run> {
    let (a, regex) = (inputs.phrases()?, regex("([a-z]+) ([a-z]+)")?);
    call(move || extract_single(&a, &regex, 1))
}

fn extracted(inputs: &Inputs) -> Result<Run> {
    let (a, regex) = (inputs.phrases()?, regex("([a-z]+) ([a-z]+)")?);
    call(move || extract(&a, &regex))
}

pub(super) fn replaced_re(a: Column) -> Result<Run> {
    let regex = regex("o[a-z]|, ")?;
    call(move || replace_re(&a, &regex, "_", None))
}

fn split_lists_re(inputs: &Inputs) -> Result<Run> {
    let (a, regex) = (inputs.phrases()?, regex("[ ,]+")?);
    call(move || split_record_re(&a, &regex, None))
}
