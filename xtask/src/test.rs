//! `cargo xtask test`: runs every test of the workspace, or those of some capabilities, on one device.
//!
//! The tests read the device from the environment variable `GDF_TEST_DEVICE`. If the device is `cpu`, tests that need a
//! GPU are skipped. If the device is a GPU that does not exist, these tests fail.

use std::fmt;
use std::fs;
use std::path::Path;
use std::str::FromStr;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::ci::ALL_BUT_DATAFUSION;
use crate::costs;
use crate::repository::{cargo, compile_kernels, root, run as start};

/// The crates that have operations in folders or files by capability.
const ALGORITHMS: [&str; 5] = ["gdf-compute", "gdf-relational", "gdf-strings", "gdf-nested", "gdf-detail"];

/// The duration of a run on two cores without an earlier build.
const FIRST_BUILD: &str = "10 to 25 minutes and 5 GB under target/ the first time";
const TESTS: &str = "5 to 15 minutes";

/// The environment variable that names a file. Each skipped test writes a line to the file.
const SKIPPED: &str = "GDF_TEST_SKIPPED";

/// Flags of `cargo xtask test`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only the tests of these capabilities, which are modules of gdf-api, such as `copying` and `join`
    capabilities: Vec<String>,
    /// The device on which the tests run: cpu, cuda or cuda:N
    #[arg(long, default_value = "cpu")]
    device: TestDevice,
    /// Build with feature `cuda` although the device is the CPU
    #[arg(long)]
    cuda: bool,
    /// Skip the examples in the documentation
    #[arg(long)]
    no_doc: bool,
    /// Build with optimizations
    #[arg(long)]
    release: bool,
    /// Use the existing images instead of compiling the kernels
    #[arg(long)]
    no_kernels: bool,
    /// Rewrite the committed costs and numbers of the catalog's cases for the device, and run no other tests
    #[arg(long)]
    bless: bool,
    /// Run only tests whose names contain one of these texts, and pass flags to the test programs
    #[arg(last = true)]
    filters: Vec<String>,
}

/// The device of a test run. xtask does not use the type `Device` of the workspace, because xtask must build without
/// the crates that it checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TestDevice {
    Cpu,
    Cuda(u32),
}

impl FromStr for TestDevice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            _ => text
                .strip_prefix("cuda:")
                .and_then(|ordinal| ordinal.parse().ok())
                .map(Self::Cuda)
                .ok_or_else(|| format!("`{text}` is not cpu, cuda or cuda:N")),
        }
    }
}

impl fmt::Display for TestDevice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => out.write_str("cpu"),
            Self::Cuda(ordinal) => write!(out, "cuda:{ordinal}"),
        }
    }
}

/// Runs all tests.
pub(crate) fn run(args: Args) -> Result<()> {
    let on_gpu = args.device != TestDevice::Cpu;
    if on_gpu && !args.no_kernels {
        compile_kernels()?;
    }
    if args.bless {
        let mut command = cargo();
        command.env("GDF_TEST_DEVICE", args.device.to_string()).env("GDF_TEST_BLESS", "1");
        start(command.args(blessing(&args)))?;
        return costs::run(costs::Args {});
    }
    let commands = commands(&args, &root())?;
    let skipped = root().join("target/skipped-tests.txt");
    fs::create_dir_all(root().join("target"))?;
    fs::write(&skipped, "").with_context(|| format!("could not write {}", skipped.display()))?;
    println!("building the tests: {FIRST_BUILD}");
    let begin = Instant::now();
    for words in commands.iter().filter(|words| !words.contains(&DOC.to_owned())) {
        start(cargo().args(building(words)))?;
    }
    println!("built in {:.0} s; running the tests: {TESTS}", begin.elapsed().as_secs_f64());
    let run = |words: &Vec<String>| {
        start(cargo().args(words).env("GDF_TEST_DEVICE", args.device.to_string()).env(SKIPPED, &skipped))
    };
    let outcomes: Vec<_> = commands.iter().map(run).collect();
    let skipped = report_skipped(&skipped, args.device)?;
    outcomes.into_iter().collect::<Result<()>>()?;
    ensure!(!on_gpu || skipped == 0, "{skipped} tests were skipped although --device {} was requested", args.device);
    Ok(())
}

