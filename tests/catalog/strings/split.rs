//! Entries of splitting and joining text.

use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::strings::{self as api, JoinOptions};
use gdf_core::{Column, Error, Operand, Result, Table, TableView};

use super::edit::{GRID, columns, uneven};
use super::{TYPES, case, refused, refused_arguments, refused_but, waiting};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::strings::edit::{integers, texts};
use crate::naive::strings::split as naive;
use gdf_test::builders::{ints, large_strings, lists, strings};
use gdf_test::compare::Equality;
use gdf_test::data::{NullPattern, random_array};

pub(crate) fn entries() -> Vec<Entry> {
    // All columns of the result share memory, because they are slices of one column.
    vec![
        Entry::new("strings.concatenate", Equality::Exact, concatenate).estimating(),
        Entry::new("strings.extract_between", Equality::Exact, extract_between).estimating(),
        Entry::new("strings.format_list_column", Equality::Exact, format_list_column),
        Entry::new("strings.join_list_elements", Equality::Exact, join_list_elements),
        Entry::new("strings.join_strings", Equality::Exact, join_strings),
        Entry::new("strings.partition", Equality::Exact, || parts(false)).estimating(),
        Entry::new("strings.rpartition", Equality::Exact, || parts(true)).estimating(),
        Entry::new("strings.rsplit", Equality::Exact, || split(true)),
        Entry::new("strings.rsplit_record", Equality::Exact, || split_record(true)).estimating(),
        Entry::new("strings.split", Equality::Exact, || split(false)).estimating(),
        Entry::new("strings.split_part", Equality::Exact, split_part).estimating(),
        Entry::new("strings.split_record", Equality::Exact, || split_record(false)).estimating(),
    ]
}

const DELIMITERS: [&str; 6] = ["-", "", "aa", "€", "a", "y €x-y €x-y "];

/// Returns the delimiter and the largest number of splits for a column. Every null pattern meets all of them.
fn delimiter_and_max(number: usize) -> (&'static str, Option<usize>) {
    const MAX: [Option<usize>; 4] = [None, Some(1), Some(3), Some(0)];
    (DELIMITERS[(number + number / 4) % 6], MAX[(2 * number + number / 4) % 4])
}

/// Returns a delimiter for each row of a column.
fn by_row(rows: usize) -> ArrayRef {
    let of = [Some("-"), Some(""), None, Some("aa"), Some("€"), Some("y €x-")];
    strings(of.into_iter().cycle().take(rows))
}

fn all(texts: &[&str]) -> Vec<Option<String>> {
    texts.iter().map(|text| Some((*text).to_owned())).collect()
}

fn table_case(
    label: String,
    inputs: Vec<ArrayRef>,
    waits: u64,
    run: impl Fn(&[Column]) -> Result<Table> + Send + Sync + 'static,
    naive: impl Fn(&[ArrayRef]) -> Vec<ArrayRef> + Send + Sync + 'static,
) -> Case {
    Case::new(label, inputs, move |inputs| Ok(run(inputs)?.into_columns()), move |inputs| Ok(naive(inputs)), waits)
}

fn split_record(right: bool) -> Vec<Case> {
    let split = move |column: &Column, delimiter: Operand<'_>, max| {
        if right { api::rsplit_record(column, delimiter, max) } else { api::split_record(column, delimiter, max) }
    };
    let mut cases = Vec::new();
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let (delimiter, max) = delimiter_and_max(number);
        let delimiters = by_row(input.len());
        let one = case(
            format!("{label}/{number} {max:?}"),
            vec![input.clone()],
            move |inputs| split(&inputs[0], delimiter.into(), max),
            move |inputs| naive::split_record(&inputs[0], &all(&[delimiter]), max, right),
        );
        let many = case(
            format!("{label}/by row {max:?}"),
            vec![input, delimiters],
            move |inputs| split(&inputs[0], (&inputs[1]).into(), max),
            move |inputs| naive::split_record(&inputs[0], &texts(&inputs[1]), max, right),
        );
        cases.extend([one, many].map(|case| waiting(2, case)));
    }
    // The operation splits long rows into chunks, so this case has long rows.
    let chunks = case(
        "uneven/chunks",
        vec![uneven()],
        move |inputs| split(&inputs[0], "-y".into(), None),
        move |inputs| naive::split_record(&inputs[0], &all(&["-y"]), None, right),
    );
    cases.push(waiting(3, chunks));
    cases.extend(refused(move |column| split(column, "".into(), None)));
    cases.extend(refused_arguments("delimiter", &DataType::Utf8, move |text, by| split(text, by.into(), None)));
    cases
}

