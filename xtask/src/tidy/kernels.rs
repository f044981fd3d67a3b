//! CUDA files open with what they are for, and each capability's kernels have launches at the parallel path in gdf-detail.

use super::{Files, Finding};

/// Folders of `kernels/` that hold no operations of the library: headers, and kernels that only tests launch.
const NO_CAPABILITIES: [&str; 3] = ["include", "testing", "test"];

pub(super) fn check(repository: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in repository {
        let Some(inside) = path.strip_prefix("kernels/") else {
            continue;
        };
        if !(path.ends_with(".cu") || path.ends_with(".cuh")) {
            continue;
        }
        if !text.starts_with("//") {
            findings.push(Finding::new(path, 1, "opens without a `//` that says what the file is for"));
        }
        let Some((capability, _)) = inside.strip_suffix(".cu").and_then(|inside| inside.split_once('/')) else {
            continue;
        };
        if NO_CAPABILITIES.contains(&capability) {
            continue;
        }
        // In the version for CUDA, or in a file that gives an engine both.
        let folder = format!("crates/gdf-detail/src/{capability}/");
        let launches = |(path, text): (&String, &String)| {
            let inside = path.strip_suffix(".rs").and_then(|path| path.strip_prefix(&folder));
            inside.is_some_and(|inside| inside.starts_with("cuda/") || text.contains("use crate::engine::"))
        };
        if !repository.iter().any(launches) {
            findings.push(Finding::file(path, format!("has no launch below {folder}")));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::repository_of;
    use super::*;

    #[test]
    fn a_kernel_has_a_comment_and_a_launch() {
        let repository = repository_of([
            ("kernels/copying/gather.cu", "// Gathers.\n"),
            ("crates/gdf-detail/src/copying/cuda/gather.rs", ""),
            ("kernels/sorting/sort.cu", "// Sorts.\n"),
            ("crates/gdf-detail/src/sorting/sort.rs", "use crate::host;"),
            ("kernels/strings/contains.cu", "// Looks for text.\n"),
            ("crates/gdf-detail/src/strings/contains.rs", "use crate::engine::strings;"),
            ("kernels/include/gdf/bits.cuh", "#pragma once\n"),
            ("kernels/testing/slow.cu", "// Waits.\n"),
            ("kernels/README.md", "x"),
        ]);
        let paths: Vec<String> = check(&repository).into_iter().map(|finding| finding.path).collect();
        assert_eq!(paths, ["kernels/include/gdf/bits.cuh", "kernels/sorting/sort.cu"]);
    }
}
