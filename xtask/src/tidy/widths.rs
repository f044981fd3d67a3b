//! Checks that no line of a kernel's source is longer than 120 characters. Files that have longer lines are in a table
//! with the number of these lines, and the table may only shrink.

use std::collections::BTreeMap;

use super::{Files, Finding};
use crate::text::is_written_by_hand;

const LONGEST: usize = 120;

/// The table of the files with longer lines.
pub(super) const TABLE: &str = "xtask/src/tidy/widths.tsv";

/// Reports files whose number of longer lines is not that of the table, and rows of the table without a file.
pub(super) fn check(repository: &Files) -> Vec<Finding> {
    let table = repository.get(TABLE).map_or("", String::as_str);
    let mut findings = Vec::new();
    let mut allowed: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (number, row) in (1..).zip(table.lines()).skip(1) {
        match row.split_once('\t').map(|(path, count)| (path, count.parse())) {
            Some((path, Ok(count))) if count > 0 && is_checked(repository, path) => {
                allowed.insert(path, (number, count));
            }
            _ => findings.push(Finding::new(
                TABLE,
                number,
                "the row is not a kernel's source and the number of its lines",
            )),
        }
    }
    for (path, text) in repository.iter().filter(|(path, _)| is_checked(repository, path)) {
        let long = (1..).zip(text.lines()).filter(|(_, line)| line.chars().count() > LONGEST);
        let long: Vec<usize> = long.map(|(number, _)| number).collect();
        let (row, count) = allowed.get(path.as_str()).copied().unwrap_or_default();
        if long.len() > count {
            let lines = long.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            let what =
                format!("{} lines have more than {LONGEST} characters, {count} are allowed: {lines}", long.len());
            findings.push(Finding::file(path, what));
        } else if long.len() < count {
            let what =
                format!("{path} has only {} lines of more than {LONGEST} characters: lower the number", long.len());
            findings.push(Finding::new(TABLE, row, what));
        }
    }
    findings
}

/// Returns whether a file is a kernel's source that is written by hand.
fn is_checked(repository: &Files, path: &str) -> bool {
    let is_source = path.starts_with("kernels/") && (path.ends_with(".cu") || path.ends_with(".cuh"));
    is_source && repository.get(path).is_some_and(|text| is_written_by_hand(text))
}

#[cfg(test)]
mod tests {
    use super::super::repository_of;
    use super::*;

    #[test]
    fn the_table_has_the_numbers_of_long_lines() {
        let long = format!("// {}\n", "é".repeat(LONGEST - 3));
        let longer = format!("// {}\n", "é".repeat(LONGEST - 2));
        let generated = format!("// Written by `cargo xtask codegen`.\n{longer}");
        let [twice, thrice] = [2, 3].map(|times| longer.repeat(times));
        let table =
            "file\tlines\nkernels/a.cu\t2\nkernels/b.cu\t2\nkernels/c.cu\t2\nkernels/d.cuh\t1\nkernels/f.cu\t1\n";
        let repository = repository_of([
            ("kernels/a.cu", twice.as_str()),
            ("kernels/b.cu", longer.as_str()),
            ("kernels/c.cu", thrice.as_str()),
            ("kernels/d.cuh", generated.as_str()),
            ("kernels/e.cuh", longer.as_str()),
            ("kernels/g.cuh", long.as_str()),
            ("crates/h.cu", longer.as_str()),
            (TABLE, table),
        ]);
        let mut found = check(&repository);
        found.sort();
        let places: Vec<(&str, usize)> = found.iter().map(|finding| (finding.path.as_str(), finding.line)).collect();
        assert_eq!(places, [("kernels/c.cu", 0), ("kernels/e.cuh", 0), (TABLE, 3), (TABLE, 5), (TABLE, 6)]);
        assert!(found[0].what.ends_with("2 are allowed: 1, 2, 3"), "{}", found[0]);
        assert!(found[2].what.contains("has only 1 lines"), "{}", found[2]);
    }
}
