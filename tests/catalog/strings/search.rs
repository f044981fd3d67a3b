//! Entries of `strings` that search texts or test the types of characters.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
use gdf_api::strings::{self as api, CharacterTypes};
use gdf_core::{Column, Operand, Result};

use super::{
    TYPES, both, both_of, both_of_options, columns, few_long_rows, invalid, is_unsupported, long_rows, refused,
    shared_rows, unary, unwaiting,
};
use crate::catalog::{Case, Entry};
use crate::naive::strings::search as naive;
use gdf_test::builders::strings;
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, SMALL_BRACKETS, random_array};
use gdf_test::value::{Value, from_values, to_values};

pub(crate) fn entries() -> Vec<Entry> {
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

type Range = (usize, Option<usize>);

impl Search {
    fn run<'a>(self, column: &Column, target: impl Into<Operand<'a>>, (start, stop): Range) -> Result<Column> {
        match self {
            Search::Contains => api::contains(column, target),
            Search::StartsWith => api::starts_with(column, target),
            Search::EndsWith => api::ends_with(column, target),
            Search::Find => api::find(column, target, start, stop),
            Search::Rfind => api::rfind(column, target, start, stop),
        }
    }

    fn naive(self, column: &ArrayRef, target: &ArrayRef, (start, stop): Range) -> ArrayRef {
        match self {
            Search::Contains => naive::contains(column, target),
            Search::StartsWith => naive::starts_with(column, target),
            Search::EndsWith => naive::ends_with(column, target),
            Search::Find => naive::find(column, target, start, stop, false),
            Search::Rfind => naive::find(column, target, start, stop, true),
        }
    }

    fn literal(self, label: impl Into<String>, input: &ArrayRef, target: &'static str, range: Range) -> Case {
        unwaiting(
            label,
            vec![input.clone()],
            move |inputs| self.run(&inputs[0], target, range),
            move |inputs| self.naive(&inputs[0], &strings([Some(target)]), range),
        )
    }

    fn column(self, label: impl Into<String>, inputs: [&ArrayRef; 2], range: Range) -> Case {
        unwaiting(
            label,
            inputs.map(Clone::clone).to_vec(),
            move |inputs| self.run(&inputs[0], &inputs[1], range),
            move |inputs| self.naive(&inputs[0], &inputs[1], range),
        )
    }
}

/// Returns a text for each row of a column.
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
    // Some targets are at the beginning or at the end of a row, and some targets overlap themselves.
    let texts = [
        "",
        "a",
        "aaaab",
        "aaabaaaa",
        "baaaa",
        "aaab",
        "straße",
        "ßtra",
        "€",
        "😀aaab",
        "aaa\0b",
        "abcdefgh",
        "abcdefghi",
    ];
    let rows: Vec<_> = texts.iter().copied().map(Some).chain([None]).collect();
    let targets = [
        "",
        "a",
        "aaab",
        "ß",
        "€",
        "😀",
        "\0",
        "\0b",
        "abcdefgh",
        "abcdefghi",
        "bcdefghi",
        "longer than any of these rows",
    ];
    let ranges: &[Range] = if is_place {
        &[(0, None), (1, None), (2, Some(5)), (3, Some(3)), (0, Some(0)), (100, None)]
    } else {
        &[(0, None)]
    };
    for (number, target) in targets.into_iter().enumerate() {
        for (label, input) in both("texts", &rows) {
            for (at, range) in ranges.iter().enumerate() {
                cases.push(what.literal(format!("{label}/target {number}/range {at}"), &input, target, *range));
            }
            let column = strings(rows.iter().enumerate().map(|(row, _)| (row % 5 != 3).then_some(target)));
            cases.push(what.column(format!("{label}/targets {number}"), [&input, &column], (0, None)));
        }
    }
    // A thread or a warp reads several bytes together.
    let needle = "needle of more than eight bytes";
    let mut long: Vec<String> = (0..40).map(|before| format!("{}{needle}", "n".repeat(before))).collect();
    long.extend((230..300).map(|before| format!("{}{needle}{}", "n".repeat(before), "e".repeat(before % 11))));
    long.extend([9_000, 9_999, 10_000].map(|before| format!("{}{needle}", "need".repeat(before / 4))));
    long.extend(["ß", "€uro"].map(|part| format!("{needle}{}{needle}{}", part.repeat(200), part.repeat(100))));
    long.extend(long_rows());
    for (name, target) in
        [("whole", needle), ("first eight", "needle o"), ("absent", "needle of more than eight byteS")]
    {
        for (label, input) in both_of("long rows", &long) {
            cases.push(what.literal(format!("{label}/{name}"), &input, target, (0, None)));
            if is_place {
                cases.push(what.literal(format!("{label}/{name}/range"), &input, target, (7, Some(310))));
            }
        }
    }
    for (label, rows) in [("shared rows", shared_rows(needle)), ("few long rows", few_long_rows(needle))] {
        for (label, input) in both_of_options(label, &rows) {
            for (name, target) in [("whole", needle), ("one character", "😀x漢"), ("absent", "needlE"), ("empty", "")]
            {
                cases.push(what.literal(format!("{label}/{name}"), &input, target, (0, None)));
            }
        }
    }
    cases.extend(refused(move |column| what.run(column, "a", (0, None))));
    if is_place {
        cases.push(invalid("refused range", move |column| what.run(column, "a", (2, Some(1)))));
    }
    cases.push(Case::refused(
        "refused target",
        vec![strings([Some("a")]), random_array(&DataType::Int32, 1, NullPattern::None, 1)],
        move |inputs| Ok(vec![what.run(&inputs[0], &inputs[1], (0, None))?]),
        is_unsupported,
    ));
    cases
}

