//! TPC-H on Parquet files through gdf, with checked answers: `cargo run --release --example tpch`.
//!
//! The program generates the tables, either once as files or in memory. It loads the columns that the queries read to
//! the chosen device, runs the queries, and compares their results with the known answers.

mod answers;
mod check;
mod cli;
mod columns;
mod costs;
mod device;
mod gather;
mod generate;
mod load;
mod parts;
mod queries;
mod report;
mod schema;
mod sheet;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use arrow_array::RecordBatch;
use clap::Parser;
use gdf::io::Batch;
use gdf::memory::{
    HostResource, Resource, SpillManager, SpillOptions, SpillStatisticsLevel, StatisticsResource, current_resource,
};
use gdf::scope::{self, current_stream};
use indicatif::HumanBytes;

use crate::check::Verdict;
use crate::cli::Options;
use crate::generate::TpchTable;
use crate::load::Database;
use crate::queries::{Query, reads_of};
use crate::report::{Counts, Outcome};
use crate::sheet::Sheet;

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

/// Runs the program. Returns whether every query ran, no result differs from its answer, and no costs differ from their
/// snapshot.
fn run(options: &Options) -> anyhow::Result<bool> {
    gdf::log::init_from_env()?;
    let mut out = io::stdout().lock();
    answers::check_folder(options.answers.as_deref())?;
    let chosen = options.device.open().context("the device of the flag --device cannot be used")?;
    writeln!(out, "device: {chosen}")?;

    let queries = options.chosen_queries();
    let reads = reads_of(&queries);
    let started = Instant::now();
    let text_limit = options.text_limit.unwrap_or(usize::MAX);
    let mut db = match options.memory_limit {
        None => Database::new(chosen.device, options.scale, text_limit),
        Some(bytes) => {
            let limits = SpillOptions::new().with_hard_limit(bytes).with_statistics(SpillStatisticsLevel::Transfers);
            let limits = limits.with_host_limit(options.host_limit.unwrap_or(usize::MAX));
            let manager = SpillManager::new(current_resource(chosen.device)?, limits);
            Database::spillable(chosen.device, options.scale, text_limit, manager)
        }
    };
    let mut loaded = Vec::new();
    let folder = if options.in_memory { None } else { Some(data_folder(options, reads.keys())?) };
    match &folder {
        Some(folder) => writeln!(out, "data:   {} (scale {})", folder.display(), options.scale)?,
        None => writeln!(out, "data:   made in memory (scale {})", options.scale)?,
    }
    for (table, columns) in &reads {
        let rows = match &folder {
            Some(folder) => db.load(folder, *table, columns)?,
            None => db.make(*table, columns, options.part_rows)?,
        };
        loaded.push(format!("{table}: {rows} rows, {} columns", columns.len()));
    }
    let load_ms = milliseconds(started);
    writeln!(out, "load:   {load_ms:.1} ms ({})", loaded.join("; "))?;
    let host_peak = report::host_peak().map(|bytes| format!(", at most {} on the host", HumanBytes(bytes)));
    writeln!(out, "memory: {}{}\n", HumanBytes(db.bytes() as u64), host_peak.unwrap_or_default())?;

    if let Some(folder) = &options.out {
        fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    }
    let outcomes = queries.iter().map(|query| run_query(query, &db, options)).collect::<anyhow::Result<Vec<_>>>()?;
    report::write_table(&mut out, &outcomes)?;
    if let Some(manager) = db.manager() {
        let (peak, limit) = (manager.peak_bytes() as u64, manager.options().device_limit().unwrap_or(0) as u64);
        writeln!(out, "\nlimit: {}, peak: {}\n{}", HumanBytes(limit), HumanBytes(peak), manager.statistics())?;
    }
    if let Some(path) = &options.json {
        let json = report::to_json(&chosen.device.to_string(), options.scale, load_ms, &outcomes);
        fs::write(path, format!("{json}\n")).with_context(|| format!("cannot write the file {}", path.display()))?;
    }
    let differences = match &options.costs {
        Some(path) => costs::compare(path, &outcomes)?,
        None => Vec::new(),
    };
    differences.iter().try_for_each(|difference| writeln!(out, "{difference}"))?;
    Ok(differences.is_empty() && outcomes.iter().all(|outcome| outcome.verdict.is_acceptable()))
}

