//! `cargo xtask bench`: times gdf's operations, compares two files of times, or times two commits by turns.
//!
//! The separate program `gdf-bench` times the operations, because it must run on GPU machines without Rust.

mod against;
mod compare;
mod figures;
mod tpch;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::repository::{cargo, compile_kernels, read, root, run as start};
use crate::test::TestDevice;
use compare::Comparison;
use figures::Figures;

/// Flags of `cargo xtask bench`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The device on which the cases run: cpu, cuda or cuda:N
    #[arg(long, default_value = "cpu")]
    device: TestDevice,
    /// The suite of cases: usual, adversarial, frames, or tpch, which times the 22 queries of TPC-H with gdf and DuckDB
    #[arg(long)]
    suite: Option<String>,
    /// Run only cases whose names contain this text; a comparison is also restricted to these cases
    #[arg(long)]
    filter: Option<String>,
    /// The numbers of rows, separated by commas (default: several numbers that suit the device)
    #[arg(long)]
    rows: Option<String>,
    /// Write the lines to this file too
    #[arg(long)]
    out: Option<PathBuf>,
    /// Spend about this many seconds in all
    #[arg(long)]
    budget: Option<f64>,
    /// The scale factor of the tables, for `--suite tpch`
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// The number of timed runs of each query, for `--suite tpch`
    #[arg(long, default_value_t = 5)]
    repeat: u32,
    /// Use the existing images instead of compiling the kernels
    #[arg(long)]
    no_kernels: bool,
    /// Time nothing, and compare two files of times that gdf or the program of another library has written
    #[arg(long, num_args = 2, value_names = ["A", "B"], conflicts_with_all = ["device", "suite", "rows", "out", "budget"])]
    compare: Option<Vec<PathBuf>>,
    /// Build the program of this commit too, run both by turns, and print the cases that are slower now
    #[arg(long, value_name = "COMMIT", conflicts_with_all = ["compare", "scale", "repeat", "out"])]
    against: Option<String>,
    /// The number of runs of each program, for `--against`; the best times of a case count
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Run nothing, and write both programs and a script that runs them to this folder, for a GPU machine without Rust
    #[arg(long, requires = "against", value_name = "DIR")]
    bundle: Option<PathBuf>,
    /// Run nothing, and take the times from this folder, to which the script of `--bundle` has written them
    #[arg(long, requires = "against", conflicts_with = "bundle", value_name = "DIR")]
    figures: Option<PathBuf>,
    /// Write the comparison as an entry for `docs/benchmarks/log` to this file, for `--against`
    #[arg(long, requires = "against", conflicts_with = "bundle", value_name = "FILE")]
    page: Option<PathBuf>,
}

/// Builds and runs the program.
pub(crate) fn run(args: Args) -> Result<()> {
    if let Some([a, b]) = args.compare.as_deref() {
        let filter = args.filter.as_deref().unwrap_or_default();
        print!("{}", Comparison::new(load(a)?, load(b)?, filter));
        return Ok(());
    }
    if let Some(commit) = args.against.as_deref() {
        return against::run(&args, commit);
    }
    if args.device != TestDevice::Cpu && !args.no_kernels {
        compile_kernels()?;
    }
    if args.suite.as_deref() == Some("tpch") {
        return tpch::run(args.device, args.scale, args.repeat, args.out.as_deref());
    }
    start(cargo().args(words(&args, commit().as_deref())?))
}

/// Returns the arguments of cargo.
fn words(args: &Args, commit: Option<&str>) -> Result<Vec<String>> {
    let mut words: Vec<String> = ["run", "--quiet", "--release", "--package", "gdf-bench"].map(String::from).into();
    if args.device != TestDevice::Cpu {
        words.extend(["--features", "cuda"].map(String::from));
    }
    words.push("--".into());
    words.extend(flags(args, args.out.as_deref(), commit)?);
    Ok(words)
}

/// Returns the arguments of `gdf-bench`.
fn flags(args: &Args, out: Option<&Path>, commit: Option<&str>) -> Result<Vec<String>> {
    // The program runs in the root of the repository, but the user means a path relative to the current folder.
    // Therefore the path is made absolute.
    let out = out.map(std::path::absolute).transpose()?;
    let mut flags = vec!["--device".into(), args.device.to_string()];
    for (flag, value) in [
        ("--suite", args.suite.clone()),
        ("--filter", args.filter.clone()),
        ("--rows", args.rows.clone()),
        ("--out", out.map(|path| path.display().to_string())),
        ("--budget", args.budget.map(|seconds| seconds.to_string())),
        ("--note", commit.map(|commit| format!("commit {commit}"))),
    ] {
        flags.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value]));
    }
    Ok(flags)
}

/// Returns the commit.
fn commit() -> Option<String> {
    let mut git = std::process::Command::new("git");
    git.current_dir(root()).args(["describe", "--always", "--dirty"]);
    Some(read(&mut git).ok()?.trim().to_owned())
}

fn load(path: &Path) -> Result<Figures> {
    let here = env::current_dir().unwrap_or_default();
    let text = fs::read_to_string(path)
        .with_context(|| format!("could not read {} from {}", path.display(), here.display()))?;
    Figures::parse(&text).with_context(|| format!("in {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(device: TestDevice) -> Args {
        Args {
            device,
            suite: None,
            filter: None,
            rows: None,
            out: None,
            budget: None,
            scale: 1.0,
            repeat: 5,
            no_kernels: false,
            compare: None,
            against: None,
            rounds: 3,
            bundle: None,
            figures: None,
            page: None,
        }
    }

    #[test]
    fn a_gpu_needs_the_feature() {
        let feature = |device| words(&plain(device), None).unwrap().contains(&"cuda".to_owned());
        assert!(feature(TestDevice::Cuda(1)) && !feature(TestDevice::Cpu));
    }

    #[test]
    fn flags_are_handed_on() {
        let args = Args {
            suite: Some("adversarial".into()),
            rows: Some("10,20".into()),
            budget: Some(1.5),
            ..plain(TestDevice::Cuda(0))
        };
        let words = words(&args, Some("abc")).unwrap().join(" ");
        assert!(
            words.ends_with("-- --device cuda:0 --suite adversarial --rows 10,20 --budget 1.5 --note commit abc"),
            "{words}"
        );
    }
}
