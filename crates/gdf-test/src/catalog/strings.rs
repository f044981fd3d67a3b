//! Entries of `strings`.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_detail::Ctx;
use gdf_core::{Column, Error, Result};
use gdf_detail::strings::{Case as Letters, to_case};

use super::{Case, Entry};
use crate::builders::{large_strings, strings};
use crate::compare::Equality;
use crate::data::{self, BRACKETS, NullPattern, long_texts, random_array};
use crate::naive::strings as naive;

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("strings.to_upper", Equality::Exact, to_upper).estimating(),
    ]
}

/// The types of text that these operations take.
pub(super) const TYPES: [DataType; 2] = [DataType::Utf8, DataType::LargeUtf8];

/// Columns of every length and pattern of nulls, of short and of longer texts.
pub(super) fn columns() -> Vec<(String, ArrayRef)> {
    let mut columns = data::grid(&TYPES, BRACKETS);
    for (&rows, seed) in [1, 33, 129, 513, 2_049].iter().zip(0..) {
        for &nulls in NullPattern::ALL {
            columns.push((format!("long texts/{rows}/{nulls:?}"), long_texts(rows, nulls, seed)));
        }
    }
    columns
}

/// One column of each type.
pub(super) fn both(label: &str, rows: &[Option<&str>]) -> [(String, ArrayRef); 2] {
    let of = |data_type: &str| format!("{label}/{data_type}");
    [(of("Utf8"), strings(rows.iter().copied())), (of("LargeUtf8"), large_strings(rows.iter().copied()))]
}

/// Texts around the length from which rows are a warp's, and far beyond it, of parts of one to four bytes.
pub(super) fn long_rows() -> Vec<String> {
    let mut rows = Vec::new();
    for part in ["a", "ß", "ŉx", "€uro", "😀", "zΐ𐐨 ﬃ"] {
        for bytes in [31, 64, 255, 256, 257, 1_023, 1_024, 1_025, 10_000] {
            rows.push(part.repeat(bytes / part.len() + 1));
        }
    }
    rows
}

pub(super) fn refused(run: fn(&[Column], Ctx<'_>) -> Result<Vec<Column>>) -> Vec<Case> {
    let types = data::all().into_iter().filter(|data_type| !TYPES.contains(data_type));
    let case = |data_type: DataType| {
        let inputs = vec![random_array(&data_type, 3, NullPattern::None, 1)];
        Case::refused(format!("refused {data_type}"), inputs, run, |error| matches!(error, Error::Unsupported { .. }))
    };
    types.map(case).collect()
}

fn to_upper() -> Vec<Case> {
    let run = |inputs: &[Column], ctx: Ctx<'_>| {
        Ok(vec![to_case(inputs[0].view(), Letters::Upper, ctx)?])
    };
    let case = |(label, input): (String, ArrayRef)| {
        Case::new(label, vec![input], run, |inputs| Ok(vec![naive::to_upper(&inputs[0])]), 1)
            .with_api(|inputs| Ok(vec![gdf_api::strings::to_upper(&inputs[0])?]))
    };
    let mut inputs = columns();
    // Characters whose upper case has more bytes, fewer, or more characters; whose title case is another; of every length.
    let special = "ß ŉ ǰ ΐ ﬀ ﬁ ﬃ ŗ ı ſ ꭰ ɐ ɫ ⱥ ǆ ǅ ᾳ ᾼ ᾧ ς σ ÿ µ ი 𐐨 𞤢 😀 É é Я я".split(' ').map(Some);
    inputs.extend(both("special", &special.chain([Some(""), None, Some("\0\u{7f}\u{80}")]).collect::<Vec<_>>()));
    let long = long_rows();
    inputs.extend(both("long rows", &long.iter().map(|row| Some(row.as_str())).collect::<Vec<_>>()));
    // Each character that has an upper case, and some that have none.
    let characters: Vec<String> = ('\0'..='\u{1ffff}').map(String::from).collect();
    let changed: Vec<_> = characters.iter().filter(|one| one.to_uppercase() != **one).map(|one| Some(one.as_str())).collect();
    inputs.push(("all with upper case".into(), strings(changed)));
    let texts: Vec<String> = characters.chunks(997).map(|some| some.concat()).collect();
    inputs.push(("all characters".into(), strings(texts.iter().map(|text| Some(text.as_str())))));
    let mut cases: Vec<_> = inputs.into_iter().map(case).collect();
    cases.extend(refused(run));
    cases
}
