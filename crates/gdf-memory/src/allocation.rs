//! One allocation and the streams that use it: the lifetime rule.

use std::borrow::Cow;
use std::cell::Cell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gdf_driver::{Device, Lane, Stream};
use smallvec::SmallVec;

use crate::{BUFFER_ALIGNMENT, MemoryResource, Owner, Result, reaper};

/// Readers beyond this many make the next registration look for ones that have gone idle.
const PRUNE_ABOVE: usize = 8;

thread_local! {
    pub(crate) static TRACKING: Cell<bool> = const { Cell::new(true) };
}

/// Whether this thread follows the lifetime rule.
fn tracking() -> bool {
    TRACKING.try_with(Cell::get).unwrap_or(true)
}

#[derive(Debug)]
pub(crate) enum Holder {
    /// Allocated with this size, aligned as all buffers are.
    Resource {
        resource: Arc<dyn MemoryResource>,
        bytes: usize,
    },
    Foreign(Arc<dyn Owner>),
}

#[derive(Debug)]
struct Reader {
    stream: Stream,
    /// Accesses that have not ended; such a reader may enqueue work even when its stream is idle now.
    pins: u32,
}

#[derive(Debug)]
struct Uses {
    writer: Stream,
    readers: SmallVec<[Reader; 2]>,
    /// Accesses that began, less those that ended under the lock.
    accesses: usize,
}

/// Memory, who owns it, and which streams use it.
#[derive(Debug)]
pub(crate) struct Allocation {
    ptr: NonNull<u8>,
    device: Device,
    host_accessible: bool,
    /// Emptied only by drop.
    holder: Option<Holder>,
    exposed: AtomicBool,
    /// Accesses that ended without the lock on `uses`.
    ended: AtomicUsize,
    uses: Mutex<Uses>,
}

// SAFETY: the pointer is owned memory; every use of it goes through an `Access`, which orders streams and, on the CPU,
// hands out slices only under Rust's borrow rules (`&self` shared, `&mut self` unique).
unsafe impl Send for Allocation {}
// SAFETY: as above; the interior state is behind a mutex or atomic.
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

    /// Accesses that have not ended.
    pub(crate) fn live_accesses(&self) -> usize {
        // Looked at first: what ends in between counts, and what enqueued work before it ended is seen.
        let ended = self.ended.load(Ordering::Acquire);
        self.uses().accesses - ended
    }

    fn uses(&self) -> MutexGuard<'_, Uses> {
        // Nothing panics while it is held except the driver's own mutexes; the state is whole after every statement.
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the streams that use the memory, the writer first.
    pub(crate) fn for_each_user(&self, see: &mut dyn FnMut(&Stream)) {
        let uses = self.uses();
        see(&uses.writer);
        uses.readers.iter().for_each(|reader| see(&reader.stream));
    }

    /// The stream that wrote the memory, or writes it.
    pub(crate) fn writer(&self) -> Stream {
        self.uses().writer.clone()
    }

    /// Shared use on `stream`, until [`end_read`](Self::end_read) is told the result: whether it joined the readers.
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
            // On the CPU this thread may have to wait, and other threads go on with the buffer. The writer stays: a new one
            // needs the sole reference.
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

    /// Exclusive use on `stream`, until [`end_write`](Self::end_write). The caller holds the only reference.
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

    /// The exclusive use becomes two, of which each ends by [`end_write`](Self::end_write).
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
            // Nothing was asked of the resource for an empty buffer.
            None | Some(Holder::Resource { bytes: 0, .. }) => {}
            Some(Holder::Resource { resource, bytes }) => {
                // SAFETY: the block came from this resource with this size and alignment and is given back once; the
                // writer has waited for every reader, so all its uses precede on the writer.
                unsafe { resource.deallocate_kept(self.ptr, bytes, BUFFER_ALIGNMENT, &uses.writer) };
            }
            Some(Holder::Foreign(owner)) => release_on(&uses.writer, move || drop(owner)),
        }
    }
}

impl Uses {
    /// Pins the reader on `stream`, if there is one.
    fn pin(&mut self, stream: &Stream) -> bool {
        let reader = self.readers.iter_mut().find(|reader| reader.stream.id() == stream.id());
        reader.map(|reader| reader.pins += 1).is_some()
    }

    /// Has a reader that is at work take the place of a writer whose work is done: to be after the reader, that one would
    /// have this thread wait.
    fn hand_over(&mut self) {
        if self.writer.lane() == Lane::AtOnce {
            self.readers.retain(|reader| !reader.stream.is_over());
            if let Some(reader) = self.readers.pop() {
                self.writer = reader.stream;
            }
        }
    }

    /// Makes the writer, or a stream in its place, one that this thread can use, run after all readers.
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
                // Nothing runs on a lost device any more.
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

/// A stream that this thread can enqueue work on, in whose order that of `stream` precedes: itself, unless it is another
/// thread's.
pub(crate) fn usable_here(stream: &Stream) -> gdf_driver::Result<Cow<'_, Stream>> {
    if stream.is_usable_here() {
        return Ok(Cow::Borrowed(stream));
    }
    let event = stream.record_from_anywhere()?;
    let own = Stream::default_for(stream.device())?;
    own.wait(&event)?;
    Ok(Cow::Owned(own))
}

/// Runs `ending` once everything that is enqueued on `stream` now is done, without blocking.
pub(crate) fn release_on(stream: &Stream, ending: impl FnOnce() + Send + 'static) {
    if stream.device().is_cpu() && stream.is_usable_here() {
        if let Err(error) = stream.enqueue(ending) {
            tracing::warn!(%error, "a CPU stream refused work; memory is leaked");
        }
        return;
    }
    match stream.record_from_anywhere() {
        Ok(event) => reaper::when_complete(vec![event], ending),
        // Nothing runs on a lost device any more.
        Err(error) if error.is_fatal() => ending(),
        Err(error) => {
            tracing::warn!(%error, "the end of GPU work cannot be recorded; memory is leaked");
            std::mem::forget(ending);
        }
    }
}
