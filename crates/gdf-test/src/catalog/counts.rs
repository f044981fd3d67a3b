//! How many cases each entry has and how many types are among their inputs, as committed.
//!
//! Cases come from loops over types, lengths and functions; where one of those shrinks by mistake, nothing fails, and
//! nothing is tested either. So the numbers are a file, compared for equality when an entry runs, that only a command rewrites.

use std::collections::BTreeSet;

use super::{Case, Entry};
use crate::costs::{self, bless_folder};

const COMMITTED: &str = include_str!("../../counts.tsv");

const HEADER: &str = "entry\tcases\ttypes";

/// The line of an entry with these cases.
fn line(entry: &Entry, cases: &[Case]) -> String {
    let inputs = cases.iter().flat_map(|case| &case.inputs);
    let types: BTreeSet<String> = inputs.map(|input| input.data_type().to_string()).collect();
    format!("{}\t{}\t{}", entry.name, cases.len(), types.len())
}

/// Compares an entry, which has these cases, with its line of the file; of two entries of one name with either line.
pub(crate) fn check_counts(entry: &Entry, cases: &[Case]) -> Result<(), String> {
    check(COMMITTED, &line(entry, cases))
}

fn check(committed: &str, line: &str) -> Result<(), String> {
    let name = |line: &str| line.split('\t').next().map(str::to_owned);
    let own: Vec<&str> = committed.lines().filter(|committed| name(committed) == name(line)).collect();
    if own.contains(&line) { Ok(()) } else { Err(format!("counted {line:?}, committed {own:?}")) }
}

/// Rewrites the file where [`BLESS_VARIABLE`](costs::BLESS_VARIABLE) says so; else compares its names with those of the catalog.
///
/// # Errors
/// - the names that differ; or the file could not be written.
pub fn bless_or_check_names() -> Result<(), String> {
    let entries = super::all();
    if let Some(folder) = bless_folder() {
        let mut lines: Vec<String> = entries.iter().map(|entry| line(entry, &(entry.cases)())).collect();
        lines.sort_unstable();
        return costs::write(&folder.join("counts.tsv"), &format!("{HEADER}\n{}\n", lines.join("\n")));
    }
    let mut names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
    names.sort_unstable();
    let committed: Vec<&str> = COMMITTED.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
    if names == committed { Ok(()) } else { Err(format!("counted {names:?}\ncommitted {committed:?}")) }
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
    fn every_entry_has_cases() {
        assert_eq!(COMMITTED.lines().next(), Some(HEADER));
        for line in COMMITTED.lines().skip(1) {
            assert_ne!(line.split('\t').nth(1), Some("0"), "{line}");
        }
        bless_or_check_names().unwrap();
    }
}