fn split(right: bool) -> Vec<Case> {
    let split = move |column: &Column, delimiter, max| {
        if right { api::rsplit(column, delimiter, max) } else { api::split(column, delimiter, max) }
    };
    let mut cases = Vec::new();
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let (delimiter, max) = delimiter_and_max(number);
        // The oracle makes a column for each piece, so the limit keeps the oracle's table small.
        let max = if label == "uneven" { Some(7) } else { max };
        // The operation waits for the number of bytes of each text column of the result.
        let columns = naive::split(&input, &all(&[delimiter]), max, right).len() as u64;
        cases.push(table_case(
            format!("{label}/{number} {max:?}"),
            vec![input],
            2 + columns,
            move |inputs| split(&inputs[0], delimiter, max),
            move |inputs| naive::split(&inputs[0], &all(&[delimiter]), max, right),
        ));
    }
    cases.extend(refused(move |column| split(column, "", None)?.column(0).cloned()));
    cases
}

fn parts(right: bool) -> Vec<Case> {
    let parts = move |column: &Column, delimiter: Operand<'_>| {
        if right { api::rpartition(column, delimiter) } else { api::partition(column, delimiter) }
    };
    let mut cases = Vec::new();
    for (number, (label, input)) in columns().into_iter().enumerate() {
        if (number + number / 4) % 2 == 0 {
            let (delimiter, _) = delimiter_and_max(number);
            cases.push(table_case(
                format!("{label}/{number}"),
                vec![input],
                4,
                move |inputs| parts(&inputs[0], delimiter.into()),
                move |inputs| naive::partition(&inputs[0], &all(&[delimiter]), right),
            ));
            continue;
        }
        let delimiters = by_row(input.len());
        cases.push(table_case(
            format!("{label}/by row"),
            vec![input, delimiters],
            4,
            move |inputs| parts(&inputs[0], (&inputs[1]).into()),
            move |inputs| naive::partition(&inputs[0], &texts(&inputs[1]), right),
        ));
    }
    cases.extend(refused(move |column| parts(column, "".into())?.column(0).cloned()));
    let run = move |text: &Column, by: &Column| parts(text, by.into())?.column(0).cloned();
    cases.extend(refused_arguments("delimiter", &DataType::Utf8, run));
    cases
}

fn split_part() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let ((delimiter, _), index) = (delimiter_and_max(number), [i64::MIN, i64::MAX, 0, 1, 4, -1, -2][number % 7]);
        cases.push(case(
            format!("{label}/{number} {index}"),
            vec![input],
            move |inputs| api::split_part(&inputs[0], delimiter, index),
            move |inputs| naive::split_part(&inputs[0], &all(&[delimiter]), &[Some(index)]),
        ));
    }
    let input = strings(["a-b-c", "", "-", "a"].map(Some).into_iter().chain([None]).cycle().take(40));
    let index = ints::<Int32Type>((0..40).map(|row| (row % 7 != 5).then_some(row % 7 - 3)));
    cases.push(case(
        "by row",
        vec![input, by_row(40), index],
        |inputs| api::split_part(&inputs[0], &inputs[1], &inputs[2]),
        |inputs| naive::split_part(&inputs[0], &texts(&inputs[1]), &integers(&inputs[2])),
    ));
    cases.extend(refused(|column| api::split_part(column, "", 0)));
    cases.extend(refused_arguments("delimiter", &DataType::Utf8, |text, by| api::split_part(text, by, 0)));
    cases.extend(refused_arguments("index", &DataType::Int64, |text, index| api::split_part(text, "", index)));
    cases
}

