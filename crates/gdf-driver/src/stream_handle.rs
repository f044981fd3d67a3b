//! The driver's stream behind a [`Stream`](crate::Stream), and the recycling of the driver's streams.
//!
//! The driver's streams that this crate made are recycled and never destroyed.

use std::sync::Mutex;
use std::thread::ThreadId;

use crate::context::{self, DeviceState, Entered, OwnedStream, SpareScratch};
use crate::lock::lock;
use crate::raw::{self, Handle, Pointer};
use crate::{Device, DriverError, Result, poison, table};

/// Whether a stream of this crate synchronizes with the legacy default stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Legacy {
    /// The stream and the legacy stream do not wait for each other.
    Independent,
    /// Work on either of the two streams runs after the work that was enqueued earlier on the other stream.
    Synchronized,
}

/// The owner of the handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holding {
    /// This crate owns the handle.
    Owned(Legacy),
    /// Another handle of this crate owns the stream.
    Alias,
    /// Other code owns the handle.
    Foreign,
}

#[derive(Debug)]
pub(crate) struct CudaStream {
    pub(crate) state: &'static DeviceState,
    pub(crate) raw: Handle,
    holding: Holding,
    /// The thread that may use the stream, if the handle is the constant for per-thread streams.
    thread: Option<ThreadId>,
    pub(crate) scratch: Mutex<Option<u64>>,
}

impl CudaStream {
    /// Takes the stream that has been in the recycle list for the longest time.
    pub(crate) fn take(device: Device, legacy: Legacy) -> Result<CudaStream> {
        let (state, holding) = (context::open(device)?, Holding::Owned(legacy));
        if let Some(OwnedStream { raw, scratch }) = lock(&state.streams[legacy as usize]).pop_front() {
            return Ok(CudaStream { state, raw, holding, thread: None, scratch: Mutex::new(scratch) });
        }
        let flags = if legacy == Legacy::Independent { raw::STREAM_NON_BLOCKING } else { raw::STREAM_DEFAULT };
        let _entered = state.enter()?;
        let mut raw: Pointer = std::ptr::null_mut();
        // SAFETY: `raw` is writable and the device's context is current.
        unsafe { table::cuStreamCreate(&mut raw, flags) }?.on(device)?;
        Ok(CudaStream { state, raw: Handle(raw), holding, thread: None, scratch: Mutex::new(None) })
    }

    /// Makes a handle for a stream that other code owns, or for a constant of the driver that stands for a stream.
    pub(crate) fn foreign(device: Device, raw: Pointer) -> Result<CudaStream> {
        let state = context::open(device)?;
        let thread = (raw.addr() == raw::STREAM_PER_THREAD).then(|| std::thread::current().id());
        Ok(CudaStream { state, raw: Handle(raw), holding: Holding::Foreign, thread, scratch: Mutex::new(None) })
    }

    /// Returns a copy of the handle without ownership.
    pub(crate) fn alias(&self) -> Option<CudaStream> {
        self.is_kept().then(|| CudaStream {
            state: self.state,
            raw: self.raw,
            holding: Holding::Alias,
            thread: None,
            scratch: Mutex::new(None),
        })
    }

    /// Returns whether the driver's stream exists until the process ends.
    #[inline]
    pub(crate) fn is_kept(&self) -> bool {
        self.holding != Holding::Foreign
    }

    /// Returns whether, on the calling thread, the handle means this stream.
    #[inline]
    pub(crate) fn is_here(&self) -> bool {
        self.thread.is_none_or(|thread| thread == std::thread::current().id())
    }

    /// Returns whether the handle means this stream on one thread only.
    pub(crate) fn is_thread_bound(&self) -> bool {
        self.thread.is_some()
    }

    pub(crate) fn check(&self) -> Result<()> {
        poison::check(self.state.device)?;
        if self.is_here() { Ok(()) } else { Err(DriverError::WrongThread { device: self.state.device }) }
    }

    /// Checks that the device is usable and that this thread may use the stream. Makes a context current that fits
    /// calls on the stream.
    pub(crate) fn enter(&self) -> Result<Entered> {
        self.check()?;
        match self.raw.0.addr() {
            // The driver's constants stand for a stream of the current context, so this device's context must be
            // current.
            raw::STREAM_LEGACY | raw::STREAM_PER_THREAD => self.state.enter(),
            _ => self.state.enter_loosely(),
        }
    }

    pub(crate) fn record(&self) -> Result<Handle> {
        let _entered = self.enter()?;
        let event = self.state.take_event()?;
        // SAFETY: no other value refers to the event, which belongs to this device. The stream is alive while `self`
        // exists.
        let recorded = unsafe { table::cuEventRecord(event.0, self.raw.0) };
        match recorded.and_then(|outcome| outcome.on(self.state.device)) {
            Ok(()) => Ok(event),
            Err(error) => {
                self.state.return_event(event);
                Err(error)
            }
        }
    }

    /// Records an event. If this thread may not use the stream, the event is recorded on the legacy stream of the
    /// device.
    fn record_from_anywhere(&self) -> Result<Handle> {
        if self.is_here() {
            return self.record();
        }
        CudaStream::foreign(self.state.device, std::ptr::without_provenance_mut(raw::STREAM_LEGACY))?.record()
    }

    fn give_back(&mut self) -> Result<()> {
        let scratch = self.scratch.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        if let Holding::Owned(legacy) = self.holding {
            poison::check(self.state.device)?;
            lock(&self.state.streams[legacy as usize]).push_back(OwnedStream { raw: self.raw, scratch });
        } else if let Some(address) = scratch {
            // The owner of a foreign stream continues to use the stream, so kernels that use the scratch memory may
            // still be running.
            let event = self.record_from_anywhere()?;
            lock(&self.state.spare_scratch).push(SpareScratch { address, event });
        }
        Ok(())
    }
}

impl Drop for CudaStream {
    fn drop(&mut self) {
        if let Err(error) = self.give_back() {
            tracing::warn!(device = %self.state.device, %error, "a stream or its scratch memory is leaked");
        }
    }
}
