//! Fetches the sqllogictest files of SQLite, which are in the public domain, into `target`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::repository::{read, root};

/// A mirror of the files. The commit fixes what they say.
const SOURCE: &str = "https://github.com/gregrahn/sqllogictest";
const COMMIT: &str = "d8d4f4b9a351102ec63196a920e8052f4f025509";

/// The variable that names the folder for the test.
pub(crate) const VARIABLE: &str = "GDF_SQLITE_TESTS";

/// Returns the folder of the files: that of [`VARIABLE`], or one under `target`, into which the files are fetched once.
pub(crate) fn folder() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os(VARIABLE) {
        return Ok(folder.into());
    }
    let clone = root().join("target/sqlite-tests");
    let folder = clone.join("test");
    if folder.join("select5.test").exists() {
        return Ok(folder);
    }
    std::fs::create_dir_all(&clone)?;
    let git = |arguments: &[&str]| read(Command::new("git").arg("-C").arg(&clone).args(arguments)).map(drop);
    git(&["init", "--quiet"])?;
    let fetch = ["fetch", "--quiet", "--depth", "1", "--filter=blob:none", SOURCE, COMMIT];
    git(&fetch).with_context(|| format!("the tests of SQLite cannot be fetched; set {VARIABLE} to their folder"))?;
    git(&["remote", "add", "origin", SOURCE]).or_else(|_| git(&["remote", "set-url", "origin", SOURCE]))?;
    git(&["checkout", "--quiet", COMMIT, "--", "test/evidence"])?;
    for number in 1..=5 {
        git(&["checkout", "--quiet", COMMIT, "--", &format!("test/select{number}.test")])?;
    }
    Ok(folder)
}