fn extract_between() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let (start, end) = [("a", "a"), ("-", "€"), ("", "-"), (" ", "")][(number + number / 4) % 4];
        cases.push(case(
            format!("{label}/{start} {end}"),
            vec![input],
            move |inputs| api::extract_between(&inputs[0], start, end),
            move |inputs| naive::extract_between(&inputs[0], start, end),
        ));
    }
    cases.extend(refused(|column| api::extract_between(column, "", "")));
    cases.extend(refused_arguments("start", &DataType::Utf8, |text, start| api::extract_between(text, start, "")));
    cases.extend(refused_arguments("end", &DataType::Utf8, |text, end| api::extract_between(text, "", end)));
    cases
}

const OPTIONS: [JoinOptions<'static>; 4] = [
    JoinOptions { null: None, separator_null: None, unseparated_nulls: false, empty_is_null: false },
    JoinOptions { null: Some("?"), separator_null: Some("€"), unseparated_nulls: false, empty_is_null: true },
    JoinOptions { null: Some(""), separator_null: None, unseparated_nulls: true, empty_is_null: false },
    JoinOptions { null: None, separator_null: Some(""), unseparated_nulls: true, empty_is_null: true },
];

fn table(columns: &[Column]) -> Result<TableView<'_>> {
    TableView::try_new(columns.iter().map(Column::view).collect())
}

fn concatenate() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let options = OPTIONS[(2 * number + number / 4 + number / 16) % 4];
        // Up to three columns without nulls are staged together in shared memory. Columns with one length and type,
        // but different null patterns, have different counts.
        let nulls = if number < GRID && number / 16 % 2 == 0 { NullPattern::Some } else { NullPattern::None };
        let others =
            [nulls, NullPattern::None].map(|nulls| random_array(input.data_type(), input.len(), nulls, number as u64));
        // The largest number of columns exceeds the number of columns of one launch.
        let count = [1, 3, 40, 2][(number + number / 4) % 4];
        let inputs: Vec<_> = [input].into_iter().chain(others).cycle().take(count).collect();
        let separators = by_row(inputs[0].len());
        let with: Vec<_> = inputs.iter().cloned().chain([separators]).collect();
        cases.push(case(
            format!("{label}/{count} columns"),
            inputs,
            move |inputs| api::concatenate(table(inputs)?, "-é", options),
            move |inputs| naive::concatenate(inputs, &all(&["-é"]), options),
        ));
        cases.push(case(
            format!("{label}/{count} columns, separators by row"),
            with,
            move |inputs| api::concatenate(table(&inputs[..count])?, &inputs[count], options),
            move |inputs| naive::concatenate(&inputs[..count], &texts(&inputs[count]), options),
        ));
    }
    for case in &mut cases {
        case.waits = if case.label.contains("40 columns") { 3 } else { 1 };
    }
    let others = refused(|column| api::concatenate(table(std::slice::from_ref(column))?, "", OPTIONS[0]));
    cases.extend(others.into_iter().filter(|case| !case.label.contains("Dictionary")));
    let run = |text: &Column, by: &Column| api::concatenate(table(std::slice::from_ref(text))?, by, OPTIONS[0]);
    cases.extend(refused_arguments("separator", &DataType::Utf8, run));
    let inputs = vec![strings([Some("a")]), large_strings([Some("a")])];
    let run = |inputs: &[Column]| Ok(vec![api::concatenate(table(inputs)?, "", OPTIONS[0])?]);
    cases.push(Case::refused("refused columns", inputs, run, |error| matches!(error, Error::TypeMismatch { .. })));
    cases
        .push(Case::refused("refused no columns", vec![], run, |error| matches!(error, Error::InvalidArgument { .. })));
    cases
}

