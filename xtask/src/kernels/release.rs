//! The released images. There is a crate of images for each architecture, and the registry limits the size of a crate.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::repository::{cargo, root, run as start};

/// The size limit of the registry for a compressed package, in bytes.
const LIMIT: u64 = 10_000_000;

pub(super) struct Set {
    krate: &'static str,
    /// `sm_NN` means machine code, and `compute_NN` means PTX.
    pub(super) arch: &'static str,
}

/// The crates of images. The machine code is for the first architecture of each major version, and also runs on later
/// minor versions of the same major version.
pub(super) const SETS: [Set; 6] = [
    Set { krate: "gdf-kernels-sm75", arch: "sm_75" },
    Set { krate: "gdf-kernels-sm80", arch: "sm_80" },
    Set { krate: "gdf-kernels-sm90", arch: "sm_90" },
    Set { krate: "gdf-kernels-sm100", arch: "sm_100" },
    Set { krate: "gdf-kernels-sm120", arch: "sm_120" },
    Set { krate: "gdf-kernels-ptx", arch: "compute_75" },
];

/// The crates that are released together with the crates of images.
const BESIDE: [&str; 1] = ["gdf-kernels-build"];

impl Set {
    pub(super) fn folder(&self) -> PathBuf {
        root().join("crates").join(self.krate).join("images")
    }
}

/// Makes the packages.
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
    ensure!(heavy.is_empty(), "these packages exceed the registry's limit of {LIMIT} bytes: {}", heavy.join(", "));
    Ok(())
}
