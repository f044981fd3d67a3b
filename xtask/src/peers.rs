//! Tests gdf together with Arrow libraries of other languages. A Python script (`tests/peers`) calls a C library that
//! is built from gdf.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::python;
use crate::repository::{cargo, root, run as start};

const PACKAGES: [&str; 2] = ["pyarrow==26.0.1", "nanoarrow==0.9.0"];

pub(crate) fn python() -> Result<PathBuf> {
    Ok(python::environment(&PACKAGES)?.join("python"))
}

/// Builds the C library, and runs the tests with all pairs of libraries on the CPU.
pub(crate) fn run(python: &Path) -> Result<()> {
    start(cargo().args(["build", "--package", "gdf-peers"]))?;
    let library = root().join("target/debug/libgdf_peers.so");
    start(Command::new(python).arg(root().join("tests/peers/pairs.py")).arg(library))
}
