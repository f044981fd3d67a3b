//! Entries of `strings`, and helpers that all entries of text share.

pub(super) mod characters;
pub(super) mod edit;
pub(super) mod floats;
pub(super) mod numbers;
pub(super) mod regex;
pub(super) mod search;
pub(super) mod similarity;
pub(super) mod split;
pub(super) mod times;
pub(super) mod tokens;

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::strings as api;
use gdf_core::{Column, Error, Result};

use super::{Case, Entry};
use crate::naive::strings as naive;
use gdf_test::builders::{large_strings, strings};
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, long_texts, random_array};

pub(super) fn entries() -> Vec<Entry> {
    vec![Entry::new("strings.to_upper", Equality::Exact, to_upper).estimating()]
}

pub(super) const TYPES: [DataType; 2] = [DataType::Utf8, DataType::LargeUtf8];

/// Returns columns of every length and null pattern, with short texts and with longer texts.
pub(super) fn columns() -> Vec<(String, ArrayRef)> {
    let mut columns = data::grid(&TYPES, BRACKETS);
    for (&rows, seed) in [1, 33, 129, 513, 2_049].iter().zip(0..) {
        for &nulls in NullPattern::ALL {
            columns.push((format!("long texts/{rows}/{nulls:?}"), long_texts(rows, nulls, seed)));
        }
    }
    columns
}

pub(super) fn both(label: &str, rows: &[Option<&str>]) -> [(String, ArrayRef); 2] {
    let of = |data_type: &str| format!("{label}/{data_type}");
    [(of("Utf8"), strings(rows.iter().copied())), (of("LargeUtf8"), large_strings(rows.iter().copied()))]
}

/// Returns the same columns as [`both`], from rows without nulls.
pub(super) fn both_of(label: &str, rows: &[String]) -> [(String, ArrayRef); 2] {
    both(label, &rows.iter().map(|row| Some(row.as_str())).collect::<Vec<_>>())
}

pub(super) fn texts(rows: &[String]) -> ArrayRef {
    strings(rows.iter().map(|row| Some(row.as_str())))
}

/// Returns texts of one repeated part.
pub(super) fn long_rows() -> Vec<String> {
    let mut rows = Vec::new();
    for part in ["a", "ß", "ŉx", "€uro", "😀", "zΐ𐐨 ﬃ"] {
        for bytes in [31, 64, 255, 256, 257, 1_023, 1_024, 1_025, 10_000] {
            rows.push(part.repeat(bytes / part.len() + 1));
        }
    }
    rows
}

/// Returns rows with `target` at the ends of the parts into which the kernels for long rows divide a text of more than
/// 8,192 bytes, rows around the limits of these kernels, and nulls. Most characters have several bytes.
pub(super) fn shared_rows(target: &str) -> Vec<Option<String>> {
    let text = |size: usize, first: usize| {
        let text = "漢é-😀x".repeat(size / 11 + 2);
        let from = (first..).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let to = (from..=from + size).find(|at| text.is_char_boundary(*at) && *at + 3 >= from + size).unwrap_or(from);
        let short = from + size - to;
        [&text[from..to], &"z".repeat(short)].concat()
    };
    let mut rows = vec![None, Some(String::new()), Some(target.to_owned())];
    for size in [1, 31, 32, 33, 255, 256, 257, 1_024, 8_191, 8_192, 8_193, 8_224, 8_225, 40_001] {
        rows.push(Some(text(size, 0)));
        rows.push((size % 2 == 0).then(|| text(size, 5)));
    }
    for (size, part) in [(8_193, 1), (8_193, 17), (8_200, 31), (9_000, 16)] {
        let border = part * size_of_part(size);
        for before in [0, 1, target.len() / 2, target.len() - 1, target.len()] {
            let first = text(border - before, before);
            let rest = size - first.len() - target.len();
            rows.push(Some([&first, target, &text(rest, 0)].concat()));
        }
    }
    rows.push(Some([&text(8_300, 0), target].concat()));
    rows
}

/// Returns the number of bytes of each of the 32 parts of a text of `size` bytes.
fn size_of_part(size: usize) -> usize {
    size.div_ceil(32)
}

/// Returns some of [`long_rows`] and of [`shared_rows`] among so many short rows that rows are short on average.
pub(super) fn few_long_rows(target: &str) -> Vec<Option<String>> {
    let long = long_rows()
        .into_iter()
        .map(Some)
        .chain(shared_rows(target))
        .filter(|row| row.as_ref().is_none_or(|row| row.len() <= 1_025));
    long.enumerate()
        .flat_map(|(row, long)| (0..45).map(move |at| Some("é".repeat((row + at) % 4))).chain([long]))
        .collect()
}

pub(super) fn both_of_options(label: &str, rows: &[Option<String>]) -> [(String, ArrayRef); 2] {
    both(label, &rows.iter().map(Option::as_deref).collect::<Vec<_>>())
}

pub(super) fn case(
    label: impl Into<String>,
    inputs: Vec<ArrayRef>,
    run: impl Fn(&[Column]) -> Result<Column> + Send + Sync + 'static,
    naive: impl Fn(&[ArrayRef]) -> ArrayRef + Send + Sync + 'static,
) -> Case {
    Case::new(label, inputs, move |inputs| Ok(vec![run(inputs)?]), move |inputs| Ok(vec![naive(inputs)]), 1)
}

