//! `cargo xtask replay LOG`: times memory resources on a log of allocations. The log is from `LoggingResource` or from
//! RMM.

use std::path::PathBuf;

use anyhow::Result;

use crate::repository::{cargo, run as start};
use crate::test::TestDevice;

/// Flags of `cargo xtask replay`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The log: CSV with the columns Thread, Time, Action, Pointer, Size, Stream
    log: PathBuf,
    /// The device of the memory: cpu, cuda or cuda:N
    #[arg(long, default_value = "cpu")]
    device: TestDevice,
    /// The resources, separated by commas: host, cuda, pool, virtual_pool, arena, binning, caching, cuda_async, pinned,
    /// pinned_pool, managed_pool
    #[arg(long, default_value = "pool,caching")]
    resource: String,
    /// The initial size of a pool in bytes
    #[arg(long)]
    initial: Option<usize>,
    /// The largest size of a pool in bytes
    #[arg(long)]
    maximum: Option<usize>,
}

pub(crate) fn run(args: Args) -> Result<()> {
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "--package", "gdf-memory", "--example", "replay"]);
    if args.device != TestDevice::Cpu {
        command.args(["--features", "cuda"]);
    }
    // The path is relative to the current folder, but cargo runs in the root of the repository. Therefore the path is
    // made absolute.
    command.arg("--").arg(std::path::absolute(&args.log)?);
    command.args(["--device", &args.device.to_string(), "--resource", &args.resource]);
    for (flag, bytes) in [("--initial", args.initial), ("--maximum", args.maximum)] {
        if let Some(bytes) = bytes {
            command.args([flag, &bytes.to_string()]);
        }
    }
    start(&mut command)
}
