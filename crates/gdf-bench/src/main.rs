//! Times gdf's operations, one line per case and size: `gdf-bench --device cuda:0 --rows 1000,100000`.
//!
//! Cases, data and method are those of the programs that time the peers (`peers/README.md`), so that a line here stands
//! beside a line there. The program needs nothing but itself, and the kernels' images where it was built without them,
//! so it can be carried to a machine without Rust. `cargo xtask bench` builds and runs it, and compares two of its files.
//!
//! * [`cases`]: what is timed — a new case is one function and one line there;
//! * [`inputs`]: the columns that cases share, generated on all cores, the same in every run; [`shapes`]: those of one case;
//! * [`measure`]: how one case is timed, and what else is counted;
//! * [`report`]: the lines.

mod cases;
mod generate;
mod inputs;
mod measure;
mod peak;
mod report;
mod run;
mod shapes;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use gdf::Device;

use cases::Suite;

/// Times gdf's operations; one line per case and size.
#[derive(Clone, Debug, Parser)]
#[command(name = "gdf-bench")]
pub(crate) struct Args {
    /// Where to run: cpu, cuda or cuda:N
    #[arg(long, default_value = "cpu")]
    device: Device,
    /// Which cases
    #[arg(long, value_enum, default_value_t)]
    suite: Suite,
    /// Only cases whose name contains this
    #[arg(long, default_value = "")]
    filter: String,
    /// Numbers of rows, with commas between; cases that stop earlier run at their largest size instead
    #[arg(long, value_delimiter = ',')]
    rows: Vec<usize>,
    /// Write the lines to this file too
    #[arg(long)]
    out: Option<PathBuf>,
    /// Spend about this many seconds in all: fewer repetitions, and what does not fit is left out and named
    #[arg(long)]
    budget: Option<f64>,
    /// A remark for the head of the output, such as the commit
    #[arg(long)]
    note: Option<String>,
    /// Name the cases and end
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    if args.list {
        args.suite.cases().iter().for_each(|case| println!("{}", case.name));
        return ExitCode::SUCCESS;
    }
    match run::run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
