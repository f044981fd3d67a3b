//! Starts the command in an isolated environment.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

/// The result of a run.
pub(crate) struct Ran {
    pub(crate) status: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Returns the command with its cache and home directories below `folder`, and without a compiler in the environment.
pub(crate) fn gdf(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gdf"));
    command.current_dir(folder).env("HOME", folder).env("XDG_CACHE_HOME", folder.join("cache"));
    for variable in
        ["GDF_LOG", "GDF_LOG_FILE", "GDF_KERNELS_DIR", "GDF_KERNELS_CACHE", "NVCC", "CUDA_HOME", "NVCC_CCBIN"]
    {
        command.env_remove(variable);
    }
    command
}

pub(crate) fn run(command: &mut Command) -> Ran {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { status: status.code(), out: text(stdout), err: text(stderr) }
}

pub(crate) fn ran<A: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = A>) -> Ran {
    run(gdf(folder).args(arguments))
}
