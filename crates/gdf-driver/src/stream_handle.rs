//! The driver's stream behind a [`Stream`](crate::Stream), and how it goes back to its device.
//!
//! Own streams are recycled and never destroyed: memory that is still used on one may outlive every other sign of it.
//! A recycled stream may still have work enqueued; what its next owner enqueues runs after that.

use std::sync::Mutex;
use std::thread::ThreadId;

use crate::context::{self, DeviceState, Entered, OwnedStream, SpareScratch};
use crate::lock::lock;
use crate::raw::{self, Handle, Pointer};
use crate::{Device, DriverError, Result, poison, table};

/// What a stream of ours has to do with the legacy default stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Legacy {
    /// Nothing.
    Independent,
    /// Each waits for what was enqueued on the other before.
    Synchronized,
}

/// What becomes of the handle when the stream goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holding {
    /// It goes to this recycle list.
    Owned(Legacy),
    /// It is another stream's, or in the recycle list.
    Alias,
    /// Somebody else sees to it.
    Foreign,
}

/// A stream of the driver.
#[derive(Debug)]
pub(crate) struct CudaStream {
    pub(crate) state: &'static DeviceState,
    pub(crate) raw: Handle,
    holding: Holding,
    /// For the per-thread constant, which names another stream on each thread: the only thread that may use it.
    thread: Option<ThreadId>,
    pub(crate) scratch: Mutex<Option<u64>>,
}

impl CudaStream {
    /// The stream of the recycle list that was given back first, or a new one.
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

    /// A stream that somebody else owns, or one of the driver's constants.
    pub(crate) fn foreign(device: Device, raw: Pointer) -> Result<CudaStream> {
        let state = context::open(device)?;
        let thread = (raw.addr() == raw::STREAM_PER_THREAD).then(|| std::thread::current().id());
        Ok(CudaStream { state, raw: Handle(raw), holding: Holding::Foreign, thread, scratch: Mutex::new(None) })
    }

    /// The same handle without a share in it; `None` where it may be destroyed by others.
    pub(crate) fn alias(&self) -> Option<CudaStream> {
        self.is_kept().then(|| CudaStream {
            state: self.state,
            raw: self.raw,
            holding: Holding::Alias,
            thread: None,
            scratch: Mutex::new(None),
        })
    }

    /// Whether the handle lives as long as the process.
    #[inline]
    pub(crate) fn is_kept(&self) -> bool {
        self.holding != Holding::Foreign
    }

    /// Whether the handle names this stream on the calling thread.
    #[inline]
    pub(crate) fn is_here(&self) -> bool {
        self.thread.is_none_or(|thread| thread == std::thread::current().id())
    }

    /// Whether the handle names this stream on one thread only.
    pub(crate) fn is_thread_bound(&self) -> bool {
        self.thread.is_some()
    }

    /// `Ok` if work may be enqueued from this thread.
    pub(crate) fn check(&self) -> Result<()> {
        poison::check(self.state.device)?;
        if self.is_here() { Ok(()) } else { Err(DriverError::WrongThread { device: self.state.device }) }
    }

    /// As [`CudaStream::check`], and sees to the current context for a call on this stream.
    pub(crate) fn enter(&self) -> Result<Entered> {
        self.check()?;
        match self.raw.0.addr() {
            // The constants mean a stream of the current context.
            raw::STREAM_LEGACY | raw::STREAM_PER_THREAD => self.state.enter(),
            _ => self.state.enter_loosely(),
        }
    }

    /// Records an event of the device's pool.
    pub(crate) fn record(&self) -> Result<Handle> {
        let _entered = self.enter()?;
        let event = self.state.take_event()?;
        // SAFETY: the event is ours alone and of this device; the stream is alive as long as `self`.
        let recorded = unsafe { table::cuEventRecord(event.0, self.raw.0) };
        match recorded.and_then(|outcome| outcome.on(self.state.device)) {
            Ok(()) => Ok(event),
            Err(error) => {
                self.state.return_event(event);
                Err(error)
            }
        }
    }

    /// As [`CudaStream::record`], for another thread's stream too: the legacy stream runs after all threads' ones.
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
            // The owner of the stream goes on with it: kernels that use the scratch may still be running.
            let event = self.record_from_anywhere()?;
            lock(&self.state.spare_scratch).push(SpareScratch { address, event });
        }
        Ok(())
    }
}

impl Drop for CudaStream {
    fn drop(&mut self) {
        if let Err(error) = self.give_back() {
            tracing::warn!(device = %self.state.device, %error, "leaking a stream or its scratch");
        }
    }
}
