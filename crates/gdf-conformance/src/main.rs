#![forbid(unsafe_code)]
//! `gdf-conformance`: runs a corpus on one device, on machines without cargo too.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use gdf_conformance::runner::{Options, run};
use gdf_conformance::subset;
use gdf_driver::Device;

/// Runs a corpus of cases whose answers libcudf gave, and tells where gdf agrees
#[derive(Parser)]
#[command(name = "gdf-conformance")]
struct Args {
    /// The folder of the corpus: AREA.jsonl and AREA.bin
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
    /// Run nothing; write the cases of `--cases` as a corpus to this folder
    #[arg(long, requires = "cases")]
    subset: Option<PathBuf>,
    /// Case ids with commas between, or a file with one in each line
    #[arg(long, requires = "subset")]
    cases: Option<String>,
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
    if let (Some(out), Some(list)) = (&args.subset, &args.cases) {
        subset::write(&args.dir, &subset::case_list(list)?, out)?;
        return Ok(true);
    }
    let options = Options { dir: args.dir, device: args.device, areas: args.area, cases: args.case, emit: args.emit };
    let report = run(&options)?;
    print!("{report}");
    if let Some(path) = args.json {
        fs::write(&path, format!("{:#}\n", report.json()))
            .with_context(|| format!("could not write {}", path.display()))?;
    }
    Ok(report.is_good())
}
