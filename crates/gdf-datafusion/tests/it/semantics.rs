//! Statements that DataFusion 55 answers wrongly, or refuses, with the right rows.
//!
//! Each statement of `tests/semantics/cases.txt` runs over tables of gdf, over tables of DataFusion and over files, in a
//! session with gdf. The wrong rows of DataFusion alone are there too, so that a mended defect is found.

use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use datafusion::catalog::TableProvider;
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use gdf_datafusion::{GdfFiles, GdfOptions, GdfSession, GdfTable, PlanCache};
use gdf_io::{Batch, ParquetWriter};

use crate::kit::device;

const TABLES: [(&str, &str); 13] = [
    ("shops", "VALUES (1), (2), (3)) AS t (k)"),
    ("visits", "VALUES (2)) AS t (k)"),
    ("o", "VALUES (1, 1), (2, 2), (5, 9)) AS t (id, g)"),
    ("b", "VALUES (1, 1), (null, 2)) AS t (id, g)"),
    ("ta", "VALUES (1, 1), (2, 2), (3, null), (null, 4)) AS t (i, j)"),
    ("tb", "VALUES (1, 1), (null, 4)) AS t (i, j)"),
    ("l", "VALUES (1), (1), (1), (2), (2), (3), (null), (null)) AS t (v)"),
    ("r", "VALUES (1), (1), (2), (2), (2), (null), (4)) AS t (v)"),
    (
        "gaps",
        "VALUES (1, 11), (2, 12), (3, 13), (4, 14), (5, null), (6, null), (7, 17), (8, 18), (9, null)) AS t (id, v)",
    ),
    ("n", "VALUES (1, null, null, null), (2, 2.0, 1, 'x')) AS t (id, a, i, s)"),
    ("ms", "VALUES (1), (2)) AS t (v)"),
    ("t", "VALUES ('x', 1), ('y', 2)) AS t (s, a)"),
    ("u", "VALUES ('x', 1), ('z', 2), (null, 3)) AS t (s, b)"),
];

/// What the tables of a session are.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Resident,
    Memory,
    /// Parquet files in a folder.
    Files,
}

async fn tables(ctx: SessionContext, kind: Kind, folder: &Path) -> SessionContext {
    for (name, values) in TABLES {
        let columns = match name {
            "ms" => {
                "v, arrow_cast(v, 'Timestamp(Millisecond, None)') AS ts, arrow_cast(v * 1000, 'Time64(Microsecond)') AS tm"
            }
            _ => "*",
        };
        let plain = SessionContext::new();
        let batches = plain.sql(&format!("SELECT {columns} FROM ({values}")).await.unwrap().collect().await.unwrap();
        let table: Arc<dyn TableProvider> = match kind {
            Kind::Resident => Arc::new(GdfTable::from_batches(&batches, device()).unwrap()),
            Kind::Memory => Arc::new(MemTable::try_new(batches[0].schema(), vec![batches.clone()]).unwrap()),
            Kind::Files => {
                let path = folder.join(format!("{name}.parquet"));
                let rows = Batch::from_arrow(&batches[0]).unwrap();
                let mut writer = ParquetWriter::new(&path, rows.schema()).row_group_rows(2);
                writer.write(&rows).unwrap();
                writer.finish().unwrap();
                Arc::new(GdfFiles::open(&path).unwrap())
            }
        };
        ctx.register_table(name, table).unwrap();
    }
    ctx
}

#[derive(Debug, Default)]
struct Case {
    query: &'static str,
    /// Whether the statement is rewritten before it is planned.
    is_rewritten: bool,
    expected: &'static str,
    /// The answer of DataFusion alone, if it is wrong.
    wrong: Option<&'static str>,
    part: &'static str,
}

fn cases() -> Vec<Case> {
    let mut found: Vec<Case> = Vec::new();
    let mut part = "";
    for line in include_str!("../semantics/cases.txt").lines() {
        let (sign, rest) = line.split_at(line.len().min(1));
        match sign {
            "" => {}
            "#" => part = rest,
            "=" | "!" => found.last_mut().unwrap().expected = line,
            "~" => found.last_mut().unwrap().wrong = Some(rest.trim_start()),
            "@" => found.push(Case { query: rest.trim_start(), is_rewritten: true, part, ..Case::default() }),
            _ => found.push(Case { query: line, part, ..Case::default() }),
        }
    }
    assert!(found.len() > 130, "{}", found.len());
    found
}

/// Returns the rows as the file has them, in the order of their text.
fn rows(batches: &[RecordBatch]) -> String {
    crate::kit::lines_of_values(batches).join("; ")
}

fn sorted(rows: &str) -> String {
    let mut rows: Vec<&str> = rows.split("; ").collect();
    rows.sort_unstable();
    rows.join("; ")
}

fn failure(case: &Case, found: Result<Vec<RecordBatch>>) -> Option<String> {
    let what = match (case.expected.split_at(1), found) {
        (("=", expected), Ok(found)) if rows(&found) == sorted(expected.trim_start()) => return None,
        (("!", expected), Err(error)) if error.to_string().contains(expected.trim_start()) => return None,
        (_, Ok(found)) => rows(&found),
        (_, Err(error)) => error.to_string(),
    };
    Some(format!("{}\n    expected {}\n    found    {what}", case.query, case.expected))
}

#[tokio::test]
async fn statements_have_the_right_rows() {
    for kind in [Kind::Resident, Kind::Memory, Kind::Files] {
        let folder = tempfile::tempdir().unwrap();
        let ctx = tables(SessionContext::new().with_gdf(GdfOptions::on(device())), kind, folder.path()).await;
        let cache = PlanCache::new(ctx.clone(), 10);
        let mut failures = Vec::new();
        for case in cases() {
            if !case.is_rewritten {
                let found = async { ctx.sql(case.query).await?.collect().await };
                failures.extend(failure(&case, found.await));
            }
            // A statement that a session refuses may be rewritten.
            if !case.expected.starts_with('!') {
                failures.extend(failure(&case, cache.collect(case.query, &[]).await));
            }
        }
        assert!(failures.is_empty(), "{kind:?}\n{}", failures.join("\n"));
    }
}

/// A failure of this test is good news: a mend that is not needed any more can go.
#[tokio::test]
async fn datafusion_alone_still_has_the_defects() {
    let ctx = tables(SessionContext::new(), Kind::Memory, Path::new("")).await;
    let mut mended = Vec::new();
    for case in cases() {
        let Some(wrong) = case.wrong else { continue };
        let found = async { ctx.sql(case.query).await?.collect().await }.await;
        let is_wrong = match (wrong.strip_prefix('!'), &found) {
            (Some(part), Err(error)) => error.to_string().contains(part.trim_start()),
            (None, Ok(found)) => rows(found) == sorted(wrong),
            _ => false,
        };
        if !is_wrong {
            let found = found.map_or_else(|error| error.to_string(), |found| rows(&found));
            mended.push(format!("{}\n    {}\n    expected {wrong}\n    found    {found}", case.part, case.query));
        }
    }
    assert!(mended.is_empty(), "DataFusion alone answers otherwise; the rule may go:\n{}", mended.join("\n"));
}
