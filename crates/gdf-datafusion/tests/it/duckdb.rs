//! Compares the rows of random queries and of scalar expressions with the rows of DuckDB.
//!
//! DataFusion plans for gdf, so a defect of its planner is in the rows of both. DuckDB shares no code with them. The
//! test runs if the variable `GDF_DUCKDB_PYTHON` names a Python program that has the package `duckdb`; the step
//! `datafusion` of `cargo xtask ci` sets it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use arrow_array::{Array, RecordBatch};
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::prelude::SessionContext;
use gdf_datafusion::GdfSession;
use rand::SeedableRng;
use rand::rngs::SmallRng;

use crate::kit::strict;
use crate::random::{Dialect, Writer, is_division_by_zero};
use crate::small::files;

/// The numbers of queries and of expressions. `GDF_SQL_QUERIES` overrides the first.
const QUERIES: u64 = 600;
const EXPRESSIONS: u64 = 500;

type Rows = Vec<Vec<Option<String>>>;

/// A process that runs statements with DuckDB.
struct DuckDb {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl DuckDb {
    /// Returns no process if the variable is not set.
    fn start(folder: &Path) -> Option<DuckDb> {
        let Some(python) = std::env::var_os("GDF_DUCKDB_PYTHON") else {
            println!("skipped: GDF_DUCKDB_PYTHON names no Python program with the package duckdb");
            return None;
        };
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/duckdb/rows.py");
        let mut command = Command::new(python);
        command.arg(script).arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let (input, output) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        Some(DuckDb { process, input, output })
    }

    fn rows(&mut self, statement: &str) -> Result<Rows, String> {
        writeln!(self.input, "{}", serde_json::to_string(statement).unwrap()).unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let answer: serde_json::Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        match answer.get("error") {
            Some(error) => Err(error.as_str().unwrap().to_owned()),
            None => Ok(serde_json::from_value(answer["rows"].clone()).unwrap()),
        }
    }
}

impl Drop for DuckDb {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn rows(batches: &[RecordBatch]) -> Rows {
    let cell =
        |column: &dyn Array, row: usize| (!column.is_null(row)).then(|| array_value_to_string(column, row).unwrap());
    let of = |batch: &RecordBatch| {
        (0..batch.num_rows()).map(|row| batch.columns().iter().map(|column| cell(column, row)).collect()).collect()
    };
    batches.iter().flat_map(|batch: &RecordBatch| -> Rows { of(batch) }).collect()
}

/// Returns whether two cells are the same value. Numbers may differ by the digits that a quotient or a mean of decimals
/// has.
fn same(a: &Option<String>, b: &Option<String>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return a == b };
    if a == b {
        return true;
    }
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) if a.is_nan() || b.is_nan() => a.is_nan() && b.is_nan(),
        (Ok(a), Ok(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()) + 1.01e-4 || a == b,
        // DuckDB returns a timestamp for a date that an interval moves.
        _ => a.strip_suffix("T00:00:00").unwrap_or(a) == b.strip_suffix(" 00:00:00").unwrap_or(b),
    }
}

/// Returns whether the rows are the same in any order.
fn same_rows(found: &Rows, expected: &Rows) -> bool {
    let mut left: Vec<&Vec<Option<String>>> = expected.iter().collect();
    found.len() == expected.len()
        && found.iter().all(|row| {
            let same = |other: &&Vec<Option<String>>| row.iter().zip(other.iter()).all(|(a, b)| same(a, b));
            left.iter().position(same).map(|at| left.swap_remove(at)).is_some()
        })
}

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Equal,
    /// DuckDB refuses the statement, or it fails there (integers that do not fit).
    FailsInDuckDb,
    /// A division by zero, for which DuckDB has null.
    DividesByZero,
    /// DataFusion cannot plan the statement, or it fails for another reason.
    FailsInGdf,
    /// A difference that the README lists.
    Listed(&'static str),
}

