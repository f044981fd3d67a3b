//! The committed numbers of each entry: the number of cases, and the number of types among the inputs of these cases.
//!
//! If a loop that makes cases becomes shorter by mistake, cases are lost. Each run of an entry therefore compares its
//! numbers with a committed file.

use std::collections::BTreeSet;

use super::{Snapshots, write};
use crate::catalog::{Case, Entry};

const HEADER: &str = "entry\tcases\ttypes";

fn line(entry: &Entry, cases: &[Case]) -> String {
    let inputs = cases.iter().flat_map(|case| &case.inputs);
    let types: BTreeSet<String> = inputs.map(|input| input.data_type().to_string()).collect();
    format!("{}\t{}\t{}", entry.name, cases.len(), types.len())
}

fn check(committed: &str, line: &str) -> Result<(), String> {
    let name = |line: &str| line.split('\t').next().map(str::to_owned);
    let own: Vec<&str> = committed.lines().filter(|committed| name(committed) == name(line)).collect();
    if own.contains(&line) {
        Ok(())
    } else {
        Err(format!(
            "the catalog has the line {line:?}, but counts.tsv has {own:?}; rewrite the file with cargo xtask test \
             --bless"
        ))
    }
}

impl Snapshots {
    /// Compares the numbers of an entry with the line of the entry in the file.
    pub(crate) fn check_counts(&self, entry: &Entry, cases: &[Case]) -> Result<(), String> {
        check(self.counts, &line(entry, cases))
    }

    /// Rewrites the file if [`BLESS_VARIABLE`](super::BLESS_VARIABLE) is set. If the variable is not set, the function
    /// compares the names in the file with the names of all entries of the catalog.
    ///
    /// # Errors
    /// - the names differ, or the file could not be written.
    pub fn bless_or_check_names(&self, entries: &[Entry]) -> Result<(), String> {
        if let Some(folder) = self.bless_folder() {
            let mut lines: Vec<String> = entries.iter().map(|entry| line(entry, &(entry.cases)())).collect();
            lines.sort_unstable();
            return write(&folder.join("counts.tsv"), &format!("{HEADER}\n{}\n", lines.join("\n")));
        }
        let mut names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        let committed: Vec<&str> = self.counts.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
        if names == committed { Ok(()) } else { Err(format!("the catalog has {names:?}\ncounts.tsv: {committed:?}")) }
    }

    /// Checks the header of the file, and that every entry has cases.
    ///
    /// # Errors
    /// - the file has another header, or an entry without cases.
    pub(super) fn check_counted(&self) -> Result<(), String> {
        if self.counts.lines().next() != Some(HEADER) {
            return Err("the header of counts.tsv is outdated: rewrite the file with cargo xtask test --bless".into());
        }
        match self.counts.lines().skip(1).find(|line| line.split('\t').nth(1) == Some("0")) {
            Some(line) => Err(format!("an entry of counts.tsv has no cases: {line}")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_more_or_less_is_a_difference() {
        let committed = "entry\tcases\ttypes\na.b\t10\t3\na.b\t2\t1\n";
        check(committed, "a.b\t10\t3").unwrap();
        check(committed, "a.b\t2\t1").unwrap();
        for other in ["a.b\t9\t3", "a.b\t10\t2", "a.c\t10\t3"] {
            assert!(check(committed, other).is_err(), "{other}");
        }
    }

    #[test]
    fn an_entry_without_cases_is_found() {
        let snapshots = |counts| Snapshots::new("", counts, &[]);
        snapshots("entry\tcases\ttypes\na.b\t10\t3\n").check_counted().unwrap();
        snapshots("entry\tcases\ttypes\na.b\t0\t0\n").check_counted().unwrap_err();
        snapshots("a.b\t10\t3\n").check_counted().unwrap_err();
    }
}