fn some_lists() -> Vec<(String, ArrayRef)> {
    let mut found = Vec::new();
    for (label, texts) in columns() {
        let mut left = texts.len();
        let lengths: Vec<_> = (0..)
            .map(|row: usize| match (row % 9, row % 40) {
                (4, _) => None,
                (_, 21) => Some(33),
                _ => Some(row * 7 % 5),
            })
            .scan((), |(), length| {
                let length = length.map(|length| length.min(left));
                left -= length.unwrap_or(0);
                Some(length)
            })
            .take(texts.len() / 2 + 2)
            .collect();
        let used = lengths.iter().flatten().sum();
        found.push((label, lists(&texts.slice(0, used), lengths)));
    }
    found
}

fn join_list_elements() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in some_lists().into_iter().enumerate() {
        let options = OPTIONS[(number + number / 4) % 4];
        let separators = by_row(input.len());
        cases.push(case(
            label.clone(),
            vec![input.clone()],
            move |inputs| api::join_list_elements(&inputs[0], "-é", options),
            move |inputs| naive::join_list_elements(&inputs[0], &all(&["-é"]), options),
        ));
        cases.push(case(
            format!("{label}/by row"),
            vec![input, separators],
            move |inputs| api::join_list_elements(&inputs[0], &inputs[1], options),
            move |inputs| naive::join_list_elements(&inputs[0], &texts(&inputs[1]), options),
        ));
    }
    cases = cases.into_iter().map(|case| case.with_slice_costs(SliceCosts::Own)).collect();
    // The operation accepts lists of text, so these cases are not refusals.
    let is_taken = |case: &Case| match case.inputs[0].data_type() {
        DataType::List(field) | DataType::LargeList(field) => TYPES.contains(field.data_type()),
        other => TYPES.contains(other),
    };
    let others = refused_but(&[], |column| api::join_list_elements(column, "", OPTIONS[0]));
    cases.extend(others.into_iter().filter(|case| !is_taken(case)));
    cases
}

fn format_list_column() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in some_lists().into_iter().enumerate() {
        // The null pattern of the texts is `number % 4`, so every pattern meets all marks.
        let (null, marks) = [("NÜLL", [", ", "[", "}"]), ("", ["", "", ""]), ("null", ["€", "", " end"])][number % 3];
        let half: Vec<_> = (0..input.len() / 3).map(|row| (row % 4 != 1).then_some(2 - row % 3)).collect();
        let half = lists(&input.slice(0, half.iter().flatten().sum()), half);
        for (name, lists) in [("lists", input), ("nested", half)] {
            let one = case(
                format!("{label}/{name}"),
                vec![lists],
                move |inputs| api::format_list_column(&inputs[0], null, marks),
                move |inputs| naive::format_list_column(&inputs[0], null, marks),
            );
            cases.push(waiting(2, one).with_slice_costs(SliceCosts::Own));
        }
    }
    cases
}

fn join_strings() -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, (label, input)) in columns().into_iter().enumerate() {
        let (separator, null) = (["", "-é"][(number + number / 4) % 2], [None, Some("?"), Some("")][number % 3]);
        cases.push(case(
            format!("{label}/{separator} {null:?}"),
            vec![input],
            move |inputs| Ok(api::join_strings(&inputs[0], separator, null)?.into_column()),
            move |inputs| naive::join_strings(&inputs[0], separator, null),
        ));
    }
    // The operation first removes the null rows, and waits twice for this removal.
    cases = cases.into_iter().map(|case| waiting(2, case).with_slice_costs(SliceCosts::Own)).collect();
    cases.extend(refused(|column| Ok(api::join_strings(column, "", None)?.into_column())));
    let nothing: [Option<&str>; 0] = [];
    for (label, input) in [("no rows", strings(nothing)), ("no rows, large", large_strings(nothing))] {
        cases.push(case(
            label,
            vec![input],
            |inputs| Ok(api::join_strings(&inputs[0], "-", None)?.into_column()),
            |inputs| naive::join_strings(&inputs[0], "-", None),
        ));
    }
    cases
}
