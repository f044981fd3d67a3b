//! Slow kernels that write and check patterns. Tests of the order of streams use these kernels on a GPU.

use gdf_driver::{Device, Stream};
use gdf_kernels::generated::testing::{PatternCheck, PatternWrite};
use gdf_kernels::{Arguments, In, Kernel, OneKernel, Out};

/// The number of bytes that a launch writes or checks.
pub(crate) const BLOCK: usize = 4096;

pub(crate) struct Kernels;

impl Kernels {
    pub(crate) fn load(device: Device) -> Self {
        let stream = Stream::new(device).unwrap();
        Kernel::<PatternWrite>::find(&stream).unwrap();
        Kernel::<PatternCheck>::find(&stream).unwrap();
        Self
    }

    /// Writes `value` to the block at `address` after `nanoseconds`.
    pub(crate) fn write(&self, address: u64, value: u8, nanoseconds: i64, stream: &Stream) {
        // SAFETY: the caller passes the address of a block of memory that stays mapped.
        let bytes = unsafe { Out::danger_from_address(address) };
        launch(stream, &PatternWrite { bytes, length: BLOCK as i64, value: i32::from(value), nanoseconds });
    }

    /// Waits for `nanoseconds`, and then counts the bytes of the block at `address` that differ from `value`.
    pub(crate) fn check(&self, address: u64, value: u8, nanoseconds: i64, stream: &Stream, violations: u64) {
        // SAFETY: the caller passes the address of a block and the address of a word, in memory that stays mapped.
        let (bytes, violations) = unsafe { (In::danger_from_address(address), Out::danger_from_address(violations)) };
        let (length, value) = (BLOCK as i64, i32::from(value));
        launch(stream, &PatternCheck { bytes, length, value, nanoseconds, violations });
    }
}

fn launch<A: Arguments<Static: OneKernel>>(stream: &Stream, arguments: &A) {
    // SAFETY: the arguments belong to the kernel. The callers of `Kernels` pass addresses of memory that stays mapped.
    unsafe { Kernel::find(stream).unwrap().launch(stream, 1, 1, arguments) }.unwrap();
}
