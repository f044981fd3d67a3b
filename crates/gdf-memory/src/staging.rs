//! Transfers between pageable CPU memory and a GPU. The bytes are copied in chunks through pinned memory.
//!
//! A single thread copies to or from pinned memory more slowly than the GPU transfers. Therefore several threads share
//! a long transfer.

use std::mem::{ManuallyDrop, MaybeUninit};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use gdf_driver::{CopyKind, Device, Event, Stream, enter_background_thread};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::pinned_slots::{PerDevice, Slot, SlotPool};
use crate::{Access, AccessMut, MemoryError, Result};

const SMALL: usize = 4 << 10;
const SMALL_SLOTS: usize = 1024;
const LARGE: usize = 2 << 20;
/// The maximum number of bytes that [`all_to_host`] can copy.
pub(crate) const MOST_AT_ONCE: usize = LARGE;
/// If a device has this many large slots, a stream that uses large slots waits for its oldest slot instead of getting a
/// new slot.
const LARGE_LIMIT: usize = 2 * MAX_THREADS;
const MAX_THREADS: usize = 12;
/// A transfer uses at most one thread for every `CHUNKS_PER_THREAD` chunks.
const CHUNKS_PER_THREAD: usize = 2;

static SMALL_POOLS: PerDevice<SlotPool> = PerDevice::new();
static LARGE_POOLS: PerDevice<SlotPool> = PerDevice::new();

fn pool(device: Device, bytes: usize) -> &'static SlotPool {
    if bytes <= SMALL {
        SMALL_POOLS.get(device, || SlotPool::new(device, SMALL, SMALL_SLOTS, usize::MAX))
    } else {
        LARGE_POOLS.get(device, || SlotPool::new(device, LARGE, 1, LARGE_LIMIT))
    }
}

/// Returns the threads that help with long transfers. The threads for computations are not used, because a helper
/// spends time waiting for transfers.
fn helpers() -> Option<&'static ThreadPool> {
    static HELPERS: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let make = || {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let threads = cores.min(MAX_THREADS) - 1;
        let name = |index| format!("gdf-staging-{index}");
        let pool = || ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build();
        if threads == 0 {
            None
        } else {
            pool().inspect_err(|error| tracing::warn!(%error, "the threads for transfers cannot be started")).ok()
        }
    };
    HELPERS.get_or_init(make).as_ref()
}

/// Returns the number of helpers for a transfer of `chunks` chunks.
fn helpers_for(chunks: usize, stream: &Stream) -> usize {
    let requested = (chunks / CHUNKS_PER_THREAD).saturating_sub(1);
    let is_alone = requested == 0 || stream.is_thread_bound();
    if is_alone { 0 } else { helpers().map_or(0, |helpers| requested.min(helpers.current_num_threads())) }
}

/// The number of queued and running jobs of helpers for each stream. The first number of an entry is the id of the
/// stream.
static JOBS: Mutex<Vec<(u64, usize)>> = Mutex::new(Vec::new());

fn jobs() -> MutexGuard<'static, Vec<(u64, usize)>> {
    // A poisoned lock is sound to use, because the counts are consistent after every statement.
    JOBS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A job of a helper, queued or running, for a transfer on the stream with this id.
struct Job(u64);

impl Job {
    /// Makes as many jobs as [`allowed`] permits, but at most `most` jobs.
    fn take(helpers: usize, most: usize, stream: u64) -> Vec<Job> {
        let mut jobs = jobs();
        let count = allowed(&jobs, helpers, most, stream);
        match jobs.iter_mut().find(|(id, _)| *id == stream) {
            Some((_, own)) => *own += count,
            None if count > 0 => jobs.push((stream, count)),
            None => {}
        }
        (0..count).map(|_| Job(stream)).collect()
    }
}

