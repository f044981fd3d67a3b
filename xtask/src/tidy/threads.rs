//! Checks that the test of thread safety in `crates/gdf` names every public type of the crates that it is about.

use std::collections::{BTreeMap, BTreeSet};

use super::{Files, Finding};

pub(super) const TEST: &str = "crates/gdf/src/thread_safety_tests.rs";

const API: &str = "gdf-api";

/// The crates, and the function of the test that names their types.
const CRATES: [(&str, &str); 8] = [
    ("gdf-driver", "drivers_types"),
    ("gdf-memory", "memorys_types"),
    ("gdf-core", "cores_types"),
    ("gdf-expr", "expressions_types"),
    (API, "apis_types"),
    ("gdf-external", "externals_types"),
    ("gdf-frame", "frames_types"),
    ("gdf-interop", "interops_types"),
];

pub(super) fn check(repository: &Files) -> Vec<Finding> {
    let Some(test) = repository.get(TEST) else {
        return vec![Finding::file(TEST, "the file does not exist, and it must name all public types")];
    };
    let types = types(repository);
    let named = |function: &str| -> BTreeSet<&str> {
        let body = test.split_once(&format!("fn {function}()")).and_then(|(_, rest)| rest.split_once("\n}\n"));
        body.map_or_else(BTreeSet::new, |(body, _)| words(body).collect())
    };
    let guards = named(GUARDS);
    let mut findings = Vec::new();
    for (name, function) in CRATES {
        let named = named(function);
        for public in re_exported(repository, name) {
            if is_type(&types, name, public) && !named.contains(public) && !guards.contains(public) {
                findings.push(Finding::file(TEST, format!("`{function}` does not name the type `{public}` of {name}")));
            }
        }
    }
    findings
}

/// The function that names the types that stay on their thread.
const GUARDS: &str = "guards_stay_on_their_thread";

/// Returns the names in `pub use` of the crate's `lib.rs`. The functions of gdf-api are in modules, and so are its
/// types.
fn re_exported<'t>(repository: &'t Files, name: &str) -> BTreeSet<&'t str> {
    let sources = format!("crates/{name}/src/");
    let files = repository.iter().filter_map(|(path, text)| Some((path.strip_prefix(&sources)?, text)));
    let files = files.filter(|(path, _)| *path == "lib.rs" || name == API);
    let uses = files.flat_map(|(_, text)| text.split("\npub use ").skip(1));
    uses.filter_map(|rest| rest.split_once(';')).flat_map(|(items, _)| words(items)).collect()
}

/// For each name that the crates define, the crates that define it and whether it is a type there.
type Types<'t> = BTreeMap<&'t str, BTreeMap<&'t str, bool>>;

fn types(repository: &Files) -> Types<'_> {
    let mut types = Types::new();
    for (path, text) in repository {
        let Some((name, file)) = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/")) else {
            continue;
        };
        if !file.ends_with(".rs") {
            continue;
        }
        for line in text.lines() {
            let Some((kind, rest)) = line.trim_start().strip_prefix("pub ").and_then(|rest| rest.split_once(' '))
            else {
                continue;
            };
            if let (true, Some(defined)) = (["struct", "enum", "trait", "type"].contains(&kind), words(rest).next()) {
                types.entry(defined).or_default().insert(name, ["struct", "enum"].contains(&kind));
            }
        }
    }
    types
}

/// Returns whether a name that a crate makes public is a type of this crate. The types of gdf-api may be those of the
/// crates below it, which users do not depend on.
fn is_type(types: &Types, name: &str, public: &str) -> bool {
    let of_others = |by: &BTreeMap<&str, bool>| name == API && by.values().any(|is_type| *is_type);
    types.get(public).is_some_and(|by| by.get(name).copied().unwrap_or_else(|| of_others(by)))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::repository_of;
    use super::*;

    #[test]
    fn types_that_the_test_forgets_are_found() {
        let test = "#[test]\nfn cores_types() {\n    use gdf_core::*;\n    send_and_sync!(Column);\n}\n\n#[test]\n\
                    fn apis_types() {\n    send_and_sync!(join::HashJoin);\n}\n\n\
                    fn guards_stay_on_their_thread() {\n    Sends::<Entered>::IS_SEND;\n}\n";
        let repository = repository_of([
            (TEST, test),
            (
                "crates/gdf-core/src/lib.rs",
                "mod a;\npub use a::{Column, HashJoin,\n    Native, Of};\npub use arrow::Field;\npub(crate) use a::Hidden;\n",
            ),
            (
                "crates/gdf-core/src/a.rs",
                "pub struct Column;\npub enum HashJoin {}\npub trait Native {}\npub struct Of<T>(T);\npub struct Hidden;\n",
            ),
            (
                "crates/gdf-api/src/join.rs",
                "\npub use gdf_x::{Entered, HashJoin, Order, join};\npub use gdf_core::Native;\n",
            ),
            (
                "crates/gdf-x/src/lib.rs",
                "pub enum Order { A }\npub struct Entered;\npub struct Field;\npub fn join() {}\n",
            ),
        ]);
        let found: Vec<String> = check(&repository).into_iter().map(|finding| finding.what).collect();
        let expected = [
            "`cores_types` does not name the type `HashJoin` of gdf-core",
            "`cores_types` does not name the type `Of` of gdf-core",
            "`apis_types` does not name the type `Order` of gdf-api",
        ];
        assert_eq!(found, expected);
    }
}
