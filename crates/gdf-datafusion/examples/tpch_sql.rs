//! Times the 22 queries of TPC-H by their SQL, over tables that stay on a device.
//!
//! The program generates the tables itself, so that it runs on a machine without data:
//!
//! ```text
//! cargo run --release -p gdf-datafusion --example tpch_sql -- --scale 1 --device cpu --runs 5
//! ```

use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use clap::Parser;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::SessionContext;
use gdf_datafusion::{Device, Fallback, GdfExec, GdfOptions, GdfSession, GdfTable};
use tpchgen::generators as rows;
use tpchgen_arrow as arrow;

macro_rules! texts {
    ($($number:literal),*) => {
        [$(include_str!(concat!("../tests/tpch/q", $number, ".sql"))),*]
    };
}

const QUERIES: [&str; 22] = texts!(
    "01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19",
    "20", "21", "22"
);

/// Times the 22 queries of TPC-H by their SQL, over tables that stay on a device
#[derive(Debug, Parser)]
struct Options {
    /// Scale factor of the tables; 1 is about 1 GB of text
    #[arg(long, default_value_t = 0.1)]
    scale: f64,
    /// The device on which the queries run: cpu, cuda:0, …
    #[arg(long, default_value = "cpu")]
    device: Device,
    /// The number of runs of each query after the first one
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Numbers of the queries, separated by commas; all by default
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..=22))]
    queries: Vec<u8>,
    /// Let DataFusion run each query too, and compare the rows, before the times are taken
    #[arg(long)]
    verify: bool,
    /// Let no join pass on a set of its keys
    #[arg(long)]
    no_key_filters: bool,
    /// Show the pipelines of each query and their times
    #[arg(long)]
    explain: bool,
    /// Show the operations of each query and their times, too
    #[arg(long, requires = "explain")]
    operations: bool,
    /// The bytes of the device that a query may hold beside the tables
    #[arg(long)]
    memory_limit: Option<usize>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let asked = Options::parse();
    ensure!(asked.scale > 0.0, "the scale must be more than 0, found {}", asked.scale);
    let started = Instant::now();
    let tables = tables(asked.scale)?;
    println!("generated tables of scale {} in {:.1?}", asked.scale, started.elapsed());
    let started = Instant::now();
    let plain = SessionContext::new();
    for (name, batches) in &tables {
        plain.register_table(*name, Arc::new(GdfTable::from_batches(batches, asked.device)?))?;
    }
    drop(tables);
    println!("copied the tables to {} in {:.1?}", asked.device, started.elapsed());

    let options = GdfOptions::on(asked.device).with_fallback(Fallback::Forbidden);
    let options = options.with_key_filters(!asked.no_key_filters);
    let options = match asked.memory_limit {
        Some(bytes) => options.with_memory_limit(bytes),
        None => options,
    };
    let ctx = plain.clone().with_gdf(options.clone());
    let checked = plain.with_gdf(options.with_verify(true));
    let numbers = if asked.queries.is_empty() { (1..=22).collect() } else { asked.queries };
    println!("\n| query | rows | plan, first | plan, median | run, first | run, median | run, minimum |");
    println!("|---|---|---|---|---|---|---|");
    let mut sums = [Duration::ZERO; 5];
    for number in numbers {
        let text = QUERIES[usize::from(number) - 1].replace("{FRACTION}", &(0.0001 / asked.scale).to_string());
        let failed = || format!("query {number}");
        if asked.verify {
            checked.sql(&text).await?.collect().await.with_context(failed)?;
        }
        let (mut plans, mut runs, mut count) = (Vec::new(), Vec::new(), 0);
        let mut planned = Vec::new();
        for _ in 0..=asked.runs {
            let started = Instant::now();
            let plan = ctx.sql(&text).await?.create_physical_plan().await.with_context(failed)?;
            plans.push(started.elapsed());
            ensure!(is_one_island(&plan), "query {number} is not one island");
            planned.push(plan);
        }
        // The runs of a query follow each other directly, as in the example `tpch` of gdf.
        for plan in planned {
            let started = Instant::now();
            let batches = collect(plan, ctx.task_ctx()).await.with_context(failed)?;
            runs.push(started.elapsed());
            count = batches.iter().map(RecordBatch::num_rows).sum();
        }
        if asked.explain {
            let verbose = if asked.operations { "VERBOSE " } else { "" };
            let explained =
                ctx.sql(&format!("EXPLAIN ANALYZE {verbose}{text}")).await?.collect().await.with_context(failed)?;
            println!("{}", pretty_format_batches(&explained)?);
        }
        let (first_plan, first_run) = (plans.remove(0), runs.remove(0));
        plans.sort();
        runs.sort();
        let times = [first_plan, plans[plans.len() / 2], first_run, runs[runs.len() / 2], runs[0]];
        println!("| {number} | {count} | {} |", line(&times));
        for (sum, time) in sums.iter_mut().zip(times) {
            *sum += time;
        }
    }
    println!("| all | | {} |", line(&sums));
    println!("\ntimes in ms");
    Ok(())
}

fn line(times: &[Duration]) -> String {
    times.iter().map(|time| format!("{:.2}", time.as_secs_f64() * 1e3)).collect::<Vec<_>>().join(" | ")
}

fn is_one_island(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.downcast_ref::<GdfExec>().is_some_and(|island| island.children().is_empty())
}

type Batches = Result<Vec<RecordBatch>, ArrowError>;
/// Generates a part of a table, by the scale, the number of the part from 1, and the number of parts.
type Generate = fn(f64, i32, i32) -> Batches;

/// Generates the tables with all threads.
fn tables(scale: f64) -> Result<Vec<(&'static str, Vec<RecordBatch>)>> {
    macro_rules! table {
        ($name:literal, $generator:ident, $arrow:ident) => {
            ($name, |scale, part, parts| arrow::$arrow::new(rows::$generator::new(scale, part, parts)).collect())
        };
    }
    let tables: [(&str, Generate); 8] = [
        table!("customer", CustomerGenerator, CustomerArrow),
        table!("lineitem", LineItemGenerator, LineItemArrow),
        table!("nation", NationGenerator, NationArrow),
        table!("orders", OrderGenerator, OrderArrow),
        table!("part", PartGenerator, PartArrow),
        table!("partsupp", PartSuppGenerator, PartSuppArrow),
        table!("region", RegionGenerator, RegionArrow),
        table!("supplier", SupplierGenerator, SupplierArrow),
    ];
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let generated = tables.map(|(name, of)| {
        // The generators of the two smallest tables return all rows for each part.
        let parts = if ["nation", "region"].contains(&name) { 1 } else { threads as i32 };
        let batches: Batches = std::thread::scope(|scope| {
            let threads: Vec<_> = (1..=parts).map(|part| scope.spawn(move || of(scale, part, parts))).collect();
            let parts = threads.into_iter().map(|thread| thread.join().expect("a generator does not panic"));
            Ok(parts.collect::<Result<Vec<_>, _>>()?.concat())
        });
        Ok((name, batches.with_context(|| format!("cannot generate {name}"))?))
    });
    generated.into_iter().collect()
}
