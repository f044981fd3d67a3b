//! Counts how many queries of a benchmark gdf runs, and compares their rows with the rows of DataFusion:
//! `cargo run --package gdf-distributed --example coverage tpcds SCALE [DEVICE]` or `… clickbench ROWS [DEVICE]`.
//! With the name of a query after the device, such as `q6`, only that query runs, and its plan is printed.
//!
//! The texts of the queries are in the package datafusion-distributed, which cargo has fetched. The tables are
//! generated.

mod clickbench;
mod tpcds;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{Array, ArrayRef, RecordBatch};
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::datasource::MemTable;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use gdf_datafusion::{Device, Fallback, GdfExec, GdfOptions, GdfSession, GdfTable, explain};

pub(crate) type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

/// The bytes that an island, and a run of DataFusion, may hold beside the tables. Islands that need more run in
/// batches.
const MEMORY_LIMIT: usize = 6 << 30;

/// A table with its name.
pub(crate) type Named = (&'static str, Vec<RecordBatch>);

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = "usage: coverage (tpcds SCALE | clickbench ROWS) [DEVICE] [QUERY]";
    let (benchmark, size) = match arguments.as_slice() {
        [benchmark, size, ..] => (benchmark.as_str(), size),
        _ => return Err(usage.into()),
    };
    let device: Device = arguments.get(2).map_or(Ok(Device::Cpu), |name| name.parse())?;
    let tables = match benchmark {
        "tpcds" => tpcds::tables(size.parse()?)?,
        "clickbench" => vec![("hits", vec![clickbench::hits(size.parse()?)?])],
        _ => return Err(usage.into()),
    };
    let runtime = RuntimeEnvBuilder::new().with_memory_limit(MEMORY_LIMIT, 1.0).build_arc()?;
    let config = SessionConfig::new().with_target_partitions(1);
    let plain = SessionContext::new_with_config_rt(config, Arc::clone(&runtime));
    // Query 72 of TPC-DS joins a billion rows at scale 1.
    let options = GdfOptions::on(device).with_fallback(Fallback::Forbidden).with_memory_limit(MEMORY_LIMIT);
    let base = SessionContext::new_with_config_rt(SessionConfig::new(), runtime);
    // gdf is added to a session only once. A second planner would find the islands of the first planner.
    let ctx = base.clone().with_gdf(options.clone());
    let verifying = GdfOptions::on(device).with_fallback(Fallback::Forbidden).with_memory_limit(MEMORY_LIMIT);
    let verifying = verifying.with_verify(true);
    let checked = base.with_gdf(verifying.clone());
    for (name, batches) in tables {
        ctx.register_table(name, Arc::new(GdfTable::from_batches(&batches, device)?))?;
        plain.register_table(name, Arc::new(MemTable::try_new(batches[0].schema(), vec![batches])?))?;
    }
    let only = arguments.get(3);
    let mut report = Report::default();
    for (name, query) in queries(benchmark)?.into_iter().filter(|(name, _)| only.is_none_or(|only| only == name)) {
        let outcome = match compared(&ctx, &plain, &query, &mut report.reasons).await {
            // DataFusion has failed with its own join order. With the join order of gdf it may have enough memory, so
            // it runs the nodes of each island.
            Outcome::Unchecked(error) => verified(&checked, &verifying, &query, error).await,
            outcome => outcome,
        };
        println!("{name}: {outcome}");
        if only.is_some() {
            println!("{}", explain(&ctx.sql(&query).await?.create_physical_plan().await?));
        }
        *report.outcomes.entry(outcome.kind()).or_default() += 1;
    }
    println!("\n{:?}", report.outcomes);
    for (reason, count) in report.reasons {
        println!("{count} nodes: {reason}");
    }
    Ok(())
}

#[derive(Default)]
struct Report {
    outcomes: BTreeMap<String, usize>,
    reasons: BTreeMap<String, usize>,
}

enum Outcome {
    NotPlanned(String),
    Failed(String),
    Different(String),
    /// DataFusion without gdf returned an error, so there are no rows to compare.
    Unchecked(String),
    /// DataFusion returned an error for its own plan, and the same rows as gdf for the nodes of the islands.
    OfIslands {
        error: String,
        rows: usize,
        both: Duration,
    },
    Equal {
        where_run: &'static str,
        what: &'static str,
        rows: usize,
        gdf: Duration,
        datafusion: Duration,
    },
}

impl Outcome {
    fn kind(&self) -> String {
        match self {
            Outcome::NotPlanned(_) => "not planned by DataFusion".to_owned(),
            Outcome::Failed(_) => "failed".to_owned(),
            Outcome::Different(_) => "different".to_owned(),
            Outcome::Unchecked(_) => "DataFusion alone fails".to_owned(),
            Outcome::OfIslands { .. } => "DataFusion's plan fails, its run of the islands has equal rows".to_owned(),
            Outcome::Equal { where_run, what, .. } => format!("{where_run}, {what}"),
        }
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Outcome::NotPlanned(error) => write!(f, "not planned by DataFusion: {error}"),
            Outcome::Failed(error) => write!(f, "failed: {error}"),
            Outcome::Different(how) => write!(f, "different: {how}"),
            Outcome::Unchecked(error) => write!(f, "DataFusion alone fails: {error}"),
            Outcome::OfIslands { error, rows, both } => {
                write!(
                    f,
                    "{rows} rows, equal to DataFusion's run of the islands ({both:.1?} for both); its own plan: {error}"
                )
            }
            Outcome::Equal { where_run, what, rows, gdf, datafusion } => {
                write!(f, "{where_run}, {what}, {rows} rows, gdf {gdf:.1?}, DataFusion {datafusion:.1?}")
            }
        }
    }
}

