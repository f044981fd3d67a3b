//! Entries of regular expressions.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::strings::{self as api, Regex, RegexFlags};
use gdf_core::{Column, Error, Result, Table};
use regex::Regex as Oracle;

use super::{TYPES, both_of_options, few_long_rows, refusal, refused, shared_rows, unwaiting};
use crate::catalog::{Case, Entry};
use crate::naive::strings::regex as naive;
use gdf_test::builders::{large_strings, strings};
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, long_texts};
use gdf_test::value::Value;

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("strings.contains_re", Equality::Exact, contains_re),
        Entry::new("strings.count_re", Equality::Exact, count_re),
        Entry::new("strings.extract", Equality::Exact, extract),
        Entry::new("strings.extract_all_record", Equality::Exact, extract_all_record),
        Entry::new("strings.extract_single", Equality::Exact, extract_single),
        Entry::new("strings.find_re", Equality::Exact, find_re),
        Entry::new("strings.findall", Equality::Exact, findall).estimating(),
        Entry::new("strings.matches_re", Equality::Exact, matches_re),
        Entry::new("strings.replace_re", Equality::Exact, replace_re).estimating(),
        Entry::new("strings.replace_with_backrefs", Equality::Exact, replace_with_backrefs).estimating(),
        Entry::new("strings.rsplit_re", Equality::Exact, rsplit_re).estimating(),
        Entry::new("strings.rsplit_record_re", Equality::Exact, rsplit_record_re).estimating(),
        Entry::new("strings.split_re", Equality::Exact, split_re).estimating(),
        Entry::new("strings.split_record_re", Equality::Exact, split_record_re).estimating(),
    ]
}

/// A pattern, the letters of its flags, and the pattern of the oracle.
const PATTERNS: &[(&str, &str, &str)] = &[
    ("a", "", ""),
    ("(a+)(b)?", "", ""),
    ("x*", "", ""),
    ("", "", ""),
    (r"(\w+) (\w+)", "a", r"([0-9A-Za-z_]+) ([0-9A-Za-z_]+)"),
    (r"\bthe\b", "i", ""),
    (r"\B", "", ""),
    (r"^\s*(\S)|(\d+)$", "m", ""),
    (".+", "s", ""),
    (".", "", ""),
    (r"([\w\-]+)@(\w+)\.(com|org)", "a", r"([[0-9A-Za-z_]\-]+)@([0-9A-Za-z_]+)\.(com|org)"),
    ("(é|日)+|[α-ω]", "i", ""),
    (r"\w\b\W", "a", r"[0-9A-Za-z_](?-u:\b)[^0-9A-Za-z_]"),
    (r"(?-u:\B)", "", ""),
    (r"[\d_]+\Z", "a", r"[0-9_]+\z"),
    ("(a|ab)(c|bcd)(d*)", "", ""),
    ("(a*?)(?:b|(c))", "", ""),
    (r"(?:(x)|(y)|z)*$", "", ""),
    ("[^a-z\\n]{2,3}?", "i", ""),
    (r"\p{Lu}\p{Ll}*", "", ""),
    ("(?:a?){12}a{12}", "", ""),      // few DFA states, but slow by backtracking
    ("(?:[ab]*a[ab]{14})|q", "", ""), // too many DFA states
    ("(?R)(?m)^.*$", "", ""),
    (r"(?:\b{start}|\b{end-half})(n)?", "", ""),
    (r"(?-u:\b)b", "", ""),
    ("(a|)+|(b*)*c", "", ""),
    ("(?:aa)*b|a", "", ""),
    ("[a-z]{7}", "", ""), // the matches depend on where the search starts
    ("[ ,]+", "", ""),
    ("^|ab$|b", "", ""),
    (r"aéx|(?-u:\B)", "", ""), // an empty match within a character, and a longer match around it
];

