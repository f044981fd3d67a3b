//! Checks that the dependencies between the crates of the workspace have one direction. The constant `STANDS_ON` lists
//! the dependencies that are allowed.

use std::collections::BTreeSet;

use anyhow::Result;

use super::{Files, Finding};
use crate::manifests::dependencies;
use crate::repository::{cargo, read};

/// Every crate of `crates/`, and the highest crates on which it may depend. A crate may also depend on all crates on
/// which these crates may depend. gdf-test must not depend on the umbrella crate, because gdf-test helps to test the
/// umbrella crate.
const STANDS_ON: [(&str, &[&str]); 29] = [
    ("gdf-driver", &[]),
    ("gdf-memory", &["gdf-driver"]),
    ("gdf-core", &["gdf-memory"]),
    ("gdf-profile", &["gdf-core"]),
    ("gdf-kernels", &["gdf-memory"]),
    ("gdf-kernels-build", &[]),
    ("gdf-nvcc", &["gdf-kernels-build"]),
    ("gdf-interop", &["gdf-core"]),
    ("gdf-expr", &["gdf-core"]),
    ("gdf-engine", &["gdf-expr", "gdf-kernels"]),
    ("gdf-compute", &["gdf-engine"]),
    ("gdf-decode", &["gdf-engine"]),
    ("gdf-relational", &["gdf-compute"]),
    ("gdf-strings", &["gdf-compute"]),
    ("gdf-nested", &["gdf-compute"]),
    ("gdf-detail", &["gdf-relational", "gdf-strings", "gdf-nested"]),
    ("gdf-api", &["gdf-detail"]),
    ("gdf-io", &["gdf-api", "gdf-decode"]),
    ("gdf-external", &["gdf-api"]),
    ("gdf-exec", &["gdf-external", "gdf-profile"]),
    ("gdf-frame", &["gdf-exec", "gdf-io"]),
    ("gdf", &["gdf-frame", "gdf-interop"]),
    ("gdf-datafusion", &["gdf-exec", "gdf-io"]),
    ("gdf-distributed", &["gdf-datafusion"]),
    ("gdf-ballista", &["gdf-datafusion"]),
    ("gdf-test", &["gdf-api", "gdf-interop"]),
    ("gdf-conformance", &["gdf-io", "gdf-test"]),
    ("gdf-bench", &["gdf"]),
    ("gdf-cli", &["gdf", "gdf-datafusion", "gdf-nvcc"]),
];

/// For each crate, the crates on which it may depend only indirectly.
const ONLY_THROUGH: [(&str, &[&str]); 10] = [
    ("gdf", &["gdf-engine", "gdf-compute", "gdf-relational", "gdf-strings", "gdf-nested", "gdf-detail"]),
    (
        "gdf-frame",
        &["gdf-kernels", "gdf-engine", "gdf-compute", "gdf-relational", "gdf-strings", "gdf-nested", "gdf-detail"],
    ),
    (
        "gdf-io",
        &["gdf-kernels", "gdf-engine", "gdf-compute", "gdf-relational", "gdf-strings", "gdf-nested", "gdf-detail"],
    ),
    ("gdf-api", &["gdf-kernels", "gdf-engine", "gdf-compute", "gdf-relational", "gdf-strings", "gdf-nested"]),
    (
        "gdf-exec",
        &["gdf-kernels", "gdf-engine", "gdf-compute", "gdf-relational", "gdf-strings", "gdf-nested", "gdf-detail"],
    ),
    (
        "gdf-datafusion",
        &["gdf-kernels", "gdf-engine", "gdf-compute", "gdf-relational", "gdf-strings", "gdf-nested", "gdf-detail"],
    ),
    ("gdf-test", &["gdf-engine", "gdf-compute", "gdf-relational", "gdf-strings", "gdf-nested"]),
    (
        "gdf-conformance",
        &[
            "gdf-kernels",
            "gdf-engine",
            "gdf-compute",
            "gdf-relational",
            "gdf-strings",
            "gdf-nested",
            "gdf-detail",
            "gdf-interop",
        ],
    ),
    (
        "gdf-bench",
        &[
            "gdf-driver",
            "gdf-memory",
            "gdf-core",
            "gdf-kernels",
            "gdf-expr",
            "gdf-engine",
            "gdf-compute",
            "gdf-relational",
            "gdf-strings",
            "gdf-nested",
            "gdf-detail",
            "gdf-api",
            "gdf-interop",
            "gdf-io",
        ],
    ),
    (
        "gdf-cli",
        &[
            "gdf-driver",
            "gdf-memory",
            "gdf-core",
            "gdf-expr",
            "gdf-engine",
            "gdf-compute",
            "gdf-relational",
            "gdf-strings",
            "gdf-nested",
            "gdf-detail",
            "gdf-api",
            "gdf-interop",
            "gdf-io",
        ],
    ),
];

