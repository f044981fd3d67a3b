//! Memory and events that two processes share, and the handles with which one process opens those of the other.
#![doc(hidden)]

use std::fmt;

use crate::context::{self, DeviceState};
use crate::raw::{self, Handle, IpcHandle, Pointer};
use crate::{Device, Result, Stream, poison, table};

/// The driver's handle of an allocation or an event.
pub type HandleBytes = [u8; 64];

/// Returns the handle of the allocation that begins at `address`.
///
/// # Errors
/// - `address` is not in memory of `cuMemAlloc`; the device cannot be opened or is poisoned
pub fn export_memory(device: Device, address: u64) -> Result<HandleBytes> {
    let state = context::open(device)?;
    let _entered = state.enter()?;
    let mut handle = IpcHandle([0; 64]);
    // SAFETY: `handle` is writable, the device's context is current, and the driver checks the address.
    unsafe { table::cuIpcGetMemHandle(&mut handle, address) }?.on(device)?;
    Ok(handle.0)
}

/// Memory of another process that this process has opened. Dropping the value closes the memory.
pub struct OpenedMemory {
    state: &'static DeviceState,
    base: u64,
}

impl OpenedMemory {
    /// Opens memory of another process on `device`.
    ///
    /// # Errors
    /// - the handle belongs to this process, or to memory that was freed; the device cannot be opened or is poisoned
    pub fn open(device: Device, handle: HandleBytes) -> Result<OpenedMemory> {
        let state = context::open(device)?;
        let _entered = state.enter()?;
        let (mut base, handle) = (0u64, IpcHandle(handle));
        // SAFETY: `base` is writable, the device's context is current, and the driver checks the handle.
        unsafe { table::cuIpcOpenMemHandle_v2(&mut base, handle, raw::IPC_ENABLE_PEER_ACCESS) }?.on(device)?;
        Ok(OpenedMemory { state, base })
    }

    /// Returns the address at which the allocation begins in this process.
    pub fn base(&self) -> u64 {
        self.base
    }
}

impl fmt::Debug for OpenedMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpenedMemory({}, {:#x})", self.state.device, self.base)
    }
}

impl Drop for OpenedMemory {
    fn drop(&mut self) {
        let closed = poison::check(self.state.device).and_then(|()| {
            let _entered = self.state.enter()?;
            // SAFETY: the address came from `cuIpcOpenMemHandle` and is closed once. The owner of this value promises
            // that all users of the memory have ended.
            unsafe { table::cuIpcCloseMemHandle(self.base) }?.on(self.state.device)
        });
        if let Err(error) = closed {
            tracing::warn!(device = %self.state.device, %error, "a mapping of memory of another process is leaked");
        }
    }
}

/// An event that two processes share. Dropping the value destroys this process's handle of the event.
pub struct SharedEvent {
    state: &'static DeviceState,
    raw: Handle,
}

impl SharedEvent {
    /// Creates an event that other processes can open, and records it after all work that is enqueued on `stream` so
    /// far.
    ///
    /// # Errors
    /// - the stream is not a CUDA stream; the driver cannot make or record such an event; the device is poisoned
    pub fn record(stream: &Stream) -> Result<SharedEvent> {
        let device = stream.device();
        let state = context::open(device)?;
        let entered = state.enter()?;
        let mut event: Pointer = std::ptr::null_mut();
        let flags = raw::EVENT_DISABLE_TIMING | raw::EVENT_INTERPROCESS;
        // SAFETY: `event` is writable and the device's context is current.
        unsafe { table::cuEventCreate(&mut event, flags) }?.on(device)?;
        drop(entered);
        let shared = SharedEvent { state, raw: Handle(event) };
        // SAFETY: this function created the event for the stream's device, and the event is alive.
        unsafe { stream.record_raw(event)? };
        Ok(shared)
    }

    /// Opens an event of another process.
    ///
    /// # Errors
    /// - the handle belongs to this process, or to an event that was destroyed; the device cannot be opened or is
    ///   poisoned
    pub fn open(device: Device, handle: HandleBytes) -> Result<SharedEvent> {
        let state = context::open(device)?;
        let _entered = state.enter()?;
        let mut event: Pointer = std::ptr::null_mut();
        // SAFETY: `event` is writable, the device's context is current, and the driver checks the handle.
        unsafe { table::cuIpcOpenEventHandle(&mut event, IpcHandle(handle)) }?.on(device)?;
        Ok(SharedEvent { state, raw: Handle(event) })
    }

    /// Returns the handle through which another process opens the event.
    ///
    /// # Errors
    /// - the driver refuses the call; the device is poisoned
    pub fn handle(&self) -> Result<HandleBytes> {
        poison::check(self.state.device)?;
        let _entered = self.state.enter()?;
        let mut handle = IpcHandle([0; 64]);
        // SAFETY: `handle` is writable and the event is alive.
        unsafe { table::cuIpcGetEventHandle(&mut handle, self.raw.0) }?.on(self.state.device)?;
        Ok(handle.0)
    }

    /// Makes `stream` wait for the event. Work that is enqueued on `stream` from now on runs after the event.
    ///
    /// # Errors
    /// - the driver refuses the call; a device is poisoned
    pub fn wait_on(&self, stream: &Stream) -> Result<()> {
        // SAFETY: the event is alive as long as `self`.
        unsafe { stream.wait_raw(self.raw.0) }
    }
}

impl fmt::Debug for SharedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedEvent({}, {:?})", self.state.device, self.raw.0)
    }
}

impl Drop for SharedEvent {
    fn drop(&mut self) {
        let destroyed = poison::check(self.state.device).and_then(|()| {
            let _entered = self.state.enter()?;
            // SAFETY: no other value of this process refers to the event. The driver allows destroying an event that
            // has not completed.
            unsafe { table::cuEventDestroy_v2(self.raw.0) }?.on(self.state.device)
        });
        if let Err(error) = destroyed {
            tracing::warn!(device = %self.state.device, %error, "a shared event is leaked");
        }
    }
}