/// Returns texts of every kind for which the patterns search.
fn texts() -> Vec<Option<String>> {
    let short = [
        "",
        "a",
        "aab",
        "xaxxb",
        "the end",
        "The\nthe",
        "abcd",
        "abcbcd",
        "é日é",
        "ΑΩ αω",
        "aé b",
        "b2 c3\n",
        "  12\n34",
        "x@y.com",
        "some-one@host.org, b@c.com",
        "a\r\nb\n\rc",
        "zxyz",
        "Ünïcödé Straße",
        "😀a😀",
        "naïve",
        "_1_ 22",
        "aéx",
        "ccc",
        "aaaaaaaaaaaa",
        "\0",
        "ab ab",
        "É",
        "aac",
        "ⓐb",
        "x y\u{a0}z",
    ];
    let longer = ["ab", "xy é", "the 12\n"].map(|part| part.repeat(170));
    let mut rows: Vec<_> = short.iter().map(|text| Some((*text).to_owned())).chain([None]).collect();
    rows.extend(longer.into_iter().map(Some));
    rows.extend(
        ["a".repeat(3_001) + "c", short.concat().repeat(150), short[20..].join(" ") + &"é".repeat(400)].map(Some),
    );
    rows
}

/// Returns a column for each pattern that `takes` accepts.
fn columns(takes: impl Fn(&Oracle) -> bool) -> Vec<(String, ArrayRef, Pattern)> {
    let rows = texts();
    let rows = || rows.iter().map(|row| row.as_deref());
    let middle = ["ab, ", "é1 "].map(|part| part.repeat(62));
    let mut columns = Vec::new();
    for (number, &(pattern, flags, oracle)) in PATTERNS.iter().enumerate() {
        let pattern = Pattern { pattern, flags, oracle: if oracle.is_empty() { pattern } else { oracle } };
        if !takes(&pattern.naive()) {
            continue;
        }
        let input = if number % 3 == 2 { large_strings(rows()) } else { strings(rows()) };
        columns.push((format!("texts/pattern {number}"), input, pattern));
        let short = rows().filter(|row| row.is_none_or(|row| row.len() < 100)).cycle().take(160);
        let short = short.chain(middle.iter().map(|row| Some(row.as_str())));
        let input = if number % 3 == 1 { large_strings(short) } else { strings(short) };
        columns.push((format!("short texts/pattern {number}"), input, pattern));
    }
    let few = if takes(&naive::compile("(a)(b)", "")) { ["(a+)(b)?", r"/(\w+)/(\w)?"] } else { ["(a+)", r"/(\w+)/"] };
    let [pattern, url] = few.map(|pattern| Pattern { pattern, flags: "", oracle: pattern });
    columns.extend(data::grid(&TYPES, SMALL_BRACKETS).into_iter().map(|(label, input)| (label, input, pattern)));
    let long = |rows| (format!("long texts/{rows}"), long_texts(rows, NullPattern::Every(3), 1), url);
    columns.extend([129, 2_049].map(long));
    columns
}

#[derive(Clone, Copy)]
struct Pattern {
    pattern: &'static str,
    flags: &'static str,
    oracle: &'static str,
}

impl Pattern {
    fn regex(&self) -> Result<Regex> {
        let mut flags = RegexFlags::new();
        for flag in self.flags.chars() {
            flags = match flag {
                'i' => flags.ignore_case(),
                'm' => flags.multiline(),
                's' => flags.dot_all(),
                _ => flags.ascii(),
            };
        }
        Regex::new(self.pattern, flags)
    }

    fn naive(&self) -> Oracle {
        naive::compile(self.oracle, self.flags)
    }
}

/// Builds cases of every pattern for which `takes` accepts the number of groups.
fn cases(
    waits: u64,
    takes: fn(usize) -> bool,
    run: fn(&Column, &Regex) -> Result<Column>,
    naive: fn(&ArrayRef, &Oracle) -> ArrayRef,
) -> Vec<Case> {
    let table = move |column: &Column, regex: &Regex| Table::try_new(vec![run(column, regex)?]);
    table_cases(waits, takes, table, move |column, regex| vec![naive(column, regex)])
}

/// Builds the same cases as [`cases`], for functions that return a table.
fn table_cases(
    waits: u64,
    takes: fn(usize) -> bool,
    run: impl Fn(&Column, &Regex) -> Result<Table> + Copy + Send + Sync + 'static,
    naive: impl Fn(&ArrayRef, &Oracle) -> Vec<ArrayRef> + Copy + Send + Sync + 'static,
) -> Vec<Case> {
    let case = |(label, input, pattern): (String, ArrayRef, Pattern)| {
        Case::new(
            label,
            vec![input],
            move |inputs| Ok(run(&inputs[0], &pattern.regex()?)?.into_columns()),
            move |inputs| Ok(naive(&inputs[0], &pattern.naive())),
            waits,
        )
    };
    let columns = columns(|regex| takes(regex.captures_len() - 1)).into_iter();
    let refused = refused(move |column| run(column, &Regex::new("(a)", RegexFlags::new())?)?.column(0).cloned());
    columns.map(case).chain(refused).collect()
}

