//! Checks calls between parts of the repository that the compiler cannot forbid. The checks are about driver memory,
//! the two backends, device libraries, threads and public functions.

use super::{Files, Finding};
use crate::floors::in_algorithms;
use crate::text::{code_only, has_word, is_word};

/// The crates whose code may name the driver's allocation functions.
const ALLOCATING: [&str; 2] = ["crates/gdf-driver/", "crates/gdf-memory/"];

const ALLOCATION: [&str; 2] = ["memory", "virtual_memory"];

/// The only header that may include CUB.
pub(super) const CUB: &str = "kernels/include/gdf/cub.cuh";

/// The crates that use rayon's threads.
const SPREADING: [&str; 2] = ["crates/gdf-core/src/", "crates/gdf-io/src/"];

/// The file with the scope in which public functions run.
pub(super) const SCOPE: &str = "crates/gdf-api/src/scope.rs";

pub(super) fn check(repository: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in repository {
        if path.ends_with(".rs") {
            let code = code_only(text);
            findings.extend(allocation(path, &code));
            findings.extend(backends(path, &code));
            findings.extend(loops(path, &code));
            findings.extend(threads(path, &code));
        }
        if path.starts_with("kernels/") {
            findings.extend(includes(path, text));
        }
    }
    findings
}

/// Checks that no crate except gdf-driver and gdf-memory names the driver's allocation functions.
fn allocation(path: &str, code: &str) -> Vec<Finding> {
    let is_test = path.contains("/tests/") || path.ends_with("_tests.rs");
    let is_ours = path.starts_with("crates/") && !is_test && !ALLOCATING.iter().any(|start| path.starts_with(start));
    let names = |rest: &str| {
        // `rest` is the text after `gdf_driver::`.
        let end = if rest.starts_with('{') { rest.find('}') } else { rest.find(|c| !is_word(c)) };
        let list = &rest[..end.unwrap_or(rest.len())];
        ALLOCATION.iter().any(|name| has_word(list, name))
    };
    let uses = code.match_indices("gdf_driver::").filter(|(at, found)| is_ours && names(&code[at + found.len()..]));
    uses.map(|(at, _)| Finding::new(path, line_of(code, at), "allocate from a memory resource, not from the driver"))
        .collect()
}

/// Checks that the code of a backend does not call the other backend.
fn backends(path: &str, code: &str) -> Vec<Finding> {
    let Some(inside) = in_algorithms(path) else { return Vec::new() };
    let is_of = |backend: &str| inside.split(['/', '.']).any(|part| part == backend);
    let mut findings = Vec::new();
    for (own, other) in [("cuda", "host::"), ("host", "cuda::")] {
        if !is_of(own) || is_of(other.trim_end_matches(':')) {
            continue;
        }
        for (line, code) in (1..).zip(code.lines()) {
            let calls = code.match_indices(other).any(|(at, _)| !code[..at].ends_with(is_word));
            if calls {
                findings.push(Finding::new(path, line, format!("the {own} backend must not use `{other}`")));
            }
        }
    }
    findings
}

/// Checks that public functions have no loops.
fn loops(path: &str, code: &str) -> Vec<Finding> {
    let is_public = path.starts_with("crates/gdf-api/src/") && path != SCOPE && !path.ends_with("_tests.rs");
    let is_loop = |line: &str| {
        has_word(line, "while") || has_word(line, "loop") || (has_word(line, "for") && has_word(line, "in"))
    };
    let lines = (1..).zip(code.lines()).filter(|(_, line)| is_public && is_loop(line));
    lines
        .map(|(line, _)| Finding::new(path, line, "a loop in a public function: move the loop to the algorithms"))
        .collect()
}

/// Checks that code that uses rayon's threads first asks whether this process has the threads.
fn threads(path: &str, code: &str) -> Vec<Finding> {
    let is_ours = SPREADING.iter().any(|start| path.starts_with(start)) || in_algorithms(path).is_some();
    let is_library = is_ours && !path.ends_with("tests.rs");
    let code = code.split("#[cfg(test)]\nmod ").next().unwrap_or(code);
    let asks = has_word(code, "prepare_threads") || has_word(code, "thread_count");
    let is_bare = |line: &str| {
        (line.contains("rayon::prelude") && !asks)
            || (line.contains("rayon::current_num_threads") && !code.contains("fn thread_count"))
    };
    let line = (1..).zip(code.lines()).find(|(_, line)| is_library && is_bare(line));
    let what = "use of rayon's threads without `gdf_core::prepare_threads`, which hangs in a child of `fork`";
    line.map(|(line, _)| Finding::new(path, line, what)).into_iter().collect()
}

