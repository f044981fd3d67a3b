//! Random programs beside polars: a Python script runs the verbs of each program, and compares the rows and the types.

use std::process::Command;

use gdf::DataType;
use serde_json::{Value as Json, json};

use super::naive::{Aggregate, Kind, Node, Rows, Value};
use super::{Program, rows_of};

/// The variable that names a Python with polars. Without the variable, the test is skipped.
const PYTHON: &str = "GDF_TEST_POLARS";

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/peers");

fn python() -> Option<std::ffi::OsString> {
    std::env::var_os(PYTHON).filter(|python| !python.is_empty())
}

/// Returns whether a Python with polars is named. Otherwise, prints that the test is skipped.
pub(super) fn has_polars(test: &str) -> bool {
    if python().is_none() {
        println!("skipped {test}: {PYTHON} names no Python with polars");
    }
    python().is_some()
}

/// Runs a script of `tests/peers` with a file that contains `input`.
///
/// # Panics
/// Panics if the script fails.
pub(super) fn run_script(script: &str, input: &Json) {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input.json");
    std::fs::write(&path, serde_json::to_vec(input).unwrap()).unwrap();
    let run = Command::new(&python).arg(std::path::Path::new(SCRIPTS).join(script)).arg(&path).output();
    let run = run.unwrap_or_else(|error| panic!("{PYTHON} names {}: {error}", python.display()));
    let (output, errors) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    println!("{output}");
    assert!(run.status.success(), "{output}\n{errors}");
}

/// Returns the types of the tests, with the names that they have in polars.
pub(super) fn types() -> Vec<(&'static str, DataType)> {
    use gdf::core::TimeUnit::Microsecond;
    vec![
        ("Int8", DataType::Int8),
        ("Int16", DataType::Int16),
        ("Int32", DataType::Int32),
        ("Int64", DataType::Int64),
        ("UInt8", DataType::UInt8),
        ("UInt16", DataType::UInt16),
        ("UInt32", DataType::UInt32),
        ("UInt64", DataType::UInt64),
        ("Float32", DataType::Float32),
        ("Float64", DataType::Float64),
        ("Boolean", DataType::Boolean),
        ("String", DataType::Utf8),
        ("Date", DataType::Date32),
        ("Datetime", DataType::Timestamp(Microsecond, None)),
        ("Duration", DataType::Duration(Microsecond)),
    ]
}

/// Returns the name of a type in polars.
pub(super) fn polars_name(of: &DataType) -> String {
    let named = types().into_iter().find(|(_, data_type)| data_type == of);
    named.map_or_else(|| of.to_string(), |(name, _)| name.to_owned())
}

impl Node {
    pub(super) fn json(&self) -> Json {
        match self {
            Node::Column(name) => json!(["column", name]),
            Node::Int(value) => json!(["value", value]),
            Node::Text(value) => json!(["value", value]),
            Node::Add(a, b) => json!(["add", a.json(), b.json()]),
            Node::Mul(a, b) => json!(["mul", a.json(), b.json()]),
            Node::Less(a, b) => json!(["less", a.json(), b.json()]),
            Node::Equal(a, b) => json!(["equal", a.json(), b.json()]),
            Node::And(a, b) => json!(["and", a.json(), b.json()]),
            Node::Or(a, b) => json!(["or", a.json(), b.json()]),
            Node::Not(a) => json!(["not", a.json()]),
            Node::IsNull(a) => json!(["is_null", a.json()]),
            Node::Coalesce(a, b) => json!(["coalesce", a.json(), b.json()]),
            Node::When(a, b, c) => json!(["when", a.json(), b.json(), c.json()]),
            Node::Length(a) => json!(["length", a.json()]),
        }
    }
}

impl Aggregate {
    pub(super) fn json(self, node: &Node) -> Json {
        let name = match self {
            Aggregate::Sum => "sum",
            Aggregate::Min => "min",
            Aggregate::Max => "max",
            Aggregate::Count => "count",
            Aggregate::Len => "len",
            Aggregate::NUnique => "n_unique",
        };
        json!([name, node.json()])
    }
}

/// Returns columns and rows.
fn table(columns: &[(String, Kind)], rows: &[Vec<Value>]) -> Json {
    let cell = |value: &Value| match value {
        Value::Null => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Text(value) => json!(value),
    };
    let kind = |kind: Kind| match kind {
        Kind::Bool => "bool",
        Kind::Int => "int",
        Kind::Text => "text",
    };
    let columns: Vec<Json> = columns.iter().map(|(name, of)| json!([name, kind(*of)])).collect();
    let rows: Vec<Vec<Json>> = rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    json!({ "columns": columns, "rows": rows })
}

impl Rows {
    pub(super) fn json(&self) -> Json {
        table(&self.columns, &self.rows)
    }
}

#[test]
fn random_programs_equal_polars() {
    if !has_polars("random_programs_equal_polars") {
        return;
    }
    let programs: Vec<Json> = super::programs(|seed| {
        let (mut program, mut rng, other) = Program::random(seed);
        let start = program.naive.json();
        program.random_verbs(&mut rng, &other, |_| {});
        let Program { eager, naive, steps, verbs, .. } = program;
        let names = eager.names().map(str::to_owned);
        let columns: Vec<_> = names.zip(naive.columns.iter().map(|(_, kind)| *kind)).collect();
        let found = table(&columns, &rows_of(&eager));
        let types: Vec<String> = eager.columns().iter().map(|(_, column)| polars_name(column.data_type())).collect();
        json!({
            "seed": seed, "start": start, "steps": steps, "verbs": verbs,
            "found": found, "types": types, "ordered": naive.is_ordered,
        })
    });
    run_script("frame_programs.py", &json!(programs));
}
