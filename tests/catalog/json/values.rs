//! Entries of `json` for columns of values from text and to text.

use std::sync::Arc;

use arrow_array::{ArrayRef, LargeStringArray, StringArray};
use arrow_schema::{DataType, Field, TimeUnit};
use gdf_api::json::{JsonMismatch, JsonWriteOptions, from_json, to_json};
use gdf_core::{Column, Error, Position};
use gdf_test::builders::{dates, dictionary, structs, timestamps};
use gdf_test::compare::Equality;
use gdf_test::data::{NullPattern, SMALL_BRACKETS, edge_texts, random_array};

use super::Random;
use crate::catalog::strings::{case, is_unsupported, refused, waiting};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::json::values as naive;

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("json.from_json", Equality::Exact, reading).estimating(),
        Entry::new("json.to_json", Equality::Exact, writing).estimating(),
    ]
}

fn list(of: DataType) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(of, true)))
}

fn large_list(of: DataType) -> DataType {
    DataType::LargeList(Arc::new(Field::new_list_field(of, true)))
}

fn map_of(key: DataType, value: DataType) -> DataType {
    let entries = DataType::Struct(vec![Field::new("keys", key, false), Field::new("values", value, true)].into());
    DataType::Map(Arc::new(Field::new("entries", entries, false)), false)
}

fn struct_of<const N: usize>(fields: [(&str, DataType); N]) -> DataType {
    DataType::Struct(fields.into_iter().map(|(name, of)| Field::new(name, of, true)).collect())
}

/// Fields whose names have spaces, other characters than ASCII, quotes, or no characters at all.
fn flat() -> DataType {
    struct_of([
        ("a", DataType::Int32),
        ("b", DataType::Utf8),
        ("a b", DataType::Float64),
        ("naïve", DataType::Boolean),
        ("", DataType::UInt8),
        ("\"\\", DataType::Int64),
    ])
}

fn deep() -> DataType {
    let row = struct_of([("b", DataType::LargeUtf8), ("a", map_of(DataType::Utf8, list(DataType::Int16)))]);
    struct_of([("a", list(row)), ("b", struct_of([("a", DataType::Boolean), ("b", struct_of([]))]))])
}

fn wide() -> DataType {
    DataType::Struct((0..20).map(|n| Field::new(format!("f{n}"), DataType::Int8, true)).collect())
}

fn types() -> Vec<DataType> {
    vec![
        DataType::Boolean,
        DataType::Int8,
        DataType::UInt64,
        DataType::Float32,
        DataType::Decimal128(10, 2),
        DataType::Decimal256(50, 4),
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Date32,
        DataType::Timestamp(TimeUnit::Millisecond, None),
        DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())),
        flat(),
        wide(),
        list(DataType::Int64),
        large_list(DataType::Utf8),
        list(list(DataType::Float64)),
        map_of(DataType::Utf8, DataType::Int16),
        map_of(DataType::LargeUtf8, struct_of([("a", DataType::Utf8)])),
        deep(),
    ]
}

