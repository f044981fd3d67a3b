//! Random programs beside polars: a Python script runs the verbs of each program, and compares the rows.

use std::process::Command;

use serde_json::{Value as Json, json};

use super::naive::{Aggregate, Kind, Node, Rows, Value};
use super::{Program, rows_of};

/// The variable that names a Python with polars. Without the variable, the test is skipped.
const PYTHON: &str = "GDF_TEST_POLARS";

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/peers/frame_programs.py");

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
    let Some(python) = std::env::var_os(PYTHON).filter(|python| !python.is_empty()) else {
        println!("skipped random_programs_equal_polars: {PYTHON} names no Python with polars");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("programs.json");
    let programs: Vec<Json> = super::programs(|seed| {
        let (mut program, mut rng, other) = Program::random(seed);
        let start = program.naive.json();
        program.random_verbs(&mut rng, &other, |_| {});
        let Program { eager, naive, steps, verbs, .. } = program;
        let names = eager.columns().iter().map(|(name, _)| name.to_string());
        let columns: Vec<_> = names.zip(naive.columns.iter().map(|(_, kind)| *kind)).collect();
        let found = table(&columns, &rows_of(&eager));
        json!({ "seed": seed, "start": start, "steps": steps, "verbs": verbs, "found": found, "ordered": naive.is_ordered })
    });
    std::fs::write(&path, serde_json::to_vec(&programs).unwrap()).unwrap();
    let run = Command::new(&python).arg(SCRIPT).arg(&path).output();
    let run = run.unwrap_or_else(|error| panic!("{PYTHON} names {}: {error}", python.display()));
    let (output, errors) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    println!("{output}");
    assert!(run.status.success(), "{output}\n{errors}");
}
