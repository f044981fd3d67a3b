//! The copy of the sources to which mutants are applied.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::patch::{self, Mutant};
use crate::repository::{read, root};

/// A copy of all files that git tracks or would track.
pub(super) struct Scratch {
    tree: PathBuf,
    folder: PathBuf,
    /// A file lock that is held while the copy is used.
    _lock: fs::File,
}

impl Scratch {
    /// Updates the copy.
    pub(super) fn new() -> Result<Self> {
        let folder = root().join("target/mutants");
        fs::create_dir_all(folder.join("tree"))?;
        let folder = folder.canonicalize()?;
        let lock = fs::File::create(folder.join("lock"))?;
        lock.lock()?;
        let scratch = Scratch { tree: folder.join("tree"), folder, _lock: lock };
        let mut list = Command::new("git");
        list.current_dir(root()).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let listed = read(&mut list)?;
        let files: BTreeSet<&str> =
            listed.split('\0').filter(|file| !file.is_empty() && is_file_or_link(&root().join(file))).collect();
        for file in &files {
            scratch.copy(file)?;
        }
        remove_others(&scratch.tree, &scratch.tree, &files)?;
        Ok(scratch)
    }

    pub(super) fn tree(&self) -> &Path {
        &self.tree
    }

    pub(super) fn made(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn copy(&self, file: &str) -> Result<()> {
        let target = self.tree.join(file);
        #[cfg(unix)]
        if let Ok(linked) = fs::read_link(root().join(file)) {
            if fs::read_link(&target).is_ok_and(|old| old == linked) {
                return Ok(());
            }
            if let Some(folder) = target.parent() {
                fs::create_dir_all(folder)?;
            }
            return std::os::unix::fs::symlink(linked, &target).with_context(|| target.display().to_string());
        }
        let bytes = fs::read(root().join(file)).with_context(|| file.to_owned())?;
        if fs::read(&target).is_ok_and(|old| old == bytes) {
            return Ok(());
        }
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&target, bytes).with_context(|| target.display().to_string())
    }

    pub(super) fn apply(&self, mutant: &Mutant) -> Result<()> {
        let mut apply = Command::new("git");
        // Without this variable, git would treat the paths in the patch as paths of the repository that encloses the
        // copy.
        apply.current_dir(&self.tree).env("GIT_CEILING_DIRECTORIES", &self.folder);
        let output =
            apply.arg("apply").args(patch::APPLY).arg(&mutant.path).output().context("could not start `git apply`")?;
        let message = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{}", message.lines().next().unwrap_or_default());
        // Git may skip a patch without an error. Without this check, the mutant of a skipped patch would appear to
        // survive.
        let changed =
            mutant.files.iter().all(|file| fs::read(self.tree.join(file)).ok() != fs::read(root().join(file)).ok());
        ensure!(changed, "`git apply` changed no file of the copy");
        Ok(())
    }

    pub(super) fn restore(&self, mutants: &[&Mutant]) -> Result<()> {
        mutants.iter().flat_map(|mutant| &mutant.files).try_for_each(|file| self.copy(file))
    }

    /// Makes a `cargo` command in the copy.
    pub(super) fn cargo(&self) -> Command {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.tree).env("CARGO_TARGET_DIR", self.folder.join("build"));
        command.env("CARGO_PROFILE_DEV_DEBUG", "false");
        for variable in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "RUSTFLAGS"] {
            command.env_remove(variable);
        }
        command
    }
}

/// Returns whether the path is copied.
fn is_file_or_link(path: &Path) -> bool {
    path.is_file() || path.is_symlink()
}

/// Removes the files of the copy that the repository does not have, except a `Cargo.lock` that cargo wrote there.
fn remove_others(tree: &Path, folder: &Path, files: &BTreeSet<&str>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let relative = path.strip_prefix(tree).unwrap_or(&path).to_string_lossy().into_owned();
        if path.is_dir() && !path.is_symlink() {
            remove_others(tree, &path, files)?;
        } else if !files.contains(relative.as_str()) && relative != "Cargo.lock" {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}
