//! Streams: orders of work. This file has what a stream is; what can be enqueued is in `stream_work.rs`.

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

/// An order of work on one device. Cloning shares it; work enqueued through any clone runs in the order of enqueueing.
///
/// Two streams are equal when they are clones of one; ids are never reused. The driver's stream behind the last clone
/// goes back to the device to be reused, and is never destroyed.
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

/// Those of [`Stream::legacy`], one for each device that was asked for it.
static LEGACY: Mutex<Vec<Stream>> = Mutex::new(Vec::new());

/// Shared ownership of a stream, as memory keeps it for each stream that uses it.
pub type StreamRef = Stream;

struct Inner {
    id: u64,
    device: Device,
    counters: Arc<LiveCounters>,
    kind: Kind,
}

/// How work on a stream runs.
pub(crate) enum Kind {
    /// On the calling thread, at once.
    Eager,
    /// On the CPU, later.
    Deferred(QueueHandle),
    /// By the driver.
    Cuda(CudaStream),
}

impl Stream {
    fn from_kind(id: u64, device: Device, kind: Kind) -> Stream {
        Stream(Arc::new(Inner { id, device, counters: Arc::default(), kind }))
    }

    /// A stream of `device`: for the CPU as [`Stream::cpu`], for CUDA a non-blocking stream of the device's recycle
    /// list. Opens the device.
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

    /// As [`Stream::new`], except that on CUDA the stream and the legacy default stream each wait for what was enqueued on the
    /// other before (RMM's `sync_default`): for work beside code that uses the NULL stream.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
    /// use gdf::{Device, Stream};
    /// assert!(Stream::blocking(Device::Cpu)?.is_idle()?);
    /// # Ok::<(), gdf_driver::DriverError>(())
    /// ```
    ///
    /// # Errors
    /// - as [`Stream::new`]
    pub fn blocking(device: Device) -> Result<Stream> {
        if device.is_cpu() { Ok(Stream::cpu()) } else { Stream::of_list(device, Legacy::Synchronized) }
    }

    fn of_list(device: Device, legacy: Legacy) -> Result<Stream> {
        Ok(Stream::from_kind(next_id(), device, Kind::Cuda(CudaStream::take(device, legacy)?)))
    }

    /// A new CPU stream whose work runs at once, on the calling thread.
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

    /// A stream that somebody else created. It is never recycled nor destroyed. The per-thread constant becomes
    /// [`Stream::per_thread`], the legacy constant [`Stream::legacy`].
    ///
    /// # Safety
    /// - `raw` is a stream of `device`'s primary context, or one of the driver's constants
    /// - it outlives every clone of the result, every buffer that the result was used with, and every event
    ///
    /// # Errors
    /// - `raw` is null: the NULL stream is not accepted, since what it means depends on the caller's compilation
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

    /// The legacy default stream of `device`, which waits for, and is waited for by, every blocking stream.
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

    /// The driver's own per-thread stream of the calling thread.
    ///
    /// The driver's constant names another stream on each thread, so using the result from another thread is
    /// [`DriverError::WrongThread`].
    ///
    /// # Errors
    /// - `device` is not a CUDA device, or cannot be opened
    pub fn per_thread(device: Device) -> Result<Stream> {
        let foreign = CudaStream::foreign(device, std::ptr::without_provenance_mut(STREAM_PER_THREAD))?;
        Ok(Stream::from_kind(next_id(), device, Kind::Cuda(foreign)))
    }

    /// The driver's stream; `None` for CPU streams. It is valid as long as a clone of this stream lives.
    pub fn raw(&self) -> Option<*mut c_void> {
        match self.kind() {
            Kind::Cuda(cuda) => Some(cuda.raw.0),
            _ => None,
        }
    }

    /// Where work on this stream runs.
    #[inline]
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// The number of this stream, never reused in this process.
    #[inline]
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// What was enqueued on this stream so far.
    pub fn counters(&self) -> Counters {
        self.0.counters.read()
    }

