//! Tests JSON Lines: types, round trips, pieces, and the line numbers in errors.

use std::fs;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, MapBuilder, StringBuilder};
use arrow_array::*;
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field};
use arrow_select::concat::concat_batches;
use gdf_io::{Batch, Error, JsonReader, JsonWriter, Position, Predicate, read_json, write_json};

use crate::all_types::{batch_of, fixed_width, nested, only_ipc, text_and_binary};
use crate::{Folder, batch, collect};

fn read(text: &str, with: impl Fn(JsonReader) -> JsonReader) -> gdf_io::Result<Batch> {
    let folder = Folder::new();
    let path = folder.path("t.jsonl");
    fs::write(&path, text).unwrap();
    with(JsonReader::open(&path).unwrap()).read()
}

#[test]
fn types_are_inferred() {
    let text = r#"{"i": 1, "f": 1.5, "b": true, "s": "x", "l": [1, null], "o": {"a": 1}}
{"i": null, "f": 2, "o": {"b": "é"}}

{"i": -3}"#;
    let found = read(text, |reader| reader).unwrap();
    let type_of = |name: &str| found.schema().field_with_name(name).unwrap().data_type().to_string();
    assert_eq!(["i", "f", "b", "s", "l"].map(type_of), ["Int64", "Float64", "Boolean", "Utf8", "List(Int64)"]);
    assert!(type_of("o").contains("\"a\": Int64"), "{}", type_of("o"));
    assert_eq!((found.num_rows(), found.column("s").unwrap().known_null_count()), (3, Some(2)));
}

#[test]
fn given_types() {
    let text = "{\"day\": \"2026-01-31\", \"n\": 1, \"more\": 3}\n{\"day\": null}\n";
    let found = read(text, |reader| reader.types([("day", DataType::Date32), ("absent", DataType::Int8)])).unwrap();
    assert_eq!(found.column("day").unwrap().data_type(), &DataType::Date32);
    assert_eq!(found.column("absent").unwrap().known_null_count(), Some(2));
    let few = read(text, |reader| reader.columns(["n"]).predicate(Predicate::is_not_null("day"))).unwrap();
    assert_eq!((few.num_rows(), few.num_columns()), (1, 1));
}

#[test]
fn files_without_rows() {
    for text in ["", "\n\n", "  "] {
        assert_eq!(read(text, |reader| reader).unwrap().num_rows(), 0, "{text:?}");
    }
}

#[test]
fn what_is_written_is_read() {
    let folder = Folder::new();
    let path = folder.path("t.jsonl");
    let is_read = |name: &str| {
        // arrow-json writes these types, but reads some of them differently.
        ![
            "f16",
            "f32",
            "f64",
            "date32",
            "date64",
            "nulls",
            "i64",
            "dictionary",
            "timestamp_s",
            "timestamp_ms",
            "timestamp_us",
        ]
        .contains(&name)
            && !name.starts_with("duration")
            && !name.starts_with("interval")
            && !name.starts_with("time")
            && !name.starts_with("decimal")
    };
    let columns = [fixed_width(100), text_and_binary(100), nested(100)].concat();
    let expected = batch_of(columns.into_iter().filter(|(name, _)| is_read(name)).collect());
    for explicit in [false, true] {
        let mut writer = JsonWriter::new(&path, &expected.schema()).explicit_nulls(explicit);
        writer.write(&batch(&expected)).unwrap();
        writer.finish().unwrap();
        let found = JsonReader::open(&path).unwrap().schema(expected.schema()).read().unwrap().to_arrow().unwrap();
        for (index, field) in expected.schema().fields().iter().enumerate() {
            assert_eq!(found.column(index), expected.column(index), "{field}");
        }
    }
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 100);
    text.lines().for_each(|line| drop(serde_json::from_str::<serde_json::Value>(line).unwrap()));
}

fn written(columns: Vec<(&str, ArrayRef)>, explicit_nulls: bool) -> String {
    let folder = Folder::new();
    let path = folder.path("t.jsonl");
    let of = batch(&RecordBatch::try_from_iter(columns).unwrap());
    let mut writer = JsonWriter::new(&path, of.schema()).explicit_nulls(explicit_nulls);
    writer.write(&of).unwrap();
    writer.finish().unwrap();
    fs::read_to_string(&path).unwrap()
}

