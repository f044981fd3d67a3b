//! Compares operations on texts of arbitrary characters with the standard library, and tests inverse operations.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, LargeStringArray, StringArray};
use arrow_schema::DataType;
use gdf_api::strings as api;
use gdf_api::strings::{JoinOptions, Side};
use gdf_tests::naive::strings;
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use regex::Regex;

use super::{Bench, check, offsets, one_of, samples};

/// Makes characters of one to four bytes.
pub(super) fn characters() -> impl Strategy<Value = char> {
    const SPECIAL: &[char] = &[
        'é',
        'ß',
        'İ',
        'ı',
        'ŉ',
        'ﬀ',
        'Σ',
        'ς',
        'ǅ',
        'ΐ',
        '漢',
        '\u{301}',
        '\u{308}',
        '\u{200d}',
        '🦀',
        '👨',
        '\u{10ffff}',
        '\0',
        '\u{a0}',
        '\u{85}',
        '\u{2028}',
        '\u{3000}',
        '\u{7ff}',
        '\u{800}',
        '\u{ffff}',
        '\u{10000}',
    ];
    const SIGNS: &[char] = &[' ', '\t', '\n', '%', '_', '\\', '.', '-', '+', '0', '1', '9'];
    prop_oneof![6 => one_of(&['a', 'b', 'A', 'c']), 3 => one_of(SIGNS), 3 => one_of(SPECIAL), 1 => any::<char>()]
}

/// Makes texts.
pub(super) fn texts() -> impl Strategy<Value = String> {
    let text = |most| vec(characters(), 0..most).prop_map(String::from_iter);
    prop_oneof![8 => text(9), 2 => text(40), 1 => text(200)]
}

/// Rows of text, and the start of the slice with these rows.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub(super) texts: Vec<Option<String>>,
    large: bool,
    offset: usize,
}

impl Rows {
    pub(super) fn array(&self) -> ArrayRef {
        match self.large {
            true => Arc::new(LargeStringArray::from_iter(&self.texts)),
            false => Arc::new(StringArray::from_iter(&self.texts)),
        }
    }

    pub(super) fn column(&self, bench: &Bench) -> gdf_core::Result<gdf_core::Column> {
        bench.column(&self.array(), self.offset)
    }

    fn map(&self, of: impl Fn(&str) -> String) -> ArrayRef {
        strings::edit::column(&self.array(), self.texts.iter().map(|text| text.as_deref().map(&of)).collect())
    }
}

pub(super) fn rows_of(texts: impl Strategy<Value = String>) -> impl Strategy<Value = Rows> {
    (vec(weighted(0.85, texts), 0..150), any::<bool>(), offsets()).prop_map(|(texts, large, offset)| Rows {
        texts,
        large,
        offset,
    })
}

fn rows() -> impl Strategy<Value = Rows> {
    rows_of(texts())
}

/// Makes short texts for searches.
fn needles() -> impl Strategy<Value = String> {
    vec(characters(), 0..3).prop_map(String::from_iter)
}

fn sides() -> impl Strategy<Value = Side> {
    one_of(&[Side::Left, Side::Right, Side::Both])
}

#[test]
fn joining_undoes_splitting() {
    let delimiters = vec(characters(), 1..3).prop_map(String::from_iter);
    check(
        40,
        || (rows(), delimiters, proptest::option::of(0..4_usize)),
        |bench, (rows, delimiter, max)| {
            let column = rows.column(bench)?;
            let options = JoinOptions { null: Some("?"), ..JoinOptions::default() };
            for pieces in [
                api::split_record(&column, delimiter.as_str(), max)?,
                api::rsplit_record(&column, delimiter.as_str(), max)?,
            ] {
                bench.same(&rows.array(), &api::join_list_elements(&pieces, delimiter.as_str(), options)?)?;
            }
            Ok(())
        },
    );
}

