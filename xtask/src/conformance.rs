//! `cargo xtask conformance`: runs a corpus of cases on one device in an optimized build. The corpus has the answers of
//! libcudf.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::repository::{cargo, compile_kernels, root, run as start};
use crate::test::TestDevice;

const CORPUS: &str = "crates/gdf-conformance/corpus";

/// The file with the expected outcomes of the cases, in the folder of the corpus.
const RATCHET: &str = "ratchet.txt";

/// Flags of `cargo xtask conformance`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder of the corpus [default: the repository's]
    #[arg(long)]
    dir: Option<PathBuf>,
    /// The device on which the operations run: cpu, cuda or cuda:N
    #[arg(long, default_value = "cpu")]
    device: TestDevice,
    /// Run only these areas, separated by commas
    #[arg(long)]
    area: Option<String>,
    /// Run only these cases, separated by commas
    #[arg(long)]
    case: Option<String>,
    /// Write the counts of each area to this file
    #[arg(long)]
    json: Option<PathBuf>,
    /// Write each case's own result to this folder
    #[arg(long)]
    emit: Option<PathBuf>,
    /// Use the existing images instead of compiling the kernels
    #[arg(long)]
    no_kernels: bool,
}

/// Builds and runs the program.
pub(crate) fn run(args: Args) -> Result<()> {
    if args.device != TestDevice::Cpu && !args.no_kernels {
        compile_kernels()?;
    }
    let mut command = cargo();
    start(command.args(arguments(&args)?))
}

/// Returns the arguments of cargo.
fn arguments(args: &Args) -> Result<Vec<OsString>> {
    let mut words: Vec<OsString> = ["run", "--release", "--package", "gdf-conformance"].map(OsString::from).into();
    if args.device != TestDevice::Cpu {
        words.extend(["--features", "cuda"].map(OsString::from));
    }
    words.push("--".into());
    let dir = args.dir.clone().unwrap_or_else(|| root().join(CORPUS));
    for (flag, path) in [("--dir", Some(&dir)), ("--json", args.json.as_ref()), ("--emit", args.emit.as_ref())] {
        if let Some(path) = path {
            words.extend([flag.into(), absolute(path)?]);
        }
    }
    words.extend(["--device".into(), args.device.to_string().into()]);
    for (flag, list) in [("--area", &args.area), ("--case", &args.case)] {
        if let Some(list) = list {
            words.extend([flag.into(), list.into()]);
        }
    }
    if args.dir.is_none() && args.area.is_none() && args.case.is_none() {
        words.extend(["--ratchet".into(), root().join(CORPUS).join(RATCHET).into()]);
    }
    Ok(words)
}

fn absolute(path: &Path) -> Result<OsString> {
    let path =
        std::path::absolute(path).with_context(|| format!("cannot make the path {} absolute", path.display()))?;
    Ok(path.into_os_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn words(line: &[&str]) -> String {
        let args = Line::parse_from([&["x"], line].concat()).args;
        let words: Vec<_> = arguments(&args).unwrap().iter().map(|word| word.to_string_lossy().into_owned()).collect();
        words.join(" ")
    }

    #[test]
    fn flags_reach_the_program() {
        let line = words(&["--dir", "/c", "--device", "cuda:1", "--area", "a,b", "--json", "/j"]);
        assert!(line.contains("--features cuda -- --dir /c --json /j --device cuda:1 --area a,b"), "{line}");
        assert!(!words(&[]).contains("--features"));
        assert!(words(&[]).contains(CORPUS));
    }

    #[test]
    fn the_whole_corpus_of_the_repository_goes_as_on_record() {
        assert!(words(&[]).ends_with("corpus/ratchet.txt"));
        for line in [["--dir", "/c"], ["--area", "a"], ["--case", "a-1"]] {
            assert!(!words(&line).contains(RATCHET), "{line:?}");
        }
    }
}
