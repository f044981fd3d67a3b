//! Entries of regular expressions.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::strings as api;
use gdf_core::{Column, Error, Result};
use gdf_detail::strings::{self as detail, Regex, RegexFlags, SplitFrom};
use regex::Regex as Oracle;

use super::{Case, Ctx, Entry};
use crate::builders::{large_strings, strings};
use crate::compare::Equality;
use crate::data::{self, NullPattern, SMALL_BRACKETS, long_texts, random_array};
use crate::naive::strings_regex as naive;
use crate::value::Value;

pub(super) fn entries() -> Vec<Entry> {
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

/// Patterns, letters of flags, and the same for the oracle, where it writes them otherwise. `a`: ASCII alone.
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
    ("(?:a?){12}a{12}", "", ""), // a DFA of it would be small, backtracking slow
    ("(?:[ab]*a[ab]{14})|q", "", ""), // the DFA would be too large
    ("(?R)(?m)^.*$", "", ""),
    (r"(?:\b{start}|\b{end-half})(n)?", "", ""),
    (r"(?-u:\b)b", "", ""),
    ("(a|)+|(b*)*c", "", ""),
    ("(?:aa)*b|a", "", ""),
    ("[a-z]{7}", "", ""), // a search that begins elsewhere does not come to the same matches
    ("[ ,]+", "", ""),
    ("^|ab$|b", "", ""),
    (r"aéx|(?-u:\B)", "", ""), // a boundary within a character, and a match around it
];

/// Text of every kind that patterns look for, of rows of very different lengths, the short ones first.
fn texts() -> Vec<Option<String>> {
    let short = [
        "", "a", "aab", "xaxxb", "the end", "The\nthe", "abcd", "abcbcd", "é日é", "ΑΩ αω", "aé b", "b2 c3\n", "  12\n34", "x@y.com",
        "some-one@host.org, b@c.com", "a\r\nb\n\rc", "zxyz", "Ünïcödé Straße", "😀a😀", "naïve", "_1_ 22", "aéx", "ccc", "aaaaaaaaaaaa", "\0",
        "ab ab", "É", "aac", "ⓐb", "x y\u{a0}z",
    ];
    let longer = ["ab", "xy é", "the 12\n"].map(|part| part.repeat(170));
    let mut rows: Vec<_> = short.iter().map(|text| Some((*text).to_owned())).chain([None]).collect();
    rows.extend(longer.into_iter().map(Some));
    rows.extend(["a".repeat(3_001) + "c", short.concat().repeat(150), short[20..].join(" ") + &"é".repeat(400)].map(Some));
    rows
}

/// Of each pattern for which `takes` holds a column, and columns of every length and pattern of nulls.
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

/// The types of text that these operations take.
const TYPES: [DataType; 2] = [DataType::Utf8, DataType::LargeUtf8];

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