/// Checks that only one header includes CUB, and that no file includes Thrust or the CUDA runtime library.
fn includes(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some(header) = line.trim_start().strip_prefix("#include") else { continue };
        if header.contains("<cub/") && path != CUB {
            findings.push(Finding::new(path, number, format!("only {CUB} may include CUB: include {CUB}")));
        }
        if header.contains("<thrust/") || header.contains("cuda_runtime") {
            findings.push(Finding::new(path, number, "kernels must not include Thrust or the CUDA runtime library"));
        }
    }
    findings
}

fn line_of(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::super::repository_of;
    use super::*;

    fn found(path: &str, text: &str) -> Vec<usize> {
        check(&repository_of([(path, text)])).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn work_for_threads_asks_for_them() {
        let spreading = "use rayon::prelude::*;\nfn f() { x.par_iter(); }\n";
        assert_eq!(threads("crates/gdf-io/src/x.rs", spreading).len(), 1);
        let counting = "fn f() { thread_count() + rayon::current_num_threads(); }\n";
        assert_eq!(threads("crates/gdf-io/src/x.rs", counting).len(), 1);
        assert_eq!(threads("crates/gdf-bench/src/x.rs", spreading).len(), 0);
        assert_eq!(threads("crates/gdf-engine/src/tests.rs", spreading).len(), 0);
        for asks in ["prepare_threads();", "thread_count();"] {
            assert_eq!(threads("crates/gdf-io/src/x.rs", &format!("{spreading}{asks}\n")).len(), 0);
        }
    }

    #[test]
    fn memory_is_allocated_by_resources() {
        let nested = "use std::fs;\nuse gdf_driver::{\n    Device, memory,\n};\n";
        assert_eq!(found("crates/gdf-core/src/x.rs", nested), [2]);
        assert_eq!(found("crates/gdf-engine/src/x.rs", "gdf_driver::virtual_memory::reserve();"), [1]);
        assert!(found("crates/gdf-memory/src/x.rs", nested).is_empty());
        assert!(found("crates/gdf-kernels/tests/x.rs", nested).is_empty());
        assert!(
            found("crates/gdf-core/src/x.rs", "use gdf_driver::{Device, MemoryInfo};\nuse gdf_memory::Buffer;")
                .is_empty()
        );
        assert!(
            found("crates/gdf-core/src/x.rs", "// gdf_driver::memory\nuse gdf_driver::Device; mod memory;").is_empty()
        );
    }

    #[test]
    fn backends_do_not_call_each_other() {
        let call = "fn f() {\n    super::host::gather();\n}";
        assert_eq!(found("crates/gdf-compute/src/copying/cuda/gather.rs", call), [2]);
        assert_eq!(found("crates/gdf-compute/src/copying/host/gather.rs", "use crate::cuda::launch;"), [1]);
        assert_eq!(found("crates/gdf-relational/src/join/cuda.rs", "use crate::host::scatter;"), [1]);
        assert!(found("crates/gdf-compute/src/copying/gather.rs", call).is_empty());
        assert!(found("crates/gdf-compute/src/copying/cuda/gather.rs", "ghost::call(); // host::f").is_empty());
    }

    #[test]
    fn public_functions_do_not_loop() {
        for text in ["for x in y {}", "while true {}", "loop {}"] {
            assert_eq!(found("crates/gdf-api/src/copying.rs", text), [1], "{text}");
            assert!(found("crates/gdf-api/src/scope.rs", text).is_empty());
            assert!(found("crates/gdf-compute/src/copying.rs", text).is_empty());
        }
        assert!(found("crates/gdf-api/src/copying.rs", "impl Input for Table {} // for x in y").is_empty());
    }

    #[test]
    fn device_libraries_come_through_one_header() {
        let cub = "#pragma once\n#include <cub/block/block_scan.cuh>\n";
        assert_eq!(found("kernels/scan/scan.cu", cub), [2]);
        assert!(found(CUB, cub).is_empty());
        for header in ["<thrust/sort.h>", "<cuda_runtime.h>", "\"cuda_runtime_api.h\""] {
            assert_eq!(found(CUB, &format!("#include {header}\n")), [1], "{header}");
        }
    }
}
