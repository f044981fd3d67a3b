//! Installs programs and libraries from Python's package registry in an environment in `target`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::repository::{read, root, run as start};

/// The package of DuckDB.
pub(crate) const DUCKDB: &str = "duckdb==2.0.0";

/// Makes an environment with the packages, and returns the environment's folder of programs.
pub(crate) fn environment(packages: &[&str]) -> Result<PathBuf> {
    let programs = root().join("target/python/venv/bin");
    if !programs.join("python").exists() {
        let folder = root().join("target/python/venv");
        read(Command::new("python3").args(["-m", "venv"]).arg(&folder))
            .context("a Python environment cannot be created; install python3 and its module `venv`")?;
    }
    let mut install = Command::new(programs.join("python"));
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
    start(&mut install).context("pip cannot install the Python packages")?;
    Ok(programs)
}