/// Null would be another value, and RFC 8259 has no such numbers.
#[test]
fn floats_that_are_not_finite_are_texts() {
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![
        Some(1.5),
        Some(f64::NAN),
        Some(-f64::NAN),
        None,
        Some(f64::INFINITY),
        Some(f64::NEG_INFINITY),
    ]));
    let texts = ["1.5", "\"NaN\"", "\"NaN\"", "null", "\"Infinity\"", "\"-Infinity\""];
    let singles = arrow_cast::cast(&floats, &DataType::Float32).unwrap();
    let halves = arrow_cast::cast(&floats, &DataType::Float16).unwrap();
    let list = ListArray::new(
        Arc::new(Field::new("item", DataType::Float64, true)),
        OffsetBuffer::from_lengths([2, 0, 1, 1, 1, 1]),
        floats.clone(),
        None,
    );
    let lists = ["[1.5,\"NaN\"]", "[]", "[\"NaN\"]", "[null]", "[\"Infinity\"]", "[\"-Infinity\"]"];
    let line = |(text, list): (&str, &str)| format!("{{\"f\":{text},\"s\":{text},\"h\":{text},\"l\":{list}}}\n");
    let expected: String = texts.into_iter().zip(lists).map(line).collect();
    let columns: Vec<(&str, ArrayRef)> =
        vec![("f", floats.clone()), ("s", singles), ("h", halves), ("l", Arc::new(list))];
    assert_eq!(written(columns, true), expected);
    let found = read(&expected, |reader| reader.types([("f", DataType::Float64)])).unwrap().to_arrow().unwrap();
    let (found, floats) = (found.column_by_name("f").unwrap(), floats.as_any().downcast_ref::<Float64Array>().unwrap());
    let found = found.as_any().downcast_ref::<Float64Array>().unwrap();
    for (found, expected) in found.iter().zip(floats) {
        assert!(found == expected || found.zip(expected).is_some_and(|(a, b)| a.is_nan() && b.is_nan()));
    }
}

#[test]
fn nulls_among_the_values_of_dictionaries_are_null() {
    let keys = Int8Array::from(vec![Some(0), Some(1), None]);
    let coded: ArrayRef = Arc::new(DictionaryArray::new(keys, Arc::new(Int64Array::from(vec![Some(7), None]))));
    let field = |name| Arc::new(Field::new(name, coded.data_type().clone(), true));
    let list = ListArray::new(field("item"), OffsetBuffer::from_lengths([2, 0, 1]), coded.clone(), None);
    let of_struct = StructArray::from(vec![(field("c"), coded.clone())]);
    let columns: Vec<(&str, ArrayRef)> = vec![("d", coded), ("l", Arc::new(list)), ("s", Arc::new(of_struct))];
    let expected = "{\"d\":7,\"l\":[7,null],\"s\":{\"c\":7}}\n{\"l\":[],\"s\":{}}\n{\"l\":[null],\"s\":{}}\n";
    assert_eq!(written(columns.clone(), false), expected);
    let expected = "{\"d\":7,\"l\":[7,null],\"s\":{\"c\":7}}\n{\"d\":null,\"l\":[],\"s\":{\"c\":null}}\n\
                    {\"d\":null,\"l\":[null],\"s\":{\"c\":null}}\n";
    assert_eq!(written(columns, true), expected);
}

#[test]
fn entries_of_maps_stay_if_their_values_are_null() {
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    for (key, value) in [("a", None), ("b", Some(1))] {
        map.keys().append_value(key);
        map.values().append_option(value);
    }
    map.append(true).unwrap();
    map.append(false).unwrap();
    map.append(true).unwrap();
    let map: ArrayRef = Arc::new(map.finish());
    assert_eq!(written(vec![("m", map.clone())], false), "{\"m\":{\"a\":null,\"b\":1}}\n{}\n{\"m\":{}}\n");
    assert_eq!(written(vec![("m", map)], true), "{\"m\":{\"a\":null,\"b\":1}}\n{\"m\":null}\n{\"m\":{}}\n");
}

#[test]
fn long_files_are_read_in_pieces() {
    let folder = Folder::new();
    let path = folder.path("t.jsonl");
    let text: String =
        (0..300_000).map(|row| format!("{{\"a\": {row}, \"b\": \"{}\"}}\n", "x".repeat(row % 90))).collect();
    assert!(text.len() > 16 << 20);
    fs::write(&path, &text).unwrap();
    let all = read_json(&path).unwrap().to_arrow().unwrap();
    let ids = all.column(0).as_any().downcast_ref::<arrow_array::Int64Array>().unwrap();
    assert!(ids.values().iter().copied().eq(0..300_000));
    let batches = collect(JsonReader::open(&path).unwrap().rows(10..200_000).batch_rows(50_000).scan().unwrap());
    assert_eq!(concat_batches(&all.schema(), &batches).unwrap(), all.slice(10, 199_990));
}