/// The differences that the README of gdf-datafusion lists under "Beside DuckDB": a test of the statement, and the reason.
type Difference = (fn(&str) -> bool, &'static str);

const LISTED: [Difference; 3] = [
    (|text| text.contains("TRY_CAST("), "text with a fraction becomes an integer in DuckDB"),
    (|text| text.contains(" / ") && text.contains("AS VARCHAR"), "a quotient of decimals is a double in DuckDB"),
    (|text| text.contains("DISTINCT") && has_fraction(text), "a number with a fraction is a decimal in DuckDB"),
];

/// Returns whether a statement has a number with a fraction and without an exponent.
fn has_fraction(text: &str) -> bool {
    let is_number = |c: char| c.is_ascii_digit() || c == '.' || c == 'e';
    let mut numbers = text.split(|c: char| !is_number(c)).filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    numbers.any(|number| number.contains('.') && !number.contains('e'))
}

async fn compare(ctx: &SessionContext, peer: &mut DuckDb, ours: &str, theirs: &str) -> Result<Outcome, String> {
    let found = match ctx.sql(ours).await {
        Ok(frame) => frame.collect().await,
        Err(error) => Err(error),
    };
    let expected = peer.rows(theirs);
    match (found, expected) {
        (_, Err(_)) => Ok(Outcome::FailsInDuckDb),
        (Err(error), Ok(_)) if is_division_by_zero(&error) => Ok(Outcome::DividesByZero),
        (Err(error), Ok(_)) => {
            println!("fails in gdf: {ours}\n    {}", error.to_string().lines().next().unwrap_or_default());
            Ok(Outcome::FailsInGdf)
        }
        (Ok(found), Ok(expected)) => {
            let found = rows(&found);
            if same_rows(&found, &expected) {
                return Ok(Outcome::Equal);
            }
            let listed = LISTED.iter().find(|(is_of, _)| is_of(ours));
            listed.map(|(_, reason)| Outcome::Listed(reason)).ok_or_else(|| {
                let only = |rows: &Rows, others: &Rows| {
                    let is_alone = |row: &&Vec<Option<String>>| {
                        !others.iter().any(|other| row.iter().zip(other).all(|(a, b)| same(a, b)))
                    };
                    let alone: Vec<String> =
                        rows.iter().filter(is_alone).take(3).map(|row| format!("{row:?}")).collect();
                    format!("{} rows, {}", rows.len(), alone.join(" "))
                };
                format!("gdf: {}\nDuckDB: {}", only(&found, &expected), only(&expected, &found))
            })
        }
    }
}

/// Compares the statements, prints how many had which outcome, and fails with all differences that are not listed.
async fn compare_all(statements: impl Iterator<Item = (u64, String, String)>, min_share: f64) {
    let folder = tempfile::tempdir().unwrap();
    let ctx = files(folder.path()).with_gdf(strict().with_verify(false));
    let Some(mut peer) = DuckDb::start(folder.path()) else { return };
    let mut outcomes: BTreeMap<Outcome, u64> = BTreeMap::new();
    let mut differences = Vec::new();
    for (number, ours, theirs) in statements {
        match compare(&ctx, &mut peer, &ours, &theirs).await {
            Ok(outcome) => *outcomes.entry(outcome).or_default() += 1,
            Err(text) => differences.push(format!("{number}: {ours}\n{text}")),
        }
    }
    println!("{outcomes:?}, {} differences", differences.len());
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
    let total: u64 = outcomes.values().sum();
    let equal = outcomes.get(&Outcome::Equal).copied().unwrap_or_default();
    assert!(equal as f64 >= min_share * total as f64, "{equal} of {total} statements are equal");
}

#[tokio::test]
async fn random_queries_have_the_rows_of_duckdb() {
    let queries = std::env::var("GDF_SQL_QUERIES").ok().and_then(|text| text.parse().ok()).unwrap_or(QUERIES);
    let statement = |number: u64, dialect| {
        let mut writer = Writer::new(SmallRng::seed_from_u64(number), dialect);
        writer.query_without_lists()
    };
    let statements =
        (0..queries).map(|number| (number, statement(number, Dialect::DataFusion), statement(number, Dialect::DuckDb)));
    compare_all(statements, 0.6).await;
}

#[tokio::test]
async fn scalar_expressions_have_the_values_of_duckdb() {
    let statement = |number: u64, dialect| {
        let mut writer = Writer::new(SmallRng::seed_from_u64(number), dialect);
        writer.scalars()
    };
    let statements = (0..EXPRESSIONS)
        .map(|number| (number, statement(number, Dialect::DataFusion), statement(number, Dialect::DuckDb)));
    compare_all(statements, 0.6).await;
}

#[test]
fn differences_are_found() {
    let cells = |texts: &[&str]| -> Vec<Option<String>> {
        texts.iter().map(|text| (*text != "null").then(|| (*text).to_owned())).collect()
    };
    let rows = |rows: &[&[&str]]| -> Rows { rows.iter().map(|row| cells(row)).collect() };
    let a = rows(&[&["1", "x"], &["1", "x"], &["null", "2.50"]]);
    assert!(same_rows(&a, &rows(&[&["null", "2.5"], &["1.0", "x"], &["1", "x"]])));
    assert!(!same_rows(&a, &rows(&[&["1", "x"], &["null", "2.5"], &["null", "2.5"]])));
    assert!(!same_rows(&a, &rows(&[&["1", "x"], &["1", "x"]])));
    assert!(!same_rows(&rows(&[&["null"]]), &rows(&[&["0"]])) && !same_rows(&rows(&[&["1"]]), &rows(&[&["1.01"]])));
    assert!(same_rows(&rows(&[&["NaN"]]), &rows(&[&["nan"]])) && !same_rows(&rows(&[&["NaN"]]), &rows(&[&["1"]])));
    assert!(has_fraction("a - 11.6") && !has_fraction("f > 2.25e0 AND \"am\" = 3"));
    assert!(same_rows(&rows(&[&["2020-01-01"]]), &rows(&[&["2020-01-01 00:00:00"]])));
}