#[test]
fn pieces_are_those_of_std() {
    check(
        40,
        || (rows(), needles(), proptest::option::of(0..4_usize), -4..4_i64),
        |bench, (rows, delimiter, max, index)| {
            let (array, column) = (rows.array(), rows.column(bench)?);
            let (one, text) = ([Some(delimiter.clone())], delimiter.as_str());
            bench.same(
                &strings::split::split_record(&array, &one, max, false),
                &api::split_record(&column, text, max)?,
            )?;
            bench.same(
                &strings::split::split_record(&array, &one, max, true),
                &api::rsplit_record(&column, text, max)?,
            )?;
            bench.same_table(&strings::split::split(&array, &one, max, false), &api::split(&column, text, max)?)?;
            bench.same_table(&strings::split::split(&array, &one, max, true), &api::rsplit(&column, text, max)?)?;
            bench.same_table(&strings::split::partition(&array, &one, false), &api::partition(&column, text)?)?;
            bench.same_table(&strings::split::partition(&array, &one, true), &api::rpartition(&column, text)?)?;
            bench.same(
                &strings::split::split_part(&array, &one, &[Some(index)]),
                &api::split_part(&column, text, index)?,
            )?;
            bench.same(&strings::split::extract_between(&array, text, "a"), &api::extract_between(&column, text, "a")?)
        },
    );
}

#[test]
fn what_is_found_is_what_std_finds() {
    let bounds = (0..12_usize, proptest::option::of(0..12_usize));
    check(
        60,
        || (rows(), needles(), bounds),
        |bench, (rows, needle, (start, len))| {
            let stop = len.map(|len| start + len);
            let (array, column) = (rows.array(), rows.column(bench)?);
            let target: ArrayRef = Arc::new(StringArray::from(vec![needle.clone()]));
            let text = needle.as_str();
            bench.same(&strings::search::contains(&array, &target), &api::contains(&column, text)?)?;
            bench.same(&strings::search::starts_with(&array, &target), &api::starts_with(&column, text)?)?;
            bench.same(&strings::search::ends_with(&array, &target), &api::ends_with(&column, text)?)?;
            bench.same(
                &strings::search::find(&array, &target, start, stop, false),
                &api::find(&column, text, start, stop)?,
            )?;
            bench.same(
                &strings::search::find(&array, &target, start, stop, true),
                &api::rfind(&column, text, start, stop)?,
            )?;
            bench.same(&strings::search::count_characters(&array), &api::count_characters(&column)?)?;
            bench.same(&strings::search::count_bytes(&array), &api::count_bytes(&column)?)?;
            bench.same(&strings::search::code_points(&array), &api::code_points(&column)?)
        },
    );
}

/// std and the library use different versions of Unicode. The test therefore uses only characters that are letters in
/// all versions, or in no version.
#[test]
fn titles_and_first_targets() {
    let targets = vec(short(), 1..4);
    check(
        40,
        || (rows_of(short()), targets),
        |bench, (rows, targets)| {
            let (array, column) = (rows.array(), rows.column(bench)?);
            bench.same(&strings::search::is_title(&array), &api::is_title(&column)?)?;
            let targets: Vec<_> = targets.iter().map(String::as_str).collect();
            prop_assume!(targets.iter().all(|target| !target.is_empty()));
            let one = |target: &str| -> ArrayRef { Arc::new(StringArray::from(vec![target])) };
            let each: Vec<_> = targets.iter().map(|target| strings::search::contains(&array, &one(target))).collect();
            bench.same_table(&each, &api::contains_multiple(&column, &targets)?)
        },
    );
}

#[test]
fn each_row_may_have_its_own_target() {
    check(
        40,
        || (rows(), vec(weighted(0.8, needles()), 150), offsets()),
        |bench, (rows, targets, offset)| {
            let (array, column) = (rows.array(), rows.column(bench)?);
            let targets = &targets[..rows.texts.len()];
            let target: ArrayRef = Arc::new(StringArray::from_iter(targets));
            let target_column = bench.column(&target, offset)?;
            bench.same(&strings::search::contains(&array, &target), &api::contains(&column, &target_column)?)?;
            bench.same(&strings::search::ends_with(&array, &target), &api::ends_with(&column, &target_column)?)?;
            bench.same(
                &strings::search::find(&array, &target, 0, None, true),
                &api::rfind(&column, &target_column, 0, None)?,
            )?;
            bench.same(
                &strings::split::split_record(&array, targets, None, false),
                &api::split_record(&column, &target_column, None)?,
            )?;
            let with_x = |text: &str, target: String| strings::edit::replace(text, &target, "x", None);
            bench
                .same(&strings::edit::with(&array, targets, with_x), &api::replace(&column, &target_column, "x", None)?)
        },
    );
}

