//! Entries of `strings`: what is found in texts, and which characters they have.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_core::{Column, Error, Literal, Operand, Result};
use gdf_detail::Ctx;
use gdf_detail::strings::{self as detail, CharacterTypes};

use super::strings::{TYPES, both, columns, long_rows, refused};
use super::{Case, Entry};
use crate::builders::strings;
use crate::compare::Equality;
use crate::data::{self, BRACKETS, NullPattern, SMALL_BRACKETS, random_array};
use crate::naive::text_search as naive;
use crate::value::{Value, from_values, to_values};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("strings.all_characters_of_type", Equality::Exact, all_characters_of_type),
        Entry::new("strings.code_points", Equality::Exact, code_points).estimating(),
        Entry::new("strings.contains", Equality::Exact, || search(Search::Contains)),
        Entry::new("strings.contains_multiple", Equality::Exact, contains_multiple),
        Entry::new("strings.count_bytes", Equality::Exact, count_bytes),
        Entry::new("strings.count_characters", Equality::Exact, count_characters),
        Entry::new("strings.ends_with", Equality::Exact, || search(Search::EndsWith)),
        Entry::new("strings.find", Equality::Exact, || search(Search::Find)),
        Entry::new("strings.find_multiple", Equality::Exact, find_multiple),
        Entry::new("strings.is_title", Equality::Exact, is_title),
        Entry::new("strings.like", Equality::Exact, like),
        Entry::new("strings.rfind", Equality::Exact, || search(Search::Rfind)),
        Entry::new("strings.starts_with", Equality::Exact, || search(Search::StartsWith)),
    ]
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Search {
    Contains,
    StartsWith,
    EndsWith,
    Find,
    Rfind,
}

/// What find and rfind look at.
type Range = (usize, Option<usize>);

impl Search {
    fn run(self, column: &Column, target: Operand<'_>, (start, stop): Range, ctx: Ctx<'_>) -> Result<Vec<Column>> {
        let column = column.view();
        Ok(vec![match self {
            Search::Contains => detail::contains(column, target, ctx),
            Search::StartsWith => detail::starts_with(column, target, ctx),
            Search::EndsWith => detail::ends_with(column, target, ctx),
            Search::Find => detail::find(column, target, start, stop, ctx),
            Search::Rfind => detail::rfind(column, target, start, stop, ctx),
        }?])
    }

    fn api(self, column: &Column, target: Operand<'_>, (start, stop): Range) -> Result<Vec<Column>> {
        use gdf_api::strings as api;
        Ok(vec![match self {
            Search::Contains => api::contains(column, target),
            Search::StartsWith => api::starts_with(column, target),
            Search::EndsWith => api::ends_with(column, target),
            Search::Find => api::find(column, target, start, stop),
            Search::Rfind => api::rfind(column, target, start, stop),
        }?])
    }

    fn naive(self, column: &ArrayRef, target: &ArrayRef, (start, stop): Range) -> Vec<ArrayRef> {
        vec![match self {
            Search::Contains => naive::contains(column, target),
            Search::StartsWith => naive::starts_with(column, target),
            Search::EndsWith => naive::ends_with(column, target),
            Search::Find => naive::find(column, target, start, stop, false),
            Search::Rfind => naive::find(column, target, start, stop, true),
        }]
    }

    /// Of one text for all rows.
    fn literal(self, label: impl Into<String>, input: &ArrayRef, target: &str, range: Range) -> Case {
        let (a, b, c) = (target.to_owned(), target.to_owned(), target.to_owned());
        Case::new(
            label,
            vec![input.clone()],
            move |inputs, ctx| self.run(&inputs[0], Literal::from(&*a).into(), range, ctx),
            move |inputs| Ok(self.naive(&inputs[0], &strings([Some(&*b)]), range)),
            0,
        )
        .with_api(move |inputs| self.api(&inputs[0], Literal::from(&*c).into(), range))
    }

    /// Of a text for each row.
    fn column(self, label: impl Into<String>, inputs: [&ArrayRef; 2], range: Range) -> Case {
        Case::new(
            label,
            inputs.map(Clone::clone).to_vec(),
            move |inputs, ctx| self.run(&inputs[0], (&inputs[1]).into(), range, ctx),
            move |inputs| Ok(self.naive(&inputs[0], &inputs[1], range)),
            0,
        )
        .with_api(move |inputs| self.api(&inputs[0], (&inputs[1]).into(), range))
    }
}