/// Writes a value that mostly fits the type.
fn fitting(random: &mut Random, data_type: &DataType, to: &mut String) {
    const NUMBERS: [&str; 8] = ["0", "-7", "12", "\"33\"", "1.5", "-2.25e2", "18446744073709551615", "100000000000"];
    const TEXTS: [&str; 6] =
        ["\"\"", "\"text\"", r#""a\\b\"c\/\n\u00e9""#, r#""\ud83d\ude00é 日本""#, "\"]},{:\"", r#""\u0000\u001f""#];
    const MOMENTS: [&str; 9] = [
        "\"2024-02-29\"",
        "\"1969-12-31T23:59:59\"",
        "\"2024-02-29 12:34:56.5\"",
        "\"1700-01-01T00:00:00.123456789Z\"",
        "\"2001-09-09t01:46:40.25z\"",
        "\"2024-12-31T23:00:00-02:30\"",
        "\"2023-02-29\"",
        "\"2024-02-29T\"",
        "\"2024-02-29T01:02:0é\"",
    ];
    if random.below(12) == 0 {
        return random.json(2, '"', to);
    }
    let space = *[&" ", &"", &"", &"\t\r\n"][random.below(4)];
    match data_type {
        DataType::Struct(fields) => {
            to.push('{');
            let mut separator = "";
            for _ in 0..random.below(fields.len() + 2) {
                to.push_str(separator);
                to.push_str(space);
                let field = random.below(fields.len() + 1);
                match fields.get(field) {
                    // The same name in two notations.
                    Some(field) if field.name() == "a" && random.below(3) == 0 => to.push_str("\"\\u0061\""),
                    Some(field) => to.push_str(&serde_json::to_string(field.name()).expect("a string")),
                    None => to.push_str("\"other\""),
                }
                to.push_str(space);
                to.push(':');
                to.push_str(space);
                match fields.get(field) {
                    Some(field) => fitting(random, field.data_type(), to),
                    None => random.json(3, '"', to),
                }
                separator = ",";
            }
            to.push_str(space);
            to.push('}');
        }
        DataType::List(of) | DataType::LargeList(of) => {
            to.push('[');
            for element in 0..random.below(5) {
                to.push_str(if element > 0 { "," } else { space });
                fitting(random, of.data_type(), to);
                to.push_str(space);
            }
            to.push(']');
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(of) = entries.data_type() else { panic!("{data_type}") };
            to.push('{');
            for entry in 0..random.below(4) {
                to.push_str(if entry > 0 { "," } else { "" });
                to.push_str(random.one(&TEXTS));
                to.push(':');
                fitting(random, of[1].data_type(), to);
            }
            to.push('}');
        }
        DataType::Boolean => to.push_str(random.one(&["true", "false", "null", "\"true\"", "\"yes\""])),
        DataType::Utf8 | DataType::LargeUtf8 => to.push_str(random.one(&TEXTS)),
        DataType::Date32 | DataType::Timestamp(..) => to.push_str(random.one(&MOMENTS)),
        DataType::Float32 | DataType::Float64 if random.below(9) == 0 => to.push_str("\"NaN\""),
        _ => to.push_str(random.one(&NUMBERS)),
    }
}

fn documents(data_type: &DataType, rows: usize, seed: u64) -> Vec<Option<String>> {
    let mut random = Random(seed);
    let row = |row: usize| {
        let mut text = [" ", ""][row % 2].to_owned();
        fitting(&mut random, data_type, &mut text);
        match random.below(15) {
            0 => text.push_str(" ,"),
            1 => drop(text.pop()),
            2 => text = "null".to_owned(),
            _ => text.push_str(["\n", "", ""][row % 3]),
        }
        (row % 11 != 7).then_some(text)
    };
    (0..rows).map(row).collect()
}

fn reads(label: String, texts: ArrayRef, data_type: &DataType, mismatch: JsonMismatch) -> Case {
    let (of, to) = (data_type.clone(), data_type.clone());
    let case = case(
        label,
        vec![texts],
        move |inputs| from_json(&inputs[0], &of, mismatch),
        move |inputs| naive::from_json(&inputs[0], &to),
    );
    waiting(200, case.with_slice_costs(SliceCosts::Own))
}

/// Texts that are no documents, and texts that are.
const MALFORMED: [&str; 37] = [
    "",
    " ",
    "nul",
    "nulll",
    "tru",
    "01",
    "+1",
    "-",
    "1.",
    ".5",
    "1e",
    "1 1",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1}",
    "]",
    "[",
    "{\"a\":1,}",
    "{\"a\"}",
    "{\"a\":}",
    "{a:1}",
    "{'a':1}",
    "{\"a\" 1}",
    "{\"a\":1]",
    "{",
    "\"a",
    "\"\\",
    "\"\\x\"",
    "\"\\u12G4\"",
    "\"\\ud800\"",
    "\"\\udc00\"",
    "\"\\ud800\\u0041\"",
    "\"\n\"",
    "[1]",
    "{\"a\":[1]}",
    " {\"a\" : [ ] } ",
];

