//! Streams: queues of work that runs in order.

use std::ffi::c_void;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::counters::{LiveCounters, add};
use crate::event::Event;
use crate::executor::{Executor, Nature, QueueHandle};
use crate::lock::lock;
use crate::raw::{STREAM_LEGACY, STREAM_PER_THREAD};
use crate::stream_handle::{CudaStream, Legacy};
use crate::{Counters, Device, DriverError, Result, context, table};

/// A queue of work on one device. The work runs in the order in which it was enqueued.
///
/// A clone refers to the same stream. It does not matter through which clone work is enqueued. Two streams are equal if
/// one is a clone of the other. The id of a stream is never reused.
///
/// The driver's stream behind a `Stream` is never destroyed. When the last clone is dropped, the driver's stream goes
/// to the recycle list of the device. A new [`Stream`] can take the driver's stream from that list.
///
/// ```
/// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
/// use gdf::{Device, Stream};
/// let (first, second) = (Stream::new(Device::Cpu)?, Stream::cpu());
/// first.enqueue(|| println!("work on the CPU runs at once"))?;
/// second.wait_for(&first)?;
/// assert_ne!(first, second);
/// # Ok::<(), gdf_driver::DriverError>(())
/// ```
#[derive(Clone)]
pub struct Stream(Arc<Inner>);

/// The legacy streams that [`Stream::legacy`] has made.
static LEGACY: Mutex<Vec<Stream>> = Mutex::new(Vec::new());

/// Shared ownership of a stream. A buffer holds such a reference for each stream that uses its memory.
pub type StreamRef = Stream;

struct Inner {
    id: u64,
    device: Device,
    counters: Arc<LiveCounters>,
    kind: Kind,
}

pub(crate) enum Kind {
    /// The work runs on the calling thread, at once.
    Eager,
    /// The work runs on the CPU, later.
    Deferred(QueueHandle),
    /// The driver runs the work.
    Cuda(CudaStream),
}

impl Stream {
    fn from_kind(id: u64, device: Device, kind: Kind) -> Stream {
        Stream(Arc::new(Inner { id, device, counters: Arc::default(), kind }))
    }

    /// Returns a stream of `device`. Opens the device.
    ///
    /// If `device` is the CPU, the function does the same as [`Stream::cpu`]. If `device` is a CUDA device, the result
    /// is a non-blocking stream. The function takes the driver's stream from the recycle list of the device. If the
    /// list is empty, the function creates a driver's stream.
    ///
    /// # Errors
    /// - the device cannot be opened, or is poisoned
    /// - the driver cannot create a stream
    pub fn new(device: Device) -> Result<Stream> {
        match device {
            Device::Cpu => Ok(Stream::cpu()),
            Device::Cuda(_) => Stream::of_list(device, Legacy::Independent),
        }
    }

    /// Returns a stream of `device`. A CUDA stream synchronizes with the legacy default stream (RMM's `sync_default`).
    /// In all other respects the function does the same as [`Stream::new`].
    ///
    /// Work on either of the two streams runs after the work that was enqueued earlier on the other stream. The
    /// function is for programs in which other code uses the NULL stream.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
    /// use gdf::{Device, Stream};
    /// assert!(Stream::blocking(Device::Cpu)?.is_idle()?);
    /// # Ok::<(), gdf_driver::DriverError>(())
    /// ```
    ///
    /// # Errors
    /// - the errors of [`Stream::new`]
    pub fn blocking(device: Device) -> Result<Stream> {
        if device.is_cpu() { Ok(Stream::cpu()) } else { Stream::of_list(device, Legacy::Synchronized) }
    }

    fn of_list(device: Device, legacy: Legacy) -> Result<Stream> {
        Ok(Stream::from_kind(next_id(), device, Kind::Cuda(CudaStream::take(device, legacy)?)))
    }

    /// Creates a CPU stream. The work of the stream runs at once, on the calling thread.
    pub fn cpu() -> Stream {
        Stream::from_kind(next_id(), Device::Cpu, Kind::Eager)
    }

