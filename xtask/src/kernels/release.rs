//! What is shipped: a crate of images for each architecture, and what the registry accepts of them.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::repository::{cargo, root, run as start};

/// The registry accepts packages of up to 10 MB, compressed.
const LIMIT: u64 = 10_000_000;

/// The images of one crate.
pub(super) struct Set {
    krate: &'static str,
    /// sm_NN: code. compute_NN: PTX.
    pub(super) arch: &'static str,
}

/// Code for the first architecture of each major version, which runs on those of its later minor versions; the driver
/// compiles code for all others from PTX.
pub(super) const SETS: [Set; 6] = [
    Set { krate: "gdf-kernels-sm75", arch: "sm_75" },
    Set { krate: "gdf-kernels-sm80", arch: "sm_80" },
    Set { krate: "gdf-kernels-sm90", arch: "sm_90" },
    Set { krate: "gdf-kernels-sm100", arch: "sm_100" },
    Set { krate: "gdf-kernels-sm120", arch: "sm_120" },
    Set { krate: "gdf-kernels-ptx", arch: "compute_75" },
];

/// What the crates of images are built with, and the one that takes them.
const BESIDE: [&str; 1] = ["gdf-kernels-build"];

impl Set {
    /// Where its images go.
    pub(super) fn folder(&self) -> PathBuf {
        root().join("crates").join(self.krate).join("images")
    }
}

/// Makes the packages, and fails where one is larger than the registry accepts.
pub(super) fn weigh() -> Result<()> {
    let names = || BESIDE.into_iter().chain(SETS.iter().map(|set| set.krate));
    let mut package = cargo();
    package.args(["package", "--no-verify", "--allow-dirty", "--quiet"]);
    names().for_each(|name| {
        package.args(["--package", name]);
    });
    start(&mut package)?;
    let mut heavy = Vec::new();
    for name in names() {
        let file = format!("{name}-{}.crate", env!("CARGO_PKG_VERSION"));
        let path = root().join("target/package").join(&file);
        let bytes = fs::metadata(&path).with_context(|| format!("no package {}", path.display()))?.len();
        println!("{:>9.3} MB  {file}", bytes as f64 / 1e6);
        if bytes > LIMIT {
            heavy.push(file);
        }
    }
    ensure!(heavy.is_empty(), "more than {LIMIT} bytes: {}", heavy.join(", "));
    Ok(())
}