#[test]
fn like_is_a_regular_expression() {
    const PARTS: &[char] = &['%', '%', '_', 'a', 'b', 'A', 'é', '漢', ' ', '!', '.', '🦀'];
    let pattern = vec(one_of(PARTS), 0..7).prop_map(String::from_iter);
    check(
        100,
        || (rows_of(short()), pattern, any::<bool>()),
        |bench, (rows, pattern, escapes)| {
            let escape = escapes.then_some('!');
            let column = rows.column(bench)?;
            let regex = like_as_regex(&pattern, escape);
            let is_like = |text: &Option<String>| text.as_deref().map(|text| regex.find(text).is_some());
            let expected: BooleanArray = rows.texts.iter().map(is_like).collect();
            bench.same(&expected, &api::like(&column, pattern.as_str(), escape)?)
        },
    );
}

/// Makes short texts of few different characters, which patterns often match.
pub(super) fn short() -> impl Strategy<Value = String> {
    const LETTERS: &[char] = &['a', 'b', 'A', 'é', '漢', ' ', '!', '.', '%', '_', '🦀', '\n', '1'];
    vec(one_of(LETTERS), 0..8).prop_map(String::from_iter)
}

/// Makes the same texts as `short`.
pub(super) fn uneven() -> impl Strategy<Value = String> {
    let piece = |most| vec(short(), 1..most).prop_map(|parts| parts.concat());
    let long = (piece(40), 0..10_u32, piece(20)).prop_map(|(piece, times, rest)| piece.repeat(1 << times) + &rest);
    prop_oneof![60 => short(), 1 => long]
}

/// Converts a `like` pattern to a regular expression.
fn like_as_regex(pattern: &str, escape: Option<char>) -> Regex {
    let mut text = r"(?s)\A".to_owned();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            _ if Some(character) == escape => {
                text += &regex::escape(&characters.next().unwrap_or(character).to_string());
            }
            '%' => text += ".*",
            '_' => text += ".",
            other => text += &regex::escape(&other.to_string()),
        }
    }
    Regex::new(&(text + r"\z")).expect("the translated pattern is a regular expression")
}

#[test]
fn texts_are_changed_as_std_changes_them() {
    let limits = proptest::option::of(0..3_usize);
    check(
        60,
        || (rows(), needles(), needles(), limits),
        |bench, (rows, target, replacement, max)| {
            let column = rows.column(bench)?;
            bench.same(&rows.map(str::to_uppercase), &api::to_upper(&column)?)?;
            let replaced = rows.map(|text| strings::edit::replace(text, &target, &replacement, max));
            bench.same(&replaced, &api::replace(&column, target.as_str(), replacement.as_str(), max)?)?;
            let (targets, replacements) =
                ([Some(target.clone()), Some("a".into())], [Some(replacement), Some("é".into())]);
            let [from, to] =
                [&targets, &replacements].map(|texts| -> ArrayRef { Arc::new(StringArray::from_iter(texts)) });
            if !target.is_empty() {
                let replaced = rows.map(|text| strings::edit::replace_multiple(text, &targets, &replacements));
                let (from, to) = (bench.column(&from, 1)?, bench.column(&to, 0)?);
                bench.same(&replaced, &api::replace_multiple(&column, &from, &to)?)?;
            }
            Ok(())
        },
    );
}

