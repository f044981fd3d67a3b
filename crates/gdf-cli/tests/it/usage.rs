//! Tests help, wrong arguments, closed pipes and `gdf bench`.

use std::process::Stdio;

use crate::program::{gdf, ran, run};

#[test]
fn help_lists_the_commands() {
    let folder = tempfile::tempdir().unwrap();
    let help = ran(folder.path(), ["--help"]);
    assert_eq!(help.status, Some(0));
    for command in ["doctor", "kernels", "bench"] {
        assert!(help.out.contains(command), "{command}");
    }
    assert!(ran(folder.path(), ["--version"]).out.starts_with("gdf 0."));
}

#[test]
fn wrong_arguments_are_usage_errors() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &[][..],
        &["frobnicate"],
        &["doctor", "now"],
        &["kernels"],
        &["kernels", "install", "--arch", "hopper"],
        &["kernels", "install", "--jobs", "0"],
        &["kernels", "remove", "--all", "--arch", "90"],
        &["bench", "--rows", "many"],
        &["bench", "--device", "gpu"],
    ] {
        let ran = ran(folder.path(), arguments);
        assert_eq!((ran.status, &*ran.out), (Some(2), ""), "{arguments:?}");
        assert!(!ran.err.is_empty(), "{arguments:?}");
    }
}

#[test]
fn bench_prints_a_row_per_operation_and_size() {
    let folder = tempfile::tempdir().unwrap();
    let bench = ran(folder.path(), ["bench", "--rows", "10,1000", "--device", "cpu"]);
    assert_eq!(bench.status, Some(0), "{}", bench.err);
    assert_eq!(bench.out.matches(" sort ").count(), 2, "{}", bench.out);
    assert!(bench.out.contains("rows/s") && bench.out.contains("GB/s"), "{}", bench.out);
    for arguments in [["bench", "--rows", "0"], ["bench", "--device", "cuda:4000000000"]] {
        let failed = ran(folder.path(), arguments);
        assert_eq!((failed.status, failed.err.lines().count()), (Some(1), 1), "{}", failed.err);
    }
}

/// The program that reads the output may stop early: `gdf doctor | head -1`.
#[test]
fn a_closed_pipe_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut child =
        gdf(folder.path()).args(["doctor", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.is_empty()), (Some(0), true));
}

#[test]
fn operations_are_logged_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let logged = run(gdf(folder.path()).arg("doctor").env("GDF_LOG", "debug"));
    assert!(logged.err.contains("apply_boolean_mask"), "{}", logged.err);
    assert!(!logged.err.contains('\u{1b}'), "colors in a pipe: {}", logged.err);
    let wrong = run(gdf(folder.path()).arg("doctor").env("GDF_LOG", "a=b=c"));
    assert_eq!((wrong.status, &*wrong.out, wrong.err.lines().count()), (Some(1), "", 1), "{}", wrong.err);
}
