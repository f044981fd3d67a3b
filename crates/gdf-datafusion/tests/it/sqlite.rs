//! Runs the sqllogictest files of SQLite, which have the rows that SQLite, PostgreSQL and others agree on.
//!
//! The test runs if the variable `GDF_SQLITE_TESTS` names the folder with `select1.test` to `select5.test` and
//! `evidence`; the step `datafusion` of `cargo xtask ci` sets it. Rows that differ fail the test, unless rows are
//! missing because a statement of SQLite, such as `INSERT OR REPLACE`, is refused. Statements that are refused are
//! counted by the start of the error.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use datafusion::arrow::compute::cast;
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::prelude::SessionContext;
use gdf_core::{Column, Table};
use gdf_datafusion::{GdfOptions, GdfSession, PlanCache};
use sqllogictest::{Condition, DefaultColumnType, QueryExpect, Record, SortMode, StatementExpect, parse_with_name};

use crate::kit::device;

/// Returns whether a record is for another database than SQLite.
fn is_for_others(conditions: &[Condition]) -> bool {
    conditions.iter().any(|condition| match condition {
        Condition::OnlyIf { label } => label != "sqlite",
        Condition::SkipIf { label } => label == "sqlite",
    })
}

/// Returns the values of a result in the form of SQLite's files.
fn values(batches: &[RecordBatch], types: &[DefaultColumnType]) -> Result<Vec<Vec<String>>, String> {
    let mut rows = Vec::new();
    for batch in batches {
        if batch.num_columns() != types.len() {
            return Err(format!("{} columns, expected {}", batch.num_columns(), types.len()));
        }
        for row in 0..batch.num_rows() {
            let cell = |(column, of): (&arrow_array::ArrayRef, &DefaultColumnType)| {
                use arrow_schema::DataType::{Float64, Int64};
                let shown =
                    |column: &arrow_array::ArrayRef| array_value_to_string(column, row).map_err(|e| e.to_string());
                if column.is_null(row) {
                    return Ok("NULL".to_owned());
                }
                Ok::<String, String>(match of {
                    DefaultColumnType::Integer if column.data_type().is_numeric() => {
                        shown(&cast(column, &Int64).map_err(|error| error.to_string())?)?
                    }
                    DefaultColumnType::FloatingPoint if column.data_type().is_numeric() => {
                        let value = shown(&cast(column, &Float64).map_err(|error| error.to_string())?)?;
                        format!("{:.3}", value.parse::<f64>().map_err(|error| error.to_string())?)
                    }
                    _ => match shown(column)?.as_str() {
                        "" => "(empty)".to_owned(),
                        "true" => "1".to_owned(),
                        "false" => "0".to_owned(),
                        text => text.to_owned(),
                    },
                })
            };
            rows.push(batch.columns().iter().zip(types).map(cell).collect::<Result<Vec<_>, _>>()?);
        }
    }
    Ok(rows)
}

/// Returns the values in the order and form of the expected ones, which may be a digest.
fn in_form(mut rows: Vec<Vec<String>>, sort_mode: Option<SortMode>, expected: &[String]) -> Vec<String> {
    if sort_mode == Some(SortMode::RowSort) {
        rows.sort_unstable();
    }
    let mut values: Vec<String> = rows.into_iter().flatten().collect();
    if sort_mode == Some(SortMode::ValueSort) {
        values.sort_unstable();
    }
    if !matches!(expected, [only] if only.contains(" values hashing to ")) {
        return values;
    }
    let text: String = values.iter().map(|value| format!("{value}\n")).collect();
    let text = Table::try_new(vec![Column::from_strs([Some(text.as_str())]).unwrap()]).unwrap();
    let digest = gdf_api::hashing::md5(&text).unwrap().to_strings().unwrap();
    vec![format!("{} values hashing to {}", values.len(), digest[0].as_deref().unwrap())]
}

#[derive(Default)]
struct Counts {
    same: usize,
    /// The number of queries with other rows, because rows that a refused statement would have written are missing.
    without_rows: usize,
    refused: BTreeMap<String, usize>,
    different: Vec<String>,
}