/// Returns how many jobs a transfer on `stream` may add to `jobs`.
///
/// A job waits if all helpers are busy. Therefore, if other streams have jobs, a transfer gets at most one job for each
/// idle helper.
fn allowed(jobs: &[(u64, usize)], helpers: usize, most: usize, stream: u64) -> usize {
    let all: usize = jobs.iter().map(|(_, count)| count).sum();
    let is_alone = jobs.iter().all(|(id, _)| *id == stream);
    if is_alone { most } else { most.min(helpers.saturating_sub(all)) }
}

impl Drop for Job {
    fn drop(&mut self) {
        let mut jobs = jobs();
        if let Some(at) = jobs.iter().position(|(id, _)| *id == self.0) {
            jobs[at].1 -= 1;
            if jobs[at].1 == 0 {
                jobs.swap_remove(at);
            }
        }
    }
}

/// Chunks from which several threads take one chunk after the other, until no chunk is left or one thread has failed.
struct Chunks<I>(Mutex<ControlFlow<(), I>>);

impl<I: Iterator + Send> Chunks<I> {
    fn new(chunks: I) -> Self {
        Self(Mutex::new(ControlFlow::Continue(chunks)))
    }

    fn take(&self) -> Option<I::Item> {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            ControlFlow::Continue(chunks) => chunks.next(),
            ControlFlow::Break(()) => None,
        }
    }

    /// Runs `work` on this thread and on helpers. `work` takes chunks until no chunk is left. Returns the first error.
    fn share(&self, others: usize, stream: u64, work: impl Fn() -> Result<()> + Sync) -> Result<()> {
        let failure = OnceLock::new();
        let work = || {
            if let Err(error) = work() {
                *self.0.lock().unwrap_or_else(PoisonError::into_inner) = ControlFlow::Break(());
                // `set` fails if another thread has already set an error. The first error stays.
                let _ = failure.set(error);
            }
        };
        match helpers().filter(|_| others > 0) {
            None => work(),
            Some(helpers) => helpers.in_place_scope(|scope| {
                let work = &work;
                for job in Job::take(helpers.current_num_threads(), others, stream) {
                    scope.spawn(move |_| {
                        let _job = job;
                        enter_background_thread();
                        work();
                    });
                }
                work();
            }),
        }
        failure.into_inner().map_or(Ok(()), Err)
    }
}

impl AccessMut<'_> {
    /// Copies `bytes` from CPU memory to the bytes of this access from `offset` on, in the order of the stream of the
    /// access. The caller may change or free the slice when the call returns. On a GPU, the transfer goes through
    /// pinned memory and may still run at that time.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
    /// use gdf::{Device, Stream};
    /// use gdf::memory::{Buffer, current_resource};
    ///
    /// let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu)?);
    /// let mut buffer = Buffer::zeroed(4, &stream, mr.as_ref())?;
    /// buffer.write_on(&stream)?.copy_from_host(1, &[7, 8])?;
    /// assert_eq!(buffer.to_host(&stream)?, [0, 7, 8, 0]);
    /// assert!(buffer.write_on(&stream)?.copy_from_host(3, &[7, 8]).is_err());
    /// # Ok::<(), gdf_memory::MemoryError>(())
    /// ```
    ///
    /// # Errors
    /// * [`OutOfRange`](MemoryError::OutOfRange) when the range exceeds the access.
    /// * [`NotHostAccessible`](MemoryError::NotHostAccessible) when the access is for a CPU stream and the CPU cannot
    ///   access the memory.
    /// * Driver errors of the transfer.
    pub fn copy_from_host(&mut self, offset: usize, bytes: &[u8]) -> Result<()> {
        let end = offset.checked_add(bytes.len()).filter(|end| *end <= self.len());
        let Some(end) = end else {
            return Err(MemoryError::OutOfRange { offset, len: bytes.len(), size: self.len() });
        };
        match self.stream().device().is_cpu() {
            true => self.as_mut_slice::<u8>()?[offset..end].copy_from_slice(bytes),
            false if bytes.is_empty() => {}
            false => to_device(bytes, self, offset, self.stream())?,
        }
        Ok(())
    }
}

