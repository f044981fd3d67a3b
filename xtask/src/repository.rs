//! Paths in the repository, and functions by which chores start other programs.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Returns the folder of the workspace's manifest.
pub(crate) fn root() -> PathBuf {
    let xtask =
        env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    xtask.parent().map_or(xtask.clone(), Path::to_path_buf)
}

/// The text files of the repository.
pub(crate) type Files = BTreeMap<String, String>;

/// Returns all text files that git tracks or would track.
pub(crate) fn files() -> Result<Files> {
    let root = root();
    let mut git = Command::new("git");
    git.current_dir(&root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let mut files = Files::new();
    for path in read(&mut git)?.split('\0').filter(|path| !path.is_empty()) {
        let absolute = root.join(path);
        if !absolute.is_file() {
            continue; // A file that is deleted but still in the index, or a folder of another repository.
        }
        let bytes = fs::read(&absolute).with_context(|| format!("could not read {path}"))?;
        if let Ok(text) = String::from_utf8(bytes) {
            files.insert(path.to_owned(), text);
        }
    }
    Ok(files)
}

pub(crate) fn images() -> PathBuf {
    root().join("crates/gdf-kernels/images")
}

pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs another chore in a separate process, because each chore parses its own flags.
pub(crate) fn xtask(arguments: &[&str]) -> Result<()> {
    let mut command = Command::new(env::current_exe().context("the path of this program is unknown")?);
    command.current_dir(root()).args(arguments);
    run(&mut command)
}

/// Compiles the kernels that are not up to date.
pub(crate) fn compile_kernels() -> Result<()> {
    xtask(&["toolkit"])?;
    xtask(&["kernels"])
}

/// Prints and runs the command.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", line(command));
    let status = command.status().with_context(|| format!("could not start `{}`", line(command)))?;
    if !status.success() {
        bail!("`{}` failed: {status}", line(command));
    }
    Ok(())
}

/// Runs the command and returns its standard output.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(std::process::Stdio::inherit())
        .output()
        .with_context(|| format!("could not start `{}`", line(command)))?;
    if !output.status.success() {
        bail!("`{}` failed: {}", line(command), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the command in the form in which a user would type it: environment variables, the program without its
/// folder, and arguments.
pub(crate) fn line(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| {
        value.map(|value| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()))
    });
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    let arguments = command.get_args().map(|word| word.to_string_lossy().into_owned());
    variables.chain([program]).chain(arguments).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_prints_as_it_is_typed() {
        let mut command = Command::new("bin/cargo");
        command.args(["test", "--workspace"]).env("A", "1").env_remove("B");
        assert_eq!(line(&command), "A=1 cargo test --workspace");
    }

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().join("crates/gdf/Cargo.toml").is_file());
    }
}