/// Texts for each row of a column: parts of its own rows and others.
fn beside(column: &ArrayRef) -> ArrayRef {
    let of = |(row, text): (usize, Option<Value>)| {
        let Some(Value::Str(text)) = text else { return Some(Value::Str("a".into())) };
        let chars: Vec<char> = text.chars().collect();
        let part = |from: usize, to: usize| Some(Value::Str(chars[from..to].iter().collect()));
        let len = chars.len();
        match row % 7 {
            0 => part(0, len / 2),
            1 => part(len / 2, len),
            2 => part(len / 3, len - len / 3),
            3 => None,
            4 => Some(Value::Str(text + "x")),
            5 => part(0, 0),
            _ => part(0, len),
        }
    };
    let rows: Vec<_> = to_values(column).into_iter().enumerate().map(of).collect();
    from_values(column.data_type(), &rows)
}

fn search(what: Search) -> Vec<Case> {
    let mut cases = Vec::new();
    let is_place = matches!(what, Search::Find | Search::Rfind);
    for (label, input) in columns() {
        let target = if label.starts_with("long") { "/path/to/it?x" } else { "a" };
        cases.push(what.literal(&label, &input, target, (0, None)));
        if is_place {
            cases.push(what.literal(format!("{label}/range"), &input, target, (1, Some(20))));
        }
    }
    for (label, input) in data::grid(&TYPES, SMALL_BRACKETS) {
        cases.push(what.column(format!("{label}/column"), [&input, &beside(&input)], (0, None)));
    }
    // At the beginning, the end, overlapping itself, of several bytes, longer than rows, and none.
    let texts = ["", "a", "aaaab", "aaabaaaa", "baaaa", "aaab", "straße", "ßtra", "€", "😀aaab", "aaa\0b", "abcdefgh", "abcdefghi"];
    let rows: Vec<_> = texts.iter().copied().map(Some).chain([None]).collect();
    let targets = ["", "a", "aaab", "ß", "€", "😀", "\0", "\0b", "abcdefgh", "abcdefghi", "bcdefghi", "longer than any of these rows"];
    let ranges: &[Range] =
        if is_place { &[(0, None), (1, None), (2, Some(5)), (3, Some(3)), (0, Some(0)), (100, None)] } else { &[(0, None)] };
    for (number, target) in targets.into_iter().enumerate() {
        for (label, input) in both("texts", &rows) {
            for (at, range) in ranges.iter().enumerate() {
                cases.push(what.literal(format!("{label}/target {number}/range {at}"), &input, target, *range));
            }
            let column = strings(rows.iter().enumerate().map(|(row, _)| (row % 5 != 3).then_some(target)));
            cases.push(what.column(format!("{label}/targets {number}"), [&input, &column], (0, None)));
        }
    }
    // In long rows, at every distance from the places that a thread or a warp looks at together.
    let needle = "needle of more than eight bytes";
    let mut long: Vec<String> = (0..40).map(|before| format!("{}{needle}", "n".repeat(before))).collect();
    long.extend((230..300).map(|before| format!("{}{needle}{}", "n".repeat(before), "e".repeat(before % 11))));
    long.extend([9_000, 9_999, 10_000].map(|before| format!("{}{needle}", "need".repeat(before / 4))));
    long.extend(["ß", "€uro"].map(|part| format!("{needle}{}{needle}{}", part.repeat(200), part.repeat(100))));
    long.extend(long_rows());
    for (name, target) in [("whole", needle), ("first eight", "needle o"), ("absent", "needle of more than eight byteS")] {
        for (label, input) in both("long rows", &long.iter().map(|row| Some(row.as_str())).collect::<Vec<_>>()) {
            cases.push(what.literal(format!("{label}/{name}"), &input, target, (0, None)));
            if is_place {
                cases.push(what.literal(format!("{label}/{name}/range"), &input, target, (7, Some(310))));
            }
        }
    }
    cases.extend(refused(match what {
        Search::Contains => |inputs, ctx| Search::Contains.run(&inputs[0], "a".into(), (0, None), ctx),
        Search::StartsWith => |inputs, ctx| Search::StartsWith.run(&inputs[0], "a".into(), (0, None), ctx),
        Search::EndsWith => |inputs, ctx| Search::EndsWith.run(&inputs[0], "a".into(), (0, None), ctx),
        Search::Find => |inputs, ctx| Search::Find.run(&inputs[0], "a".into(), (0, None), ctx),
        Search::Rfind => |inputs, ctx| Search::Rfind.run(&inputs[0], "a".into(), (0, None), ctx),
    }));
    let text = strings([Some("a")]);
    if is_place {
        let run = move |inputs: &[Column], ctx: Ctx<'_>| what.run(&inputs[0], "a".into(), (2, Some(1)), ctx);
        let invalid = |error: &Error| matches!(error, Error::InvalidArgument { .. });
        cases.push(Case::refused("refused range", vec![text.clone()], run, invalid));
    }
    let number = random_array(&DataType::Int32, 1, NullPattern::None, 1);
    cases.push(Case::refused(
        "refused target",
        vec![text, number],
        move |inputs, ctx| what.run(&inputs[0], (&inputs[1]).into(), (0, None), ctx),
        |error| matches!(error, Error::Unsupported { .. }),
    ));
    cases
}

