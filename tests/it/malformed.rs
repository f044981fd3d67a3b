//! Calls every public function with columns that break the rules of their types. Each call must return an error or a
//! value, and the device must keep working.

use std::time::Instant;

use gdf_test::device::test_device;
use gdf_test::malformed::{MalformedOptions, run_malformed};
use gdf_test::runner::RunnerOptions;

/// Whether a function that reads data must return `BrokenData` if `validate` refuses these data.
const BROKEN_DATA_IS_AN_ERROR: bool = true;

#[test]
fn malformed() {
    let (device, narrowed) = (test_device(), RunnerOptions::from_env());
    // On a GPU, each call waits for the device several times.
    let sampled = device.is_cuda() && std::env::var_os("GDF_TEST_EVERY").is_none();
    let every = if sampled { 25 } else { narrowed.every };
    let options = MalformedOptions { entries: narrowed.entries, every, strict: BROKEN_DATA_IS_AN_ERROR };
    let started = Instant::now();
    let report = run_malformed(&gdf_tests::catalog::all(), device, &options);
    println!("malformed columns on {device}: {report}\n{:.1} s", started.elapsed().as_secs_f64());
    assert!(report.passed(), "{report}");
    assert!(options.every > 1 || report.uncovered().is_empty(), "not covered: {:?}", report.uncovered());
}
