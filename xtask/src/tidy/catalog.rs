//! Checks that every public function of gdf-api has an entry in the catalog. The name of the entry is
//! `<capability>.<function>`. Short forms of operators, which a macro makes, need no entries.
//!
//! Also checks that the files of the catalog, of the oracles and of conformance are in modules that are named as the
//! modules of gdf-api.

use std::collections::BTreeSet;

use super::{Files, Finding};
use crate::text::{code_only, functions_of_tables, is_word};

pub(super) const API: &str = "crates/gdf-api/src/";
pub(super) const CATALOG: &str = "tests/catalog";

/// The file of the short forms, with one module for each capability.
pub(super) const SHORT_FORMS: &str = "crates/gdf-api/src/short_forms.rs";

/// The files of gdf-api that are not capabilities: the root of the crate, the scope that sets the default streams and
/// resources with its tests, the short forms, and the choice of a device.
const NOT_CAPABILITIES: [&str; 5] = ["lib", "scope", "scope_tests", "short_forms", "device"];

/// The folders with a module for each capability. Each folder has the name of one other module, or no other module. The
/// catalog has functions that several capabilities use, and conformance has the operations of gdf-io.
pub(super) const BY_CAPABILITY: [(&str, &str); 3] =
    [("tests/catalog/", "shared"), ("tests/naive/", ""), ("crates/gdf-conformance/src/operations/", "io")];

pub(super) fn check(repository: &Files) -> Vec<Finding> {
    let catalog: String =
        repository.iter().filter(|(path, _)| path.starts_with(CATALOG)).map(|(_, text)| text.as_str()).collect();
    let mut findings = Vec::new();
    for (path, text) in repository {
        let Some(capability) = capability(path) else { continue };
        for (line, function) in public_functions(text) {
            let entry = format!("{capability}.{function}");
            if !has_entry(&catalog, &entry) {
                findings.push(Finding::new(path, line, format!("no entry `{entry}` in {CATALOG}")));
            }
        }
    }
    for (line, module) in repository.get(SHORT_FORMS).map(|text| short_forms(text)).unwrap_or_default() {
        let list = format!("{module}::SHORT_FORMS");
        if !has_entry(&catalog, &list) {
            findings.push(Finding::new(SHORT_FORMS, line, format!("`{list}` is called nowhere in {CATALOG}")));
        }
    }
    findings
}

/// Reports files that are not in a module with the name of a capability.
pub(super) fn check_folders(repository: &Files) -> Vec<Finding> {
    let capabilities: BTreeSet<&str> = repository.keys().filter_map(|path| capability(path)).collect();
    let mut findings = Vec::new();
    for path in repository.keys().filter(|path| path.ends_with(".rs")) {
        let Some((folder, other)) = BY_CAPABILITY.iter().find(|(folder, _)| path.starts_with(folder)) else { continue };
        let name = path[folder.len()..].split(['/', '.']).next().unwrap_or_default();
        if name != "mod" && name != *other && !capabilities.contains(name) {
            let what =
                format!("`{name}` is no module of gdf-api: move the file to the folder of its module in {folder}");
            findings.push(Finding::file(path, what));
        }
    }
    findings
}

fn short_forms(text: &str) -> Vec<(usize, String)> {
    let code = code_only(text);
    let module = |line: &str| Some(line.strip_prefix("pub(crate) mod ")?.trim_end_matches([' ', '{']).to_owned());
    (1..).zip(code.lines()).filter_map(|(number, line)| Some((number, module(line)?))).collect()
}

/// Returns the capability to which a file of gdf-api belongs.
pub(crate) fn capability(path: &str) -> Option<&str> {
    let inside = path.strip_prefix(API)?.strip_suffix(".rs")?;
    let name = inside.split('/').next()?;
    (!NOT_CAPABILITIES.contains(&name)).then_some(name)
}