pub(super) fn unwaiting(
    label: impl Into<String>,
    inputs: Vec<ArrayRef>,
    run: impl Fn(&[Column]) -> Result<Column> + Send + Sync + 'static,
    naive: impl Fn(&[ArrayRef]) -> ArrayRef + Send + Sync + 'static,
) -> Case {
    waiting(0, case(label, inputs, run, naive))
}

pub(super) fn waiting(waits: u64, mut case: Case) -> Case {
    case.waits = waits;
    case
}

/// Builds a case for each text column, with at most `waits` waits.
pub(super) fn unary(
    inputs: Vec<(String, ArrayRef)>,
    waits: u64,
    run: fn(&Column) -> Result<Column>,
    naive: fn(&ArrayRef) -> ArrayRef,
) -> Vec<Case> {
    let of = |(label, input)| {
        waiting(waits, case(label, vec![input], move |inputs| run(&inputs[0]), move |inputs| naive(&inputs[0])))
    };
    inputs.into_iter().map(of).chain(refused(run)).collect()
}

pub(super) fn refused(run: impl Fn(&Column) -> Result<Column> + Clone + Send + Sync + 'static) -> Vec<Case> {
    refused_but(&TYPES, run)
}

/// Builds refusals of all types except for the given types.
pub(super) fn refused_but(
    types: &[DataType],
    run: impl Fn(&Column) -> Result<Column> + Clone + Send + Sync + 'static,
) -> Vec<Case> {
    let is_taken = |data_type: &DataType| match data_type {
        DataType::Utf8View => types.contains(&DataType::Utf8),
        DataType::Dictionary(_, values) => types.contains(values),
        _ => types.contains(data_type),
    };
    let case = |data_type: DataType| {
        let (run, inputs) = (run.clone(), vec![random_array(&data_type, 3, NullPattern::None, 1)]);
        let run = move |inputs: &[Column]| Ok(vec![run(&inputs[0])?]);
        Case::refused(format!("refused {data_type}"), inputs, run, is_unsupported)
    };
    data::all().into_iter().filter(|data_type| !is_taken(data_type)).map(case).collect()
}

pub(super) fn refusal(
    label: impl Into<String>,
    text: &str,
    run: impl Fn(&Column) -> Result<Column> + Send + Sync + 'static,
    is_right: fn(&Error) -> bool,
) -> Case {
    Case::refused(label, vec![strings([Some(text)])], move |inputs| Ok(vec![run(&inputs[0])?]), is_right)
}

/// Builds refusals of an argument for each row: of an argument of another type than `of`, and of an argument with fewer
/// rows than the text.
pub(super) fn refused_arguments(
    name: &str,
    of: &DataType,
    run: impl Fn(&Column, &Column) -> Result<Column> + Clone + Send + Sync + 'static,
) -> Vec<Case> {
    let case = |label: &str, argument: ArrayRef, is_right: fn(&Error) -> bool| {
        let (run, text) = (run.clone(), strings([Some("a"), Some("b"), None]));
        let run = move |inputs: &[Column]| Ok(vec![run(&inputs[0], &inputs[1])?]);
        Case::refused(format!("refused {name}/{label}"), vec![text, argument], run, is_right)
    };
    let other = if *of == DataType::Utf8 { DataType::Int64 } else { DataType::Utf8 };
    let argument = |of: &DataType, rows| random_array(of, rows, NullPattern::None, 1);
    vec![
        case("type", argument(&other, 3), |error| matches!(error, Error::TypeMismatch { .. })),
        case("length", argument(of, 2), |error| matches!(error, Error::LengthMismatch { .. })),
    ]
}

pub(super) fn invalid(label: &str, run: impl Fn(&Column) -> Result<Column> + Send + Sync + 'static) -> Case {
    refusal(label, "a", run, |error| matches!(error, Error::InvalidArgument { .. }))
}

pub(super) fn is_unsupported(error: &Error) -> bool {
    matches!(error, Error::Unsupported { .. })
}

fn to_upper() -> Vec<Case> {
    let mut inputs = columns();
    // The characters include characters whose upper case has more bytes, fewer bytes or more characters, characters
    // with a separate title case, and characters of all lengths.
    let special = "ß ŉ ǰ ΐ ﬀ ﬁ ﬃ ŗ ı ſ ꭰ ɐ ɫ ⱥ ǆ ǅ ᾳ ᾼ ᾧ ς σ ÿ µ ი 𐐨 𞤢 😀 É é Я я".split(' ').map(Some);
    inputs.extend(both("special", &special.chain([Some(""), None, Some("\0\u{7f}\u{80}")]).collect::<Vec<_>>()));
    inputs.extend(both_of("long rows", &long_rows()));
    // The first column has each character that changes in upper case.
    let characters: Vec<String> = ('\0'..='\u{1ffff}').map(String::from).collect();
    let changed: Vec<_> = characters.iter().filter(|one| one.to_uppercase() != **one).cloned().collect();
    inputs.push(("all with upper case".into(), texts(&changed)));
    let all: Vec<_> = characters.chunks(997).map(|some| some.concat()).collect();
    inputs.push(("all characters".into(), texts(&all)));
    inputs.extend(both_of_options("shared rows", &shared_rows("xŉ")));
    // All characters keep their number of bytes.
    let same: Vec<_> = long_rows().into_iter().filter(|row| row.is_ascii() || row.starts_with('€')).collect();
    inputs.extend(both_of("long rows of the same size", &same));
    unary(inputs, 3, |column| api::to_upper(column), naive::to_upper)
}