/// For each crate, the crates on which it must not depend if its default features are off.
const LEAN: [(&str, &[&str]); 3] = [
    ("gdf-core", &["arrow-array", "arrow-cast", "arrow-data", "arrow-ord", "arrow-select"]),
    ("gdf-interop", &["arrow-array", "arrow-cast", "arrow-data", "arrow-ord", "arrow-select"]),
    ("gdf", &["comfy-table", "parquet", "tracing-subscriber"]),
];

/// The crates on which the umbrella crate must not depend with its default features.
const NOT_BY_DEFAULT: [&str; 4] = ["arrow-cast", "arrow-ord", "arrow-select", "arrow-string"];

/// The crates that compile C.
const OF_C: [&str; 7] = ["aws-lc-sys", "bzip2-sys", "libz-sys", "lz4-sys", "openssl-sys", "ring", "zstd-sys"];
const WITHOUT_C: &str = "--features=default,chrono,jiff,arrow,cuda,csv,json";

/// The prefix of the crates that contain the images of gdf-kernels, and of the crate that builds these crates. Only
/// gdf-kernels and gdf-nvcc may depend on crates with this prefix. gdf-nvcc depends on `gdf-kernels-build`, because the
/// compiler driver and the build of the images must find translation units with the same code.
const IMAGES: &str = "gdf-kernels-";
const IMAGES_BUILD: &str = "gdf-kernels-build";

/// Checks the normal dependencies and the build dependencies in the manifest of each crate.
pub(super) fn check_manifests(repository: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in repository {
        let Some(name) = path.strip_prefix("crates/").and_then(|path| path.strip_suffix("/Cargo.toml")) else {
            continue;
        };
        if name.starts_with(IMAGES) {
            let others = dependencies(text).into_iter().filter(|(_, dependency)| dependency != IMAGES_BUILD);
            let findings_here =
                others.map(|(line, other)| Finding::new(path, line, format!("`{name}` must not depend on `{other}`")));
            findings.extend(findings_here);
            continue;
        }
        let Some(allowed) = reach(name) else {
            let what = format!("tidy does not know what `{name}` may depend on; add it to edges.rs");
            findings.push(Finding::file(path, what));
            continue;
        };
        let hidden = ONLY_THROUGH.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, hidden)| hidden);
        for (line, dependency) in dependencies(text).into_iter().filter(|(_, name)| is_ours(name)) {
            let images = name == "gdf-kernels" && dependency.starts_with(IMAGES);
            if (!images && !allowed.contains(dependency.as_str())) || hidden.contains(&dependency.as_str()) {
                findings.push(Finding::new(path, line, format!("`{name}` must not depend on `{dependency}`")));
            }
        }
    }
    findings
}