#[test]
fn errors_name_the_line() {
    let line = |text: &str| match read(text, |reader| reader.types([("a", DataType::Int64)]).infer_records(1)) {
        Err(Error::Malformed { position: Some(Position::Line(line)), .. }) => line,
        other => panic!("{other:?}"),
    };
    assert_eq!(line("{\"a\": 1}\n{\"a\": \"x\"}\n"), 2);
    assert_eq!(line("{\"a\": 1}\n\n{\"a\": 2}\n{\"a\": \n"), 4);
    assert_eq!(line("{\"a\": 1}\n{\"a\": 2}}\n"), 2);
    assert_eq!(line("{\"a\": 1}\n[1]\n"), 2);
    assert!(matches!(read("not json", |reader| reader), Err(Error::Malformed { .. })));
    assert_eq!(line("[{\"a\": 1},\n {\"a\": 2}\n,{\"a\": \"x\"}]"), 3);
    assert_eq!(line("[{\"a\": 1},\n {\"a\":\n ?}]"), 3);
    assert_eq!(line("{\n\"a\": 1\n}\n{\"a\":\n\"x\"}"), 4);
    let untyped = |text: &str| match read(text, |reader| reader) {
        Err(Error::Malformed { position: Some(Position::Line(line)), what, .. }) => (line, what),
        other => panic!("{other:?}"),
    };
    let (at, what) = untyped(&format!("{}{{\"a\": }}\n", "{\"a\": 1}\n".repeat(10)));
    assert!(at == 11 && !what.contains("line"), "{at}: {what}");
    assert_eq!(untyped("{\"a\": 1}\n{\"a\": {\"b\": 1}}\n").0, 2);
    assert_eq!(untyped("{\"a\": 1}\n{\"a\": \"\u{0}\"}\n").0, 2);
    assert!(matches!(read_json("/no/such.jsonl"), Err(Error::NotFound { .. })));
    // The type of a member changes after the objects from which the types were inferred, or among them.
    let what = |text: &str, records: usize| match read(text, |reader| reader.infer_records(records)) {
        Err(Error::Malformed { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    for later in ["{\"a\": \"x\"}", "{\"a\": {\"b\": 1}}", "{\"a\": 1.5}"] {
        let text = what(&format!("{{\"a\": 1}}\n{later}\n"), 1);
        assert!(text.contains("give the type of this member (`types`)") && text.contains("infer_records"), "{text}");
    }
    let text = what("{\"a\": 1}\n{\"a\": {\"b\": 1}}\n", 9);
    assert!(text.ends_with("give the schema of the file (`schema`)"), "{text}");
    // The caller has given the schema, so the file is at fault.
    let schema = Arc::new(arrow_schema::Schema::new(vec![Field::new("a", DataType::Int64, true)]));
    let text = read("{\"a\": \"x\"}\n", |reader| reader.schema(schema.clone())).unwrap_err().to_string();
    assert!(!text.contains("infer_records"), "{text}");
}

#[test]
fn arrays_of_objects_are_read() {
    let folder = Folder::new();
    let path = folder.path("t.json");
    let object = |row: usize| format!("{{\"a\": {row}, \"b\": \"],[{}\"}}", "}".repeat(row % 90));
    let objects: Vec<String> = (0..200_000).map(object).collect();
    for (open, comma, close) in [("[", ",", "]"), ("\u{feff} [\n", "\n, ", "\n]\n"), ("", " ", ""), ("", "\n", "\n")] {
        fs::write(&path, format!("{open}{}{close}", objects.join(comma))).unwrap();
        let all = read_json(&path).unwrap().to_arrow().unwrap();
        let ids = all.column(0).as_any().downcast_ref::<arrow_array::Int64Array>().unwrap();
        assert!(ids.values().iter().copied().eq(0..200_000), "{open:?}");
    }
    assert_eq!(read("[]", |reader| reader).unwrap().num_rows(), 0);
    assert_eq!(read("[{}, {\"a\": [1]}]", |reader| reader).unwrap().num_rows(), 2);
}

#[test]
fn errors_do_not_carry_the_file() {
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    for text in [
        format!("{{\"a\": 1}}\n{{\"a\": {long}}}\n"),
        format!("[{{\"a\": 1}}, {long}]"),
        format!("{long}\n"),
        format!("[[{long}]]"),
        format!("{{\"a\": [{long}, 1, {{}}]}}\n"),
    ] {
        let error = read(&text, |reader| reader.types([("a", DataType::Int64)])).unwrap_err().to_string();
        assert!(error.len() < 500, "{} bytes", error.len());
    }
}

#[test]
fn unions_have_no_form() {
    let folder = Folder::new();
    let of = batch(&batch_of(only_ipc(3).into_iter().filter(|(name, _)| name == "union").collect()));
    assert!(matches!(write_json(&of, folder.path("t.jsonl")), Err(Error::Unsupported { .. })));
    assert!(folder.names().is_empty());
}

#[test]
fn nulls_and_columns_of_nulls_stay() {
    let folder = Folder::new();
    let path = folder.path("t.jsonl");
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("a", Arc::new(Int64Array::from(vec![None, Some(1)]))),
        ("none", Arc::new(Int64Array::from(vec![None, None]))),
        ("b", Arc::new(Int64Array::from(vec![1, 2]))),
    ];
    write_json(&batch(&RecordBatch::try_from_iter(columns).unwrap()), &path).unwrap();
    let expected = "{\"a\":null,\"none\":null,\"b\":1}\n{\"a\":1,\"none\":null,\"b\":2}\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    let found = read_json(&path).unwrap();
    let names: Vec<&String> = found.schema().fields().iter().map(|field| field.name()).collect();
    assert_eq!(names, ["a", "none", "b"]);
    gdf_io::write_parquet(&found, folder.path("t.parquet")).unwrap();
    assert_eq!(gdf_io::read_parquet(folder.path("t.parquet")).unwrap().num_rows(), 2);
}

/// Members that begin after the objects from which types were inferred.
#[test]
fn late_members_are_errors_with_their_line_and_name() {
    let first = "{\"a\": 1, \"o\": {\"x\": 1}, \"l\": [{\"x\": 1}], \"e\": {}}\n".repeat(3);
    let error = |late: &str, with: &dyn Fn(JsonReader) -> JsonReader| {
        let text = format!("{first}{late}\n");
        read(&text, |reader| with(reader.infer_records(3))).map(|found| found.num_rows())
    };
    let all = |reader: JsonReader| reader;
    for (late, name) in [
        ("{\"a\": 2, \"b\": null}", "\"b\""),
        ("{\"o\": {\"x\": 2, \"y\": 3}}", "\"o.y\""),
        ("{\"l\": [{\"x\": 2}, {\"y\": 3}]}", "\"l.y\""),
        ("{\"e\": {\"x\": 2}}", "\"e.x\""),
    ] {
        let found = error(late, &all).unwrap_err();
        assert!(matches!(&found, Error::Malformed { position: Some(Position::Line(4)), .. }), "{found}");
        let text = found.to_string();
        assert!(text.contains(name) && text.contains("infer_records"), "{text}");
        // Members of selected columns are checked, other members are not.
        let of_column = |reader: JsonReader| reader.columns(["a"]);
        assert_eq!(error(late, &of_column).unwrap(), 4);
        let nested = |reader: JsonReader| reader.columns(["o", "l", "e"]);
        assert_eq!(error(late, &nested).is_err(), !late.contains('b'), "{late}");
        // With a schema, the caller decides.
        let given = batch(&RecordBatch::new_empty(Arc::new(arrow_schema::Schema::empty()))).schema().clone();
        let with_schema = |reader: JsonReader| reader.schema(given.clone());
        assert_eq!(error(late, &with_schema).unwrap(), 4);
        // Types of all objects have the member.
        assert_eq!(read(&format!("{first}{late}\n"), |reader| reader.infer_records(4)).unwrap().num_rows(), 4);
    }
}

/// arrow-json allocates memory for the members of all rows of a batch in advance.
#[test]
fn objects_may_have_many_members() {
    let members: Vec<String> = (0..20_000).map(|member| format!("\"c{member}\":{member}")).collect();
    let found = read(&format!("{{{}}}\n", members.join(",")), |reader| reader).unwrap();
    assert_eq!((found.num_rows(), found.num_columns()), (1, 20_000));
}
