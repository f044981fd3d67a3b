//! Checks that a test has launched the kernels that the test is meant to cover.

use gdf_test::device::test_device;
use gdf_test::runner::coverage_report;

/// Checks that these kernels of a capability have been launched.
pub(crate) fn assert_launched(capability: &str, kernels: &[&str]) {
    if test_device().is_cpu() {
        return;
    }
    let ran = coverage_report().ran;
    for kernel in kernels {
        assert!(ran.iter().any(|(of, name)| of == capability && name == kernel), "{kernel}");
    }
}