/// Copies `bytes` to `target` from `offset` on. The range must lie within `target`. The function returns when the last
/// chunk is enqueued.
fn to_device(bytes: &[u8], target: &AccessMut<'_>, offset: usize, stream: &Stream) -> Result<()> {
    let pool = pool(stream.device(), bytes.len());
    let step = pool.slot_bytes();
    let chunks = Chunks::new(bytes.chunks(step).enumerate());
    chunks.share(helpers_for(bytes.len().div_ceil(step), stream), stream.id(), || {
        while let Some((index, chunk)) = chunks.take() {
            let lent = Lent::take(pool, stream)?;
            // SAFETY: a slot has at least `step` bytes, which is at least the length of a chunk. This thread has
            // exclusive use of the slot. The slice is only written before the slot's bytes are read, so earlier
            // content does not matter.
            let staged = unsafe { std::slice::from_raw_parts_mut(lent.slot.ptr().as_ptr(), chunk.len()) };
            staged.copy_from_slice(chunk);
            let address = target.address() + (offset + index * step) as u64;
            // SAFETY: the caller guarantees that the chunk lies within `target`, and `target` gives this stream
            // exclusive use. The slot has the bytes of the chunk, and `lent` gives the slot back only after the copy
            // has run.
            unsafe { stream.copy(address, lent.slot.address(), chunk.len(), CopyKind::HostToDevice)? };
        }
        Ok(())
    })
}

/// Copies `source` to `target`. Both have the same length.
pub(crate) fn to_host(source: &Access<'_>, target: &mut [MaybeUninit<u8>], stream: &Stream) -> Result<()> {
    debug_assert_eq!(source.len(), target.len());
    let pool = pool(stream.device(), source.len());
    let (step, len) = (pool.slot_bytes(), target.len());
    let chunks = Chunks::new(target.chunks_mut(step).enumerate());
    chunks.share(helpers_for(len.div_ceil(step), stream), stream.id(), || {
        let mut pending: Option<Fetched<'_>> = None;
        loop {
            let next = chunks.take().map(|(index, target)| {
                let lent = Lent::take(pool, stream)?;
                let address = source.address() + (index * step) as u64;
                // SAFETY: the chunk lies within `source`, because both lengths are equal, and `source` lets this
                // stream read. The slot has room for a chunk, and this thread has exclusive use of the slot. `lent`
                // gives the slot back only after the copy has run.
                unsafe { stream.copy(lent.slot.address(), address, target.len(), CopyKind::DeviceToHost)? };
                Ok(Fetched { lent, target, event: stream.record()? })
            });
            let outcome = pending.take().map_or(Ok(()), Fetched::finish);
            match next.transpose() {
                Ok(Some(next)) => pending = Some(next),
                Ok(None) => return outcome,
                Err(error) => return Err(error),
            }
            outcome?;
        }
    })
}