fn like_case(label: String, input: &ArrayRef, pattern: &'static str, escape: Option<char>) -> Case {
    Case::new(
        label,
        vec![input.clone()],
        move |inputs, ctx| Ok(vec![detail::like(inputs[0].view(), pattern.into(), escape, ctx)?]),
        move |inputs| Ok(vec![naive::like(&inputs[0], &strings([Some(pattern)]), escape)]),
        0,
    )
    .with_api(move |inputs| Ok(vec![gdf_api::strings::like(&inputs[0], pattern, escape)?]))
}

fn like() -> Vec<Case> {
    let mut cases = Vec::new();
    for (label, input) in columns() {
        let pattern = if label.starts_with("long") { "%/path/%?x%" } else { "%a%" };
        cases.push(like_case(label, &input, pattern, None));
    }
    let texts = ["", "a", "ab", "aab", "aba", "abab", "a%b", "a_b", "_", "%", "ßa", "aß€😀", "a\\b", "abcdefghijklmn", "aXbXc", "aXbXcXbXd"];
    let rows: Vec<_> = texts.iter().copied().map(Some).chain([None]).collect();
    let patterns = [
        "", "%", "%%", "a", "a%", "%a", "%a%", "a%a", "a%b", "%a%b%", "ab%ab", "_", "__", "_%", "%_", "%__%", "a_b", "a_%b", "%ß_",
        "_ß%", "%€_", "a%X%c", "a%b%d", "%bXd", "a!%b", "a!_b", "!!", "a!", "abcdefgh%", "%ghijklmn", "abcdefghi_klmn", "%b%_%d",
        "a%😀", "%a_a%",
    ];
    for (number, pattern) in patterns.into_iter().enumerate() {
        for (label, input) in both("texts", &rows) {
            cases.push(like_case(format!("{label}/pattern {number}"), &input, pattern, None));
            cases.push(like_case(format!("{label}/pattern {number}/escape"), &input, pattern, Some('!')));
            let column = strings(rows.iter().enumerate().map(|(row, _)| (row % 5 != 3).then_some(pattern)));
            for escape in [None, Some('!'), Some('ß')] {
                cases.push(
                    Case::new(
                        format!("{label}/patterns {number}/{escape:?}"),
                        vec![input.clone(), column.clone()],
                        move |inputs, ctx| Ok(vec![detail::like(inputs[0].view(), (&inputs[1]).into(), escape, ctx)?]),
                        move |inputs| Ok(vec![naive::like(&inputs[0], &inputs[1], escape)]),
                        0,
                    )
                    .with_api(move |inputs| Ok(vec![gdf_api::strings::like(&inputs[0], &inputs[1], escape)?])),
                );
            }
        }
    }
    let long: Vec<_> = long_rows().into_iter().filter(|row| row.len() < 2_000).collect();
    for (label, input) in both("long rows", &long.iter().map(|row| Some(row.as_str())).collect::<Vec<_>>()) {
        for (name, pattern) in [("parts", "€%ro€%uro"), ("characters", "_aa%a_"), ("absent", "%€uro_€uro€%x")] {
            cases.push(like_case(format!("{label}/{name}"), &input, pattern, None));
        }
    }
    cases.extend(refused(|inputs, ctx| Ok(vec![detail::like(inputs[0].view(), "a".into(), None, ctx)?])));
    cases
}

