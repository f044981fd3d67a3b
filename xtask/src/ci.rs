//! `cargo xtask ci`: runs all checks that a change must pass. The script `.ci/run` starts the chore.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::nightly::{self, nightly};
use crate::repository::{cargo, compile_kernels, files, root, run as start, xtask};
use crate::{cust, downstream, peers, python, sqlite_tests, toolkit, workflows};

const DENY_VERSION: &str = "0.20.2";

/// The packages whose unit tests run under Miri.
const MIRI: [(&str, &[&str], &[&str]); 3] = [
    // The test suite of all resources takes too long under Miri. Miri aborts if a program requests more memory than the
    // machine has.
    ("gdf-memory", &[], &["conformance::", "programs::", "out_of_memory_is_reported", "vectors_grow"]),
    // The selected tests make slices and arrays from raw memory. The other tests, with loops over all types and
    // offsets, take too long under Miri.
    ("gdf-core", &["arrow::export", "native", "the_column_keeps", "raw_parts"], &[]),
    // The selected tests pass memory through C structs. The other tests, with conversions of all types, take too long
    // under Miri.
    (
        "gdf-interop",
        &[
            "lifetimes",
            "malformed",
            "scopes",
            "schemas",
            "trees",
            "vouching",
            "pairs::from",
            "dlpack",
            "arguments",
            "array_interface",
        ],
        &["schemas_go_both_ways"],
    ),
];

const MIRI_SECONDS: u32 = 420;

/// The time of all steps on two cores, for a clone without a target folder (docs/benchmarks/code.md).
const ALL_STEPS: &str = "40 to 90 minutes on two cores";

/// Arguments for all packages except those that depend on DataFusion, which takes as long to build as all others
/// together.
pub(crate) const ALL_BUT_DATAFUSION: [&str; 7] =
    ["--workspace", "--exclude", DATAFUSION, "--exclude", DISTRIBUTED, "--exclude", BALLISTA];

const DATAFUSION: &str = "gdf-datafusion";

const BALLISTA: &str = "gdf-ballista";

const DISTRIBUTED: &str = "gdf-distributed";

const COMMAND: &str = "gdf-cli";

const FEATURES_WITH_SQL: &str = "gdf-datafusion/cuda,gdf-datafusion/codec,gdf-cli/cuda,gdf-cli/sql";

/// Flags of `cargo xtask ci`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only these steps, in the usual order
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Run all steps except these
    #[arg(long, value_delimiter = ',')]
    skip: Vec<String>,
    /// Continue after a failed step
    #[arg(long)]
    keep_going: bool,
    /// Treat a step that cannot run on this machine as a failure
    #[arg(long)]
    strict: bool,
    /// Run only the steps of this stage
    #[arg(long)]
    stage: Option<Stage>,
    /// Print the names of the steps, and do nothing else
    #[arg(long)]
    list: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Stage {
    Change,
    /// The step must pass before a release.
    Release,
}

struct Step {
    name: &'static str,
    stage: Stage,
    run: fn() -> Result<Outcome>,
}

const fn change(name: &'static str, run: fn() -> Result<Outcome>) -> Step {
    Step { name, stage: Stage::Change, run }
}

const fn release(name: &'static str, run: fn() -> Result<Outcome>) -> Step {
    Step { name, stage: Stage::Release, run }
}

enum Outcome {
    Done,
    /// The step could not run on this machine.
    NotHere(String),
}

const STEPS: [Step; 22] = [
    change("fmt", fmt),
    change("codegen", || xtask(&["codegen", "--check"]).map(|()| Outcome::Done)),
    change("tidy", || xtask(&["tidy"]).map(|()| Outcome::Done)),
    change("deny", deny),
    change("workflows", check_workflows),
    change("kernels", || compile_kernels().map(|()| Outcome::Done)),
    change("clippy", || clippy(&[&ALL_BUT_DATAFUSION[..], &["--features", "cuda"]].concat())),
    change("clippy-cust", clippy_cust),
    change("features", features),
    change("doc", doc),
    change("test", || xtask(&["test", "--cuda"]).map(|()| Outcome::Done)),
    change("test-plain", test_plain),
    change("peers", pairs),
    change("downstream", || downstream::run().map(|()| Outcome::Done)),
    change("examples", || downstream::examples().map(|()| Outcome::Done)),
    change("example", || example("0.01")),
    release("datafusion", datafusion),
    release("foreign", || downstream::foreign().map(|()| Outcome::Done)),
    release("miri", miri),
    release("asan", || with_nightly("asan")),
    release("fuzz", || with_nightly("fuzz")),
    release("example-large", || example("0.1")),
];