    pub(crate) fn deferred(executor: Arc<Executor>) -> Stream {
        Stream::deferred_as(executor, Nature::Own)
    }

    pub(crate) fn deferred_as(executor: Arc<Executor>, nature: Nature) -> Stream {
        let id = next_id();
        Stream::from_kind(id, Device::Cpu, Kind::Deferred(QueueHandle::new(executor, id, nature)))
    }

    /// Makes a `Stream` of a stream that other code created.
    ///
    /// This crate neither recycles nor destroys such a stream. If `raw` is the driver's constant for the per-thread
    /// stream, the function does the same as [`Stream::per_thread`]. If `raw` is the constant for the legacy stream,
    /// the function does the same as [`Stream::legacy`].
    ///
    /// # Safety
    /// - `raw` is a stream of `device`'s primary context, or one of the driver's constants
    /// - the stream outlives every clone of the result, every buffer that the result was used with, and every event
    ///
    /// # Errors
    /// - `raw` is null. The NULL stream is not accepted, because its meaning depends on how the caller was compiled
    /// - `device` is not a CUDA device, or cannot be opened
    pub unsafe fn from_raw(device: Device, raw: *mut c_void) -> Result<Stream> {
        if raw.is_null() {
            return Err(DriverError::NullStream { device });
        }
        if raw.addr() == STREAM_LEGACY {
            return Stream::legacy(device);
        }
        Ok(Stream::from_kind(next_id(), device, Kind::Cuda(CudaStream::foreign(device, raw)?)))
    }

    /// Returns the legacy default stream of `device`. The legacy stream and each blocking stream wait for each other.
    ///
    /// # Errors
    /// - `device` is not a CUDA device, or cannot be opened
    pub fn legacy(device: Device) -> Result<Stream> {
        context::open(device)?;
        let mut streams = lock(&LEGACY);
        if let Some(stream) = streams.iter().find(|stream| stream.device() == device) {
            return Ok(stream.clone());
        }
        let foreign = CudaStream::foreign(device, std::ptr::without_provenance_mut(STREAM_LEGACY))?;
        let stream = Stream::from_kind(next_id(), device, Kind::Cuda(foreign));
        streams.push(stream.clone());
        Ok(stream)
    }

    /// Returns the driver's own per-thread stream of the calling thread.
    ///
    /// The driver uses one constant for the per-thread streams of all threads. If another thread used the result, the
    /// driver would use the stream of that thread. Therefore the calls of another thread return
    /// [`DriverError::WrongThread`].
    ///
    /// # Errors
    /// - `device` is not a CUDA device, or cannot be opened
    pub fn per_thread(device: Device) -> Result<Stream> {
        let foreign = CudaStream::foreign(device, std::ptr::without_provenance_mut(STREAM_PER_THREAD))?;
        Ok(Stream::from_kind(next_id(), device, Kind::Cuda(foreign)))
    }

    /// Returns the driver's stream. Returns `None` for CPU streams. The driver's stream is valid while a clone of this
    /// stream exists.
    pub fn raw(&self) -> Option<*mut c_void> {
        match self.kind() {
            Kind::Cuda(cuda) => Some(cuda.raw.0),
            _ => None,
        }
    }

    /// Returns the device on which the stream's work runs.
    #[inline]
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// Returns the id of this stream. No other stream of the process ever gets the same id.
    #[inline]
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// Returns the counters of the work that has been enqueued on this stream so far.
    pub fn counters(&self) -> Counters {
        self.0.counters.read()
    }

    /// Waits until all work that is enqueued so far has completed. For CUDA streams, the counters count the wait.
    ///
    /// # Errors
    /// - enqueued work failed; the device is poisoned
    /// - on deferred streams: the errors of [`settle`](Self::settle)
    pub fn synchronize(&self) -> Result<()> {
        match self.kind() {
            Kind::Eager => Ok(()),
            Kind::Deferred(queue) => {
                queue.check()?;
                queue.settle()
            }
            Kind::Cuda(cuda) => {
                let _entered = cuda.enter()?;
                self.count_wait();
                // SAFETY: the stream is alive while `self` exists. `enter` made sure that the current context fits the
                // call.
                unsafe { table::cuStreamSynchronize(cuda.raw.0) }?.on(self.device())
            }
        }
    }

