//! `cargo xtask kernels`: compiles `kernels/<capability>/*.cu` to one image per capability. The module
//! `gdf_nvcc::compile` does the work.

mod release;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use gdf_nvcc::compile::{Build, Options, flags};
use gdf_nvcc::progress::Lines;

use crate::repository::root;
use crate::toolkit;

/// The value of `--arch` that stands for all released architectures.
const RELEASE: &str = "release";

/// Arguments of `cargo xtask kernels`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Compile only these capabilities (folders of kernels/); without names, compile all
    capabilities: Vec<String>,
    /// Architectures: sm_NN (machine code), compute_NN (PTX), or `release` for the architectures of all released
    /// crates
    #[arg(long, value_delimiter = ',', default_value = "sm_90")]
    arch: Vec<String>,
    /// Compile unoptimized device code for debuggers
    #[arg(long)]
    debug: bool,
    /// Add source lines for profilers and sanitizers: the code is the same, and the images are about three times as
    /// large
    #[arg(long, conflicts_with = "debug")]
    lineinfo: bool,
    /// The folder of the images [default: crates/gdf-kernels/images]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The folder of other sources; the images still claim to be made from kernels/, so that programs load them
    #[arg(long, value_name = "DIR", hide = true)]
    sources: Option<PathBuf>,
    /// The number of compilers that run at a time [default: the number of cores]
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
}

/// Compiles the kernels that are not up to date, and writes the images.
pub(crate) fn run(args: Args) -> Result<()> {
    let Some(toolkit) = toolkit::find()? else {
        bail!("no CUDA compiler found; `cargo xtask toolkit` installs one");
    };
    let sources = args.sources.clone().unwrap_or_else(|| root().join("kernels"));
    let work = root().join("target/kernels");
    let mut build = Build::new(toolkit, &sources, &work)?.only(args.capabilities)?;
    if args.sources.is_some() {
        build = build.claiming(&root().join("kernels"))?;
    }
    if let Some(jobs) = args.jobs {
        build = build.jobs(jobs);
    }
    if args.arch == [RELEASE] {
        ensure!(args.out.is_none() && !args.debug && !args.lineinfo, "`--arch release` excludes other flags");
        for set in release::SETS {
            build.images(&flags(&[set.arch], Options::default())?, &set.folder(), &Lines)?;
        }
        build.trim()?;
        return release::weigh();
    }
    let out = match args.out {
        Some(out) => std::path::absolute(out)?,
        None => crate::repository::images(),
    };
    let arch: Vec<&str> = args.arch.iter().map(String::as_str).collect();
    ensure!(!arch.contains(&RELEASE), "`--arch {RELEASE}` cannot be combined with other architectures");
    build.images(&flags(&arch, Options { debug: args.debug, lineinfo: args.lineinfo })?, &out, &Lines)?;
    build.trim()
}
