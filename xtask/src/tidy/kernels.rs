//! Checks that every CUDA file begins with a comment about its purpose, and that the algorithms launch every kernel.

use super::{Files, Finding};
use crate::floors::in_algorithms;
use crate::text::has_word;

/// The folder of the generated modules.
pub(super) const GENERATED: &str = "crates/gdf-kernels/src/generated/";

/// The capability whose kernels only tests launch.
const TESTING: &str = "testing";

pub(super) fn check(repository: &Files) -> Vec<Finding> {
    let is_kernel = |path: &String| path.starts_with("kernels/") && (path.ends_with(".cu") || path.ends_with(".cuh"));
    let bare = repository.iter().filter(|(path, text)| is_kernel(path) && !text.starts_with("//"));
    let mut findings: Vec<Finding> =
        bare.map(|(path, _)| Finding::new(path, 1, "must begin with a `//` comment about its purpose")).collect();
    for (path, text) in repository {
        let capability = path.strip_prefix(GENERATED).and_then(|name| name.strip_suffix(".rs"));
        if let Some(capability) = capability.filter(|name| *name != TESTING) {
            findings.extend(never_launched(repository, path, capability, text));
        }
    }
    findings
}

/// Reports the kernels of a capability that no algorithm launches.
fn never_launched(repository: &Files, path: &str, capability: &str, text: &str) -> Vec<Finding> {
    let module = format!("generated::{capability}");
    let launching = repository.iter().filter(|(path, _)| in_algorithms(path).is_some());
    let launching: Vec<&String> = launching.map(|(_, text)| text).filter(|text| text.contains(&module)).collect();
    let arguments = (1..).zip(text.lines()).filter_map(|(line, text)| {
        let name = text.strip_prefix("arguments!(")?.split([' ', '{']).next()?;
        Some((line, name))
    });
    let missing = arguments.filter(|(_, name)| !launching.iter().any(|text| has_word(text, name)));
    missing.map(|(line, name)| Finding::new(path, line, format!("no algorithm launches `{name}`"))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::repository_of;
    use super::*;

    #[test]
    fn files_say_what_they_are_for() {
        let repository = repository_of([
            ("kernels/copying/gather.cu", "// Gathers.\n"),
            ("kernels/include/gdf/bits.cuh", "#pragma once\n"),
            ("kernels/README.md", "x"),
        ]);
        let paths: Vec<String> = check(&repository).into_iter().map(|finding| finding.path).collect();
        assert_eq!(paths, ["kernels/include/gdf/bits.cuh"]);
    }

    #[test]
    fn every_kernel_is_launched() {
        let repository = repository_of([
            ("crates/gdf-kernels/src/generated/copying.rs", "arguments!(Gather { map });\narguments!(Shift { by });\n"),
            ("crates/gdf-kernels/src/generated/testing.rs", "arguments!(Slow { sink });\n"),
            ("crates/gdf-compute/src/copying/gather.rs", "use gdf_kernels::generated::copying::Gather;\n"),
            ("crates/gdf-compute/src/sorting/sort.rs", "struct Shift;\n"),
        ]);
        let found = check(&repository);
        assert_eq!((found.len(), found[0].line), (1, 2));
    }
}