fn like_case(label: String, input: &ArrayRef, pattern: &'static str, escape: Option<char>) -> Case {
    unwaiting(
        label,
        vec![input.clone()],
        move |inputs| api::like(&inputs[0], pattern, escape),
        move |inputs| naive::like(&inputs[0], &strings([Some(pattern)]), escape),
    )
}

fn like() -> Vec<Case> {
    let mut cases = Vec::new();
    for (label, input) in columns() {
        let pattern = if label.starts_with("long") { "%/path/%?x%" } else { "%a%" };
        cases.push(like_case(label, &input, pattern, None));
    }
    let texts = [
        "",
        "a",
        "ab",
        "aab",
        "aba",
        "abab",
        "a%b",
        "a_b",
        "_",
        "%",
        "ßa",
        "aß€😀",
        "a\\b",
        "abcdefghijklmn",
        "aXbXc",
        "aXbXcXbXd",
    ];
    let rows: Vec<_> = texts.iter().copied().map(Some).chain([None]).collect();
    let patterns = [
        "",
        "%",
        "%%",
        "a",
        "a%",
        "%a",
        "%a%",
        "a%a",
        "a%b",
        "%a%b%",
        "ab%ab",
        "_",
        "__",
        "_%",
        "%_",
        "%__%",
        "a_b",
        "a_%b",
        "%ß_",
        "_ß%",
        "%€_",
        "a%X%c",
        "a%b%d",
        "%bXd",
        "a!%b",
        "a!_b",
        "!!",
        "a!",
        "abcdefgh%",
        "%ghijklmn",
        "abcdefghi_klmn",
        "%b%_%d",
        "a%😀",
        "%a_a%",
    ];
    for (number, pattern) in patterns.into_iter().enumerate() {
        for (label, input) in both("texts", &rows) {
            cases.push(like_case(format!("{label}/pattern {number}"), &input, pattern, None));
            cases.push(like_case(format!("{label}/pattern {number}/escape"), &input, pattern, Some('!')));
            let column = strings(rows.iter().enumerate().map(|(row, _)| (row % 5 != 3).then_some(pattern)));
            for escape in [None, Some('!'), Some('ß')] {
                cases.push(unwaiting(
                    format!("{label}/patterns {number}/{escape:?}"),
                    vec![input.clone(), column.clone()],
                    move |inputs| api::like(&inputs[0], &inputs[1], escape),
                    move |inputs| naive::like(&inputs[0], &inputs[1], escape),
                ));
            }
        }
    }
    let long: Vec<_> = long_rows().into_iter().filter(|row| row.len() < 2_000).collect();
    for (label, input) in both_of("long rows", &long) {
        for (name, pattern) in [("parts", "€%ro€%uro"), ("characters", "_aa%a_"), ("absent", "%€uro_€uro€%x")]
        {
            cases.push(like_case(format!("{label}/{name}"), &input, pattern, None));
        }
    }
    for (label, rows) in [("shared rows", shared_rows("target!")), ("few long rows", few_long_rows("target!"))] {
        for (label, input) in both_of_options(label, &rows) {
            let patterns =
                [("one", "%target!%"), ("two", "%target!%x漢%"), ("last", "漢%target!"), ("characters", "%_tar_et!_%")];
            for (name, pattern) in patterns {
                cases.push(like_case(format!("{label}/{name}"), &input, pattern, None));
            }
        }
    }
    cases.extend(refused(|column| api::like(column, "a", None)));
    cases
}

