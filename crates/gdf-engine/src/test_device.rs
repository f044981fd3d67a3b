//! Where the unit tests of operations run: on the device that `GDF_TEST_DEVICE` names, the CPU without it.
//!
//! Tests of code that is the CPU's alone (below `host/`) and of plans stay on the CPU, whatever the variable says.

use gdf_core::{Column, bitmask};
use gdf_driver::test_hooks::test_device;
use gdf_driver::{Device, Stream};
use gdf_memory::{Resource, current_resource};

/// A stream of the device, and its current resource.
pub fn setup() -> (Stream, Resource) {
    crate::init();
    let device = test_device();
    (Stream::default_for(device).unwrap(), current_resource(device).unwrap())
}

/// The column in memory of the CPU, where tests read it through [`Stream::cpu`].
pub fn on_host(column: &Column) -> Column {
    column.copy_to(&Stream::cpu(), current_resource(Device::Cpu).unwrap().as_ref()).unwrap()
}

/// The rows of a column of `Int64` from bit 0 on, wherever it is.
pub fn rows(column: &Column) -> Vec<Option<i64>> {
    let (column, stream) = (on_host(column), Stream::cpu());
    let mask = column.validity().map(|mask| mask.read_on(&stream).unwrap());
    let valid = |row| mask.as_ref().is_none_or(|mask| bitmask::get_bit(mask.as_slice().unwrap(), row));
    let values = column.buffers()[0].read_on(&stream).unwrap();
    let values = values.as_slice::<i64>().unwrap().iter().enumerate();
    values.map(|(row, value)| valid(row).then_some(*value)).collect()
}