    /// Waits until `is_done` returns true, or until all work that is enqueued so far has completed.
    ///
    /// The function is for words that a kernel writes to host memory. The CPU sees such a word before the driver
    /// reports the end of the kernel. While the CPU waits, it spins. [`synchronize`](Self::synchronize) spins, too. The
    /// counters count one wait.
    ///
    /// # Errors
    /// - enqueued work failed; the device is poisoned
    pub fn wait_until(&self, mut is_done: impl FnMut() -> bool) -> Result<()> {
        /// The number of calls of `is_done` before the first query of the driver, and the largest number of calls
        /// between two queries.
        const LOOKS: [u32; 2] = [1 << 8, 1 << 14];
        let Kind::Cuda(cuda) = self.kind() else { return self.synchronize() };
        self.count_wait();
        let _entered = cuda.enter()?;
        let mut looks = LOOKS[0];
        loop {
            for _ in 0..looks {
                if is_done() {
                    return Ok(());
                }
                std::hint::spin_loop();
            }
            // SAFETY: the stream is alive while `self` exists. `enter` made sure that the current context fits the
            // call.
            if unsafe { table::cuStreamQuery(cuda.raw.0) }?.completed_on(self.device())? {
                return Ok(());
            }
            looks = (looks * 2).min(LOOKS[1]);
        }
    }

    /// Returns whether all work that is enqueued so far has completed.
    ///
    /// # Errors
    /// - enqueued work failed; the device is poisoned
    pub fn is_idle(&self) -> Result<bool> {
        match self.kind() {
            Kind::Eager => Ok(true),
            Kind::Deferred(queue) => queue.check().map(|()| queue.is_idle()),
            Kind::Cuda(cuda) => {
                let _entered = cuda.enter()?;
                // SAFETY: the stream is alive while `self` exists. `enter` made sure that the current context fits the
                // call.
                unsafe { table::cuStreamQuery(cuda.raw.0) }?.completed_on(self.device())
            }
        }
    }

    /// Returns whether none of the work that is enqueued so far is running any more. That is the case if the work has
    /// completed, or if the device is lost.
    ///
    /// If the stream cannot be queried at the moment, the result is `false`; see [`Event::is_over`].
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
    /// assert!(gdf::Stream::cpu().is_over());
    /// ```
    pub fn is_over(&self) -> bool {
        self.is_idle().unwrap_or_else(|error| error.is_fatal())
    }

    /// Returns an event that completes when all work that is enqueued so far has completed.
    ///
    /// # Errors
    /// - the driver cannot create or record an event; the device is poisoned
    pub fn record(&self) -> Result<Event> {
        match self.kind() {
            Kind::Eager => Ok(Event::complete(self.id())),
            Kind::Deferred(queue) => queue.check().and_then(|()| Event::deferred(self.id(), queue)),
            Kind::Cuda(cuda) => Ok(Event::cuda(self.id(), cuda.state, cuda.record()?, self.live_counters())),
        }
    }

    /// Returns whether the calling thread may use the stream. The result is `false` only if the stream belongs to
    /// another thread, as the [`Stream::per_thread`] of another thread does.
    #[inline]
    pub fn is_usable_here(&self) -> bool {
        match self.kind() {
            Kind::Eager => true,
            Kind::Deferred(queue) => queue.is_here(),
            Kind::Cuda(cuda) => cuda.is_here(),
        }
    }

    /// Returns whether only one thread may use the stream, as is the case for [`Stream::per_thread`].
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
    /// assert!(!gdf::Stream::cpu().is_thread_bound());
    /// ```
    pub fn is_thread_bound(&self) -> bool {
        match self.kind() {
            Kind::Eager => false,
            Kind::Deferred(queue) => queue.is_thread_bound(),
            Kind::Cuda(cuda) => cuda.is_thread_bound(),
        }
    }

