//! Events: points in the work of a stream for which threads and other streams can wait.

use std::ffi::c_void;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use crate::context::DeviceState;
use crate::counters::{LiveCounters, add};
use crate::executor::{Executor, QueueHandle, Queues};
use crate::raw::{Handle, Pointer};
use crate::{Device, Result, poison, table};

/// A point in the work of a stream, created by [`Stream::record`](crate::Stream::record). A clone refers to the same
/// event.
///
/// Events do not measure time. Each device has a pool of the driver's events. When the last clone of an event is
/// dropped, the driver's event goes back to the pool, even if the event has not completed. A stream that already waits
/// for the event still waits correctly.
#[derive(Clone)]
pub struct Event(Arc<Inner>);

struct Inner {
    stream_id: u64,
    kind: Kind,
}

enum Kind {
    Complete,
    /// An event of a deferred stream.
    Deferred {
        executor: Weak<Executor>,
        queues: Arc<Queues>,
        done: Arc<AtomicBool>,
    },
    Cuda {
        state: &'static DeviceState,
        raw: Handle,
        counters: Arc<LiveCounters>,
    },
}

impl Event {
    fn new(stream_id: u64, kind: Kind) -> Event {
        Event(Arc::new(Inner { stream_id, kind }))
    }

    pub(crate) fn complete(stream_id: u64) -> Event {
        Event::new(stream_id, Kind::Complete)
    }

    pub(crate) fn deferred(stream_id: u64, queue: &QueueHandle) -> Result<Event> {
        let (executor, done) = (queue.executor(), queue.push_record()?);
        let queues = Arc::clone(executor.queues());
        Ok(Event::new(stream_id, Kind::Deferred { executor: Arc::downgrade(executor), queues, done }))
    }

    pub(crate) fn cuda(
        stream_id: u64,
        state: &'static DeviceState,
        raw: Handle,
        counters: &Arc<LiveCounters>,
    ) -> Event {
        Event::new(stream_id, Kind::Cuda { state, raw, counters: Arc::clone(counters) })
    }

    /// Returns the device of the stream on which the event was recorded.
    pub fn device(&self) -> Device {
        match &self.0.kind {
            Kind::Cuda { state, .. } => state.device,
            _ => Device::Cpu,
        }
    }

    /// Returns whether the work before the event has completed.
    ///
    /// # Errors
    /// - the work before the event failed, or the device is poisoned
    pub fn is_complete(&self) -> Result<bool> {
        match &self.0.kind {
            Kind::Complete => Ok(true),
            Kind::Deferred { executor, done, .. } => {
                executor.upgrade().map_or(Ok(()), |executor| executor.answer("cuEventQuery"))?;
                Ok(done.load(Ordering::Acquire))
            }
            Kind::Cuda { state, raw, .. } => {
                poison::check(state.device)?;
                let _entered = state.enter_loosely()?;
                // SAFETY: the event is alive as long as `self`.
                unsafe { table::cuEventQuery(raw.0) }?.completed_on(state.device)
            }
        }
    }

    /// Returns whether no work before the event is running any more. That is the case if the event has completed, or if
    /// its device is lost.
    ///
    /// If the event cannot be queried at the moment, the result is `false`. For example, no event can be queried while
    /// another thread captures a graph.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
    /// use gdf::Stream;
    /// assert!(Stream::cpu().record()?.is_over());
    /// # Ok::<(), gdf_driver::DriverError>(())
    /// ```
    pub fn is_over(&self) -> bool {
        self.is_complete().unwrap_or_else(|error| error.is_fatal())
    }

    /// Waits until the work before the event has completed.
    ///
    /// If the event was recorded on a CUDA stream, the counters of that stream count the wait. If the event was
    /// recorded on a deferred stream, the function runs the work before the event.
    ///
    /// # Errors
    /// - the work before the event failed; the device is poisoned
    /// - [`DriverError::Deadlock`](crate::DriverError::Deadlock): a closure on a deferred stream calls this function,
    ///   and the event can only complete after the closure
    pub fn synchronize(&self) -> Result<()> {
        match &self.0.kind {
            Kind::Complete => Ok(()),
            Kind::Deferred { executor, queues, done } => {
                // The executor is kept alive until the wait ends.
                let executor = executor.upgrade();
                if executor.is_some() {
                    queues.answer("cuEventSynchronize")?;
                }
                queues.run_until_done(done)
            }
            Kind::Cuda { state, raw, counters } => {
                poison::check(state.device)?;
                let _entered = state.enter_loosely()?;
                add(&counters.waits, 1);
                tracing::trace!(device = %state.device, stream = self.0.stream_id, "wait for an event");
                // SAFETY: the event is alive as long as `self`.
                unsafe { table::cuEventSynchronize(raw.0) }?.on(state.device)
            }
        }
    }

    /// Returns the driver's event, so that other code can wait for it. Returns `None` for events of CPU streams.
    ///
    /// The handle is valid while a clone of this event exists. After the last clone is dropped, the driver's event is
    /// reused for other work.
    pub fn raw_event(&self) -> Option<*mut c_void> {
        match &self.0.kind {
            Kind::Cuda { raw, .. } => Some(raw.0),
            _ => None,
        }
    }

    /// Returns the id of the stream on which the event was recorded.
    pub fn stream_id(&self) -> u64 {
        self.0.stream_id
    }

    /// Returns the driver's event.
    pub(crate) fn raw(&self) -> Result<Option<Pointer>> {
        match &self.0.kind {
            Kind::Cuda { state, raw, .. } => {
                poison::check(state.device)?;
                Ok(Some(raw.0))
            }
            _ => Ok(None),
        }
    }

    /// Returns the completion flag if the event is a deferred event of `executor`.
    pub(crate) fn on_executor(&self, executor: &Arc<Executor>) -> Option<Arc<AtomicBool>> {
        match &self.0.kind {
            Kind::Deferred { executor: own, done, .. } if std::ptr::eq(own.as_ptr(), Arc::as_ptr(executor)) => {
                Some(Arc::clone(done))
            }
            _ => None,
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Kind::Cuda { state, raw, .. } = &self.kind {
            state.return_event(*raw);
        }
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event(stream {}, {})", self.0.stream_id, self.device())
    }
}