fn contains_re() -> Vec<Case> {
    // The oracle does not call `is_match`, because `is_match` may miss a match.
    let naive = |column: &ArrayRef, regex: &Oracle| {
        naive::map(column, &DataType::Boolean, |text| Some(Value::Bool(regex.find(text).is_some())))
    };
    let mut all = cases(0, |_| true, |column, regex| api::contains_re(column, regex), naive);
    // The parts of a long row are searched apart, and a match may begin in one part and end in another part.
    let patterns = [
        ("letters", "x[qr]+!"),
        ("characters", "😀x[漢é]{2}-😀xq"),
        ("end", "[^z!]$"),
        ("absent", "x[qr]+é"),
        ("bounds", r"\bq!"),
    ];
    for (label, rows) in [("shared rows", shared_rows("xqr!")), ("few long rows", few_long_rows("xqr!"))] {
        for (label, input) in both_of_options(label, &rows) {
            for (name, pattern) in patterns {
                let regex = move || Regex::new(pattern, RegexFlags::new());
                all.push(unwaiting(
                    format!("{label}/{name}"),
                    vec![input.clone()],
                    move |inputs| api::contains_re(&inputs[0], &regex()?),
                    move |inputs| naive(&inputs[0], &naive::compile(pattern, "")),
                ));
            }
        }
    }
    all
}

fn matches_re() -> Vec<Case> {
    cases(
        0,
        |_| true,
        |column, regex| api::matches_re(column, regex),
        |column, regex| {
            // `find` returns the leftmost match. If any match begins at the start of the text, this match begins there
            // too.
            let begins = |text: &str| regex.find(text).is_some_and(|found| found.start() == 0);
            naive::map(column, &DataType::Boolean, |text| Some(Value::Bool(begins(text))))
        },
    )
}

fn count_re() -> Vec<Case> {
    cases(
        0,
        |_| true,
        |column, regex| api::count_re(column, regex),
        |column, regex| {
            let count = |text: &str| Some(Value::Int(regex.find_iter(text).count() as i128));
            naive::map(column, &DataType::Int32, count)
        },
    )
}

fn find_re() -> Vec<Case> {
    cases(
        0,
        |_| true,
        |column, regex| api::find_re(column, regex),
        |column, regex| {
            let place = |text: &str| {
                let found = regex.find(text);
                found.map_or(-1, |found| text[..found.start()].chars().count() as i128)
            };
            naive::map(column, &DataType::Int32, |text| Some(Value::Int(place(text))))
        },
    )
}

fn findall() -> Vec<Case> {
    let mut cases = cases(
        3,
        |groups| groups <= 1,
        |column, regex| api::findall(column, regex),
        |column, regex| {
            let group = regex.captures_len() - 1;
            let found = |text: &str| regex.captures_iter(text).flat_map(|found| naive::groups(&found, group)).collect();
            naive::lists(column, |text| Some(found(text)))
        },
    );
    cases.push(refusal(
        "two groups",
        "a",
        |column| api::findall(column, &Regex::new("(a)(b)", RegexFlags::new())?),
        |error| matches!(error, Error::InvalidArgument { value: Some(2), limit: Some(1), .. }),
    ));
    cases
}

/// Returns the text of a group of the first match, if there is a match.
fn captured(regex: &Oracle, text: &str, group: usize) -> Option<Value> {
    Some(Value::Str(regex.captures(text)?.get(group)?.as_str().to_owned()))
}

/// Builds a refusal of a pattern that lacks a group.
fn without_group(label: &str, run: fn(&Column, &Regex) -> Result<Column>) -> Case {
    let run = move |column: &Column| run(column, &Regex::new("a", RegexFlags::new())?);
    refusal(label, "a", run, |error| matches!(error, Error::InvalidArgument { .. }))
}

fn extract() -> Vec<Case> {
    let mut cases = table_cases(
        5,
        |groups| groups > 0,
        |column, regex| api::extract(column, regex),
        |column, regex| {
            let group = |group| naive::map(column, column.data_type(), |text| captured(regex, text, group));
            (1..regex.captures_len()).map(group).collect()
        },
    );
    cases.push(without_group("no group", |column, regex| api::extract(column, regex)?.column(0).cloned()));
    cases
}

