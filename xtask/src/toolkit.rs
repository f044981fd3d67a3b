//! `cargo xtask toolkit`: finds the CUDA compiler, or downloads the pinned version without root rights. The module
//! `gdf_nvcc::toolkit` does the work.

use std::path::PathBuf;

use anyhow::Result;
use gdf_nvcc::progress::Lines;
use gdf_nvcc::toolkit;

pub(crate) use gdf_nvcc::toolkit::Toolkit;

use crate::cust;
use crate::repository::root;

/// Arguments of `cargo xtask toolkit`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Install the pinned packages under target/toolkit even when a compiler is found elsewhere
    #[arg(long)]
    install: bool,
    /// Make the files that the feature `cust` of gdf-interop needs at link time, and print the variable to set
    #[arg(long)]
    cust: bool,
}

/// Finds or installs the compiler and prints its path.
pub(crate) fn run(args: Args) -> Result<()> {
    let found = if args.install { None } else { find()? };
    let toolkit = match found {
        Some(toolkit) => toolkit,
        None => install()?,
    };
    println!("{}", toolkit.nvcc.display());
    println!("{}", toolkit.version);
    if args.cust {
        println!("export {}={}", cust::VARIABLE, cust::make_stub(&toolkit)?.display());
    }
    Ok(())
}

/// Finds the compiler that `cargo xtask kernels` uses. The search order is `NVCC`, `CUDA_HOME`, target/toolkit, `PATH`
/// and /usr/local/cuda.
pub(crate) fn find() -> Result<Option<Toolkit>> {
    toolkit::find(Some(&site_directory()), &mut |nvcc, error| eprintln!("skipped {}: {error:#}", nvcc.display()))
}

pub(crate) fn install() -> Result<Toolkit> {
    let site = site_directory();
    eprintln!("fetching the CUDA compiler into {}", site.display());
    toolkit::fetch(&site, &Lines)
}

fn site_directory() -> PathBuf {
    root().join("target/toolkit/site")
}
