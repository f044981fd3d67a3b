//! Times gdf's operations and prints one line per case and size: `gdf-bench --device cuda:0 --rows 1000,100000`.
//!
//! The programs that time the peers have the same cases, the same data and the same method (`peers/README.md`).
//! Therefore the figures can be compared. The program can be copied to a machine without Rust. If the program was built
//! without the images of the kernels, the machine must also have these images. The program needs no other files. The
//! command `cargo xtask bench` builds and runs the program, and compares two of its output files.
//!
//! * [`cases`]: the cases that are timed. A new case needs one function and one line in this module.
//! * [`inputs`]: the columns that cases share. They are generated on all cores, and are the same in every run.
//! * [`shapes`]: the columns that only one case uses.
//! * [`measure`]: the measurement of a case: its time and other figures.
//! * [`report`]: the lines of the output.

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
    /// The device to run on: cpu, cuda or cuda:N
    #[arg(long, default_value = "cpu")]
    device: Device,
    /// The suite of cases to run
    #[arg(long, value_enum, default_value_t)]
    suite: Suite,
    /// Run only cases whose name contains this text
    #[arg(long, default_value = "")]
    filter: String,
    /// Numbers of rows, separated by commas; if a number exceeds the largest size of a case, the case runs at its
    /// largest size
    #[arg(long, value_delimiter = ',')]
    rows: Vec<usize>,
    /// Write the lines to this file too
    #[arg(long)]
    out: Option<PathBuf>,
    /// Spend about this many seconds in all: cases get fewer repetitions, and the output names the cases that are
    /// left out
    #[arg(long)]
    budget: Option<f64>,
    /// A remark for the head of the output, such as the commit
    #[arg(long)]
    note: Option<String>,
    /// Print the names of the cases and exit
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