fn reading() -> Vec<Case> {
    let mut cases = Vec::new();
    for (data_type, seed) in types().iter().zip(0..) {
        let texts: ArrayRef = Arc::new(StringArray::from(documents(data_type, 300, seed)));
        cases.push(reads(format!("nested {seed}/300"), texts, data_type, JsonMismatch::Null));
        let fitting = |text: &Option<String>| {
            text.clone().filter(|text| {
                let one: ArrayRef = Arc::new(StringArray::from(vec![text.as_str()]));
                fits(&one, data_type)
            })
        };
        let texts: Vec<_> = documents(data_type, 80, 100 + seed).iter().map(fitting).collect();
        let texts: ArrayRef = Arc::new(LargeStringArray::from(texts));
        cases.push(reads(format!("strict {seed}/80"), texts, data_type, JsonMismatch::Error));
    }
    for rows in SMALL_BRACKETS.iter().copied().chain([5_000]) {
        for (data_type, name) in [(flat(), "struct"), (list(DataType::Int64), "list")] {
            let texts: ArrayRef = Arc::new(StringArray::from(documents(&data_type, rows, 7)));
            cases.push(reads(format!("{name}/{rows}"), texts, &data_type, JsonMismatch::Null));
        }
    }
    // The texts are longer than the part of shared memory that a warp has.
    let long = |n: usize| {
        format!("{{\"z\":[{}],\"a\":[{}]}}", "\"]x\", ".repeat(n) + "1", "{\"b\": \"é\\n\"}, ".repeat(n) + "3")
    };
    let long: ArrayRef = Arc::new(StringArray::from_iter_values((0..40).map(|row| long(row * row))));
    let of = struct_of([("a", list(struct_of([("b", DataType::Utf8)]))), ("z", DataType::Utf8)]);
    cases.push(reads("long/40".to_owned(), long, &of, JsonMismatch::Null));
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let texts = MALFORMED.into_iter().map(str::to_owned).chain([127, 128, 129, 4_000].map(nested));
    let objects = |levels: usize| format!("{}1{}", "{\"a\":".repeat(levels), "}".repeat(levels));
    let texts = texts.chain([64, 65, 100, 129].map(objects));
    let texts: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
    for (data_type, number) in [DataType::Utf8, list(DataType::Int8), flat()].iter().zip(0..) {
        cases.push(reads(format!("malformed {number}"), texts.clone(), data_type, JsonMismatch::Null));
    }
    let none = random_array(&DataType::Utf8, 40, NullPattern::All, 1);
    cases.push(reads("all null/40".to_owned(), none, &deep(), JsonMismatch::Error));
    for (data_type, number) in refused_types().into_iter().zip(0..) {
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["{}"]));
        let run = move |inputs: &[Column]| Ok(vec![from_json(&inputs[0], &data_type, JsonMismatch::Null)?]);
        cases.push(Case::refused(format!("refused type {number}"), vec![texts], run, is_unsupported));
    }
    let levels = (0..64).fold(DataType::Int8, |of, _| list(of));
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["[]"]));
    let run = move |inputs: &[Column]| Ok(vec![from_json(&inputs[0], &levels, JsonMismatch::Null)?]);
    let is_invalid = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    cases.push(Case::refused("refused levels", vec![texts], run, is_invalid));
    cases.extend(mismatches());
    cases.extend(refused(|column| from_json(column, &DataType::Int8, JsonMismatch::Null)));
    cases
}

/// Returns whether a text is a document all of whose values fit the type. Strict conversion then returns the same
/// values as lenient conversion.
fn fits(text: &ArrayRef, data_type: &DataType) -> bool {
    let document = gdf_test::value::to_values(text)[0].clone();
    let document = document.as_ref().and_then(|text| serde_json::from_str::<serde_json::Value>(text.as_str()?).ok());
    let expected = gdf_test::value::to_values(&naive::from_json(text, data_type))[0].clone();
    document.is_some_and(|document| naive::fits(&document, expected.as_ref(), data_type))
}

fn refused_types() -> Vec<DataType> {
    vec![
        DataType::Float16,
        DataType::Binary,
        DataType::Utf8View,
        DataType::Duration(TimeUnit::Second),
        DataType::Timestamp(TimeUnit::Second, Some("Europe/Paris".into())),
        list(struct_of([("a", DataType::Time32(TimeUnit::Second))])),
        map_of(DataType::Int8, DataType::Int8),
        map_of(DataType::Utf8, DataType::Null),
        DataType::FixedSizeList(Arc::new(Field::new_list_field(DataType::Int8, true)), 2),
    ]
}

