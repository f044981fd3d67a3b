//! Events that somebody else created: of other libraries in this process, and of other processes.

use std::ffi::c_void;

use crate::raw::Pointer;
use crate::{Device, DriverError, Result, Stream, context, table};

impl Stream {
    /// Makes what is enqueued next run after what the driver's event `raw`, somebody else's, was last recorded after. A
    /// CPU stream waits on the calling thread. An event that was never recorded is complete.
    ///
    /// # Safety
    /// - `raw` is an event of a context of this process, alive until the call returns
    ///
    /// # Errors
    /// - the driver refuses the event; no driver; the device is poisoned
    pub unsafe fn wait_raw(&self, raw: *mut c_void) -> Result<()> {
        let raw: Pointer = raw;
        let device = self.device();
        if device.is_cpu() {
            context::driver()?;
            self.settle()?;
            // SAFETY: the caller promises a live event.
            return unsafe { table::cuEventSynchronize(raw) }?.anywhere();
        }
        let cuda = self.as_cuda(device)?;
        let _entered = cuda.enter()?;
        // SAFETY: the caller promises a live event; the stream is alive and `enter` saw to the context.
        unsafe { table::cuStreamWaitEvent(cuda.raw.0, raw, 0) }?.on(device)
    }

    /// Records `raw`, somebody else's event of the driver, after everything enqueued on this stream so far.
    ///
    /// # Safety
    /// - `raw` is an event of this stream's device, alive until the call returns
    ///
    /// # Errors
    /// - [`DriverError::DeviceMismatch`] on CPU streams
    /// - the driver refuses the event; the device is poisoned
    pub unsafe fn record_raw(&self, raw: *mut c_void) -> Result<()> {
        let device = self.device();
        if device.is_cpu() {
            return Err(DriverError::DeviceMismatch { expected: Device::Cuda(0), found: device });
        }
        let cuda = self.as_cuda(device)?;
        let _entered = cuda.enter()?;
        // SAFETY: the caller promises a live event of this device; the stream is alive and `enter` saw to the context.
        unsafe { table::cuEventRecord(raw, cuda.raw.0) }?.on(device)
    }
}
