//! What others in this process did on a device: their events, their memory, and the end of all their work.
#![doc(hidden)]

use std::ffi::c_void;
use std::sync::Arc;

use crate::raw::{self, Pointer};
use crate::stream::Kind;
use crate::{Device, Event, Result, Status, Stream, context, table};

/// What kind of memory an address belongs to, as far as the driver knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Memory of a device.
    Device,
    /// Pinned memory of the host.
    Pinned,
    /// Managed memory.
    Managed,
    /// Memory that the driver did not allocate and was not told of.
    Unknown,
}

/// First address and length of the allocation that holds `address`; `None` where the driver knows of none. No work for
/// the device.
///
/// # Errors
/// - the device cannot be opened or is poisoned
pub fn address_range(device: Device, address: u64) -> Result<Option<(u64, usize)>> {
    let state = context::open(device)?;
    let _entered = state.enter()?;
    let (mut base, mut bytes) = (0u64, 0usize);
    // SAFETY: both are writable; the driver looks the address up and does not use it.
    let outcome = unsafe { table::cuMemGetAddressRange_v2(&mut base, &mut bytes, address) }?;
    if matches!(outcome.status, Status::NOT_FOUND | Status::INVALID_VALUE) {
        return Ok(None);
    }
    outcome.on(device)?;
    Ok(Some((base, bytes)))
}

/// What kind of memory `address` belongs to. No work for the device.
///
/// # Errors
/// - the device cannot be opened or is poisoned
pub fn memory_kind(device: Device, address: u64) -> Result<MemoryKind> {
    let state = context::open(device)?;
    let _entered = state.enter()?;
    let ask = |attribute| -> Result<Option<u32>> {
        let mut value = 0u32;
        // SAFETY: both attributes asked for are of 32 bits; the driver looks the address up and does not use it.
        let outcome = unsafe { table::cuPointerGetAttribute((&raw mut value).cast::<c_void>(), attribute, address) }?;
        if outcome.status == Status::INVALID_VALUE {
            return Ok(None);
        }
        outcome.on(device)?;
        Ok(Some(value))
    };
    Ok(match ask(raw::POINTER_MEMORY_TYPE)? {
        None => MemoryKind::Unknown,
        Some(_) if ask(raw::POINTER_IS_MANAGED)?.is_some_and(|managed| managed & 0xff != 0) => MemoryKind::Managed,
        Some(raw::MEMORY_TYPE_HOST) => MemoryKind::Pinned,
        Some(_) => MemoryKind::Device,
    })
}

/// An event that completes when everything that anybody in this process enqueued on `device` so far has.
///
/// # Errors
/// - a stream of the device is being captured; the device cannot be opened or is poisoned
pub fn record_all(device: Device) -> Result<Event> {
    let state = context::open(device)?;
    let event = state.take_event()?;
    match state.record_all(event) {
        // Number 0 is no stream's.
        Ok(()) => Ok(Event::cuda(0, state, event, &Arc::default())),
        Err(error) => {
            state.return_event(event);
            Err(error)
        }
    }
}

/// Waits until everything that anybody in this process enqueued on `device` so far has completed.
///
/// # Errors
/// - enqueued work failed; a stream of the device is being captured; the device is poisoned
pub fn synchronize_all(device: Device) -> Result<()> {
    let state = context::open(device)?;
    let _entered = state.enter()?;
    // SAFETY: the device's context is current.
    unsafe { table::cuCtxSynchronize() }?.on(device)
}

/// Makes what is enqueued next on `stream` run after a `CUevent` that somebody else recorded. A CPU stream waits for it on
/// the calling thread.
///
/// # Safety
/// - `event` is an event of the driver, alive until this returns
///
/// # Errors
/// - the work before the event failed; the device is poisoned
pub unsafe fn wait_event(stream: &Stream, device: Device, event: Pointer) -> Result<()> {
    match stream.kind() {
        Kind::Cuda(cuda) => {
            let _entered = cuda.enter()?;
            // SAFETY: the stream is alive as long as `stream`, the event by the caller's promise.
            unsafe { table::cuStreamWaitEvent(cuda.raw.0, event, 0) }?.on(stream.device())
        }
        _ => {
            let state = context::open(device)?;
            let _entered = state.enter_loosely()?;
            // SAFETY: the event is alive, by the caller's promise.
            unsafe { table::cuEventSynchronize(event) }?.on(device)
        }
    }
}