/// Returns columns of all text types, with short rows, long rows, and characters of all kinds.
fn inputs() -> Vec<(String, ArrayRef)> {
    let mut inputs = columns();
    inputs.extend(both_of("long rows", &long_rows()));
    let words = [
        "",
        "A Title",
        "Not a Title",
        "Title-Case 1st",
        "ABC",
        "abc",
        "123",
        "½",
        "é É",
        "ß",
        "\t \n",
        "日本",
        "Ünï Öx",
        "😀",
        "A1b",
    ];
    inputs.extend(both("words", &words.iter().copied().map(Some).chain([None]).collect::<Vec<_>>()));
    let titles: Vec<String> = (240..300).map(|n| "Title ".repeat(n / 6) + &"é".repeat(n % 6)).collect();
    inputs.extend(both_of("long words", &titles));
    inputs.extend(both_of_options("shared rows", &shared_rows("é")));
    inputs.extend(both_of_options("few long rows", &few_long_rows("é")));
    inputs
}

fn count_characters() -> Vec<Case> {
    unary(inputs(), 0, |column| api::count_characters(column), naive::count_characters)
}

fn count_bytes() -> Vec<Case> {
    unary(inputs(), 0, |column| api::count_bytes(column), naive::count_bytes)
}

fn is_title() -> Vec<Case> {
    unary(inputs(), 0, |column| api::is_title(column), naive::is_title)
}

fn code_points() -> Vec<Case> {
    unary(inputs(), 1, |column| api::code_points(column), naive::code_points)
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
    let texts = [
        "",
        "ABC",
        "abc",
        "aB",
        "A-B",
        "12",
        "1a",
        "½",
        " \t",
        "\u{1d}",
        "É",
        "é1",
        "ß",
        "日本",
        "AAAAAAAAAAAa",
        "😀",
        "Ⅷ",
        "ǅ",
    ];
    let long: Vec<_> = ["A", "aé", "É", " \u{2003}", "1"].iter().map(|part| part.repeat(300)).collect();
    let long_but_one: Vec<_> = (250..262).map(|n| "É".repeat(n) + "é").collect();
    let rows: Vec<_> =
        texts.iter().copied().chain(long.iter().chain(&long_but_one).map(String::as_str)).map(Some).collect();
    for (name, types, verify, verified, is) in types {
        let mut inputs = both("texts", &rows).to_vec();
        if name == "lower" {
            inputs.extend(data::grid(&TYPES, BRACKETS));
        }
        for (label, input) in inputs {
            cases.push(unwaiting(
                format!("{label}/{name}"),
                vec![input],
                move |inputs| api::all_characters_of_type(&inputs[0], types, verify),
                move |inputs| naive::all_characters(&inputs[0], verified, is),
            ));
        }
    }
    cases.extend(refused(|column| api::all_characters_of_type(column, CharacterTypes::ALPHA, ALL)));
    cases
}

const TARGETS: [&str; 3] = ["a", "", "ne"];

fn contains_multiple() -> Vec<Case> {
    let naive =
        |inputs: &[ArrayRef]| Ok(TARGETS.map(|target| naive::contains(&inputs[0], &strings([Some(target)]))).to_vec());
    let run = |inputs: &[Column]| Ok(api::contains_multiple(&inputs[0], &TARGETS)?.into_columns());
    let first = |column: &Column, targets: &[&str]| api::contains_multiple(column, targets)?.column(0).cloned();
    let grid = data::grid(&TYPES, SMALL_BRACKETS).into_iter();
    let mut cases: Vec<_> = grid.map(|(label, input)| Case::new(label, vec![input], run, naive, 0)).collect();
    cases.push(invalid("refused no targets", move |column| first(column, &[])));
    cases.extend(refused(move |column| first(column, &["a"])));
    cases
}

fn find_multiple() -> Vec<Case> {
    let naive = |column: &ArrayRef| {
        let places = TARGETS.map(|target| to_values(&naive::find(column, &strings([Some(target)]), 0, None, false)));
        let list = |row: usize| {
            let place = |places: &Vec<Option<Value>>| Some(places[row].clone().unwrap_or(Value::Int(-1)));
            Some(Value::List(places.iter().map(place).collect()))
        };
        let rows: Vec<_> = (0..column.len()).map(list).collect();
        let large = *column.data_type() == DataType::LargeUtf8;
        let element = Field::new_list_field(if large { DataType::Int64 } else { DataType::Int32 }, false);
        let data_type = if large { DataType::LargeList(element.into()) } else { DataType::List(element.into()) };
        from_values(&data_type, &rows)
    };
    let mut cases = unary(data::grid(&TYPES, SMALL_BRACKETS), 0, |column| api::find_multiple(column, &TARGETS), naive);
    cases.push(invalid("refused no targets", |column| api::find_multiple(column, &[])));
    cases
}