#[test]
fn texts_are_cut_and_padded_by_characters() {
    let bound = || proptest::option::of(-9..9_i64);
    let step = one_of(&[1_i64, 2, 3, -1, -2]);
    let arguments = (bound(), bound(), step, 0..14_i64, characters(), sides());
    check(
        60,
        || (rows(), arguments),
        |bench, (rows, (start, stop, step, width, fill, side))| {
            let column = rows.column(bench)?;
            let sliced = rows.map(|text| strings::edit::slice(text, start, stop, step));
            let [from, to] = [start, stop].map(gdf_core::Literal::from);
            bench.same(&sliced, &api::slice(&column, from, to, step)?)?;
            bench.same(
                &rows.map(|text| strings::edit::pad(text, width, side, fill)),
                &api::pad(&column, width, side, fill)?,
            )?;
            bench.same(&rows.map(|text| strings::edit::zfill(text, width)), &api::zfill(&column, width)?)?;
            let characters = ["", "aA", "é🦀 "][width as usize % 3];
            bench.same(
                &rows.map(|text| strings::edit::strip(text, side, characters)),
                &api::strip(&column, side, characters)?,
            )?;
            bench.same(&rows.map(|text| text.repeat(width as usize % 4)), &api::repeat(&column, width % 4)?)?;
            let first = width as usize % 5;
            let last = stop.and_then(|stop| usize::try_from(stop).ok()).map(|len| first + len);
            let replaced = rows.map(|text| strings::edit::replace_slice(text, "é-", first, last));
            bench.same(&replaced, &api::replace_slice(&column, "é-", first, last)?)
        },
    );
}

/// Makes ASCII texts.
fn blocks() -> impl Strategy<Value = String> {
    let len =
        (one_of(&[0_usize, 8, 16, 32, 64]), 0..4_usize).prop_map(|(block, more)| (block + more).saturating_sub(2));
    (len, vec(one_of(&['a', 'A', 'z', '[', '\'', '1', ' ']), 70), 0..70_usize, weighted(0.5, characters())).prop_map(
        |(len, letters, at, other)| {
            let mut text: Vec<char> = letters[..len].to_vec();
            text.splice(at.min(len)..at.min(len), other);
            text.into_iter().collect()
        },
    )
}

#[test]
fn blocks_end_anywhere() {
    check(
        60,
        || (rows_of(blocks()), 0..70_i64, 0..40_i64),
        |bench, (rows, start, len)| {
            let (array, column) = (rows.array(), rows.column(bench)?);
            bench.same(&rows.map(str::to_uppercase), &api::to_upper(&column)?)?;
            bench.same(&rows.map(str::to_lowercase), &api::to_lower(&column)?)?;
            bench.same(&strings::search::count_characters(&array), &api::count_characters(&column)?)?;
            let (from, to) = (Some(start), Some(start + len));
            let sliced = rows.map(|text| strings::edit::slice(text, from, to, 1));
            bench.same(&sliced, &api::slice(&column, start, start + len, 1)?)?;
            let stripped = rows.map(|text| strings::edit::strip(text, Side::Both, "a["));
            bench.same(&stripped, &api::strip(&column, Side::Both, "a[")?)?;
            for target in rows.texts.iter().flatten().take(3) {
                let one: ArrayRef = Arc::new(StringArray::from(vec![target.as_str()]));
                bench
                    .same(&strings::search::starts_with(&array, &one), &api::starts_with(&column, target.as_str())?)?;
                bench.same(&strings::search::ends_with(&array, &one), &api::ends_with(&column, target.as_str())?)?;
            }
            let letters: BooleanArray = rows
                .texts
                .iter()
                .map(|text| text.as_ref().map(|text| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphabetic())))
                .collect();
            let types = api::CharacterTypes::ALPHA;
            let found = api::all_characters_of_type(&column, types, api::CharacterTypes::ALL_TYPES)?;
            if rows.texts.iter().flatten().all(|text| text.is_ascii()) {
                bench.same(&letters, &found)?;
            }
            let twice = api::concatenate(&column_twice(&column)?, "", JoinOptions::default())?;
            bench.same(&rows.map(|text| text.repeat(2)), &twice)
        },
    );
}

