//! TPC-H on Parquet files through gdf, with checked answers: `cargo run --release --example tpch`.
//!
//! Makes the tables (once), loads the needed columns onto the chosen device, runs the queries and
//! compares their results with the known answers.

mod answers;
mod check;
mod cli;
mod device;
mod generate;
mod load;
mod queries;
mod report;
mod sheet;

use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use arrow_array::RecordBatch;
use clap::Parser;
use gdf::io::Batch;

use crate::check::Verdict;
use crate::cli::Options;
use crate::load::Database;
use crate::queries::Query;
use crate::report::Outcome;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether every query ran and no answer differs.
fn run(options: &Options) -> anyhow::Result<bool> {
    gdf::log::init_from_env()?;
    let mut out = io::stdout().lock();
    answers::check_folder(options.answers.as_deref())?;
    let chosen = options.device.open().context("the device does not work")?;
    writeln!(out, "device: {chosen}")?;

    let queries = options.chosen_queries();
    let reads = queries::reads_of(&queries);
    let folder = match &options.data {
        Some(folder) => folder.clone(),
        None => {
            let folder = generate::default_folder(options.scale);
            for table in reads.keys() {
                generate::ensure(&folder, *table, options.scale)?;
            }
            folder
        }
    };
    writeln!(out, "data:   {} (scale {})", folder.display(), options.scale)?;

    let started = Instant::now();
    let mut db = Database::new(chosen.device, options.scale);
    let mut loaded = Vec::new();
    for (table, columns) in &reads {
        let rows = db.load(&folder, *table, columns)?;
        loaded.push(format!("{table}: {rows} rows, {} columns", columns.len()));
    }
    let load_ms = milliseconds(started);
    writeln!(out, "load:   {load_ms:.1} ms ({})\n", loaded.join("; "))?;

    if let Some(folder) = &options.out {
        fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    }
    let outcomes = queries.iter().map(|query| run_query(query, &db, options)).collect::<anyhow::Result<Vec<_>>>()?;
    report::write_table(&mut out, &outcomes)?;
    if let Some(path) = &options.json {
        let json = report::to_json(&chosen.device.to_string(), options.scale, load_ms, &outcomes);
        fs::write(path, format!("{json}\n")).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(outcomes.iter().all(|outcome| outcome.verdict.is_acceptable()))
}

/// Runs a query as often as asked and checks every result; writes the first one. An error of the
/// query itself is its outcome, so that the others still run.
fn run_query(query: &Query, db: &Database, options: &Options) -> anyhow::Result<Outcome> {
    let answer = answers::find(options.answers.as_deref(), options.scale, query.number)?;
    let mut outcome = Outcome { query: query.number, rows: 0, ms: Vec::new(), verdict: Verdict::Unchecked };
    for _ in 0..options.repeat {
        let started = Instant::now();
        let result = (query.run)(db);
        let ms = milliseconds(started);
        let result = match result {
            Ok(result) => result,
            Err(error) => {
                outcome.verdict = Verdict::Failed(format!("{:#}", anyhow::Error::new(error)));
                break;
            }
        };
        if outcome.ms.is_empty() {
            outcome.rows = result.num_rows();
            write_result(query, &result, options)?;
        }
        outcome.ms.push(ms);
        if let Some(answer) = &answer {
            outcome.verdict = check::check(&result, answer, query.order_by)?;
        }
        if !outcome.verdict.is_acceptable() {
            break;
        }
    }
    Ok(outcome)
}

fn write_result(query: &Query, result: &RecordBatch, options: &Options) -> anyhow::Result<()> {
    let Some(folder) = &options.out else { return Ok(()) };
    let path = folder.join(answers::file_name(query.number));
    Ok(gdf::io::write_csv(&Batch::from_arrow(result)?, &path)?)
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
