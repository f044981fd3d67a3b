//! One allocation and the streams that use the allocation. This module implements the lifetime rule.

use std::borrow::Cow;
use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gdf_driver::{Device, Lane, Stream};
use smallvec::SmallVec;

use crate::{BUFFER_ALIGNMENT, MemoryResource, Owner, Result, reaper};

/// If a buffer has at least this many readers, `begin_read` removes the idle readers before it adds a reader.
const PRUNE_ABOVE: usize = 8;

thread_local! {
    pub(crate) static TRACKING: Cell<bool> = const { Cell::new(true) };
}

/// Returns whether this thread orders streams by the lifetime rule; see [`Buffer`](crate::Buffer).
fn tracking() -> bool {
    TRACKING.try_with(Cell::get).unwrap_or(true)
}

#[derive(Debug)]
pub(crate) enum Holder {
    /// The resource that allocated the memory. `bytes` is the allocated size. The alignment is `BUFFER_ALIGNMENT`.
    Resource {
        resource: Arc<dyn MemoryResource>,
        bytes: usize,
    },
    Foreign(Arc<dyn Owner>),
}

#[derive(Debug)]
struct Reader {
    stream: Stream,
    /// The number of live accesses of the reader. A reader with a live access stays registered even if its stream is
    /// idle, because the owner of the access may still enqueue work.
    pins: u32,
}

#[derive(Debug)]
struct Uses {
    writer: Stream,
    readers: SmallVec<[Reader; 2]>,
    /// The number of accesses that have begun, minus the number of accesses that have ended under this lock. The field
    /// `ended` of the allocation counts the other accesses that have ended.
    accesses: usize,
}

/// An allocation: the memory, the holder of the memory, and the streams that use the memory.
#[derive(Debug)]
pub(crate) struct Allocation {
    ptr: NonNull<u8>,
    device: Device,
    host_accessible: bool,
    /// `None` only while the allocation is dropped.
    holder: Option<Holder>,
    exposed: AtomicBool,
    /// The number of accesses that have ended without taking the lock on `uses`.
    ended: AtomicUsize,
    uses: Mutex<Uses>,
}

// SAFETY: the allocation owns the memory at the pointer. Every use of the memory goes through an `Access`, which orders
// the streams. On the CPU, an access gives slices only under Rust's borrow rules: `&self` gives shared slices, and
// `&mut self` gives exclusive slices.
unsafe impl Send for Allocation {}
// SAFETY: every use of the memory goes through an `Access`, as for `Send`. The mutable state of `Allocation` is a
// mutex and atomics, so shared references from several threads are sound.
unsafe impl Sync for Allocation {}

impl Allocation {
    #[inline(always)]
    pub(crate) fn new(
        ptr: NonNull<u8>,
        device: Device,
        host_accessible: bool,
        holder: Holder,
        stream: &Stream,
    ) -> Self {
        Self {
            ptr,
            device,
            host_accessible,
            holder: Some(holder),
            exposed: AtomicBool::new(false),
            ended: AtomicUsize::new(0),
            uses: Mutex::new(Uses { writer: stream.clone(), readers: SmallVec::new(), accesses: 0 }),
        }
    }

    pub(crate) fn ptr(&self) -> NonNull<u8> {
        self.ptr
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }

    pub(crate) fn host_accessible(&self) -> bool {
        self.host_accessible
    }

    pub(crate) fn holder(&self) -> Option<&Holder> {
        self.holder.as_ref()
    }