fn column_twice(column: &gdf_core::Column) -> gdf_core::Result<gdf_core::Table> {
    gdf_core::Table::try_new(vec![column.clone(), column.clone()])
}

#[test]
fn padding_goes_when_it_is_stripped() {
    check(
        40,
        || (rows(), 0..40_i64, sides()),
        |bench, (rows, width, side)| {
            let column = rows.column(bench)?;
            // No row contains this character.
            let fill = '\u{e000}';
            let padded = api::pad(&column, width, side, fill)?;
            bench.same(&rows.array(), &api::strip(&padded, Side::Both, fill.to_string().as_str())?)
        },
    );
}

#[test]
fn numbers_come_back_from_text() {
    use DataType::{Decimal32, Decimal64, Decimal128, Decimal256};
    let decimals = vec![
        Decimal32(9, 2),
        Decimal32(9, 9),
        Decimal64(18, 0),
        Decimal64(17, -3),
        Decimal128(38, 10),
        Decimal128(38, 38),
        Decimal256(76, 40),
    ];
    check(
        40,
        move || samples(decimals, 0..300),
        |bench, sample| {
            let (array, column) = (sample.array(), bench.column(&sample.array(), sample.offset)?);
            let text = api::from_fixed_point(&column)?;
            bench.same(&strings::numbers::from_fixed_point(&array), &text)?;
            bench.same(&array, &api::to_fixed_point(&text, &sample.data_type)?)
        },
    );
    check(
        40,
        || samples(gdf_test::data::integral(), 0..300),
        |bench, sample| {
            let (array, column) = (sample.array(), bench.column(&sample.array(), sample.offset)?);
            let text = api::from_integers(&column)?;
            bench.same(&strings::numbers::from_integers(&array), &text)?;
            bench.same(&array, &api::to_integers(&text, &sample.data_type)?)?;
            let text = api::integers_to_hex(&column)?;
            bench.same(&array, &api::hex_to_integers(&text, &sample.data_type)?)
        },
    );
    check(
        20,
        || samples(vec![DataType::UInt32], 0..300),
        |bench, sample| {
            let (array, column) = (sample.array(), bench.column(&sample.array(), sample.offset)?);
            bench.same(&array, &api::ipv4_to_integers(&api::integers_to_ipv4(&column)?)?)
        },
    );
}

#[test]
fn text_that_is_hardly_a_number() {
    const PARTS: &[&str] = &[
        "", "+", "-", "0", "1", "9", "12", "7f", "0x", "0X", ".", "e", " ", "255", "127", "128", "32768", "99999", "é",
        "E+2",
    ];
    let text = vec(one_of(PARTS), 0..5).prop_map(|parts| parts.concat());
    check(
        80,
        || (rows_of(text), one_of(&[0_usize, 1, 2, 3, 4, 5, 6, 7])),
        |bench, (rows, which)| {
            let (array, column) = (rows.array(), rows.column(bench)?);
            let to = gdf_test::data::integral()[which].clone();
            bench.same(&strings::numbers::to_integers(&array, &to), &api::to_integers(&column, &to)?)?;
            bench.same(&strings::numbers::is_integer(&array, Some(&to)), &api::is_integer(&column, Some(&to))?)?;
            bench.same(&strings::numbers::hex_to_integers(&array, &to), &api::hex_to_integers(&column, &to)?)?;
            bench.same(&strings::numbers::is_hex(&array), &api::is_hex(&column)?)?;
            bench.same(&strings::numbers::ipv4_to_integers(&array), &api::ipv4_to_integers(&column)?)?;
            bench.same(&strings::numbers::is_ipv4(&array), &api::is_ipv4(&column)?)?;
            let to = gdf_test::data::decimal()[which % 6].clone();
            bench.same(&strings::numbers::to_fixed_point(&array, &to), &api::to_fixed_point(&column, &to)?)?;
            bench.same(&strings::numbers::is_fixed_point(&array, &to), &api::is_fixed_point(&column, &to)?)
        },
    );
}