/// Copies the bytes of all sources, one after the other, to `target`. `target` has at most [`MOST_AT_ONCE`] bytes. The
/// function waits only once.
pub(crate) fn all_to_host(sources: &[Access<'_>], target: &mut [MaybeUninit<u8>], stream: &Stream) -> Result<()> {
    let lent = Lent::take(pool(stream.device(), target.len()), stream)?;
    let mut offset = 0;
    for source in sources {
        // The slot is at least as long as the target. Therefore the assertion also ensures that the copy stays within
        // the slot.
        assert!(source.len() <= target.len() - offset, "the sources have more bytes than the target");
        // SAFETY: the assertion keeps the part within the target's length, and the slot is at least as long as the
        // target. This thread has exclusive use of the slot, and the access lets this stream read the source. `lent`
        // gives the slot back only after the copy has run.
        unsafe {
            stream.copy(lent.slot.address() + offset as u64, source.address(), source.len(), CopyKind::DeviceToHost)?;
        }
        offset += source.len();
    }
    assert_eq!(offset, target.len(), "every byte of the target has a source");
    Fetched { lent, target, event: stream.record()? }.finish()
}

/// Returns `bytes` as memory that [`to_host`] can fill.
pub(crate) fn as_uninit(bytes: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    // SAFETY: `MaybeUninit<u8>` has the layout of `u8`, and the result borrows `bytes` exclusively. Callers pass the
    // result only to functions that write initialized bytes, such as `to_host`, so `bytes` stays initialized.
    unsafe { &mut *(std::ptr::from_mut(bytes) as *mut [MaybeUninit<u8>]) }
}

/// A slot for one chunk.
struct Lent<'a> {
    pool: &'a SlotPool,
    slot: Slot,
    stream: &'a Stream,
}

impl<'a> Lent<'a> {
    fn take(pool: &'a SlotPool, stream: &'a Stream) -> Result<Self> {
        Ok(Self { pool, slot: pool.take(stream)?, stream })
    }

    /// Returns the slot to the pool at once. No work may use the slot any more.
    fn give_back(self) {
        let lent = ManuallyDrop::new(self);
        lent.pool.give_back(lent.slot);
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        match self.stream.record_from_anywhere() {
            Ok(event) => self.pool.give_back_after(self.slot, event),
            Err(error) => tracing::warn!(%error, "a staging chunk on a failed stream is leaked"),
        }
    }
}

/// A chunk whose copy to the slot has been enqueued. `event` completes after the copy.
struct Fetched<'a> {
    lent: Lent<'a>,
    target: &'a mut [MaybeUninit<u8>],
    event: Event,
}