fn extract_single() -> Vec<Case> {
    let mut cases = cases(
        3,
        |_| true,
        |column, regex| api::extract_single(column, regex, regex.groups()),
        |column, regex| naive::map(column, column.data_type(), |text| captured(regex, text, regex.captures_len() - 1)),
    );
    cases.push(without_group("no such group", |column, regex| api::extract_single(column, regex, 1)));
    cases
}

fn extract_all_record() -> Vec<Case> {
    let mut cases = cases(
        3,
        |groups| groups > 0,
        |column, regex| api::extract_all_record(column, regex),
        |column, regex| {
            let found = |text: &str| {
                let all: Vec<_> = regex.captures_iter(text).map(|found| naive::groups(&found, 1)).collect();
                (!all.is_empty()).then(|| all.concat())
            };
            naive::lists(column, found)
        },
    );
    cases.push(without_group("no group", |column, regex| api::extract_all_record(column, regex)));
    cases
}

fn replace_re() -> Vec<Case> {
    fn replaced(column: &ArrayRef, regex: &Oracle, with: &str, limit: Option<usize>) -> ArrayRef {
        let replaced = |text: &str| naive::replace(regex, text, limit, |_| with.to_owned());
        naive::map(column, column.data_type(), |text| Some(Value::Str(replaced(text))))
    }
    let mut all = cases(
        2,
        |_| true,
        |column, regex| api::replace_re(column, regex, "<é>", None),
        |column, regex| replaced(column, regex, "<é>", None),
    );
    let two = cases(
        2,
        |groups| groups == 2,
        |column, regex| api::replace_re(column, regex, "", Some(2)),
        |column, regex| replaced(column, regex, "", Some(2)),
    );
    let two = two.into_iter().filter(|case| case.refused.is_none());
    all.extend(two.map(|mut case| {
        case.label += "/two";
        case
    }));
    all
}

fn replace_with_backrefs() -> Vec<Case> {
    const TEMPLATE: &str = r"[\2|${1}]${0}$1\";
    let mut cases = cases(
        2,
        |groups| groups >= 2,
        |column, regex| api::replace_with_backrefs(column, regex, TEMPLATE),
        |column, regex| {
            let replaced = |text: &str| {
                naive::replace(regex, text, None, |found| {
                    let group = |group| found.get(group).map_or("", |one| one.as_str());
                    format!("[{}|{}]{}$1\\", group(2), group(1), group(0))
                })
            };
            naive::map(column, column.data_type(), |text| Some(Value::Str(replaced(text))))
        },
    );
    // The refusals of types use a pattern that lacks the groups of the replacement. These refusals are removed, and a
    // refusal of a missing group is added instead.
    cases.retain(|case| case.refused.is_none());
    cases.push(refusal(
        "no such group",
        "a",
        |column| api::replace_with_backrefs(column, &Regex::new("(a)", RegexFlags::new())?, r"b\2"),
        |error| matches!(error, Error::InvalidPattern { offset: Some(1), .. }),
    ));
    cases
}

fn split_re() -> Vec<Case> {
    table_cases(
        8,
        |_| true,
        |column, regex| api::split_re(column, regex, Some(4)),
        |column, regex| naive::columns(column, |text| naive::split(regex, text, Some(4), false)),
    )
}

fn rsplit_re() -> Vec<Case> {
    table_cases(
        6,
        |_| true,
        |column, regex| api::rsplit_re(column, regex, Some(2)),
        |column, regex| naive::columns(column, |text| naive::split(regex, text, Some(2), true)),
    )
}

/// Returns no limit for columns of an odd number of rows. Each pattern has a column with an odd number of rows and a
/// column with an even number.
fn limit_of(rows: usize) -> Option<usize> {
    rows.is_multiple_of(2).then_some(3)
}

fn split_record_re() -> Vec<Case> {
    cases(
        3,
        |_| true,
        |column, regex| api::split_record_re(column, regex, limit_of(column.len())),
        |column, regex| naive::lists(column, |text| Some(naive::split(regex, text, limit_of(column.len()), false))),
    )
}

fn rsplit_record_re() -> Vec<Case> {
    cases(
        3,
        |_| true,
        |column, regex| api::rsplit_record_re(column, regex, limit_of(column.len() + 1)),
        |column, regex| naive::lists(column, |text| Some(naive::split(regex, text, limit_of(column.len() + 1), true))),
    )
}