    /// Returns an event that completes when all work that is enqueued so far has completed. In contrast to
    /// [`Stream::record`], the function can be called on any thread.
    ///
    /// The function is for using or freeing memory that the [`Stream::per_thread`] of another thread may still use. The
    /// calling thread cannot name that stream. Therefore, on that thread, the function records the event on the legacy
    /// stream of the device. The legacy stream waits for all work that is enqueued so far on the per-thread streams of
    /// all threads.
    ///
    /// # Errors
    /// - the errors of [`Stream::record`]
    pub fn record_from_anywhere(&self) -> Result<Event> {
        match self.kind() {
            Kind::Deferred(queue) if !queue.is_here() => Event::deferred(self.id(), queue),
            Kind::Cuda(cuda) if !cuda.is_here() => Stream::legacy(self.device())?.record(),
            _ => self.record(),
        }
    }

    /// Makes this stream wait for `event`. Work that is enqueued on this stream from now on runs after the event.
    ///
    /// The calling thread does not wait if the stream and the event both belong to CUDA devices, which may differ. The
    /// calling thread also does not wait if the stream and the event belong to the same executor of deferred streams.
    /// In all other cases the calling thread waits for the event. For example, the thread waits for a CUDA event if the
    /// stream is a CPU stream, and for an event of another executor.
    ///
    /// # Errors
    /// - the work before the event failed; a device is poisoned
    pub fn wait(&self, event: &Event) -> Result<()> {
        if event.stream_id() == self.id() {
            return Ok(());
        }
        match self.kind() {
            Kind::Eager => event.synchronize(),
            Kind::Deferred(queue) => match queue.check().map(|()| event.on_executor(queue.executor()))? {
                Some(done) => queue.push_wait(done),
                None => event.synchronize(),
            },
            Kind::Cuda(cuda) => match event.raw()? {
                Some(raw) => {
                    let _entered = cuda.enter()?;
                    // SAFETY: stream and event are alive, and `enter` made sure that the current context fits the call.
                    unsafe { table::cuStreamWaitEvent(cuda.raw.0, raw, 0) }?.on(self.device())
                }
                None => {
                    cuda.check()?;
                    event.synchronize()
                }
            },
        }
    }

    /// Makes this stream wait for `other`. Work that is enqueued on this stream from now on runs after all work that is
    /// enqueued on `other` so far.
    ///
    /// If both are the same stream, the function does nothing. `other` may belong to another thread, as the
    /// [`Stream::per_thread`] of another thread does; see [`Stream::record_from_anywhere`].
    ///
    /// # Errors
    /// - the errors of [`Stream::record_from_anywhere`] and [`Stream::wait`]
    pub fn wait_for(&self, other: &Stream) -> Result<()> {
        if self == other || matches!((self.kind(), other.kind()), (Kind::Eager, Kind::Eager)) {
            return Ok(());
        }
        self.wait(&other.record_from_anywhere()?)
    }

    pub(crate) fn with_handle(&self, handle: CudaStream) -> Stream {
        Stream::from_kind(next_id(), self.device(), Kind::Cuda(handle))
    }

    #[inline]
    pub(crate) fn kind(&self) -> &Kind {
        &self.0.kind
    }

    fn count_wait(&self) {
        add(&self.0.counters.waits, 1);
        tracing::trace!(device = %self.device(), stream = self.id(), "wait for a stream");
    }

    pub(crate) fn live_counters(&self) -> &Arc<LiveCounters> {
        &self.0.counters
    }

    /// Returns the driver's stream.
    pub(crate) fn as_cuda(&self, expected: Device) -> Result<&CudaStream> {
        match self.kind() {
            Kind::Cuda(cuda) if self.device() == expected => Ok(cuda),
            _ => Err(DriverError::DeviceMismatch { expected, found: self.device() }),
        }
    }
}

pub(crate) fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl PartialEq for Stream {
    fn eq(&self, other: &Stream) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Stream {}

impl Hash for Stream {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind() {
            Kind::Eager => "eager",
            Kind::Deferred(_) => "deferred",
            Kind::Cuda(_) => "cuda",
        };
        write!(f, "Stream({}, {}, {kind})", self.id(), self.device())
    }
}
