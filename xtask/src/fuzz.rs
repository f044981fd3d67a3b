//! `cargo xtask fuzz`: runs the fuzz targets of fuzz/, each for some seconds.
//!
//! Built with the flags that cargo-fuzz gives, so that nightly is all it takes. What a target has found goes on from
//! run to run in fuzz/corpus; inputs that broke something once are in fuzz/regressions, tracked, and are run first.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::nightly::{self, nightly};
use crate::repository::{root, run as start};

/// What cargo-fuzz compiles with: coverage of edges and comparisons, AddressSanitizer, assertions.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Zsanitizer=address -Cdebug-assertions";

/// Targets that begin with files of gdf-io's tests, and the extensions of these.
const SEEDS: [(&str, &[&str]); 4] = [
    ("read_csv", &["csv"]),
    ("read_ipc", &["arrow", "arrows"]),
    ("read_json", &["jsonl"]),
    ("read_parquet", &["parquet"]),
];

/// Flags of `cargo xtask fuzz`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only these targets; all if none is named
    targets: Vec<String>,
    /// How long each target runs
    #[arg(long, default_value_t = 20)]
    seconds: u32,
    /// Name the targets and do nothing
    #[arg(long)]
    list: bool,
}

/// Builds all, and runs the chosen ones one after the other; a crash is an error, and its input is kept in
/// fuzz/artifacts.
pub(crate) fn run(args: Args) -> Result<()> {
    let all = targets()?;
    if let Some(unknown) = args.targets.iter().find(|name| !all.contains(name)) {
        bail!("there is no fuzz target `{unknown}`; `cargo xtask fuzz --list` names them");
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
    // Optimized more, code with these counters takes the compiler ten times as long.
    build.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1").env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only");
    start(&mut build)?;
    for name in chosen {
        let program = made.join(&host).join("release").join(&name);
        let mut command = Command::new(program);
        command.current_dir(&folder).args(arguments(&folder, &name, args.seconds)?);
        start(&mut command)
            .with_context(|| format!("{name} found something; its input is in fuzz/artifacts/{name}"))?;
    }
    Ok(())
}

/// The names of the targets: one file each.
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

/// The files of other writers that a target begins with.
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

/// Folders of inputs, the one that grows first, then libFuzzer's options.
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
    // An input that exceeds the limit of time or memory counts as a fault, too.
    words.extend(
        ["-timeout=20", "-rss_limit_mb=4096", "-malloc_limit_mb=2048", "-print_final_stats=1"].map(OsString::from),
    );
    // Names of functions that are new take longer to find than most inputs take to run.
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