/// Returns the arguments of cargo for the tests that rewrite the committed files of the catalog.
fn blessing(args: &Args) -> Vec<&'static str> {
    let mut words = vec!["test", "--package", "gdf-tests", "--test", "it"];
    if args.cuda || args.device != TestDevice::Cpu {
        words.extend(["--features", "cuda"]);
    }
    if args.release {
        words.push("--release");
    }
    words.extend(["--", "catalog::", "--skip", "every_kernel_runs"]);
    words
}

fn report_skipped(file: &Path, device: TestDevice) -> Result<usize> {
    let text = fs::read_to_string(file).with_context(|| format!("could not read {}", file.display()))?;
    let mut reasons: Vec<&str> = text.lines().collect();
    reasons.sort_unstable();
    for reason in &reasons {
        println!("skipped: {reason}");
    }
    println!("{} tests skipped on {device} for lack of a GPU; they count as passed above", reasons.len());
    if device == TestDevice::Cpu {
        println!("to run them: cargo xtask test --device cuda:0");
    }
    Ok(reasons.len())
}

/// The flag of cargo for the examples in the documentation. Cargo does not build them without running them.
const DOC: &str = "--doc";

/// Returns the arguments of cargo that build the programs of a command but do not run them.
fn building(words: &[String]) -> Vec<String> {
    let mut words: Vec<String> = words.iter().take_while(|word| *word != "--").cloned().collect();
    words.push("--no-run".into());
    words
}

/// Returns the arguments of cargo for each command.
fn commands(args: &Args, root: &Path) -> Result<Vec<Vec<String>>> {
    if args.capabilities.is_empty() {
        let mut packages = ALL_BUT_DATAFUSION.map(String::from).to_vec();
        if args.no_doc {
            packages.extend(["--lib", "--bins", "--tests"].map(String::from));
        }
        return Ok(vec![command(args, packages, &[])]);
    }
    let mut packages: Vec<String> = Vec::new();
    let mut whole = Vec::new();
    for capability in &args.capabilities {
        ensure!(
            has_module(root, "gdf-api", capability),
            "`{capability}` is no capability; pass the name of a module of gdf-api, such as `copying` or `join`"
        );
        for name in ALGORITHMS {
            // Modules of a crate that is a capability do not have the name of the capability.
            if name.strip_prefix("gdf-") == Some(capability) {
                whole.push(name.to_owned());
            } else if has_module(root, name, capability) {
                packages.push(name.to_owned());
            }
        }
    }
    let flags = |packages: &[String]| packages.iter().flat_map(|name| ["--package".to_owned(), name.clone()]).collect();
    packages.extend(["gdf-api", "gdf-tests"].map(String::from));
    packages.sort();
    packages.dedup();
    let mut tests: Vec<String> = flags(&packages);
    tests.extend(["--lib", "--test", "it"].map(String::from));
    let mut commands = vec![command(args, tests, &args.capabilities)];
    if !whole.is_empty() {
        let mut tests: Vec<String> = flags(&whole);
        tests.push("--lib".into());
        commands.push(command(args, tests, &[]));
    }
    if !args.no_doc {
        let examples = ["--package", "gdf-api", DOC].map(String::from).to_vec();
        commands.push(command(args, examples, &args.capabilities));
    }
    Ok(commands)
}

/// Returns whether a crate has a module.
fn has_module(root: &Path, package: &str, module: &str) -> bool {
    let source = root.join("crates").join(package).join("src");
    let is_name =
        module.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_') && !matches!(module, "" | "lib");
    is_name && (source.join(module).is_dir() || source.join(format!("{module}.rs")).is_file())
}

