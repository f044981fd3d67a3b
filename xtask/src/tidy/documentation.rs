//! Examples of the documentation name the crate that users have: `gdf`, and none that stands behind it.

use super::{Files, Finding};
use crate::examples::{Example, examples};

/// Whose examples users meet under the name of the umbrella.
const FOLDERS: [&str; 3] = ["crates/gdf/src/", "crates/gdf-api/src/", "docs/guide/"];

pub(super) fn check(repository: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in repository.iter().filter(|(path, _)| FOLDERS.iter().any(|folder| path.starts_with(folder))) {
        for example in examples(path, text).iter().filter(|example| example.compiles()) {
            findings.extend(other_crates(path, example));
        }
    }
    findings
}

/// Lines of the example that name another crate of the workspace, or of arrow-rs.
fn other_crates<'a>(path: &'a str, example: &'a Example) -> impl Iterator<Item = Finding> + 'a {
    let lines = (example.line + 1..).zip(example.code.lines());
    lines.filter(|(_, line)| line.contains("gdf_") || line.contains("use arrow")).map(move |(number, _)| {
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
            ("crates/gdf-core/src/c.rs", bad),
            ("docs/guide/d.md", "```\nuse arrow_array::Array;\n```\n"),
        ]);
        let findings: Vec<_> = check(&repository).into_iter().map(|finding| (finding.path, finding.line)).collect();
        assert_eq!(findings, [("crates/gdf-api/src/a.rs".to_owned(), 2), ("docs/guide/d.md".to_owned(), 2)]);
    }
}