impl Fetched<'_> {
    /// Waits for the copy to the slot, copies the slot to the target, and returns the slot to the pool.
    fn finish(self) -> Result<()> {
        self.event.synchronize()?;
        // SAFETY: the completed copy has initialized as many bytes of the slot as the target has. `lent` still has
        // exclusive use of the slot.
        let staged = unsafe { std::slice::from_raw_parts(self.lent.slot.ptr().as_ptr().cast(), self.target.len()) };
        self.target.copy_from_slice(staged);
        self.lent.give_back();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryError;
    use gdf_driver::deferred::DeferredCpu;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    /// Two numbers that no stream has as its id.
    const ONE: u64 = u64::MAX;
    const OTHER: u64 = u64::MAX - 1;

    #[test]
    fn jobs_of_one_stream_wait_for_each_other_and_for_no_others() {
        let allowed_beside = |jobs: &[(u64, usize)]| (allowed(jobs, 11, 5, ONE), allowed(jobs, 11, 5, OTHER));
        assert_eq!(allowed_beside(&[]), (5, 5));
        assert_eq!(allowed_beside(&[(ONE, 4)]), (5, 5));
        assert_eq!(allowed_beside(&[(ONE, 9)]), (5, 2));
        assert_eq!(allowed_beside(&[(ONE, 22)]), (5, 0));
        assert_eq!(allowed_beside(&[(ONE, 9), (OTHER, 2)]), (0, 0));
    }

    #[test]
    #[cfg_attr(miri, ignore = "the helpers outlive the test")]
    fn jobs_count_until_they_are_done() {
        let counted = || jobs().iter().find(|(id, _)| *id == OTHER).map_or(0, |(_, count)| *count);
        let taken = Job::take(usize::MAX, 3, OTHER);
        assert!(taken.len() == 3 && counted() >= 3);
        drop(taken);
        for _ in 0..1000 {
            if counted() == 0 {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("jobs were never done");
    }

    #[test]
    #[cfg_attr(miri, ignore = "the helpers outlive the test")]
    fn chunks_are_shared_and_failure_ends_them() {
        let chunks = Chunks::new(0..1000);
        let sum = Mutex::new(0);
        let work = || {
            while let Some(chunk) = chunks.take() {
                *sum.lock().unwrap() += chunk;
            }
            Ok(())
        };
        chunks.share(4, ONE, work).unwrap();
        assert_eq!(*sum.lock().unwrap(), 499_500);

        let chunks = Chunks::new(0..);
        let outcome = chunks.share(3, ONE, || {
            while let Some(chunk) = chunks.take() {
                if chunk == 50 {
                    return Err(MemoryError::Shared);
                }
            }
            Ok(())
        });
        assert!(matches!(outcome, Err(MemoryError::Shared)) && chunks.take().is_none());
    }

    #[test]
    #[cfg_attr(miri, ignore = "the helpers outlive the test")]
    fn helpers_and_captures_leave_each_other_alone() {
        let executor = DeferredCpu::new(1);
        let event = executor.stream().record().unwrap();
        executor.run_all();
        executor.set_capturing(true);
        let (caller, asked) = (std::thread::current().id(), AtomicUsize::new(0));
        let work = || {
            if std::thread::current().id() != caller {
                asked.fetch_add(1, Ordering::SeqCst);
                assert!(event.is_complete()?);
            }
            Ok(())
        };
        // Jobs of other tests may use the helpers at the same time.
        for _ in 0..1000 {
            Chunks::new(0..0).share(1, ONE, work).unwrap();
            if asked.load(Ordering::SeqCst) > 0 || helpers().is_none() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("no helper was idle");
    }

    #[test]
    fn few_chunks_are_copied_by_one_thread() {
        let (executor, stream) = (DeferredCpu::new(1), Stream::cpu());
        assert_eq!([0, 1, 3].map(|chunks| helpers_for(chunks, &stream)), [0; 3]);
        assert!(helpers_for(1000, &stream) < MAX_THREADS);
        assert_eq!(helpers_for(1000, &executor.thread_stream()), 0, "the stream is bound to a thread");
    }

    #[test]
    fn a_chunk_on_another_threads_stream_is_not_lost() {
        let (executor, mut block) = (DeferredCpu::new(1), 0);
        let (stream, pool) = (executor.thread_stream(), SlotPool::new(Device::Cpu, 8, 1, 1));
        pool.give_back(Slot::of(&mut block));
        std::thread::scope(|scope| scope.spawn(|| drop(Lent::take(&pool, &stream).unwrap())).join().unwrap());
        executor.run_all();
        Lent::take(&pool, &stream).unwrap().give_back();
        assert!(pool.take(&stream).is_ok());
    }

    #[test]
    #[cfg_attr(miri, ignore = "the helpers outlive the test")]
    fn a_transfer_waits_for_no_helper_of_another_one() {
        let Some(pool) = helpers() else { return };
        let (inside, over, seen) = (AtomicUsize::new(0), AtomicBool::new(false), AtomicBool::new(true));
        let until = |limit: u64, done: &dyn Fn() -> bool| {
            let begin = Instant::now();
            while !done() && begin.elapsed() < Duration::from_secs(limit) {
                std::thread::yield_now();
            }
            done()
        };
        let held_up = || {
            inside.fetch_add(1, Ordering::SeqCst);
            seen.fetch_and(until(5, &|| over.load(Ordering::SeqCst)), Ordering::SeqCst);
            Ok(())
        };
        std::thread::scope(|scope| {
            let all = pool.current_num_threads();
            scope.spawn(move || Chunks::new(0..0).share(all, ONE, held_up).unwrap());
            until(1, &|| inside.load(Ordering::SeqCst) == 1 + all);
            Chunks::new(0..0).share(1, OTHER, || Ok(())).unwrap();
            over.store(true, Ordering::SeqCst);
        });
        assert!(seen.load(Ordering::SeqCst), "the transfer waited for a helper of another stream");
    }
}