/// What the operation, the public function and the oracle make of a column and a pattern.
struct Calls {
    waits: u64,
    run: fn(&Column, &Regex, Ctx<'_>) -> Result<Vec<Column>>,
    api: fn(&Column, &Regex) -> Result<Vec<Column>>,
    naive: fn(&ArrayRef, &Oracle) -> Vec<ArrayRef>,
}

impl Calls {
    /// Cases of every pattern with as many groups as `takes` says, and refusals of every other type.
    fn cases(self, takes: impl Fn(usize) -> bool) -> Vec<Case> {
        let Self { waits, run, api, naive } = self;
        let columns = columns(|regex| takes(regex.captures_len() - 1));
        let case = |(label, input, pattern): (String, ArrayRef, Pattern)| {
            Case::new(
                label,
                vec![input],
                move |inputs, ctx| run(&inputs[0], &pattern.regex()?, ctx),
                move |inputs| Ok(naive(&inputs[0], &pattern.naive())),
                waits,
            )
            .with_api(move |inputs| api(&inputs[0], &pattern.regex()?))
        };
        let mut cases: Vec<_> = columns.into_iter().map(case).collect();
        for data_type in data::all().into_iter().filter(|data_type| !TYPES.contains(data_type)) {
            let pattern = Pattern { pattern: "(a)", flags: "", oracle: "(a)" };
            let inputs = vec![random_array(&data_type, 3, NullPattern::None, 1)];
            let run = move |inputs: &[Column], ctx: Ctx<'_>| run(&inputs[0], &pattern.regex()?, ctx);
            cases.push(Case::refused(format!("refused {data_type}"), inputs, run, |error| {
                matches!(error, Error::Unsupported { .. })
            }));
        }
        cases
    }
}

fn contains_re() -> Vec<Case> {
    Calls {
        waits: 0,
        run: |column, regex, ctx| Ok(vec![detail::contains_re(column.view(), regex, ctx)?]),
        api: |column, regex| Ok(vec![api::contains_re(column, regex)?]),
        naive: |column, regex| {
            // `is_match` says no where an empty match within a character ends earlier than a match: "aéx" of `aéx|(?-u:\B)`.
            vec![naive::map(column, &DataType::Boolean, |text| Some(Value::Bool(regex.find(text).is_some())))]
        },
    }
    .cases(|_| true)
}

fn matches_re() -> Vec<Case> {
    Calls {
        waits: 0,
        run: |column, regex, ctx| Ok(vec![detail::matches_re(column.view(), regex, ctx)?]),
        api: |column, regex| Ok(vec![api::matches_re(column, regex)?]),
        naive: |column, regex| {
            // The leftmost match is at the beginning if any is there.
            let begins = |text: &str| regex.find(text).is_some_and(|found| found.start() == 0);
            vec![naive::map(column, &DataType::Boolean, |text| Some(Value::Bool(begins(text))))]
        },
    }
    .cases(|_| true)
}

fn count_re() -> Vec<Case> {
    Calls {
        waits: 0,
        run: |column, regex, ctx| Ok(vec![detail::count_re(column.view(), regex, ctx)?]),
        api: |column, regex| Ok(vec![api::count_re(column, regex)?]),
        naive: |column, regex| {
            let count = |text: &str| Some(Value::Int(regex.find_iter(text).count() as i128));
            vec![naive::map(column, &DataType::Int32, count)]
        },
    }
    .cases(|_| true)
}

fn find_re() -> Vec<Case> {
    Calls {
        waits: 0,
        run: |column, regex, ctx| Ok(vec![detail::find_re(column.view(), regex, ctx)?]),
        api: |column, regex| Ok(vec![api::find_re(column, regex)?]),
        naive: |column, regex| {
            let place = |text: &str| {
                let found = regex.find(text);
                found.map_or(-1, |found| text[..found.start()].chars().count() as i128)
            };
            vec![naive::map(column, &DataType::Int32, |text| Some(Value::Int(place(text))))]
        },
    }
    .cases(|_| true)
}

fn findall() -> Vec<Case> {
    Calls {
        waits: 3,
        run: |column, regex, ctx| Ok(vec![detail::findall(column.view(), regex, ctx)?]),
        api: |column, regex| Ok(vec![api::findall(column, regex)?]),
        naive: |column, regex| {
            let group = regex.captures_len() - 1;
            let found = |text: &str| regex.captures_iter(text).map(|found| naive::groups(&found, group)).collect::<Vec<_>>();
            vec![naive::lists(column, |text| Some(found(text).concat()))]
        },
    }
    .cases(|groups| groups <= 1)
    .into_iter()
    .chain([Case::refused(
        "two groups",
        vec![strings([Some("a")])],
        |inputs, ctx| Ok(vec![detail::findall(inputs[0].view(), &Regex::new("(a)(b)", RegexFlags::new())?, ctx)?]),
        |error| matches!(error, Error::InvalidArgument { value: Some(2), limit: Some(1), .. }),
    )])
    .collect()
}

fn extract() -> Vec<Case> {
    Calls {
        waits: 5,
        run: |column, regex, ctx| Ok(detail::extract(column.view(), regex, ctx)?.into_columns()),
        api: |column, regex| Ok(api::extract(column, regex)?.into_columns()),
        naive: |column, regex| {
            let group = |text: &str, group: usize| {
                let found = regex.captures(text)?;
                Some(Value::Str(found.get(group)?.as_str().to_owned()))
            };
            (1..regex.captures_len())
                .map(|which| naive::map(column, column.data_type(), |text| group(text, which)))
                .collect()
        },
    }
    .cases(|groups| groups > 0)
}

fn extract_single() -> Vec<Case> {
    Calls {
        waits: 3,
        run: |column, regex, ctx| {
            Ok(vec![detail::extract_single(column.view(), regex, regex.groups(), ctx)?])
        },
        api: |column, regex| Ok(vec![api::extract_single(column, regex, regex.groups())?]),
        naive: |column, regex| {
            let group = |text: &str| {
                let found = regex.captures(text)?;
                Some(Value::Str(found.get(regex.captures_len() - 1)?.as_str().to_owned()))
            };
            vec![naive::map(column, column.data_type(), group)]
        },
    }
    .cases(|_| true)
}

fn extract_all_record() -> Vec<Case> {
    Calls {
        waits: 3,
        run: |column, regex, ctx| Ok(vec![detail::extract_all_record(column.view(), regex, ctx)?]),
        api: |column, regex| Ok(vec![api::extract_all_record(column, regex)?]),
        naive: |column, regex| {
            let found = |text: &str| {
                let all: Vec<_> = regex.captures_iter(text).map(|found| naive::groups(&found, 1)).collect();
                (!all.is_empty()).then(|| all.concat())
            };
            vec![naive::lists(column, found)]
        },
    }
    .cases(|groups| groups > 0)
}

fn replace_re() -> Vec<Case> {
    let all = Calls {
        waits: 2,
        run: |column, regex, ctx| Ok(vec![detail::replace_re(column.view(), regex, "<é>", None, ctx)?]),
        api: |column, regex| Ok(vec![api::replace_re(column, regex, "<é>", None)?]),
        naive: |column, regex| {
            let replaced = |text: &str| naive::replace(regex, text, None, |_| "<é>".to_owned());
            vec![naive::map(column, column.data_type(), |text| Some(Value::Str(replaced(text))))]
        },
    };
    let two = Calls {
        waits: 2,
        run: |column, regex, ctx| Ok(vec![detail::replace_re(column.view(), regex, "", Some(2), ctx)?]),
        api: |column, regex| Ok(vec![api::replace_re(column, regex, "", Some(2))?]),
        naive: |column, regex| {
            let replaced = |text: &str| naive::replace(regex, text, Some(2), |_| String::new());
            vec![naive::map(column, column.data_type(), |text| Some(Value::Str(replaced(text))))]
        },
    };
    let mut cases = all.cases(|_| true);
    cases.extend(two.cases(|groups| groups == 2).into_iter().filter(|case| case.refused.is_none()).map(|mut case| {
        case.label += "/two";
        case
    }));
    cases
}

fn replace_with_backrefs() -> Vec<Case> {
    const TEMPLATE: &str = r"[\2|${1}]${0}$1\";
    let mut cases = Calls {
        waits: 2,
        run: |column, regex, ctx| Ok(vec![detail::replace_with_backrefs(column.view(), regex, TEMPLATE, ctx)?]),
        api: |column, regex| Ok(vec![api::replace_with_backrefs(column, regex, TEMPLATE)?]),
        naive: |column, regex| {
            let group = |found: &regex::Captures<'_>, group| found.get(group).map_or(String::new(), |one| one.as_str().to_owned());
            let replaced = |text: &str| {
                naive::replace(regex, text, None, |found| {
                    format!("[{}|{}]{}$1\\", group(found, 2), group(found, 1), group(found, 0))
                })
            };
            vec![naive::map(column, column.data_type(), |text| Some(Value::Str(replaced(text))))]
        },
    }
    .cases(|groups| groups >= 2);
    // The refusals of types have a pattern without such groups.
    cases.retain(|case| case.refused.is_none());
    cases.push(Case::refused(
        "no such group",
        vec![strings([Some("a")])],
        |inputs, ctx| {
            let regex = Regex::new("(a)", RegexFlags::new())?;
            Ok(vec![detail::replace_with_backrefs(inputs[0].view(), &regex, r"b\2", ctx)?])
        },
        |error| matches!(error, Error::InvalidPattern { offset: Some(1), .. }),
    ));
    cases
}

fn split_re() -> Vec<Case> {
    Calls {
        waits: 8,
        run: |column, regex, ctx| {
            Ok(detail::split_re(column.view(), regex, Some(4), SplitFrom::Left, ctx)?.into_columns())
        },
        api: |column, regex| Ok(api::split_re(column, regex, Some(4))?.into_columns()),
        naive: |column, regex| naive::columns(column, |text| naive::split(regex, text, Some(4), false)),
    }
    .cases(|_| true)
}

fn rsplit_re() -> Vec<Case> {
    Calls {
        waits: 6,
        run: |column, regex, ctx| {
            Ok(detail::split_re(column.view(), regex, Some(2), SplitFrom::Right, ctx)?.into_columns())
        },
        api: |column, regex| Ok(api::rsplit_re(column, regex, Some(2))?.into_columns()),
        naive: |column, regex| naive::columns(column, |text| naive::split(regex, text, Some(2), true)),
    }
    .cases(|_| true)
}

fn split_record_re() -> Vec<Case> {
    Calls {
        waits: 3,
        run: |column, regex, ctx| {
            Ok(vec![detail::split_record_re(column.view(), regex, None, SplitFrom::Left, ctx)?])
        },
        api: |column, regex| Ok(vec![api::split_record_re(column, regex, None)?]),
        naive: |column, regex| vec![naive::lists(column, |text| Some(naive::split(regex, text, None, false)))],
    }
    .cases(|_| true)
}

fn rsplit_record_re() -> Vec<Case> {
    Calls {
        waits: 3,
        run: |column, regex, ctx| {
            Ok(vec![detail::split_record_re(column.view(), regex, Some(1), SplitFrom::Right, ctx)?])
        },
        api: |column, regex| Ok(vec![api::rsplit_record_re(column, regex, Some(1))?]),
        naive: |column, regex| vec![naive::lists(column, |text| Some(naive::split(regex, text, Some(1), true)))],
    }
    .cases(|_| true)
}
