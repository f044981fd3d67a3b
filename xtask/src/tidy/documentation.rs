//! Checks that documentation examples use only the crate `gdf`, because users depend on `gdf` and not on the crates
//! behind it.

use super::{Files, Finding};
use crate::examples::{Example, examples};

/// The folders whose examples are in the documentation of the umbrella crate.
const FOLDERS: [&str; 3] = ["crates/gdf/src/", "crates/gdf-api/src/", "docs/guide/"];

/// The folders of crates that cannot depend on the umbrella crate. Therefore each example has a hidden line that
/// declares a replacement for `gdf`.
const BELOW: [&str; 12] = [
    "crates/gdf-compute/src/",
    "crates/gdf-core/src/",
    "crates/gdf-decode/src/",
    "crates/gdf-detail/src/",
    "crates/gdf-driver/src/",
    "crates/gdf-engine/src/",
    "crates/gdf-interop/src/",
    "crates/gdf-io/src/",
    "crates/gdf-memory/src/",
    "crates/gdf-nested/src/",
    "crates/gdf-relational/src/",
    "crates/gdf-strings/src/",
];

pub(super) fn check(repository: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_of = |path: &str, folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
    for (path, text) in repository {
        let hidden_too = is_of(path, &FOLDERS);
        if hidden_too || is_of(path, &BELOW) {
            for example in examples(path, text).iter().filter(|example| example.is_code()) {
                findings.extend(other_crates(path, example, hidden_too && example.compiles()));
            }
        }
    }
    findings
}

/// Returns the lines of the example that name another crate of the workspace, or a crate of arrow-rs.
fn other_crates<'a>(path: &'a str, example: &'a Example, hidden_too: bool) -> impl Iterator<Item = Finding> + 'a {
    let lines = (example.line + 1..).zip(example.code.lines());
    let is_shown = move |line: &str| hidden_too || !(line.trim() == "#" || line.trim_start().starts_with("# "));
    let names_another =
        |line: &str| line.contains("gdf_") || line.contains("use arrow") || line.contains("arrow_array::");
    lines.filter(move |(_, line)| is_shown(line) && names_another(line)).map(move |(number, _)| {
        Finding::new(path, number, "an example names a crate other than `gdf`: use what `gdf` re-exports")
    })
}

#[cfg(test)]
mod tests {
    use super::super::repository_of;
    use super::*;

    #[test]
    fn examples_name_gdf_alone() {
        let bad =
            "/// ```\n/// use gdf_core::Column;\n/// ```\n/// ```text\n/// gdf_core\n/// ```\nuse gdf_core::Column;\n";
        let good = "/// ```\n/// use gdf::Column;\n/// ```\n";
        let repository = repository_of([
            ("crates/gdf-api/src/a.rs", bad),
            ("crates/gdf-api/src/b.rs", good),
            ("crates/gdf-core/src/c.rs", "/// ```\n/// # use gdf_core as gdf;\n/// use gdf::Column;\n/// ```\n"),
            ("crates/gdf-io/src/e.rs", bad),
            (
                "crates/gdf-memory/src/f.rs",
                "/// ```compile_fail\n/// # use gdf_memory as m;\n/// fn f(x: gdf_memory::X) {}\n/// ```\n",
            ),
            ("crates/gdf-kernels/src/g.rs", bad),
            ("docs/guide/d.md", "```\nuse arrow_array::Array;\n```\n"),
        ]);
        let findings: Vec<_> = check(&repository).into_iter().map(|finding| (finding.path, finding.line)).collect();
        let expected = [
            ("crates/gdf-api/src/a.rs", 2),
            ("crates/gdf-io/src/e.rs", 2),
            ("crates/gdf-memory/src/f.rs", 3),
            ("docs/guide/d.md", 2),
        ];
        assert_eq!(findings, expected.map(|(path, line)| (path.to_owned(), line)));
    }
}
