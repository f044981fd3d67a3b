//! Checks relations between modules: the order of modules, cycles of modules and of files, that plans use neither
//! backend, and that the files of modules have the usual paths.

use super::{Files, Finding};
use crate::floors::{self, Floors};
use crate::text::code_only;

pub(super) fn check(repository: &Files) -> Vec<Finding> {
    let detail: Files = repository
        .iter()
        .filter(|(path, _)| floors::in_algorithms(path).is_some() && path.ends_with(".rs"))
        .map(|(path, text)| (path.clone(), text.clone()))
        .collect();
    let mut findings: Vec<Finding> = detail.iter().flat_map(|(path, text)| file(path, text)).collect();
    for name in floors::crates(repository) {
        findings.extend(of_floors(repository, name));
        findings.extend(of_files(repository, &format!("crates/{name}/src/")));
    }
    findings.extend(of_files(repository, "xtask/src/"));
    findings
}

/// Reports the files of a folder that use each other in a circle.
fn of_files(repository: &Files, folder: &str) -> Vec<Finding> {
    let circles = floors::file_circles(repository, folder).into_iter().flatten();
    circles.map(|(from, uses)| Finding::file(&from, format!("is in a circle of files: {uses}"))).collect()
}

/// Reports the violations of the order of modules in one crate, and the cycles of its modules.
fn of_floors(repository: &Files, name: &str) -> Vec<Finding> {
    let drawn = Floors::new(repository, name);
    let root = format!("crates/{name}/src/lib.rs");
    let upward = drawn.upward().into_iter().map(|(arrow, what)| Finding::file(&arrow.file, what));
    let circles = drawn.circles().into_iter().map(|circle| format!("modules form a cycle: {}", circle.join(", ")));
    let of_root = drawn.unlisted().into_iter().chain(circles).map(|what| Finding::file(&root, what));
    upward.chain(of_root).collect()
}

fn file(path: &str, text: &str) -> Vec<Finding> {
    let code = code_only(text);
    let is_plan = path.ends_with("/plan.rs");
    let line = |line: &str| {
        if line.contains("#[path") {
            return Some("`#[path]` is not allowed: put the file at the usual path of the module");
        }
        if line.contains("pub(in super") {
            return Some(
                "`pub(in super…)` is not allowed: move the item to the module that needs it, or use `pub(crate)`",
            );
        }
        let imports = line.trim_start().starts_with("use ") || line.contains("crate::");
        let half = ["host", "cuda"]
            .iter()
            .any(|half| ["super::", "crate::"].iter().any(|start| line.contains(&format!("{start}{half}::"))));
        (is_plan && imports && half).then_some("a plan serves both backends and must not import from `host` or `cuda`")
    };
    let found = code.lines().zip(1..).filter_map(|(text, number)| Some((number, line(text)?)));
    found.map(|(number, what)| Finding::new(path, number, what)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<usize> {
        let files =
            files.iter().map(|(path, text)| (format!("crates/gdf-compute/src/{path}"), (*text).to_owned())).collect();
        // Findings with line 0 are left out, because they concern the order of modules, and other tests check them.
        check(&files).iter().map(|finding| finding.line).filter(|line| *line > 0).collect()
    }

    #[test]
    fn paths_and_grandparents_are_found() {
        assert_eq!(found(&[("a/b.rs", "#[cfg(test)]\n#[path = \"tests.rs\"]\nmod tests;\n")]), [2]);
        assert_eq!(found(&[("a/b.rs", "pub(in super::super) fn f() {}\n// pub(in super::super)\n")]), [1]);
        assert!(found(&[("a/b.rs", "pub(in crate::a) fn f() {}\n")]).is_empty());
    }

    #[test]
    fn plans_import_from_neither_device() {
        let text = "use super::host::X;\nuse crate::cuda::Kernel;\nuse crate::context::Ctx;\n";
        assert_eq!(found(&[("a/b/plan.rs", text)]), [1, 2]);
        assert!(found(&[("a/b/mod.rs", text)]).is_empty());
    }

    #[test]
    fn circles_are_found() {
        let files = [("crates/x/src/a.rs", "use crate::b::f;\n"), ("crates/x/src/b.rs", "use crate::a::g;\n")];
        let found = check(&super::super::repository_of(files));
        let of_files = found.iter().filter(|finding| finding.path != "crates/x/src/lib.rs");
        assert_eq!(found.len(), 3);
        assert!(of_files.map(|finding| &*finding.what).eq([
            "is in a circle of files: uses `f` of crates/x/src/b.rs",
            "is in a circle of files: uses `g` of crates/x/src/a.rs",
        ]));
    }

    #[test]
    fn circles_of_files_below_a_module_are_found() {
        let files = [
            ("xtask/src/a/mod.rs", "mod b;\nmod c;\nuse b::f;\n"),
            ("xtask/src/a/b.rs", "use super::c;\npub fn f() { c::g() }\n"),
            ("xtask/src/a/c.rs", "pub fn g() { super::b::f() }\n"),
        ];
        let found = check(&super::super::repository_of(files));
        assert_eq!(
            found.iter().map(|finding| &*finding.path).collect::<Vec<_>>(),
            ["xtask/src/a/b.rs", "xtask/src/a/c.rs"]
        );
    }
}
