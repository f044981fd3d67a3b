//! Compares random regular expressions with the `regex` crate row by row.

use arrow_array::{ArrayRef, BooleanArray};
use arrow_schema::DataType;
use gdf_api::strings as api;
use gdf_api::strings::{Regex, RegexFlags};
use gdf_test::value::Value;
use gdf_tests::naive::strings::regex as naive;
use proptest::collection::vec;
use proptest::prelude::*;

use super::text::{rows_of, texts, uneven};
use super::{check, one_of};

/// Makes patterns that both libraries support.
fn patterns() -> impl Strategy<Value = String> {
    const PARTS: &[&str] = &[
        "a", "b", "A", "é", "漢", "1", " ", ".", r"\.", "!", "[ab]", "[^a]", "[a-c1]", "[é-漢]", r"\d", r"\w", r"\s",
        r"\W", r"\S", "^", "$", r"\b", r"\B", "", "🦀", r"\n",
    ];
    /// These parts also match between the bytes of a character, where no match counts.
    const WITHIN_CHARACTERS: &[&str] = &[r"(?-u:\B)", r"(?-u:\b{start-half})", r"(?-u:\b{end-half})"];
    const REPEATS: &[&str] = &["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}?"];
    let parts = prop_oneof![8 => one_of(PARTS), 1 => one_of(WITHIN_CHARACTERS)];
    parts.prop_map(str::to_owned).prop_recursive(4, 16, 4, |part| {
        prop_oneof![
            4 => vec(part.clone(), 1..4).prop_map(|parts| parts.concat()),
            2 => (part.clone(), part.clone()).prop_map(|(a, b)| format!("(?:{a}|{b})")),
            2 => part.clone().prop_map(|part| format!("({part})")),
            3 => (part, one_of(REPEATS)).prop_map(|(part, repeat)| format!("(?:{part}){repeat}")),
        ]
    })
}

const FLAGS: &[&str] = &["", "", "i", "m", "s", "ims"];

fn compile(pattern: &str, letters: &str) -> gdf_core::Result<Regex> {
    let flag = |flags: RegexFlags, letter| match letter {
        'i' => flags.ignore_case(),
        'm' => flags.multiline(),
        _ => flags.dot_all(),
    };
    Regex::new(pattern, letters.chars().fold(RegexFlags::new(), flag))
}

fn number(number: usize) -> Value {
    Value::Int(number as i128)
}

#[test]
fn matches_are_those_of_the_regex_crate() {
    let texts = || prop_oneof![3 => uneven(), 1 => texts()];
    check(
        120,
        || (rows_of(texts()), patterns(), one_of(FLAGS)),
        |bench, (rows, pattern, flags)| {
            let (array, column) = (rows.array(), rows.column(bench)?);
            let (regex, oracle) = (compile(&pattern, flags)?, naive::compile(&pattern, flags));
            let test = |of: &dyn Fn(&str) -> bool| -> BooleanArray {
                rows.texts.iter().map(|text| text.as_deref().map(of)).collect()
            };
            bench.same(&test(&|text| oracle.find(text).is_some()), &api::contains_re(&column, &regex)?)?;
            // `find` returns the leftmost match. If any match begins at the start of the text, this match begins there
            // too.
            let begins = |text: &str| oracle.find(text).is_some_and(|found| found.start() == 0);
            bench.same(&test(&begins), &api::matches_re(&column, &regex)?)?;
            let counts = naive::map(&array, &DataType::Int32, |text| Some(number(oracle.find_iter(text).count())));
            bench.same(&counts, &api::count_re(&column, &regex)?)?;
            let found = |text: &str| match oracle.find(text) {
                Some(found) => number(text[..found.start()].chars().count()),
                None => Value::Int(-1),
            };
            bench.same(&naive::map(&array, &DataType::Int32, |text| Some(found(text))), &api::find_re(&column, &regex)?)
        },
    );
}

#[test]
fn texts_are_taken_apart_at_matches() {
    let limits = proptest::option::of(1..3_usize);
    check(
        100,
        || (rows_of(uneven()), patterns(), one_of(FLAGS), limits),
        |bench, (rows, pattern, flags, limit)| {
            let (array, column) = (rows.array(), rows.column(bench)?);
            let (regex, oracle) = (compile(&pattern, flags)?, naive::compile(&pattern, flags));
            let replaced = |text: &str| Some(Value::Str(naive::replace(&oracle, text, limit, |_| "<é>".to_owned())));
            let replaced = naive::map(&array, array.data_type(), replaced);
            bench.same(&replaced, &api::replace_re(&column, &regex, "<é>", limit)?)?;
            let is_long = rows.texts.iter().flatten().any(|text| text.len() > 1_000);
            for from_end in [false, true] {
                let parts = naive::lists(&array, |text| Some(naive::split(&oracle, text, limit, from_end)));
                let got = match from_end {
                    false => api::split_record_re(&column, &regex, limit)?,
                    true => api::rsplit_record_re(&column, &regex, limit)?,
                };
                bench.same(&parts, &got)?;
                if is_long && limit.is_none() {
                    continue; // such a result would have too many columns
                }
                let columns = naive::columns(&array, |text| naive::split(&oracle, text, limit, from_end));
                let table = match from_end {
                    false => api::split_re(&column, &regex, limit)?,
                    true => api::rsplit_re(&column, &regex, limit)?,
                };
                bench.same_table(&columns, &table)?;
            }
            Ok(())
        },
    );
}

#[test]
fn groups_are_those_of_the_regex_crate() {
    check(
        100,
        || (rows_of(uneven()), patterns(), one_of(FLAGS)),
        |bench, (rows, pattern, flags)| {
            let pattern = format!("({pattern})");
            let (array, column) = (rows.array(), rows.column(bench)?);
            let (regex, oracle) = (compile(&pattern, flags)?, naive::compile(&pattern, flags));
            let groups = oracle.captures_len() - 1;
            prop_assert_eq!(regex.groups(), groups);
            let group = |nth: usize| -> ArrayRef {
                let text = |text: &str| Some(Value::Str(oracle.captures(text)?.get(nth)?.as_str().to_owned()));
                naive::map(&array, array.data_type(), text)
            };
            let expected: Vec<_> = (1..=groups).map(group).collect();
            bench.same_table(&expected, &api::extract(&column, &regex)?)?;
            bench.same(&expected[groups - 1], &api::extract_single(&column, &regex, groups)?)?;
            if groups == 1 {
                let found =
                    |text: &str| oracle.captures_iter(text).flat_map(|found| naive::groups(&found, 1)).collect();
                bench.same(&naive::lists(&array, |text| Some(found(text))), &api::findall(&column, &regex)?)?;
            }
            let all = |text: &str| -> Vec<_> {
                oracle.captures_iter(text).flat_map(|found| naive::groups(&found, 1)).collect()
            };
            let lists = naive::lists(&array, |text| Some(all(text)).filter(|groups| !groups.is_empty()));
            bench.same(&lists, &api::extract_all_record(&column, &regex)?)?;
            let template = naive::map(&array, array.data_type(), |text| {
                let twice = |found: &regex::Captures<'_>| {
                    let group = found.get(groups).map_or("", |group| group.as_str());
                    format!("[{group}|{}]", &found[0])
                };
                Some(Value::Str(naive::replace(&oracle, text, None, twice)))
            });
            bench.same(&template, &api::replace_with_backrefs(&column, &regex, &format!("[\\{groups}|\\0]"))?)
        },
    );
}