type Unary = (
    fn(&Column, Ctx<'_>) -> Result<Column>,
    fn(&ArrayRef) -> ArrayRef,
    fn(&Column) -> Result<Column>,
);

/// Of every column of text, short and long rows, and characters of all kinds.
fn unary((run, oracle, api): Unary, waits: u64) -> Vec<Case> {
    let mut inputs = columns();
    let long = long_rows();
    inputs.extend(both("long rows", &long.iter().map(|row| Some(row.as_str())).collect::<Vec<_>>()));
    let words = ["", "A Title", "Not a Title", "Title-Case 1st", "ABC", "abc", "123", "½", "é É", "ß", "\t \n", "日本", "Ünï Öx", "😀", "A1b"];
    inputs.extend(both("words", &words.iter().copied().map(Some).chain([None]).collect::<Vec<_>>()));
    let titles: Vec<String> = (240..300).map(|n| "Title ".repeat(n / 6) + &"é".repeat(n % 6)).collect();
    inputs.extend(both("long words", &titles.iter().map(|row| Some(row.as_str())).collect::<Vec<_>>()));
    let case = |(label, input): (String, ArrayRef)| {
        let public = move |inputs: &[Column]| Ok(vec![api(&inputs[0])?]);
        Case::new(
            label,
            vec![input],
            move |inputs: &[Column], ctx: Ctx<'_>| Ok(vec![run(&inputs[0], ctx)?]),
            move |inputs| Ok(vec![oracle(&inputs[0])]),
            waits,
        )
        .with_api(public)
    };
    inputs.into_iter().map(case).collect()
}

fn count_characters() -> Vec<Case> {
    let run = |column: &Column, ctx: Ctx<'_>| detail::count_characters(column.view(), ctx);
    let mut cases = unary((run, naive::count_characters, |column| gdf_api::strings::count_characters(column)), 0);
    cases.extend(refused(|inputs, ctx| Ok(vec![detail::count_characters(inputs[0].view(), ctx)?])));
    cases
}

fn count_bytes() -> Vec<Case> {
    let run = |column: &Column, ctx: Ctx<'_>| detail::count_bytes(column.view(), ctx);
    let mut cases = unary((run, naive::count_bytes, |column| gdf_api::strings::count_bytes(column)), 0);
    cases.extend(refused(|inputs, ctx| Ok(vec![detail::count_bytes(inputs[0].view(), ctx)?])));
    cases
}

fn is_title() -> Vec<Case> {
    let run = |column: &Column, ctx: Ctx<'_>| detail::is_title(column.view(), ctx);
    let mut cases = unary((run, naive::is_title, |column| gdf_api::strings::is_title(column)), 0);
    cases.extend(refused(|inputs, ctx| Ok(vec![detail::is_title(inputs[0].view(), ctx)?])));
    cases
}

fn code_points() -> Vec<Case> {
    let run = |column: &Column, ctx: Ctx<'_>| detail::code_points(column.view(), ctx);
    let mut cases = unary((run, naive::code_points, |column| gdf_api::strings::code_points(column)), 1);
    cases.extend(refused(|inputs, ctx| Ok(vec![detail::code_points(inputs[0].view(), ctx)?])));
    cases
}

fn all_characters_of_type() -> Vec<Case> {
    const ALL: CharacterTypes = CharacterTypes::ALL_TYPES;
    const CASED: CharacterTypes = CharacterTypes::CASE_TYPES;
    let any = |_: char| true;
    let cased = |one: char| one.is_lowercase() || one.is_uppercase();
    type Is = fn(char) -> bool;
    let types: [(&str, CharacterTypes, CharacterTypes, Is, Is); 7] = [
        ("upper", CharacterTypes::UPPER, ALL, any, char::is_uppercase),
        ("lower", CharacterTypes::LOWER, ALL, any, char::is_lowercase),
        ("upper of cased", CharacterTypes::UPPER, CASED, cased, char::is_uppercase),
        ("space", CharacterTypes::SPACE, ALL, any, |one| one.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&one)),
        ("cased", CharacterTypes::UPPER | CharacterTypes::LOWER, ALL, any, cased),
        ("decimal", CharacterTypes::DECIMAL, ALL, any, |one| one.is_ascii_digit()),
        ("letters and numbers", CharacterTypes::ALPHANUM, ALL, any, char::is_alphanumeric),
    ];
    let mut cases = Vec::new();
    let texts = ["", "ABC", "abc", "aB", "A-B", "12", "1a", "½", " \t", "\u{1d}", "É", "é1", "ß", "日本", "AAAAAAAAAAAa", "😀", "Ⅷ", "ǅ"];
    let long: Vec<_> = ["A", "aé", "É", " \u{2003}", "1"].iter().map(|part| part.repeat(300)).collect();
    let long_but_one: Vec<_> = (250..262).map(|n| "É".repeat(n) + "é").collect();
    let rows: Vec<_> = texts.iter().copied().chain(long.iter().chain(&long_but_one).map(String::as_str)).map(Some).collect();
    for (name, types, verify, verified, is) in types {
        let mut inputs = both("texts", &rows).to_vec();
        if name == "lower" {
            inputs.extend(data::grid(&TYPES, BRACKETS));
        }
        for (label, input) in inputs {
            let case = Case::new(
                format!("{label}/{name}"),
                vec![input],
                move |inputs, ctx| Ok(vec![detail::all_characters_of_type(inputs[0].view(), types, verify, ctx)?]),
                move |inputs| Ok(vec![naive::all_characters(&inputs[0], verified, is)]),
                0,
            );
            cases.push(case.with_api(move |inputs| {
                Ok(vec![gdf_api::strings::all_characters_of_type(&inputs[0], types, verify)?])
            }));
        }
    }
    cases.extend(refused(|inputs, ctx| {
        Ok(vec![detail::all_characters_of_type(inputs[0].view(), CharacterTypes::ALPHA, ALL, ctx)?])
    }));
    cases
}

