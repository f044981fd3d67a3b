//! Where the unit tests of operations run: on the device that `GDF_TEST_DEVICE` names, the CPU without it.
//!
//! Tests of code that is the CPU's alone (below `host/`) and of plans stay on the CPU, whatever the variable says.

use gdf_core::Column;
use gdf_driver::test_hooks::test_device;
use gdf_driver::{Device, Stream};
use gdf_memory::{Resource, current_resource};

/// A stream of the device, and its current resource.
pub(crate) fn setup() -> (Stream, Resource) {
    crate::init();
    let device = test_device();
    (Stream::default_for(device).unwrap(), current_resource(device).unwrap())
}

/// The column in memory of the CPU, where tests read it through [`Stream::cpu`].
pub(crate) fn on_host(column: &Column) -> Column {
    column.copy_to(&Stream::cpu(), current_resource(Device::Cpu).unwrap().as_ref()).unwrap()
}
