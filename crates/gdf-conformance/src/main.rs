#![forbid(unsafe_code)]
//! `gdf-conformance`: runs a corpus on one device. The program does not need cargo.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use gdf_conformance::ratchet;
use gdf_conformance::runner::{Options, run};
use gdf_driver::Device;

/// Run a corpus of cases with the recorded answers of libcudf, and report the cases in which gdf gives the same answer
#[derive(Parser)]
#[command(name = "gdf-conformance")]
struct Args {
    /// The folder of the corpus, with the files AREA.jsonl and AREA.bin, which may be compressed (.zst)
    #[arg(long)]
    dir: PathBuf,
    /// The device on which the operations run: cpu, cuda or cuda:N
    #[arg(long, default_value = "cpu")]
    device: Device,
    /// Run only these areas
    #[arg(long, value_delimiter = ',')]
    area: Vec<String>,
    /// Run only these cases
    #[arg(long, value_delimiter = ',')]
    case: Vec<String>,
    /// Write the counts of each area to this file
    #[arg(long)]
    json: Option<PathBuf>,
    /// Write the result of each case to this folder
    #[arg(long)]
    emit: Option<PathBuf>,
    /// Fail if the counts of the areas or the refusals differ from this file
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
        println!("the outcomes differ from the recorded outcomes:\n{changed}");
    }
    Ok(report.is_good() && changed.is_none())
}
