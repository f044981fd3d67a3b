//! Every public function with columns that break the rules of their types: an error or a value, on a device that goes on.

use std::time::Instant;

use gdf_test::device::test_device;
use gdf_test::malformed::{MalformedOptions, run_malformed};
use gdf_test::runner::RunnerOptions;

/// Whether data that `validate` refuses must give `BrokenData` from every function that looks at them.
const BROKEN_DATA_IS_AN_ERROR: bool = true;

#[test]
fn malformed() {
    let (device, narrowed) = (test_device(), RunnerOptions::from_env());
    // Every call waits for the device several times; GDF_TEST_EVERY=1 makes all of them there, too.
    let sampled = device.is_cuda() && std::env::var_os("GDF_TEST_EVERY").is_none();
    let every = if sampled { 25 } else { narrowed.every };
    let options = MalformedOptions { entries: narrowed.entries, every, strict: BROKEN_DATA_IS_AN_ERROR };
    let started = Instant::now();
    let report = run_malformed(&gdf_tests::catalog::all(), device, &options);
    println!("malformed columns on {device}: {report}\n{:.1} s", started.elapsed().as_secs_f64());
    assert!(report.passed(), "{report}");
    assert!(options.every > 1 || report.uncovered().is_empty(), "not covered: {:?}", report.uncovered());
}
