//! The kernels that write and check patterns, slowly: what tests of order on a GPU launch. Each has one block.

use std::ffi::c_void;

use gdf_driver::{Device, Function, LaunchConfig, Stream};

/// Bytes that a launch writes or checks.
pub(crate) const BLOCK: usize = 4096;

pub(crate) struct Kernels {
    write: Function,
    check: Function,
}

impl Kernels {
    pub(crate) fn load(device: Device) -> Self {
        let find = |name| gdf_kernels::function(device, "testing", name).unwrap();
        Self { write: find("pattern_write_kernel"), check: find("pattern_check_kernel") }
    }

    /// Writes `value` to the block at `address`, after some time. The address is of memory that its pool keeps mapped, so that
    /// broken order is seen, not fatal; the same goes for the others here.
    pub(crate) fn write(&self, address: u64, value: u8, nanoseconds: i64, stream: &Stream) {
        let (len, value) = (BLOCK as i64, i32::from(value));
        launch(stream, &self.write, &mut [ptr(&address), ptr(&len), ptr(&value), ptr(&nanoseconds)]);
    }

    /// Adds the bytes of the block at `address` that are not `value`, looked at after some time, to the word at `violations`.
    pub(crate) fn check(&self, address: u64, value: u8, nanoseconds: i64, stream: &Stream, violations: u64) {
        let (len, value) = (BLOCK as i64, i32::from(value));
        let args = &mut [ptr(&address), ptr(&len), ptr(&value), ptr(&nanoseconds), ptr(&violations)];
        launch(stream, &self.check, args);
    }
}

fn ptr<T>(value: &T) -> *mut c_void {
    std::ptr::from_ref(value).cast_mut().cast()
}

fn launch(stream: &Stream, function: &Function, args: &mut [*mut c_void]) {
    let config = LaunchConfig { grid: (1, 1, 1), block: (128, 1, 1), shared_bytes: 0 };
    // SAFETY: `Kernels` passes the kernels' parameters in order; its callers give addresses of memory that stays mapped.
    unsafe { stream.launch(function, config, args) }.unwrap();
}