/// Returns the text of a file without what the parser does not know: comments behind conditions, and the ends of files
/// for other databases than SQLite.
fn script(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines() {
        let is_condition = line.starts_with("onlyif ") || line.starts_with("skipif ");
        let line = if is_condition { line.split('#').next().unwrap_or_default().trim_end() } else { line };
        if line == "halt" && lines.last().is_some_and(|of| of.starts_with("onlyif ") && *of != "onlyif sqlite") {
            lines.pop();
        } else {
            lines.push(line);
        }
    }
    lines.join("\n") + "\n"
}

async fn run(path: &Path, counts: &mut Counts) {
    let ctx = SessionContext::new().with_gdf(GdfOptions::on(device()));
    let cache = PlanCache::new(ctx, 10);
    let mut has_all_rows = true;
    let records = parse_with_name::<DefaultColumnType>(&script(path), path.display().to_string());
    for record in records.unwrap_or_else(|error| panic!("{error}")) {
        match record {
            Record::Halt { .. } => break,
            Record::Statement { conditions, sql, expected, .. } if !is_for_others(&conditions) => {
                let found = cache.collect(&sql, &[]).await;
                match (expected, found) {
                    (StatementExpect::Ok | StatementExpect::Count(_), Err(error)) => {
                        *counts.refused.entry(kind(&error.to_string())).or_default() += 1;
                        has_all_rows &= !["INSERT ", "REPLACE ", "UPDATE "].iter().any(|verb| sql.starts_with(verb));
                    }
                    // SQLite refuses more than others, such as a second index of one name.
                    _ => counts.same += 1,
                }
            }
            Record::Query { conditions, sql, expected, loc, .. } if !is_for_others(&conditions) => {
                let QueryExpect::Results { types, sort_mode, results, .. } = expected else { continue };
                let found = match cache.collect(&sql, &[]).await {
                    Ok(found) => found,
                    Err(error) => {
                        *counts.refused.entry(kind(&error.to_string())).or_default() += 1;
                        continue;
                    }
                };
                let found = values(&found, &types).map(|rows| in_form(rows, sort_mode, &results));
                if found.as_ref().is_ok_and(|found| *found == results) {
                    counts.same += 1;
                } else if !has_all_rows {
                    counts.without_rows += 1;
                } else {
                    counts
                        .different
                        .push(format!("{loc}\n    {sql}\n    expected {results:?}\n    found    {found:?}"));
                }
            }
            _ => {}
        }
    }
}

/// Returns the start of an error, without the names and numbers in it.
fn kind(error: &str) -> String {
    let start: String = error.lines().next().unwrap_or_default().chars().take(60).collect();
    start.split('\'').next().unwrap_or_default().chars().filter(|c| !c.is_ascii_digit()).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = (1..=5).map(|number| folder.join(format!("select{number}.test"))).collect();
    let evidence = fs::read_dir(folder.join("evidence")).unwrap().map(|entry| entry.unwrap().path());
    let mut evidence: Vec<PathBuf> = evidence.filter(|path| path.extension().is_some_and(|of| of == "test")).collect();
    evidence.sort();
    files.extend(evidence);
    files
}

#[tokio::test]
async fn files_of_sqlite_have_the_expected_rows() {
    let Some(folder) = std::env::var_os("GDF_SQLITE_TESTS") else {
        println!("skipped: GDF_SQLITE_TESTS names no folder with the sqllogictest files of SQLite");
        return;
    };
    let (mut same, mut different) = (0, Vec::new());
    for path in files(Path::new(&folder)) {
        let mut counts = Counts::default();
        run(&path, &mut counts).await;
        println!("{}: {} as expected", path.file_name().unwrap().display(), counts.same);
        println!("    {} with missing rows", counts.without_rows);
        counts.refused.iter().for_each(|(error, count)| println!("    {count} refused: {error}"));
        same += counts.same;
        different.extend(counts.different);
    }
    assert!(different.is_empty(), "{} differ\n{}", different.len(), different.join("\n"));
    assert!(same > 10_800, "{same}");
}
