//! The device on which unit tests of operations run. The environment variable `GDF_TEST_DEVICE` names the device, and
//! its default is the CPU.
//!
//! Tests of plans and of CPU code (modules named `host`) always run on the CPU.

use gdf_core::{Column, bitmask};
use gdf_driver::test_hooks::test_device;
use gdf_driver::{Device, Stream};
use gdf_memory::{Resource, current_resource};

/// Returns a stream of the test device and the current memory resource of the test device.
pub fn setup() -> (Stream, Resource) {
    crate::init();
    let device = test_device();
    (Stream::default_for(device).unwrap(), current_resource(device).unwrap())
}

/// Copies the column to memory of the CPU, where tests read it through [`Stream::cpu`].
pub fn on_host(column: &Column) -> Column {
    column.copy_to(&Stream::cpu(), current_resource(Device::Cpu).unwrap().as_ref()).unwrap()
}

/// Returns the rows of a column of `Int64` whose offset is 0. The column may be on any device.
pub fn rows(column: &Column) -> Vec<Option<i64>> {
    let (column, stream) = (on_host(column), Stream::cpu());
    let mask = column.validity().map(|mask| mask.read_on(&stream).unwrap());
    let valid = |row| mask.as_ref().is_none_or(|mask| bitmask::get_bit(mask.as_slice().unwrap(), row));
    let values = column.buffers()[0].read_on(&stream).unwrap();
    let values = values.as_slice::<i64>().unwrap().iter().enumerate();
    values.map(|(row, value)| valid(row).then_some(*value)).collect()
}
