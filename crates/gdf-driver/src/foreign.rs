//! Waiting for work that other code of this process has enqueued on a device: for an event of that code, or for all
//! work on the device.

use std::ffi::c_void;
use std::sync::Arc;

use crate::raw::Pointer;
use crate::{Device, DriverError, Event, Result, Stream, context, table};

impl Stream {
    /// Makes this stream wait for the driver's event `raw`, which belongs to other code. Work that is enqueued from now
    /// on runs after the event.
    ///
    /// If the event was recorded several times, the stream waits for the last recording. If the event was never
    /// recorded, the stream does not wait. If this stream is a CPU stream, the calling thread waits.
    ///
    /// # Safety
    /// - `raw` is an event of a context of this process, and stays alive until the call returns
    ///
    /// # Errors
    /// - the driver refuses the event, there is no driver, or the device is poisoned
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
        // SAFETY: the caller promises a live event. The stream is alive, and `enter` made sure that the current context
        // fits the call.
        unsafe { table::cuStreamWaitEvent(cuda.raw.0, raw, 0) }?.on(device)
    }

    /// Records the driver's event `raw`, which belongs to other code, after all work that is enqueued on this stream so
    /// far.
    ///
    /// # Safety
    /// - `raw` is an event of this stream's device, and stays alive until the call returns
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
        // SAFETY: the caller promises a live event of this device. The stream is alive, and `enter` made sure that the
        // current context fits the call.
        unsafe { table::cuEventRecord(raw, cuda.raw.0) }?.on(device)
    }
}

/// Returns an event for all work that any code of this process has enqueued on `device` so far. The event completes
/// after that work.
///
/// # Errors
/// - a stream of the device is being captured; the device cannot be opened or is poisoned
pub fn record_all(device: Device) -> Result<Event> {
    let state = context::open(device)?;
    let event = state.take_event()?;
    match state.record_all(event) {
        // The event belongs to no single stream, so it has an id of its own: events with one id complete in order.
        Ok(()) => Ok(Event::cuda(crate::stream::next_id(), state, event, &Arc::default())),
        Err(error) => {
            state.return_event(event);
            Err(error)
        }
    }
}

/// Waits until all work that any code of this process has enqueued on `device` so far has completed.
///
/// # Errors
/// - enqueued work failed; a stream of the device is being captured; the device is poisoned
pub fn synchronize_all(device: Device) -> Result<()> {
    let state = context::open(device)?;
    let _entered = state.enter()?;
    // SAFETY: the device's context is current.
    unsafe { table::cuCtxSynchronize() }?.on(device)
}