pub(crate) fn run(args: Args) -> Result<()> {
    let known = |name: &String| STEPS.iter().any(|step| step.name == name);
    if let Some(name) = args.only.iter().chain(&args.skip).find(|name| !known(name)) {
        bail!("the step `{name}` does not exist; `cargo xtask ci --list` prints all steps");
    }
    let chosen: Vec<&Step> = STEPS.iter().filter(|step| is_chosen(step, &args)).collect();
    if args.list {
        chosen.iter().for_each(|step| println!("{}", step.name));
        return Ok(());
    }
    let names: Vec<&str> = chosen.iter().map(|step| step.name).collect();
    println!("{} steps: {}; all of them take {ALL_STEPS}", names.len(), names.join(", "));
    let begin = Instant::now();
    let mut lines = Vec::new();
    let mut failed = Vec::new();
    for step in &chosen {
        println!("\n==== {}", step.name);
        let begin = Instant::now();
        let outcome = (step.run)();
        let line = report(step.name, &outcome, begin.elapsed());
        println!("{line}");
        lines.push(line);
        if let Some(failure) = failure(&outcome, args.strict) {
            failed.push(format!("{}: {failure}", step.name));
            if !args.keep_going {
                break;
            }
        }
    }
    println!(
        "\n{}\n==== {} of {} steps in {:.0} s",
        lines.join("\n"),
        lines.len(),
        chosen.len(),
        begin.elapsed().as_secs_f64()
    );
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

fn is_chosen(step: &Step, args: &Args) -> bool {
    let named = |names: &[String]| names.iter().any(|other| other == step.name);
    let is_of_stage = args.stage.is_none_or(|stage| stage == step.stage);
    is_of_stage && (args.only.is_empty() || named(&args.only)) && !named(&args.skip)
}

/// Returns the reason why the outcome is a failure.
fn failure(outcome: &Result<Outcome>, strict: bool) -> Option<String> {
    match outcome {
        Ok(Outcome::Done) => None,
        Ok(Outcome::NotHere(why)) => strict.then(|| format!("not run: {why}")),
        Err(error) => Some(format!("{error:#}")),
    }
}

fn report(name: &str, outcome: &Result<Outcome>, time: Duration) -> String {
    let how = match outcome {
        Ok(Outcome::Done) => "ok".to_owned(),
        Ok(Outcome::NotHere(why)) => format!("NOT RUN: {why}"),
        Err(_) => "FAILED".to_owned(),
    };
    format!("==== {name:<12} {:>7.1} s  {how}", time.as_secs_f64())
}

fn done(command: &mut Command) -> Result<Outcome> {
    start(command).map(|()| Outcome::Done)
}

/// Checks the format of every source. `cargo fmt` finds neither the modules that a macro declares, as in
/// `tests/catalog`, nor the crates of other workspaces.
fn fmt() -> Result<Outcome> {
    let sources = files()?.into_keys().filter(|path| path.ends_with(".rs"));
    let mut check = Command::new("rustfmt");
    check.current_dir(root()).args(["--check", "-l", "--edition", "2024"]).args(sources);
    let status = check.status().context("could not start rustfmt")?;
    ensure!(status.success(), "run `rustfmt --edition 2024` on the files above");
    Ok(Outcome::Done)
}

fn clippy(chosen: &[&str]) -> Result<Outcome> {
    let mut command = cargo();
    command.args(["clippy", "--all-targets"]).args(chosen);
    done(command.args(["--", "--deny", "warnings"]))
}

/// Tests gdf-driver and gdf-kernels, which have code for feature `cuda`, without the feature.
fn test_plain() -> Result<Outcome> {
    done(cargo().args(["test", "--package", "gdf-driver", "--package", "gdf-kernels", "--lib", "--tests"]))
}

/// Checks gdf-driver without feature `cuda`, and gdf with several sets of features.
fn features() -> Result<Outcome> {
    clippy(&["--package", "gdf-driver"])?;
    for features in ["", "log", "pretty", "cuda-driver", "cuda-sm90,cuda-ptx"] {
        let mut command = cargo();
        command.args(["clippy", "--package", "gdf", "--lib", "--no-default-features", "--features", features]);
        start(command.args(["--", "--deny", "warnings"]))?;
    }
    Ok(Outcome::Done)
}

/// Checks the code of feature `cust`, because no other step enables the feature.
fn clippy_cust() -> Result<Outcome> {
    let found = toolkit::find()?;
    let stub = cust::make_stub(&found.map_or_else(toolkit::install, Ok)?)?;
    let mut command = cargo();
    command.args(["clippy", "--package", "gdf-interop", "--all-targets", "--features", "cust"]);
    done(command.env(cust::VARIABLE, stub).args(["--", "--deny", "warnings"]))
}

fn doc() -> Result<Outcome> {
    done(cargo().args(["doc", "--no-deps"]).args(ALL_BUT_DATAFUSION).env("RUSTDOCFLAGS", "-Dwarnings"))
}

/// Checks, documents and tests SQL, distributed queries, and the command `gdf` with feature `sql`. Runs the examples of
/// distributed queries.
fn datafusion() -> Result<Outcome> {
    let sql = ["--package", DATAFUSION, "--package", DISTRIBUTED, "--package", COMMAND];
    with_datafusion(&[&sql[..], &["--features", FEATURES_WITH_SQL]].concat(), "distributed")?;
    // datafusion-distributed 4.0 does not compile with the features of DataFusion that Ballista enables.
    with_datafusion(&["--package", BALLISTA, "--features", "gdf-ballista/cuda"], "ballista")?;
    Ok(Outcome::Done)
}

fn with_datafusion(chosen: &[&str], example: &str) -> Result<()> {
    clippy(chosen)?;
    start(cargo().args(["doc", "--no-deps"]).args(chosen).env("RUSTDOCFLAGS", "-Dwarnings"))?;
    // DuckDB answers the random queries of gdf-datafusion, too.
    let python = python::environment(&[python::DUCKDB])?.join("python");
    let mut tests = cargo();
    tests.arg("test").args(chosen).env("GDF_DUCKDB_PYTHON", python);
    match sqlite_tests::folder() {
        Ok(folder) => drop(tests.env(sqlite_tests::VARIABLE, folder)),
        Err(error) => println!("the test with the files of SQLite does not run: {error:#}"),
    }
    start(&mut tests)?;
    // `cargo test` has built the examples. `cargo run` takes only one package, with other features of DataFusion.
    start(&mut Command::new(root().join("target/debug/examples").join(example)))
}

/// Checks bans, licenses and sources with cargo-deny. cargo-deny is built once and kept in target/tools.
fn deny() -> Result<Outcome> {
    let tools = root().join("target/tools");
    let program = tools.join("bin/cargo-deny");
    let version = || Command::new(&program).arg("--version").output().ok();
    let is_there = version().is_some_and(|output| String::from_utf8_lossy(&output.stdout).contains(DENY_VERSION));
    if !is_there {
        let mut install = cargo();
        install.args(["install", "cargo-deny", "--version", DENY_VERSION, "--locked", "--debug", "--force", "--root"]);
        install.arg(&tools).env("CARGO_TARGET_DIR", tools.join("build")).env("CARGO_PROFILE_DEV_DEBUG", "false");
        start(&mut install)?;
    }
    let mut check = Command::new(&program);
    check.current_dir(root()).args(["check", "--hide-inclusion-graph", "bans", "licenses", "sources"]);
    done(&mut check)
}

/// Runs the interoperability tests with libraries of other languages.
fn pairs() -> Result<Outcome> {
    match peers::python() {
        Ok(python) => peers::run(&python).map(|()| Outcome::Done),
        Err(error) => Ok(Outcome::NotHere(format!("{error:#}"))),
    }
}

/// Checks the workflows with actionlint.
fn check_workflows() -> Result<Outcome> {
    match workflows::program() {
        Ok(program) => workflows::check(program).map(|()| Outcome::Done),
        Err(error) => Ok(Outcome::NotHere(format!("{error:#}"))),
    }
}

/// Runs Miri.
fn miri() -> Result<Outcome> {
    if let Err(error) = find_miri() {
        return Ok(Outcome::NotHere(format!("{error:#}")));
    }
    start(nightly("cargo").args(["miri", "setup"]))?;
    for (package, chosen, skipped) in MIRI {
        // `timeout` also ends the interpreter. If only cargo were killed, the interpreter would continue to run.
        let mut command = nightly("timeout");
        command.args(["--kill-after=10", &MIRI_SECONDS.to_string()]);
        command.args(["cargo", "miri", "test", "--lib", "--package", package, "--"]);
        command.args(chosen);
        for test in skipped {
            command.args(["--skip", test]);
        }
        // The kernel interface passes addresses as integers. Miri's strict provenance does not allow this.
        command.env("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-permissive-provenance");
        command.env("CARGO_TARGET_DIR", root().join("target/miri"));
        let passed = nightly::passed(&mut command)
            .with_context(|| format!("the tests of {package} failed under Miri, or took more than {MIRI_SECONDS} s"))?;
        ensure!(passed > 0, "the package {package} has no test that matches {chosen:?}");
    }
    Ok(Outcome::Done)
}

fn find_miri() -> Result<()> {
    let version = || nightly("cargo").args(["miri", "--version"]).output();
    let is_there = || version().is_ok_and(|output| output.status.success());
    if is_there() {
        return Ok(());
    }
    if let Some(why) = nightly::missing() {
        bail!("{why}");
    }
    start(Command::new("rustup").args(["component", "add", "--toolchain", "nightly", "miri", "rust-src"]))?;
    ensure!(is_there(), "the nightly toolchain has no Miri after the installation");
    Ok(())
}

/// Runs a chore that needs the nightly toolchain and nothing else.
fn with_nightly(chore: &str) -> Result<Outcome> {
    match nightly::missing() {
        Some(why) => Ok(Outcome::NotHere(why)),
        None => xtask(&[chore]).map(|()| Outcome::Done),
    }
}

/// Runs TPC-H with a scale factor.
fn example(scale: &str) -> Result<Outcome> {
    let mut command = cargo();
    command.args(["run", "--package", "gdf", "--features", "cuda", "--example", "tpch", "--"]);
    done(command.args(["--scale", scale, "--device", "cpu"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(only: &[&str], skip: &[&str]) -> Args {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        Args { only: words(only), skip: words(skip), keep_going: false, strict: false, stage: None, list: false }
    }

    #[test]
    fn steps_are_chosen_by_name_and_stage() {
        let chosen = |args: &Args| -> Vec<&str> {
            STEPS.iter().filter(|step| is_chosen(step, args)).map(|step| step.name).collect()
        };
        let mut args = args(&[], &["miri"]);
        assert_eq!(chosen(&args).len(), STEPS.len() - 1);
        args.stage = Some(Stage::Release);
        assert_eq!(chosen(&args), ["datafusion", "foreign", "asan", "fuzz", "example-large"]);
        args.only = vec!["fmt".into(), "asan".into()];
        assert_eq!(chosen(&args), ["asan"]);
    }

    #[test]
    fn an_unknown_step_is_an_error() {
        assert!(run(Args { list: true, ..args(&["sing"], &[]) }).is_err());
    }

    #[test]
    fn what_did_not_run_fails_a_strict_run_only() {
        let not_here = || Ok(Outcome::NotHere("no nightly".into()));
        assert_eq!(failure(&not_here(), false), None);
        assert_eq!(failure(&not_here(), true).as_deref(), Some("not run: no nightly"));
        for strict in [false, true] {
            assert_eq!(failure(&Ok(Outcome::Done), strict), None);
            assert_eq!(failure(&Err(anyhow::anyhow!("broken")), strict).as_deref(), Some("broken"));
        }
    }

    #[test]
    fn what_did_not_run_is_said() {
        let line = report("miri", &Ok(Outcome::NotHere("no nightly".into())), Duration::from_secs(1));
        assert!(line.contains("NOT RUN: no nightly"));
    }
}
