//! Checks that `unsafe` occurs only in the places of the table below, which has a reason for each place. Also checks
//! that some crates forbid `unsafe`, because users are most likely to read their code.

use super::{Files, Finding};
use crate::floors::in_algorithms;
use crate::text::{code_only, has_word};

/// The places where `unsafe` is allowed: the start of the path, and the reason.
const ALLOWED: [(&str, &str); 22] = [
    ("crates/gdf-driver/", "calls libcuda"),
    ("crates/gdf-memory/", "owns memory"),
    ("crates/gdf-kernels/", "loads images and launches"),
    ("crates/gdf-core/", "makes typed slices of buffers"),
    ("crates/gdf-interop/", "reads and writes the structs of C interfaces"),
    ("crates/gdf-compute/src/copying/gather/mod.rs", "declares the form without bounds checks"),
    ("crates/gdf-engine/src/vouch.rs", "vouches for results of operations"),
    ("crates/gdf-compute/src/vouch.rs", "vouches for results of operations"),
    ("crates/gdf-relational/src/vouch.rs", "vouches for results of operations"),
    ("crates/gdf-strings/src/vouch.rs", "vouches for results of operations"),
    ("crates/gdf-nested/src/vouch.rs", "vouches for results of operations"),
    ("crates/gdf-decode/src/vouch.rs", "vouches for decoded columns"),
    ("crates/gdf-detail/src/vouch.rs", "vouches for results of operations"),
    ("crates/gdf-engine/src/vouched.rs", "declares the functions that the crates vouch by"),
    ("crates/gdf-compute/src/vouched.rs", "declares the functions that the crates vouch by"),
    ("crates/gdf-engine/src/validation/validate/mark.rs", "vouches for validated data"),
    ("crates/gdf-engine/src/partition/host.rs", "lets several threads write to one buffer"),
    ("crates/gdf-engine/src/host/simd.rs", "calls functions that are compiled for newer CPUs"),
    ("crates/gdf-test/src/resources.rs", "a memory resource is an unsafe trait"),
    ("crates/gdf-bench/src/peak.rs", "a memory resource is an unsafe trait"),
    ("fuzz/", "makes the C structs that it tests with"),
    ("tests/", "calls the unsafe functions that it tests"),
];

/// The crates whose code users are most likely to read. The root of each of these crates must contain
/// `#![forbid(unsafe_code)]`.
const FORBIDDING: [&str; 10] = [
    "gdf",
    "gdf-api",
    "gdf-ballista",
    "gdf-cli",
    "gdf-datafusion",
    "gdf-distributed",
    "gdf-exec",
    "gdf-io",
    "gdf-nvcc",
    "xtask",
];

pub(super) fn check(repository: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in repository.iter().filter(|(path, _)| path.ends_with(".rs")) {
        if is_allowed(path) {
            continue;
        }
        for (line, code) in (1..).zip(code_only(text).lines()) {
            if has_word(code, "unsafe") {
                findings.push(Finding::new(path, line, "`unsafe` outside of the table `ALLOWED`"));
            }
        }
    }
    for name in FORBIDDING {
        for path in roots(name) {
            let forbids = |text: &String| code_only(text).contains("#![forbid(unsafe_code)]");
            if repository.get(&path).is_some_and(|text| !forbids(text)) {
                findings.push(Finding::file(&path, "the crate root must contain `#![forbid(unsafe_code)]`"));
            }
        }
    }
    findings
}

/// Returns the paths that the root of a crate may have.
fn roots(name: &str) -> impl Iterator<Item = String> {
    let roots = ["lib", "main"].map(|root| format!("crates/{name}/src/{root}.rs"));
    roots.into_iter().chain([format!("{name}/src/main.rs")])
}

fn is_allowed(path: &str) -> bool {
    (in_algorithms(path).is_some() && on_device(path)) || ALLOWED.iter().any(|(start, _)| path.starts_with(start))
}

/// Returns whether a file of the crates of the algorithms belongs to the CUDA backend.
fn on_device(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "cuda" | "cuda.rs"))
}

#[cfg(test)]
mod tests {
    use super::super::repository_of;
    use super::*;

    const UNSAFE: &str = "//! A.\nfn f() { unsafe { g() } }\n";

    #[test]
    fn unsafe_stays_in_its_folders() {
        for path in
            ["crates/gdf-memory/src/a.rs", "crates/gdf-engine/src/host/simd.rs", "crates/gdf-engine/src/cuda/launch.rs"]
        {
            assert_eq!(check(&repository_of([(path, UNSAFE)])), [], "{path}");
        }
        for path in [
            "crates/gdf-api/src/a.rs",
            "crates/gdf-compute/src/copying/plan.rs",
            "crates/gdf-compute/src/copying/host/gather.rs",
            "xtask/src/a.rs",
        ] {
            assert_eq!(check(&repository_of([(path, UNSAFE)])).len(), 1, "{path}");
        }
    }

    /// A path that a move of files left behind would allow or demand nothing.
    #[test]
    fn the_tables_name_places_of_the_repository() {
        let repository = crate::repository::files().unwrap();
        for (start, _) in ALLOWED {
            let is_unsafe = |text: &String| code_only(text).lines().any(|line| has_word(line, "unsafe"));
            let mut sources = repository.iter().filter(|(path, _)| path.starts_with(start) && path.ends_with(".rs"));
            assert!(sources.any(|(_, text)| is_unsafe(text)), "{start} has no `unsafe`");
        }
        for name in FORBIDDING {
            assert!(roots(name).any(|path| repository.contains_key(&path)), "{name} has no root");
        }
    }

    #[test]
    fn words_in_comments_and_texts_do_not_count() {
        let text = "//! unsafe\nfn f() { g(\"unsafe\") } // unsafe\n#![deny(unsafe_code)]\n";
        assert_eq!(check(&repository_of([("crates/gdf-api/src/a.rs", text)])), []);
    }

    #[test]
    fn public_crates_forbid_it() {
        let bad = check(&repository_of([("crates/gdf/src/lib.rs", "//! A.\n")]));
        assert_eq!(bad.len(), 1);
        let good = "//! A.\n#![forbid(unsafe_code)]\n";
        assert_eq!(check(&repository_of([("crates/gdf/src/lib.rs", good)])), []);
        let text = "//! A: `#![forbid(unsafe_code)]`\n";
        assert_eq!(check(&repository_of([("crates/gdf/src/lib.rs", text)])).len(), 1);
    }
}
