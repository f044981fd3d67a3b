//! `cargo xtask test`: every test of the workspace on one device.
//!
//! The device is handed to the tests as `GDF_TEST_DEVICE`. A test that needs a GPU skips, and says so, while the device is `cpu`;
//! when a GPU was asked for, the same test fails instead. So a green run on a GPU machine cannot have skipped anything.

use std::fmt;
use std::str::FromStr;

use anyhow::Result;

use crate::repository::{cargo, compile_kernels, run as start};

/// Flags of `cargo xtask test`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where the tests run: cpu, cuda or cuda:N
    #[arg(long, default_value = "cpu")]
    device: TestDevice,
    /// Build with feature `cuda` although the device is the CPU
    #[arg(long)]
    cuda: bool,
    /// Leave the examples in the documentation out
    #[arg(long)]
    no_doc: bool,
    /// Build optimised
    #[arg(long)]
    release: bool,
    /// Use the images that are there instead of compiling the kernels
    #[arg(long)]
    no_kernels: bool,
    /// Only tests whose names contain one of these, and flags for the test programs
    #[arg(last = true)]
    filters: Vec<String>,
}

/// The device of a test run. The workspace's own `Device` is not used: chores build without the crates that they check.
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

/// Runs the tests; all of them, also after a failure, so that every closing line is seen.
pub(crate) fn run(args: Args) -> Result<()> {
    let on_gpu = args.device != TestDevice::Cpu;
    if on_gpu && !args.no_kernels {
        compile_kernels()?;
    }
    let mut command = cargo();
    command.args(arguments(&args));
    command.env("GDF_TEST_DEVICE", args.device.to_string());
    let outcome = start(&mut command);
    if !on_gpu {
        println!("CUDA tests skipped: no device asked for (cargo xtask test --device cuda:0)");
    }
    outcome
}

fn arguments(args: &Args) -> Vec<String> {
    let mut words: Vec<String> = ["test", "--workspace", "--no-fail-fast"].map(String::from).into();
    // At the root of a virtual workspace cargo gives the feature to each package that has it.
    if args.cuda || args.device != TestDevice::Cpu {
        words.extend(["--features".into(), "cuda".into()]);
    }
    if args.no_doc {
        words.extend(["--lib", "--bins", "--tests"].map(String::from));
    }
    if args.release {
        words.push("--release".into());
    }
    if !args.filters.is_empty() {
        words.push("--".into());
        words.extend(args.filters.iter().cloned());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(device: TestDevice) -> Args {
        Args { device, cuda: false, no_doc: false, release: false, no_kernels: false, filters: Vec::new() }
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

    #[test]
    fn a_gpu_run_has_the_feature_and_a_cpu_run_does_not() {
        assert!(!arguments(&plain(TestDevice::Cpu)).contains(&"cuda".to_owned()));
        assert!(arguments(&plain(TestDevice::Cuda(1))).contains(&"cuda".to_owned()));
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