    /// Waits until everything enqueued so far has completed. Counts a wait on CUDA streams.
    ///
    /// # Errors
    /// - enqueued work failed; the device is poisoned
    /// - as [`settle`](Self::settle) of deferred streams
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
                // SAFETY: the stream is alive as long as `self`; `enter` saw to the context.
                unsafe { table::cuStreamSynchronize(cuda.raw.0) }?.on(self.device())
            }
        }
    }

    /// Waits until `is_done` says so, or else until everything enqueued so far has completed: for words that a kernel
    /// writes to host memory, which the CPU sees before the driver reports the kernel's end. The CPU spins, as it does
    /// in [`synchronize`](Self::synchronize); this counts as one wait.
    ///
    /// # Errors
    /// - enqueued work failed; the device is poisoned
    pub fn wait_until(&self, mut is_done: impl FnMut() -> bool) -> Result<()> {
        /// Looks at `is_done` between two questions to the driver, which take about a microsecond each: few at first,
        /// more and more later.
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
            // SAFETY: the stream is alive as long as `self`; `enter` saw to the context.
            if unsafe { table::cuStreamQuery(cuda.raw.0) }?.completed_on(self.device())? {
                return Ok(());
            }
            looks = (looks * 2).min(LOOKS[1]);
        }
    }

    /// Whether everything enqueued so far has completed.
    ///
    /// # Errors
    /// - enqueued work failed; the device is poisoned
    pub fn is_idle(&self) -> Result<bool> {
        match self.kind() {
            Kind::Eager => Ok(true),
            Kind::Deferred(queue) => queue.check().map(|()| queue.is_idle()),
            Kind::Cuda(cuda) => {
                let _entered = cuda.enter()?;
                // SAFETY: the stream is alive as long as `self`; `enter` saw to the context.
                unsafe { table::cuStreamQuery(cuda.raw.0) }?.completed_on(self.device())
            }
        }
    }

    /// Whether nothing enqueued so far runs any more: it has completed, or the device is lost. As [`Event::is_over`], no for
    /// a stream that cannot be asked just now.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
    /// assert!(gdf::Stream::cpu().is_over());
    /// ```
    pub fn is_over(&self) -> bool {
        self.is_idle().unwrap_or_else(|error| error.is_fatal())
    }

    /// An event that completes when everything enqueued so far has.
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

    /// Whether this thread may use the stream: `false` for another thread's [`Stream::per_thread`] only.
    #[inline]
    pub fn is_usable_here(&self) -> bool {
        match self.kind() {
            Kind::Eager => true,
            Kind::Deferred(queue) => queue.is_here(),
            Kind::Cuda(cuda) => cuda.is_here(),
        }
    }

    /// Whether only the thread that made the stream may use it: [`Stream::per_thread`].
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

    /// As [`Stream::record`], from any thread: for letting go of what another thread's [`Stream::per_thread`] may still
    /// use. The driver cannot name such a stream here; then the event is one of the device's legacy stream, which runs
    /// after all work that any thread's has got until now.
    ///
    /// # Errors
    /// - as [`Stream::record`]
    pub fn record_from_anywhere(&self) -> Result<Event> {
        match self.kind() {
            Kind::Deferred(queue) if !queue.is_here() => Event::deferred(self.id(), queue),
            Kind::Cuda(cuda) if !cuda.is_here() => Stream::legacy(self.device())?.record(),
            _ => self.record(),
        }
    }

    /// Makes what is enqueued next run after `event`. The caller does not wait where the device can: between CUDA
    /// streams, also of two devices, and between deferred streams of one executor. A CPU stream waits for a CUDA event
    /// on the calling thread, and so does a stream of any kind for another executor's event.
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
                    // SAFETY: stream and event are alive, and `enter` saw to the context.
                    unsafe { table::cuStreamWaitEvent(cuda.raw.0, raw, 0) }?.on(self.device())
                }
                None => {
                    cuda.check()?;
                    event.synchronize()
                }
            },
        }
    }

    /// Makes what is enqueued next run after everything enqueued on `other` so far. Nothing if both are one stream.
    ///
    /// # Errors
    /// - as [`Stream::record`] and [`Stream::wait`]
    pub fn wait_for(&self, other: &Stream) -> Result<()> {
        if self == other || matches!((self.kind(), other.kind()), (Kind::Eager, Kind::Eager)) {
            return Ok(());
        }
        self.wait(&other.record()?)
    }

    /// A new stream of the same device on `handle`.
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

    /// The driver's stream, or an error that says where this stream is instead.
    pub(crate) fn as_cuda(&self, expected: Device) -> Result<&CudaStream> {
        match self.kind() {
            Kind::Cuda(cuda) if self.device() == expected => Ok(cuda),
            _ => Err(DriverError::DeviceMismatch { expected, found: self.device() }),
        }
    }
}

fn next_id() -> u64 {
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
