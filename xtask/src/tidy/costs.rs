//! Checks that the page of costs agrees with the measured costs. The check also fails if the tests do not include a
//! file of costs, because no test would compare that file.

use super::{Files, Finding};
use crate::costs::{BOUNDS, FOLDER, PAGE, page};

/// The source that includes the files of costs, with a line for each file.
const READER: &str = "tests/lib.rs";

pub(super) fn check(repository: &Files) -> Vec<Finding> {
    let of_folder = |folder: &str| -> Vec<(&str, &str)> {
        repository
            .iter()
            .filter_map(|(path, text)| Some((path.strip_prefix(folder)?.strip_suffix(".tsv")?, text.as_str())))
            .collect()
    };
    let (files, bounds) = (of_folder(FOLDER), of_folder(BOUNDS));
    let reader = repository.get(READER).map_or("", String::as_str);
    let is_read = |capability: &str| reader.lines().any(|line| line.trim() == format!("\"{capability}\""));
    let unread = files.iter().filter(|(capability, _)| !is_read(capability));
    let mut findings: Vec<_> = unread
        .map(|(capability, _)| {
            Finding::file(READER, format!("does not read {FOLDER}{capability}.tsv: name it in `files!`"))
        })
        .collect();
    match page(files, bounds) {
        Err(error) => findings.push(Finding::file(FOLDER, format!("{error:#}"))),
        Ok(page) if repository.get(PAGE) == Some(&page) => {}
        Ok(_) => {
            findings.push(Finding::file(PAGE, format!("does not match {FOLDER} and {BOUNDS}; run `cargo xtask costs`")))
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::repository_of;
    use super::*;

    #[test]
    fn a_page_of_other_costs_is_found() {
        let path = format!("{FOLDER}scan.tsv");
        let (now, before) = ("header\nscan\tcuda\t*\t1/0/1/0\n", "header\nscan\tcuda\t*\t2/0/1/0\n");
        let fresh = page([("scan", now)], []).unwrap();
        let reader = (READER, "files! {\n    \"scan\"\n}\n");
        assert_eq!(check(&repository_of([(path.as_str(), now), (PAGE, fresh.as_str()), reader])), []);
        assert_eq!(check(&repository_of([(path.as_str(), before), (PAGE, fresh.as_str()), reader])).len(), 1);
        assert_eq!(check(&repository_of([(path.as_str(), now), reader])).len(), 1);
        let (bounds, bound) = (format!("{BOUNDS}scan.tsv"), "header\nscan\tcpu\t1.5\n");
        let with_bounds = [(path.as_str(), now), (bounds.as_str(), bound), (PAGE, fresh.as_str()), reader];
        assert_eq!(check(&repository_of(with_bounds)).len(), 1);
    }

    #[test]
    fn a_file_that_the_tests_do_not_read_is_found() {
        let path = format!("{FOLDER}scan.tsv");
        let fresh = page([("scan", "header\n")], []).unwrap();
        for reader in ["files! {\n    \"rank\"\n}\n", "files! {\n    \"scan_of_rows\"\n}\n"] {
            let found = check(&repository_of([(path.as_str(), "header\n"), (PAGE, fresh.as_str()), (READER, reader)]));
            assert_eq!(found.iter().map(|finding| finding.path.as_str()).collect::<Vec<_>>(), [READER]);
        }
    }
}