/// Builds cases of values that do not fit the type. The error must name the row of the column, even if the value is
/// nested, and must show the text of the value.
fn mismatches() -> Vec<Case> {
    fn is_at(error: &Error, row: usize, shown: &str) -> bool {
        let Error::InvalidText { text, context, .. } = error else { return false };
        context.position() == Some(Position::Row(row)) && **text == *shown
    }
    let mut cases = Vec::new();
    let mut add = |label: &str, texts: &[&str], data_type: DataType, is_right: fn(&Error) -> bool| {
        let texts: ArrayRef = Arc::new(StringArray::from_iter(texts.iter().copied().map(Some)));
        let run = move |inputs: &[Column]| Ok(vec![from_json(&inputs[0], &data_type, JsonMismatch::Error)?]);
        cases.push(Case::refused(format!("mismatch {label}"), vec![texts], run, is_right));
    };
    add("document", &["[1]", "null", "[2"], list(DataType::Int8), |error| is_at(error, 2, "[2"));
    add("leaf", &["1", "300", "x"], DataType::Utf8, |error| is_at(error, 2, "x"));
    add("number", &["1", "null", "300"], DataType::Int8, |error| is_at(error, 2, "300"));
    add("boolean", &["true", "\"t\""], DataType::Boolean, |error| is_at(error, 1, "t"));
    add("struct", &["{}", "null", "{}", "[]"], flat(), |error| is_at(error, 3, "[]"));
    add("list", &["[]", "null", "{\"a\":1}"], list(DataType::Int8), |error| is_at(error, 2, "{\"a\":1}"));
    let lists = list(list(DataType::Int16));
    add("element", &["[]", "[[1],[]]", "null", "[[2,3],[4,\"b\"]]", "[[]]"], lists, |error| is_at(error, 3, "b"));
    add("first", &["[]", "[]", "[true]"], list(DataType::Int8), |error| is_at(error, 2, "true"));
    let maps = map_of(DataType::Utf8, struct_of([("a", list(DataType::Date32))]));
    let rows = ["{}", "{\"x\":{},\"y\":{\"a\":[]}}", "{\"x\":{\"a\":[\"2024-01-01\",null,\"2024-13-01\"]}}"];
    add("entry", &rows, maps.clone(), |error| is_at(error, 2, "2024-13-01"));
    add("member", &["{}", "{\"x\":{},\"y\":7}"], maps, |error| is_at(error, 1, "7"));
    cases
}

fn writing() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |label: String, column: ArrayRef| {
        for write_null_fields in [false, true] {
            let case = case(
                format!("{label}/{}", if write_null_fields { "nulls" } else { "left out" }),
                vec![column.clone()],
                move |inputs| to_json(&inputs[0], JsonWriteOptions { write_null_fields }),
                move |inputs| naive::to_json(&inputs[0], write_null_fields),
            );
            cases.push(waiting(200, case.with_slice_costs(SliceCosts::Own)));
        }
    };
    let plain = types().into_iter().filter(|of| !matches!(of, DataType::Date32 | DataType::Timestamp(..)));
    for (data_type, seed) in plain.zip(0..) {
        for nulls in [NullPattern::None, NullPattern::Some, NullPattern::All] {
            add(format!("nested {seed}/65/{nulls:?}"), random_array(&data_type, 65, nulls, seed));
        }
    }
    for &rows in SMALL_BRACKETS.iter().chain(&[3_000]) {
        add(format!("struct/{rows}"), random_array(&flat(), rows, NullPattern::Some, 3));
        add(format!("list/{rows}"), random_array(&list(DataType::Utf8), rows, NullPattern::Some, 4));
    }
    let days = [0, -1, 19_782, 2_932_896, -719_162].map(Some);
    let ticks = [0, -1, 1_234_567_890_123, -999].map(Some);
    add("dates".to_owned(), dates(days.into_iter().chain([None])));
    for unit in [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond] {
        let ticks = ticks.map(|ticks| if unit == TimeUnit::Second { ticks.map(|ticks| ticks / 1_000) } else { ticks });
        let local = timestamps(unit, ticks.into_iter().chain([None]));
        add(format!("timestamps {unit:?}"), local.clone());
        let utc = local.to_data().into_builder().data_type(DataType::Timestamp(unit, Some("UTC".into())));
        let utc = arrow_array::make_array(utc.build().expect("the same values"));
        add(format!("timestamps {unit:?} in a struct"), structs(&[("at", utc)]));
    }
    let size = DataType::FixedSizeList(Arc::new(Field::new_list_field(DataType::Int8, true)), 3);
    let of_texts = dictionary([Some("a\"b"), None, Some("c"), Some("a\"b")]);
    add("fixed".to_owned(), random_array(&size, 33, NullPattern::Some, 5));
    add("dictionary".to_owned(), of_texts.clone());
    add("dictionary in a struct".to_owned(), structs(&[("d", of_texts)]));
    add("texts".to_owned(), edge_texts(200, NullPattern::Some, 6));
    let controls: Vec<String> = (0..=0x80_u32).filter_map(char::from_u32).map(String::from).collect();
    add("controls".to_owned(), Arc::new(StringArray::from(controls)));
    for data_type in [
        DataType::Float16,
        DataType::Binary,
        DataType::Duration(TimeUnit::Second),
        list(DataType::LargeBinary),
        struct_of([("a", DataType::Time64(TimeUnit::Nanosecond))]),
        map_of(DataType::Int8, DataType::Int8),
    ] {
        let column = random_array(&data_type, 3, NullPattern::None, 1);
        let run = |inputs: &[Column]| Ok(vec![to_json(&inputs[0], JsonWriteOptions::default())?]);
        cases.push(Case::refused(format!("refused {data_type}"), vec![column], run, is_unsupported));
    }
    cases
}