    pub(crate) fn expose(&self) {
        self.exposed.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_exposed(&self) -> bool {
        self.exposed.load(Ordering::Relaxed)
    }

    /// Returns the number of accesses that have not ended.
    pub(crate) fn live_accesses(&self) -> usize {
        // `ended` is loaded before `accesses`. If an access ends between the two loads, the access still counts as
        // live. The acquire load pairs with the release in `end_read` and `end_write`. Work that an access enqueued
        // before its end is therefore visible here.
        let ended = self.ended.load(Ordering::Acquire);
        self.uses().accesses - ended
    }

    fn uses(&self) -> MutexGuard<'_, Uses> {
        // A poisoned lock is sound to use. Only the driver's own mutexes can panic while the lock is held, and the
        // state is consistent after every statement.
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `see` with each stream that uses the memory. The first call is for the writer.
    pub(crate) fn for_each_user(&self, see: &mut dyn FnMut(&Stream)) {
        let uses = self.uses();
        see(&uses.writer);
        uses.readers.iter().for_each(|reader| see(&reader.stream));
    }

    /// Returns the stream of the last or current write.
    pub(crate) fn writer(&self) -> Stream {
        self.uses().writer.clone()
    }

    /// Begins a shared use on `stream`. Returns `true` if the access counts as an access of a reader, and `false` if
    /// `stream` is the writer. The caller ends the use by passing the returned value to [`end_read`](Self::end_read).
    pub(crate) fn begin_read(&self, stream: &Stream) -> Result<bool> {
        let mut uses = self.uses();
        uses.accesses += 1;
        if uses.writer.id() == stream.id() {
            return Ok(false);
        }
        if uses.pin(stream) {
            return Ok(true);
        }
        if tracking() {
            // On the CPU, `wait_for` may block this thread. The lock is released first, because other threads may need
            // the buffer. The writer cannot change meanwhile, because a new writer needs the only reference.
            let writer = uses.writer.clone();
            drop(uses);
            let waited = stream.wait_for(&writer);
            uses = self.uses();
            if let Err(error) = waited {
                uses.accesses -= 1;
                return Err(error.into());
            }
            if uses.pin(stream) {
                return Ok(true);
            }
        }
        if uses.readers.len() >= PRUNE_ABOVE {
            uses.readers.retain(|reader| reader.pins > 0 || !matches!(reader.stream.is_idle(), Ok(true)));
        }
        uses.readers.push(Reader { stream: stream.clone(), pins: 1 });
        Ok(true)
    }

    pub(crate) fn end_read(&self, stream: &Stream, joined: bool) {
        if !joined {
            self.ended.fetch_add(1, Ordering::Release);
            return;
        }
        let mut uses = self.uses();
        uses.accesses -= 1;
        if let Some(reader) = uses.readers.iter_mut().find(|reader| reader.stream.id() == stream.id()) {
            reader.pins = reader.pins.saturating_sub(1);
        }
    }

    /// Begins an exclusive use on `stream`. The caller must hold the only reference, and must end the use by
    /// [`end_write`](Self::end_write).
    pub(crate) fn begin_write(&mut self, stream: &Stream) -> Result<()> {
        let uses = self.uses.get_mut().unwrap_or_else(PoisonError::into_inner);
        if tracking() {
            for reader in &uses.readers {
                stream.wait_for(&reader.stream)?;
            }
            if uses.writer.id() != stream.id() {
                stream.wait_for(&uses.writer)?;
            }
        }
        uses.readers.clear();
        if uses.writer.id() != stream.id() {
            uses.writer = stream.clone();
        }
        uses.accesses += 1;
        Ok(())
    }

    /// Splits an exclusive use into two uses. The caller ends each of the two by [`end_write`](Self::end_write).
    pub(crate) fn split_write(&self) {
        self.uses().accesses += 1;
    }

    pub(crate) fn end_write(&self) {
        self.ended.fetch_add(1, Ordering::Release);
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        let uses = self.uses.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !uses.readers.is_empty() || !uses.writer.is_usable_here() {
            let ordered = if tracking() { uses.order() } else { Ok(()) };
            if let Err(error) = ordered {
                tracing::warn!(%error, "a buffer's last users cannot be waited for; its memory is leaked");
                std::mem::forget(self.holder.take());
                return;
            }
        }
        match self.holder.take() {
            // A buffer of zero bytes has no block.
            None | Some(Holder::Resource { bytes: 0, .. }) => {}
            Some(Holder::Resource { resource, bytes }) => {
                // SAFETY: `resource` allocated the block with size `bytes` and `BUFFER_ALIGNMENT`. `take` lets the
                // block be deallocated only once. The writer has waited for every reader, so every use of the block
                // comes before the deallocation in the order of the writer.
                unsafe { resource.deallocate_kept(self.ptr, bytes, BUFFER_ALIGNMENT, &uses.writer) };
            }
            Some(Holder::Foreign(owner)) => release_on(&uses.writer, move || drop(owner)),
        }
    }
}

impl Uses {
    /// Increments the pins of the reader on `stream`. Returns `false` when `stream` has no reader.
    fn pin(&mut self, stream: &Stream) -> bool {
        let reader = self.readers.iter_mut().find(|reader| reader.stream.id() == stream.id());
        reader.map(|reader| reader.pins += 1).is_some()
    }

    /// Makes a reader the writer, if the writer belongs to [`Lane::AtOnce`] and a reader has unfinished work. A writer
    /// of that lane runs its work at once. To wait for the reader, such a writer would have to block this thread.
    fn hand_over(&mut self) {
        if self.writer.lane() == Lane::AtOnce {
            self.readers.retain(|reader| !reader.stream.is_over());
            if let Some(reader) = self.readers.pop() {
                self.writer = reader.stream;
            }
        }
    }

    /// Makes the writer wait for all readers. If this thread cannot use the writer, the writer is first replaced by a
    /// stream that this thread can use.
    #[cold]
    fn order(&mut self) -> gdf_driver::Result<()> {
        self.hand_over();
        if let Cow::Owned(stream) = usable_here(&self.writer)? {
            self.writer = stream;
        }
        for reader in self.readers.drain(..) {
            if reader.stream == self.writer {
                continue;
            }
            let event = match reader.stream.record_from_anywhere() {
                // The reader's device is lost. No work runs on a lost device, so the writer need not wait for the
                // reader.
                Err(error) if error.is_fatal() => continue,
                event => event?,
            };
            match self.writer.wait(&event) {
                Err(error) if error.is_fatal() && event.is_over() => {}
                outcome => outcome?,
            }
        }
        Ok(())
    }
}

/// Returns a stream of this thread on which new work runs after all work of `stream`. If this thread can use `stream`,
/// the result is `stream`. If only another thread can use `stream`, the result is this thread's default stream, which
/// has been made to wait for `stream`.
pub(crate) fn usable_here(stream: &Stream) -> gdf_driver::Result<Cow<'_, Stream>> {
    if stream.is_usable_here() {
        return Ok(Cow::Borrowed(stream));
    }
    let event = stream.record_from_anywhere()?;
    let own = Stream::default_for(stream.device())?;
    own.wait(&event)?;
    Ok(Cow::Owned(own))
}

/// Runs the closure `ending` after all work that is already enqueued on `stream`. The call does not block.
pub(crate) fn release_on(stream: &Stream, ending: impl FnOnce() + Send + 'static) {
    if stream.device().is_cpu() && stream.is_usable_here() {
        if let Err(error) = stream.enqueue(ending) {
            tracing::warn!(%error, "a CPU stream refused work; memory is leaked");
        }
        return;
    }
    match stream.record_from_anywhere() {
        Ok(event) => reaper::when_complete(vec![event], ending),
        // No work runs on a lost device, so `ending` can run at once.
        Err(error) if error.is_fatal() => ending(),
        Err(error) => {
            tracing::warn!(%error, "the end of GPU work cannot be recorded; memory is leaked");
            std::mem::forget(ending);
        }
    }
}
