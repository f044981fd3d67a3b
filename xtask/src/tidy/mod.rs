//! `cargo xtask tidy`: checks rules of the repository that a program can check.
//!
//! Each checker takes texts and returns findings.

mod boundaries;
mod catalog;
mod costs;
mod documentation;
mod edges;
mod files;
mod kernels;
mod map;
mod pages;
mod safety;
mod structure;
mod threads;
mod widths;
mod words;

use std::fmt;

use anyhow::{Result, bail};

pub(crate) use self::catalog::capability;
use crate::repository::{Files, files as repository};

/// Flags of `cargo xtask tidy`: none yet.
#[derive(clap::Args)]
pub(crate) struct Args {}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    /// The number of the line, counted from 1. Number 0 stands for the whole file.
    line: usize,
    what: String,
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }

    fn file(path: &str, what: impl Into<String>) -> Self {
        Self::new(path, 0, what)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(out, "{}: {}", self.path, self.what),
            line => write!(out, "{}:{line}: {}", self.path, self.what),
        }
    }
}

/// Runs all checkers.
pub(crate) fn run(_args: Args) -> Result<()> {
    let repository = repository()?;
    let mut findings = Vec::new();
    findings.extend(files::check(&repository));
    findings.extend(safety::check(&repository));
    findings.extend(boundaries::check(&repository));
    findings.extend(edges::check_manifests(&repository));
    findings.extend(edges::check_trees(&repository)?);
    findings.extend(map::check(&repository));
    findings.extend(pages::check(&repository));
    findings.extend(catalog::check(&repository));
    findings.extend(catalog::check_folders(&repository));
    findings.extend(costs::check(&repository));
    findings.extend(documentation::check(&repository));
    findings.extend(kernels::check(&repository));
    findings.extend(structure::check(&repository));
    findings.extend(threads::check(&repository));
    findings.extend(widths::check(&repository));
    findings.extend(words::check(&repository));
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        bail!("tidy: {} findings", findings.len());
    }
    println!("tidy: {} files, nothing found", repository.len());
    Ok(())
}

#[cfg(test)]
fn repository_of<const N: usize>(files: [(&str, &str); N]) -> Files {
    files.map(|(path, text)| (path.to_owned(), text.to_owned())).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A checker whose file or folder has moved would find nothing.
    #[test]
    fn checkers_name_paths_of_the_repository() {
        let repository = repository().unwrap();
        let files =
            [words::LEXICON, catalog::SHORT_FORMS, boundaries::CUB, boundaries::SCOPE, threads::TEST, widths::TABLE];
        let folders = [catalog::API, catalog::CATALOG, kernels::GENERATED];
        let by_capability = catalog::BY_CAPABILITY.map(|(folder, _)| folder);
        for place in files.into_iter().chain(folders).chain(by_capability) {
            assert!(repository.keys().any(|path| path.starts_with(place)), "{place} does not exist");
        }
    }
}