/// Returns two kinds of functions of a file: the `pub` functions that are not indented, and the functions that a macro
/// makes from a table.
fn public_functions(text: &str) -> Vec<(usize, String)> {
    let code = code_only(text);
    let mut found = Vec::new();
    for (number, line) in (1..).zip(code.lines()) {
        let Some(rest) = line.strip_prefix("pub ") else {
            continue;
        };
        let rest =
            ["const ", "async ", "unsafe "].iter().fold(rest, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
        if let Some(name) = rest.strip_prefix("fn ") {
            found.push((number, name.chars().take_while(|&c| is_word(c)).collect()));
        }
    }
    found.extend(functions_of_tables(&code).into_iter().map(|(number, name)| (number, name.to_owned())));
    found
}

/// Returns whether the catalog contains the entry's name.
fn has_entry(catalog: &str, entry: &str) -> bool {
    catalog.match_indices(entry).any(|(at, _)| {
        let before = catalog[..at].chars().next_back().is_some_and(is_word);
        let after = catalog[at + entry.len()..].chars().next().is_some_and(is_word);
        !before && !after
    })
}

#[cfg(test)]
mod tests {
    use super::super::repository_of;
    use super::*;

    #[test]
    fn only_functions_at_the_margin_count() {
        let text = "//! A.\npub fn gather<'a>(x: u8) {}\npub unsafe fn gather_unchecked() {}\npub(crate) fn b() {}\n\
                    fn c() {}\nimpl X {\n    pub fn d() {}\n}\n// pub fn e() {}\npub struct F;\n";
        let names: Vec<String> = public_functions(text).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["gather", "gather_unchecked"]);
    }

    #[test]
    fn functions_that_a_macro_makes_have_entries() {
        let table = "macro_rules! components {}\ncomponents! {\n    year => Year, \"year\";\n    month => Month, \"month\";\n}\n";
        let repository = repository_of([
            ("crates/gdf-api/src/datetime.rs", table),
            ("tests/catalog/datetime.rs", "component!(\"datetime.month\", Month, month)"),
        ]);
        let found = check(&repository);
        assert_eq!((found.len(), found[0].line), (1, 3));
    }

    #[test]
    fn short_forms_that_no_case_calls_are_found() {
        let forms = "pub(crate) mod unary {\n}\n\npub(crate) mod scan {\n}\n";
        let repository = repository_of([(SHORT_FORMS, forms), ("tests/catalog/unary.rs", "unary::SHORT_FORMS.iter()")]);
        let found = check(&repository);
        assert_eq!((found.len(), found[0].line), (1, 4));
        assert!(found[0].what.contains("`scan::SHORT_FORMS`"), "{}", found[0]);
    }

    #[test]
    fn a_file_outside_of_the_capabilities_is_found() {
        let repository = repository_of([
            ("crates/gdf-api/src/scope.rs", ""),
            ("crates/gdf-api/src/strings.rs", ""),
            ("crates/gdf-api/src/strings/edit.rs", ""),
            ("tests/catalog/mod.rs", ""),
            ("tests/catalog/scope.rs", ""),
            ("tests/catalog/shared/tables.rs", ""),
            ("tests/catalog/strings.rs", ""),
            ("tests/catalog/strings/edit.rs", ""),
            ("tests/catalog/strings_edit.rs", ""),
            ("tests/naive/edit/strings.rs", ""),
            ("tests/naive/shared/tables.rs", ""),
            ("crates/gdf-conformance/src/operations/io/csv.rs", ""),
            ("crates/gdf-conformance/src/report.rs", ""),
        ]);
        let paths: Vec<String> = check_folders(&repository).into_iter().map(|finding| finding.path).collect();
        assert_eq!(
            paths,
            [
                "tests/catalog/scope.rs",
                "tests/catalog/strings_edit.rs",
                "tests/naive/edit/strings.rs",
                "tests/naive/shared/tables.rs"
            ]
        );
    }

    #[test]
    fn a_function_without_entry_is_found() {
        let repository = repository_of([
            ("crates/gdf-api/src/copying.rs", "pub fn gather() {}\npub fn gather_map() {}\npub fn scatter() {}\n"),
            ("crates/gdf-api/src/scope.rs", "pub fn current() {}\n"),
            ("crates/gdf-api/src/lib.rs", "pub fn x() {}\n"),
            ("tests/catalog/copying.rs", "Entry::new(\"copying.gather_map\"), \"copying.scatter\""),
        ]);
        let found = check(&repository);
        assert_eq!(found.len(), 1);
        assert!(found[0].what.contains("`copying.gather`"), "{}", found[0]);
    }
}