/// Runs a query. Each island is compared with the nodes that it replaces.
async fn verified(checked: &SessionContext, options: &GdfOptions, query: &str, error: String) -> Outcome {
    let started = Instant::now();
    let before = options.counts().verified;
    let result = async { checked.sql(query).await?.collect().await };
    match result.await {
        Ok(_) if options.counts().verified == before => Outcome::Unchecked(format!("{error}; no island was verified")),
        Ok(batches) => {
            let rows = batches.iter().map(RecordBatch::num_rows).sum();
            Outcome::OfIslands { error, rows, both: started.elapsed() }
        }
        Err(failure) => Outcome::Unchecked(format!("{error}; the nodes of the islands: {}", failure.strip_backtrace())),
    }
}

async fn compared(
    ctx: &SessionContext,
    plain: &SessionContext,
    query: &str,
    reasons: &mut BTreeMap<String, usize>,
) -> Outcome {
    let started = Instant::now();
    let expected = match plain.sql(query).await {
        Ok(frame) => match frame.create_physical_plan().await {
            Ok(plan) => datafusion::physical_plan::collect(plan, plain.task_ctx()).await,
            Err(error) => return Outcome::NotPlanned(error.strip_backtrace()),
        },
        Err(error) => return Outcome::NotPlanned(error.strip_backtrace()),
    };
    let datafusion = started.elapsed();
    let started = Instant::now();
    let planned = async { ctx.sql(query).await?.create_physical_plan().await };
    let plan = match planned.await {
        Ok(plan) => plan,
        Err(error) => return Outcome::Failed(error.strip_backtrace()),
    };
    let found = datafusion::physical_plan::collect(Arc::clone(&plan), ctx.task_ctx()).await;
    let gdf = started.elapsed();
    let text = explain(&plan);
    for reason in text.lines().filter_map(|line| line.split_once("[DataFusion: ")) {
        *reasons.entry(reason.1.trim_end_matches(']').to_owned()).or_default() += 1;
    }
    let (found, expected) = match (found, expected) {
        (Ok(found), Ok(expected)) => (lines(&found), lines(&expected)),
        (Err(error), Err(_)) => return Outcome::Failed(format!("in both: {}", error.strip_backtrace())),
        (Err(error), Ok(_)) => return Outcome::Failed(error.strip_backtrace()),
        (Ok(_), Err(error)) => return Outcome::Unchecked(error.strip_backtrace()),
    };
    let where_run = match (islands(&plan), is_whole(&plan)) {
        (_, true) => "one island",
        (0, _) => "no island",
        _ => "several islands",
    };
    let rows = expected.len();
    let same = |what| Outcome::Equal { where_run, what, rows, gdf, datafusion };
    if found == expected {
        return same("equal rows");
    }
    // If rows have equal keys, a limit may keep any of them.
    if found.len() == expected.len() && query.to_ascii_uppercase().contains("LIMIT") {
        return same("equal number of rows, cut by LIMIT");
    }
    let first = found.iter().zip(&expected).find(|(found, expected)| found != expected);
    Outcome::Different(format!("{} rows, expected {rows}; first: {first:?}", found.len()))
}

fn is_whole(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let island = plan.downcast_ref::<GdfExec>();
    island.is_some_and(|island| island.children().is_empty())
}

fn islands(plan: &Arc<dyn ExecutionPlan>) -> usize {
    usize::from(plan.is::<GdfExec>()) + plan.children().into_iter().map(islands).sum::<usize>()
}

/// Returns the rows as sorted lines of text, with nine digits of each float.
fn lines(batches: &[RecordBatch]) -> Vec<String> {
    let mut lines = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            let cell = |column: &ArrayRef| {
                let text = array_value_to_string(column, row).unwrap_or_else(|error| error.to_string());
                let is_float = column.data_type().is_floating();
                match text.parse::<f64>().ok().filter(|_| is_float) {
                    Some(number) => format!("{number:.8e}"),
                    None => text,
                }
            };
            lines.push(batch.columns().iter().map(cell).collect::<Vec<_>>().join("|"));
        }
    }
    lines.sort();
    lines
}

/// Returns the names and texts of the queries of a benchmark.
fn queries(benchmark: &str) -> Result<Vec<(String, String)>> {
    let folder = package("datafusion-distributed")?.join("testdata").join(benchmark).join("queries");
    let mut queries = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let number: usize = name.trim_start_matches('q').parse()?;
        queries.push((number, name, std::fs::read_to_string(&path)?));
    }
    queries.sort();
    Ok(queries.into_iter().map(|(_, name, text)| (name, text)).collect())
}

/// Returns the folder of a package that cargo has fetched.
fn package(name: &str) -> Result<PathBuf> {
    let output = Command::new("cargo").args(["metadata", "--format-version", "1", "--offline"]).output()?;
    if !output.status.success() {
        let reported = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`cargo metadata --offline` failed; run `cargo fetch` first: {reported}").into());
    }
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let found = packages.iter().find(|package| package["name"] == name);
    let manifest = found.and_then(|package| package["manifest_path"].as_str());
    let manifest = PathBuf::from(manifest.ok_or_else(|| format!("cargo metadata does not list the package {name}"))?);
    Ok(manifest.parent().unwrap_or(&manifest).to_owned())
}
