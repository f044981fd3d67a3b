#![forbid(unsafe_code)]
//! `gdf-conformance`: runs a corpus on one device, on machines without cargo too.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use gdf_conformance::ratchet;
use gdf_conformance::runner::{Options, run};
use gdf_driver::Device;

/// Runs a corpus of cases whose answers libcudf gave, and reports where gdf agrees
#[derive(Parser)]
#[command(name = "gdf-conformance")]
struct Args {
    /// The folder of the corpus: AREA.jsonl and AREA.bin, or these compressed (.zst)
    #[arg(long)]
    dir: PathBuf,
    /// Where the operations run: cpu, cuda or cuda:N
    #[arg(long, default_value = "cpu")]
    device: Device,
    /// Only these areas
    #[arg(long, value_delimiter = ',')]
    area: Vec<String>,
    /// Only these cases
    #[arg(long, value_delimiter = ',')]
    case: Vec<String>,
    /// Write the counts of each area to this file
    #[arg(long)]
    json: Option<PathBuf>,
    /// Write each case's own result to this folder
    #[arg(long)]
    emit: Option<PathBuf>,
    /// Fail where the numbers of the areas or the refusals are not those of this file
    #[arg(long)]
    ratchet: Option<PathBuf>,
}

fn main() -> ExitCode {
    match start(Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn start(args: Args) -> Result<bool> {
    let chosen = Options { areas: args.area, cases: args.case, emit: args.emit, ..Options::new(args.dir, args.device) };
    let report = run(&chosen)?;
    print!("{report}");
    if let Some(path) = args.json {
        fs::write(&path, format!("{:#}\n", report.json()))
            .with_context(|| format!("could not write {}", path.display()))?;
    }
    let changed = args.ratchet.map(|path| ratchet::check(&report, &path)).transpose()?.flatten();
    if let Some(changed) = &changed {
        println!("not as on record:\n{changed}");
    }
    Ok(report.is_good() && changed.is_none())
}
