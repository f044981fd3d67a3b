//! Copies between two CUDA devices.

use crate::counters::add;
use crate::stream_work::copy_across_mappings;
use crate::{Device, Result, Stream, context, table};

impl Stream {
    /// Copies `bytes` bytes from `src` on device `from` to `dst` on device `to`, in the order of this stream. The
    /// stream must belong to one of the two devices. If the devices can access each other's memory, the driver copies
    /// directly. Otherwise the driver copies through memory of the CPU. `from` and `to` may be the same device.
    ///
    /// # Safety
    /// - `dst` is valid for writing `bytes` of device `to`, and `src` for reading `bytes` of device `from`, until the
    ///   copy has run
    /// - until then, no other work writes to `src` or `dst`, and no other work reads `dst`; the ranges do not overlap
    ///
    /// # Errors
    /// - [`DriverError::DeviceMismatch`](crate::DriverError::DeviceMismatch): one of the devices is the CPU, or the
    ///   stream belongs to neither device
    /// - the driver refuses the copy; a device is poisoned
    pub unsafe fn copy_between(&self, to: Device, dst: u64, from: Device, src: u64, bytes: usize) -> Result<()> {
        let (target, source) = (context::open(to)?, context::open(from)?);
        let cuda = self.as_cuda(if self.device() == from { from } else { to })?;
        if bytes == 0 {
            return Ok(());
        }
        let _entered = cuda.enter()?;
        let (to_context, from_context, raw) = (target.raw_context(), source.raw_context(), cuda.raw.0);
        let one = |dst: u64, src: u64, bytes: usize| {
            // SAFETY: the caller promises that both ranges are valid. Both contexts are retained. The stream is alive,
            // and `enter` made sure that the current context fits the call.
            unsafe { table::cuMemcpyPeerAsync(dst, to_context, src, from_context, bytes, raw) }
        };
        copy_across_mappings(self.device(), dst, src, bytes, one)?;
        add(&self.live_counters().device_to_device_bytes, bytes as u64);
        Ok(())
    }
}