/// Returns the arguments of cargo for the tests that `targets` selects and whose names contain one of `names`.
fn command(args: &Args, targets: Vec<String>, names: &[String]) -> Vec<String> {
    let mut words: Vec<String> = vec!["test".into()];
    words.extend(targets);
    words.push("--no-fail-fast".into());
    // In a virtual workspace, cargo enables the feature in each package that declares the feature.
    if args.cuda || args.device != TestDevice::Cpu {
        words.extend(["--features".into(), "cuda".into()]);
    }
    if args.release {
        words.push("--release".into());
    }
    let filters: Vec<&String> = names.iter().chain(&args.filters).collect();
    if !filters.is_empty() {
        words.push("--".into());
        words.extend(filters.into_iter().cloned());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(device: TestDevice) -> Args {
        Args {
            capabilities: Vec::new(),
            device,
            cuda: false,
            no_doc: false,
            release: false,
            no_kernels: false,
            bless: false,
            filters: Vec::new(),
        }
    }

    #[test]
    fn devices_parse_and_print_alike() {
        for (text, device) in
            [("cpu", TestDevice::Cpu), ("cuda:0", TestDevice::Cuda(0)), ("cuda:12", TestDevice::Cuda(12))]
        {
            assert_eq!(text.parse(), Ok(device));
            assert_eq!(device.to_string(), text);
        }
        assert_eq!("cuda".parse(), Ok(TestDevice::Cuda(0)));
        for text in ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "CPU"] {
            assert!(text.parse::<TestDevice>().is_err(), "{text}");
        }
    }

    fn arguments(args: &Args) -> Vec<String> {
        commands(args, &root()).unwrap().remove(0)
    }

    #[test]
    fn a_capability_selects_crates_and_names() {
        let mut args = plain(TestDevice::Cpu);
        args.capabilities = vec!["copying".into()];
        let found: Vec<String> = commands(&args, &root()).unwrap().iter().map(|words| words.join(" ")).collect();
        let tests = "test --package gdf-api --package gdf-compute --package gdf-tests --lib --test it --no-fail-fast -- copying";
        assert_eq!(found, [tests, "test --package gdf-api --doc --no-fail-fast -- copying"]);
        args.capabilities = vec!["strings".into()];
        args.no_doc = true;
        let found = commands(&args, &root()).unwrap();
        assert_eq!(found[1].join(" "), "test --package gdf-strings --lib --no-fail-fast");
        for name in ["copyings", "lib", "", "../gdf-api"] {
            args.capabilities = vec![name.into()];
            assert!(commands(&args, &root()).unwrap_err().to_string().contains("is no capability"), "{name}");
        }
    }

    #[test]
    fn a_gpu_run_has_the_feature_and_a_cpu_run_does_not() {
        assert!(!arguments(&plain(TestDevice::Cpu)).contains(&"cuda".to_owned()));
        assert!(arguments(&plain(TestDevice::Cuda(1))).contains(&"cuda".to_owned()));
    }

    #[test]
    fn the_catalog_is_blessed_on_the_device_that_is_asked_for() {
        assert!(blessing(&plain(TestDevice::Cuda(0))).contains(&"cuda"));
        let words = blessing(&plain(TestDevice::Cpu));
        assert!(
            !words.contains(&"cuda") && words.ends_with(&["catalog::", "--skip", "every_kernel_runs"]),
            "{words:?}"
        );
    }

    #[test]
    fn skipped_tests_are_counted() {
        let file = root().join("target/skipped-tests-test.txt");
        fs::create_dir_all(root().join("target")).unwrap();
        fs::write(&file, "poison: needs a GPU\nlarge: needs a GPU\n").unwrap();
        assert_eq!(report_skipped(&file, TestDevice::Cpu).unwrap(), 2);
        fs::remove_file(&file).unwrap();
        assert!(report_skipped(&file, TestDevice::Cpu).is_err());
    }

    #[test]
    fn what_is_built_is_what_runs() {
        let mut args = plain(TestDevice::Cuda(0));
        args.filters = vec!["lifetime".into()];
        let ran = arguments(&args);
        let built = building(&ran);
        assert_eq!(built.last().map(String::as_str), Some("--no-run"));
        assert_eq!(built[..built.len() - 1], ran[..ran.len() - 2]);
    }

    #[test]
    fn filters_come_last() {
        let mut args = plain(TestDevice::Cpu);
        args.filters = vec!["lifetime".into()];
        args.no_doc = true;
        let words = arguments(&args);
        assert_eq!(words[words.len() - 2..], ["--", "lifetime"]);
    }
}