const TARGETS: [&str; 3] = ["a", "", "ne"];

fn contains_multiple() -> Vec<Case> {
    let run = |inputs: &[Column], ctx: Ctx<'_>| {
        Ok(detail::contains_multiple(inputs[0].view(), &TARGETS, ctx)?.into_columns())
    };
    let oracle = |inputs: &[ArrayRef]| {
        Ok(TARGETS.map(|target| naive::contains(&inputs[0], &strings([Some(target)]))).to_vec())
    };
    let case = |(label, input)| {
        Case::new(label, vec![input], run, oracle, 0)
            .with_api(|inputs| Ok(gdf_api::strings::contains_multiple(&inputs[0], &TARGETS)?.into_columns()))
    };
    let mut cases: Vec<_> = data::grid(&TYPES, SMALL_BRACKETS).into_iter().map(case).collect();
    cases.push(no_targets(|inputs, ctx| Ok(detail::contains_multiple(inputs[0].view(), &[], ctx)?.into_columns())));
    cases.extend(refused(|inputs, ctx| Ok(detail::contains_multiple(inputs[0].view(), &["a"], ctx)?.into_columns())));
    cases
}

fn no_targets(run: fn(&[Column], Ctx<'_>) -> Result<Vec<Column>>) -> Case {
    let invalid = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    Case::refused("refused no targets", vec![strings([Some("a")])], run, invalid)
}

fn find_multiple() -> Vec<Case> {
    let run = |inputs: &[Column], ctx: Ctx<'_>| Ok(vec![detail::find_multiple(inputs[0].view(), &TARGETS, ctx)?]);
    let oracle = |inputs: &[ArrayRef]| {
        let places = TARGETS.map(|target| to_values(&naive::find(&inputs[0], &strings([Some(target)]), 0, None, false)));
        let list = |row: usize| {
            let place = |places: &Vec<Option<Value>>| Some(places[row].clone().unwrap_or(Value::Int(-1)));
            Some(Value::List(places.iter().map(place).collect()))
        };
        let rows: Vec<_> = (0..inputs[0].len()).map(list).collect();
        let large = *inputs[0].data_type() == DataType::LargeUtf8;
        let element = arrow_schema::Field::new_list_field(if large { DataType::Int64 } else { DataType::Int32 }, false);
        let data_type = if large { DataType::LargeList(element.into()) } else { DataType::List(element.into()) };
        Ok(vec![from_values(&data_type, &rows)])
    };
    let case = |(label, input)| {
        Case::new(label, vec![input], run, oracle, 0)
            .with_api(|inputs| Ok(vec![gdf_api::strings::find_multiple(&inputs[0], &TARGETS)?]))
    };
    let mut cases: Vec<_> = data::grid(&TYPES, SMALL_BRACKETS).into_iter().map(case).collect();
    cases.push(no_targets(|inputs, ctx| Ok(vec![detail::find_multiple(inputs[0].view(), &[], ctx)?])));
    cases.extend(refused(|inputs, ctx| Ok(vec![detail::find_multiple(inputs[0].view(), &["a"], ctx)?])));
    cases
}
