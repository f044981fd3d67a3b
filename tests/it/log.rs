//! Tests the effects of `gdf::log::init_from_env`. For each variable, the test starts a child process with that
//! variable, and checks the output of the process and the place where it is written.

use std::path::Path;
use std::process::{Command, Output};

use gdf::copying::OutOfBoundsPolicy::Nullify;
use gdf::memory::{HostResource, PoolResource, Resource};
use gdf::{Column, Device, Stream};
use gdf_test::device::{cuda_device, test_device};

const CHILD: &str = "GDF_TEST_LOG_CHILD";

/// Sets up logging twice and prints the results.
fn log_something() {
    println!("first: {:?}", gdf::log::init_from_env());
    println!("second: {:?}", gdf::log::init_from_env());
    let device = test_device();
    let stream = Stream::default_for(device).unwrap();
    let resource = match device {
        Device::Cpu => Resource::new(PoolResource::new(Resource::new(HostResource::new()))),
        Device::Cuda(_) => gdf::memory::current_resource(device).unwrap(),
    };
    let values = gdf::Column::from_slice_on(&[1_i64, 2, 3], &stream, resource.as_ref()).unwrap();
    let copy: Column = gdf::concatenate::concatenate_columns(&[values.view(), values.view()]).unwrap();
    assert_eq!((copy.len(), copy.device()), (6, device));
    let table = gdf::Table::try_new(vec![copy]).unwrap();
    let mask = gdf::unary::is_valid(table.column(0).unwrap()).unwrap();
    let kept = gdf::stream_compaction::apply_boolean_mask(&table, &mask).unwrap();
    let sorted = gdf::sorting::sort(&kept, &[], &[]).unwrap();
    assert_eq!(gdf::copying::gather(&sorted, sorted.column(0).unwrap(), Nullify).unwrap().num_rows(), 6);
    stream.synchronize().unwrap();
}

/// Runs the test of all variables as a child process, with the given variables.
fn child(variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "log::the_initializer_says_what_the_guide_says", "--nocapture"]);
    for name in ["GDF_LOG", "GDF_LOG_FILE", "GDF_NVTX", "RUST_LOG"] {
        command.env_remove(name);
    }
    let output = command.env(CHILD, "1").env("NO_COLOR", "1").envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{variables:?}: {}", stderr(&output));
    output
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn outcome(output: &Output, call: &str) -> String {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let line = stdout.lines().find_map(|line| line.split_once(&format!("{call}: ")).map(|(_, rest)| rest));
    line.unwrap_or_else(|| panic!("the output has no line `{call}: …`: {stdout}")).to_owned()
}

fn appended_twice(path: &Path) {
    let path = path.to_str().unwrap();
    let variables = [("GDF_LOG", "info"), ("GDF_LOG_FILE", path)];
    for lines in [1, 2] {
        assert!(!stderr(&child(&variables)).contains("pool"), "the log must be in the file and not on standard error");
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text.matches("pool: created").count(), lines, "{text}");
        assert!(!text.contains('\u{1b}'), "a file must not contain color codes: {text}");
    }
}

#[test]
fn the_initializer_says_what_the_guide_says() {
    if std::env::var_os(CHILD).is_some() {
        return log_something();
    }
    let silent = child(&[]);
    assert_eq!((outcome(&silent, "first"), outcome(&silent, "second")), ("Ok(())".into(), "Err(AlreadySet)".into()));
    for quiet in [&silent, &child(&[("GDF_LOG", "")]), &child(&[("GDF_LOG", "off")])] {
        assert!(!stderr(quiet).contains("pool"), "{}", stderr(quiet));
    }

    let info = stderr(&child(&[("GDF_LOG", "info")]));
    assert!(info.contains("INFO") && info.contains("pool: created") && info.contains("pool: grown"), "{info}");
    assert!(!info.contains("time.busy"), "{info}");

    let debug = stderr(&child(&[("GDF_LOG", "gdf=debug"), ("GDF_NVTX", "1")]));
    let closed = debug.lines().find(|line| line.contains("concatenate") && line.contains("close"));
    let closed = closed.unwrap_or_else(|| panic!("the log has no span of `concatenate`: {debug}"));
    let on = format!("device={}", test_device());
    for part in ["DEBUG", &on, "time.busy=", "time.idle="] {
        assert!(closed.contains(part), "{closed}");
    }

    // The output has a line for each operation, in the order of the operations.
    let debug = stderr(&child(&[("GDF_LOG", "debug")]));
    let mut lines = debug.lines().filter(|line| line.contains("close") && line.contains("time.busy="));
    for operation in ["concatenate_columns", "is_valid", "apply_boolean_mask", "sort", "gather"] {
        let name = format!("name=\"{operation}\"");
        assert!(
            lines.any(|line| line.contains(&name) && line.contains(&on)),
            "the log has no line for `{operation}` at this place: {debug}"
        );
    }

    for refused in ["loud", "gdf=loud"] {
        let output = child(&[("GDF_LOG", refused)]);
        assert!(outcome(&output, "first").starts_with("Err(Filter("), "{refused}");
        assert!(
            outcome(&output, "second").starts_with("Err(Filter("),
            "the second call must return the same error, because the first call has set up nothing"
        );
    }

    let folder = tempfile::tempdir().unwrap();
    appended_twice(&folder.path().join("log.txt"));
    let nowhere = folder.path().join("absent/log.txt");
    let output = child(&[("GDF_LOG_FILE", nowhere.to_str().unwrap())]);
    assert!(outcome(&output, "first").starts_with("Err(File {"));
}

#[test]
fn a_gpu_says_what_it_loads_and_launches() {
    let Some(device) = cuda_device("logging of a GPU's work") else { return };
    let log = stderr(&child(&[("GDF_LOG", "trace")]));
    let line = |what: &str| {
        log.lines()
            .find(|line| line.contains(what))
            .unwrap_or_else(|| panic!("the log has no line with `{what}`: {log}"))
    };
    for (what, parts) in [
        ("device opened", ["INFO", "name=", "driver="]),
        ("kernels loaded", ["INFO", "capability=\"concatenate\"", "source="]),
        ("launch ", ["TRACE", "kernel=\"", "grid=("]),
        ("wait for a stream", ["TRACE", "stream=", "device="]),
    ] {
        let line = line(what);
        assert!(parts.iter().all(|part| line.contains(part)), "{device}: {line}");
    }
}
