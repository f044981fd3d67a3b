//! `cargo xtask fuzz`: runs each fuzz target in fuzz/ for some seconds.
//!
//! The targets are built with the compiler flags of cargo-fuzz, so cargo-fuzz itself is not needed.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::nightly::{self, nightly};
use crate::repository::{root, run as start};

/// The compiler flags of cargo-fuzz: coverage of edges and comparisons, AddressSanitizer, and assertions.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Zsanitizer=address -Cdebug-assertions";

/// The targets whose first inputs are files of gdf-io's tests.
const SEEDS: [(&str, &[&str]); 4] = [
    ("read_csv", &["csv"]),
    ("read_ipc", &["arrow", "arrows"]),
    ("read_json", &["jsonl"]),
    ("read_parquet", &["parquet"]),
];

/// Flags of `cargo xtask fuzz`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only these targets; without names, run all targets
    targets: Vec<String>,
    /// The time that each target runs, in seconds
    #[arg(long, default_value_t = 20)]
    seconds: u32,
    /// Print the names of the targets, and do nothing else
    #[arg(long)]
    list: bool,
}

/// Builds all targets, and runs the selected targets one after the other.
pub(crate) fn run(args: Args) -> Result<()> {
    let all = targets()?;
    if let Some(unknown) = args.targets.iter().find(|name| !all.contains(name)) {
        bail!("the fuzz target `{unknown}` does not exist; `cargo xtask fuzz --list` prints all targets");
    }
    let chosen = all.into_iter().filter(|name| args.targets.is_empty() || args.targets.contains(name));
    if args.list {
        chosen.for_each(|name| println!("{name}"));
        return Ok(());
    }
    if let Some(why) = nightly::missing() {
        bail!("{why}");
    }
    let (folder, made, host) = (root().join("fuzz"), root().join("target/fuzz"), nightly::host()?);
    let mut build = nightly("cargo");
    build.args(["build", "--release", "--target", &host, "--manifest-path"]).arg(folder.join("Cargo.toml"));
    build.env("RUSTFLAGS", FLAGS).env("CARGO_TARGET_DIR", &made);
    // At a higher optimization level, the compilation of the coverage counters would take ten times as long.
    build.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1").env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only");
    start(&mut build)?;
    for name in chosen {
        let program = made.join(&host).join("release").join(&name);
        let mut command = Command::new(program);
        command.current_dir(&folder).args(arguments(&folder, &name, args.seconds)?);
        start(&mut command)
            .with_context(|| format!("fuzz target {name} failed; the input is in fuzz/artifacts/{name}"))?;
    }
    Ok(())
}

/// Returns the names of the targets.
fn targets() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root().join("fuzz/fuzz_targets"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.push(path.file_stem().unwrap_or_default().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Returns the files of gdf-io's tests that are the first inputs of a target.
fn seeds(name: &str) -> Result<Vec<PathBuf>> {
    let Some((_, extensions)) = SEEDS.iter().find(|(target, _)| *target == name) else { return Ok(Vec::new()) };
    let mut seeds = Vec::new();
    for entry in fs::read_dir(root().join("crates/gdf-io/tests/data"))? {
        let path = entry?.path();
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        if extensions.iter().any(|known| *known == extension) {
            seeds.push(path);
        }
    }
    Ok(seeds)
}

/// Returns the arguments of libFuzzer.
fn arguments(folder: &Path, name: &str, seconds: u32) -> Result<Vec<OsString>> {
    let (corpus, artifacts) = (folder.join("corpus").join(name), folder.join("artifacts").join(name));
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&artifacts)?;
    for seed in seeds(name)? {
        fs::copy(&seed, corpus.join(seed.file_name().unwrap_or_default()))?;
    }
    let regressions: PathBuf = folder.join("regressions").join(name);
    let mut words = vec![corpus.into_os_string()];
    if regressions.is_dir() {
        words.push(regressions.into_os_string());
    }
    let mut prefix = OsString::from("-artifact_prefix=");
    prefix.push(artifacts.join(""));
    words.push(prefix);
    words.push(format!("-max_total_time={seconds}").into());
    // An input that exceeds the time limit or the memory limit counts as a failure.
    words.extend(
        ["-timeout=20", "-rss_limit_mb=4096", "-malloc_limit_mb=2048", "-print_final_stats=1"].map(OsString::from),
    );
    // Printing the names of new functions takes longer than running most inputs. Therefore libFuzzer does not print
    // them.
    words.extend(["-verbosity=0", "-print_funcs=0"].map(OsString::from));
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_built() {
        let manifest = fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
        let names = targets().unwrap();
        assert!(!names.is_empty());
        for name in &names {
            let path = format!("path = \"fuzz_targets/{name}.rs\"");
            assert!(manifest.contains(&path), "fuzz/Cargo.toml lacks {name}");
        }
        assert_eq!(manifest.matches("[[bin]]").count(), names.len());
    }

    #[test]
    fn readers_begin_with_files() {
        let names = targets().unwrap();
        for (name, _) in SEEDS {
            assert!(names.iter().any(|known| known == name) && !seeds(name).unwrap().is_empty(), "{name}");
        }
        assert!(seeds("dlpack").unwrap().is_empty());
    }

    #[test]
    fn an_unknown_target_is_an_error() {
        assert!(run(Args { targets: vec!["sing".into()], seconds: 1, list: true }).is_err());
    }
}
