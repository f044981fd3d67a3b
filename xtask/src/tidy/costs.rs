//! The page of costs is that of the measured ones.

use super::{Files, Finding};
use crate::costs::{FOLDER, PAGE, page};

pub(super) fn check(repository: &Files) -> Vec<Finding> {
    let files = repository.iter().filter_map(|(path, text)| {
        let capability = path.strip_prefix(FOLDER)?.strip_suffix(".tsv")?;
        Some((capability, text.as_str()))
    });
    match page(files) {
        Err(error) => vec![Finding::file(FOLDER, format!("{error:#}"))],
        Ok(page) if repository.get(PAGE) == Some(&page) => Vec::new(),
        Ok(_) => vec![Finding::file(PAGE, format!("is not the page of {FOLDER}; run `cargo xtask costs`"))],
    }
}

#[cfg(test)]
mod tests {
    use super::super::repository_of;
    use super::*;

    #[test]
    fn a_page_of_other_costs_is_found() {
        let path = format!("{FOLDER}scan.tsv");
        let (now, before) = ("header\nscan\tcuda\t*\t1\t0\t1\t0\n", "header\nscan\tcuda\t*\t2\t0\t1\t0\n");
        let fresh = page([("scan", now)]).unwrap();
        assert_eq!(check(&repository_of([(path.as_str(), now), (PAGE, fresh.as_str())])), []);
        assert_eq!(check(&repository_of([(path.as_str(), before), (PAGE, fresh.as_str())])).len(), 1);
        assert_eq!(check(&repository_of([(path.as_str(), now)])).len(), 1);
    }
}