/// Checks the dependencies that cargo resolves if all features are on.
pub(super) fn check_trees(repository: &Files) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (name, _) in STANDS_ON {
        let allowed = reach(name).unwrap_or_default();
        let path = format!("crates/{name}/Cargo.toml");
        if !repository.contains_key(&path) {
            continue;
        }
        let is_code = |name: &str| is_ours(name) && !name.starts_with(IMAGES);
        for found in reached(&tree(name, "--all-features")?, name, is_code) {
            if !allowed.contains(found.as_str()) {
                findings.push(Finding::file(&path, format!("`{name}` reaches `{found}` through its dependencies")));
            }
        }
        if let Some((_, heavy)) = LEAN.iter().find(|(of, _)| *of == name) {
            let is_heavy = |name: &str| heavy.contains(&name);
            for found in reached(&tree(name, "--no-default-features")?, name, is_heavy) {
                findings.push(Finding::file(&path, format!("`{name}` reaches `{found}` without default features")));
            }
        }
    }
    for found in reached(&tree("gdf", "--features=default")?, "gdf", |name| NOT_BY_DEFAULT.contains(&name)) {
        findings.push(Finding::file("crates/gdf/Cargo.toml", format!("`gdf` reaches `{found}` with default features")));
    }
    for found in reached(&tree("gdf", WITHOUT_C)?, "gdf", |name| OF_C.contains(&name)) {
        findings.push(Finding::file(
            "crates/gdf/Cargo.toml",
            format!("`gdf` compiles the C of `{found}` with {WITHOUT_C}"),
        ));
    }
    Ok(findings)
}

fn tree(name: &str, features: &str) -> Result<String> {
    let mut tree = cargo();
    tree.args(["tree", "--edges", "normal", "--prefix", "none", "--format", "{p}", features, "--package", name]);
    read(&mut tree)
}

/// Returns all crates on which a crate may depend.
fn reach(name: &str) -> Option<BTreeSet<&'static str>> {
    let (_, below) = STANDS_ON.iter().find(|(of, _)| *of == name)?;
    let reached = below.iter().flat_map(|below| reach(below).unwrap_or_default().into_iter().chain([*below]));
    Some(reached.collect())
}

fn is_ours(name: &str) -> bool {
    name == "gdf" || name.starts_with("gdf-") || name == "xtask"
}

/// Returns the crates in the output of `cargo tree --prefix none` for which `counts` returns true.
fn reached(tree: &str, itself: &str, counts: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let names = tree.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|name| counts(name) && *name != itself).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::super::repository_of;
    use super::*;

    #[test]
    fn forbidden_edges_are_found() {
        for (name, dependency, count) in [
            ("gdf-memory", "gdf-driver", 0),
            ("gdf-memory", "gdf-core", 1),
            ("gdf-interop", "gdf-detail", 1),
            ("gdf-core", "gdf-kernels", 1),
            ("gdf-api", "gdf-detail", 0),
            ("gdf-api", "gdf-kernels", 1),
            ("gdf", "gdf-detail", 1),
            ("gdf", "gdf-kernels-sm90", 1),
            ("gdf-kernels", "gdf-kernels-sm90", 0),
            ("gdf-kernels-sm90", "gdf-kernels-build", 0),
            ("gdf-nvcc", "gdf-kernels-build", 0),
            ("gdf-nvcc", "gdf-kernels-sm90", 1),
            ("gdf-kernels-sm90", "gdf-driver", 1),
            ("gdf-driver", "gdf-test", 1),
            ("gdf-new", "gdf-driver", 1),
            ("gdf-core", "serde", 0),
        ] {
            let path = format!("crates/{name}/Cargo.toml");
            let text = format!("[dependencies]\n{dependency}.workspace = true\n");
            assert_eq!(check_manifests(&repository_of([(&path, &text)])).len(), count, "{name} {dependency}");
        }
    }

    #[test]
    fn tests_may_use_what_builds_may_not() {
        let text = "[dev-dependencies]\ngdf-test.workspace = true\n";
        assert_eq!(check_manifests(&repository_of([("crates/gdf-core/Cargo.toml", text)])), []);
    }

    #[test]
    fn trees_are_read() {
        let tree = "gdf-core v0.1.0 (/x)\narrow v59\ngdf-memory v0.1.0 (/x)\ngdf-driver v0.1.0 (/x) (*)\n\n";
        assert_eq!(Vec::from_iter(reached(tree, "gdf-core", is_ours)), ["gdf-driver", "gdf-memory"]);
    }

    #[test]
    fn no_crate_reaches_more_than_those_it_reaches() {
        for (name, _) in STANDS_ON {
            let allowed = reach(name).unwrap_or_default();
            for through in &allowed {
                let further = reach(through).unwrap();
                assert!(further.iter().all(|far| allowed.contains(far)), "{name} through {through}");
            }
        }
    }
}