/// Returns the folder of the flag `--data`, or the default folder with all tables, generated if missing.
fn data_folder<'a>(options: &Options, tables: impl Iterator<Item = &'a TpchTable>) -> anyhow::Result<PathBuf> {
    if let Some(folder) = &options.data {
        return Ok(folder.clone());
    }
    let folder = generate::default_folder(options.scale);
    for table in tables {
        generate::ensure(&folder, *table, options.scale)?;
    }
    Ok(folder)
}

/// Runs a query as often as the flags state, checks every result, and writes the first. An error of the query is part
/// of the [`Outcome`], so that the other queries still run.
fn run_query(query: &Query, db: &Database, options: &Options) -> anyhow::Result<Outcome> {
    let answer = match answers::find(options.answers.as_deref(), options.scale, query.number)? {
        None if options.check_on_cpu => Some(answer_of_cpu(query, db)?),
        known => known,
    };
    let mut outcome = Outcome::new(query.number);
    let stream = current_stream(db.device())?;
    let resource = db.manager().map_or_else(|| current_resource(db.device()), |manager| Ok(manager.resource()))?;
    let watched = StatisticsResource::new(resource.clone());
    let untimed = options.untimed_runs();
    for turn in 0..untimed + options.repeat {
        let is_watched = turn + 1 == untimed;
        let used = if is_watched { Resource::new(watched.clone()) } else { resource.clone() };
        let run = || if is_watched && options.explain { explained(query, db) } else { query.run(db) };
        let (before, started) = (stream.counters(), Instant::now());
        let result = scope::with_device(db.device(), || scope::with_resource(&used, run));
        let (ms, calls) = (milliseconds(started), stream.counters() - before);
        let result = match result {
            Ok(result) => result,
            Err(error) => {
                outcome.verdict = Verdict::Failed(format!("{:#}", anyhow::Error::new(error)));
                break;
            }
        };
        if turn >= untimed {
            outcome.ms.push(ms);
        } else {
            let peak_bytes = watched.statistics().bytes.peak;
            outcome.counts = Some(Counts { peak_bytes, launches: calls.launches, waits: calls.waits });
        }
        outcome.rows = result.num_rows();
        if let Some(answer) = &answer {
            outcome.verdict = check::check(&result, answer, query.order_by)?;
        }
        if turn == 0 {
            write_result(query, &result, options)?;
        }
        if !outcome.verdict.is_acceptable() {
            break;
        }
    }
    Ok(outcome)
}

/// Returns the result of the query on the CPU, for a copy of the columns that it reads.
fn answer_of_cpu(query: &Query, db: &Database) -> anyhow::Result<Sheet> {
    // A plain resource returns freed memory to the system, where a pool would keep it from the next query.
    let plain = Resource::new(HostResource::new());
    scope::with_resource(&plain, || Ok(Sheet::from_batch(&query.run(&db.on_cpu(reads_of(&[query]))?)?)?))
}

/// Runs the query, and prints its operations with their pipelines, strategies, launches, waits and memory.
fn explained(query: &Query, db: &Database) -> gdf::Result<RecordBatch> {
    let (result, profile) = gdf::log::profile(db.device(), || query.run(db))?;
    println!("query {}\n{profile}", query.number);
    result
}

fn write_result(query: &Query, result: &RecordBatch, options: &Options) -> anyhow::Result<()> {
    let Some(folder) = &options.out else { return Ok(()) };
    let path = folder.join(answers::file_name(query.number));
    Ok(gdf::io::write_csv(&Batch::from_arrow(result)?, &path)?)
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
