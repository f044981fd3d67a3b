//! One allocation and the streams that use the allocation. This module implements the lifetime rule.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Debug;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

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
    /// The resource that allocated the memory.
    Resource {
        resource: Arc<dyn MemoryResource>,
        bytes: usize,
    },
    Foreign(Arc<dyn Owner>),
}

#[derive(Debug)]
struct Reader {
    stream: Stream,
    /// The number of live accesses of the reader.
    pins: u32,
}

/// The entry of a spill manager for one allocation. The entry tells the manager how the allocation is used, and brings
/// spilled bytes back.
pub(crate) trait Spill: Send + Sync + Debug {
    fn touch(&self);

    fn set_resident(&self, resident: bool);

    /// Allocates `bytes` bytes of memory for use on `stream`, and copies the spilled bytes to this memory.
    fn load(&self, bytes: usize, stream: &Stream) -> Result<Memory>;

    /// Removes the allocation from the set of allocations that may be moved.
    fn leave(&self);

    /// Waits until no thread moves the bytes. If `is_only` then returns `true`, the function does the same as
    /// [`leave`](Self::leave) and returns `true`.
    fn leave_if(&self, is_only: &dyn Fn() -> bool) -> bool;

    /// Adds the allocation to the set of allocations that may be moved.
    fn enter(self: Arc<Self>);

    fn count_exposure(&self, bytes: usize);

    fn manager(&self) -> *const ();
}

#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) ptr: NonNull<u8>,
    pub(crate) resource: Arc<dyn MemoryResource>,
}

#[derive(Debug)]
pub(crate) struct Uses {
    writer: Stream,
    readers: SmallVec<[Reader; 2]>,
    /// The number of accesses that have begun, minus the number of accesses that have ended under this lock.
    accesses: usize,
    /// The resource that frees the memory.
    pub(crate) resource: Option<Arc<dyn MemoryResource>>,
    /// The entry of the spill manager that may move the bytes. `None` if no manager may move the bytes.
    pub(crate) spill: Option<Arc<dyn Spill>>,
}

/// An allocation: the memory, the holder of the memory, and the streams that use the memory.
#[derive(Debug)]
pub(crate) struct Allocation {
    /// The address changes only under the lock on `uses`, and only while no access is live.
    ptr: AtomicPtr<u8>,
    device: Device,
    host_accessible: bool,
    /// The allocated size in bytes. 0 for foreign memory.
    bytes: usize,
    /// The owner of foreign memory.
    owner: Option<Arc<dyn Owner>>,
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
        let (resource, bytes, owner) = match holder {
            Holder::Resource { resource, bytes } => (Some(resource), bytes, None),
            Holder::Foreign(owner) => (None, 0, Some(owner)),
        };
        let writer = stream.clone();
        Self {
            ptr: AtomicPtr::new(ptr.as_ptr()),
            device,
            host_accessible,
            bytes,
            owner,
            exposed: AtomicBool::new(false),
            ended: AtomicUsize::new(0),
            uses: Mutex::new(Uses { writer, readers: SmallVec::new(), accesses: 0, resource, spill: None }),
        }
    }

    /// Returns the address of the first byte.
    pub(crate) fn ptr(&self) -> NonNull<u8> {
        // SAFETY: the pointer came from a `NonNull`, in `new` or in `bring_back`.
        unsafe { NonNull::new_unchecked(self.ptr.load(Ordering::Relaxed)) }
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }

    pub(crate) fn host_accessible(&self) -> bool {
        self.host_accessible
    }

    /// Returns the allocated size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn foreign_owner(&self) -> Option<&Arc<dyn Owner>> {
        self.owner.as_ref()
    }

    /// Brings spilled bytes back, and removes the entry of the spill manager. Returns the entry. The caller has locked
    /// `uses`.
    pub(crate) fn stop_spilling(&self, uses: &mut Uses) -> Result<Option<Arc<dyn Spill>>> {
        if uses.spill.is_some() {
            let stream = usable_here(&uses.writer)?.into_owned();
            self.bring_back(uses, &stream)?;
        }
        Ok(uses.spill.take())
    }

    pub(crate) fn set_exposed(&self) {
        self.exposed.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_exposed(&self) -> bool {
        self.exposed.load(Ordering::Relaxed)
    }

    pub(crate) fn live_accesses(&self) -> usize {
        // `ended` is loaded before `accesses`. If an access ends between the two loads, the access still counts as
        // live. The acquire load pairs with the release in `end_read` and `end_write`. Work that an access enqueued
        // before its end is therefore visible here.
        let ended = self.ended.load(Ordering::Acquire);
        self.uses().accesses - ended
    }

    pub(crate) fn uses(&self) -> MutexGuard<'_, Uses> {
        // A poisoned lock is sound to use. Only the driver's own mutexes can panic while the lock is held, and the
        // state is consistent after every statement.
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `see` with each stream that uses the memory.
    pub(crate) fn for_each_user(&self, see: &mut dyn FnMut(&Stream)) {
        let uses = self.uses();
        see(&uses.writer);
        uses.readers.iter().for_each(|reader| see(&reader.stream));
    }

    pub(crate) fn writer(&self) -> Stream {
        self.uses().writer.clone()
    }

    /// Begins a shared use on `stream`.
    pub(crate) fn begin_read(&self, stream: &Stream) -> Result<bool> {
        let mut uses = self.uses();
        if uses.spill.is_some() {
            self.bring_back(&mut uses, stream)?;
        }
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

    /// Begins an exclusive use on `stream`.
    pub(crate) fn begin_write(&mut self, stream: &Stream) -> Result<()> {
        if self.uses.get_mut().unwrap_or_else(PoisonError::into_inner).spill.is_some() {
            let mut uses = self.uses();
            self.bring_back(&mut uses, stream)?;
            uses.spill = None;
        }
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

    /// Brings spilled bytes back to memory of the device.
    #[cold]
    fn bring_back(&self, uses: &mut Uses, stream: &Stream) -> Result<()> {
        let Some(spill) = uses.spill.clone() else { return Ok(()) };
        spill.touch();
        if uses.is_resident() {
            return Ok(());
        }
        let stream = match stream.device() == self.device {
            true => Cow::Borrowed(stream),
            false => usable_here(&uses.writer)?,
        };
        let Memory { ptr, resource } = spill.load(self.bytes, &stream)?;
        spill.set_resident(true);
        uses.resource = Some(resource);
        uses.writer = stream.into_owned();
        self.ptr.store(ptr.as_ptr(), Ordering::Relaxed);
        Ok(())
    }

    /// Begins the copy of a spillable allocation to another place, and returns the writer. Returns `None` if the bytes
    /// must stay: an access is live, other code knows the address, the bytes are already spilled, or the lock is taken.
    ///
    /// The function never waits for the lock.
    pub(crate) fn try_begin_copy(&self) -> Option<Stream> {
        let mut uses = match self.uses.try_lock() {
            Ok(uses) => uses,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let is_used = uses.accesses > self.ended.load(Ordering::Acquire);
        if is_used || self.is_exposed() || !uses.is_resident() || uses.spill.is_none() {
            return None;
        }
        uses.accesses += 1;
        Some(uses.writer.clone())
    }

    /// Ends a copy.
    pub(crate) fn end_copy(&self, has_copy: bool) -> Option<Allocation> {
        let mut uses = self.uses();
        uses.accesses -= 1;
        let is_used = uses.accesses > self.ended.load(Ordering::Acquire);
        let spill = uses.spill.as_ref()?;
        if !has_copy || is_used || self.is_exposed() {
            return None;
        }
        spill.set_resident(false);
        let holder = Holder::Resource { resource: uses.resource.take()?, bytes: self.bytes };
        let memory = Allocation::new(self.ptr(), self.device, self.host_accessible, holder, &uses.writer);
        memory.uses().readers = std::mem::take(&mut uses.readers);
        Some(memory)
    }

    /// Splits an exclusive use into two uses.
    pub(crate) fn split_write(&self) {
        self.uses().accesses += 1;
    }

    pub(crate) fn end_write(&self) {
        self.ended.fetch_add(1, Ordering::Release);
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        let ptr = self.ptr();
        let uses = self.uses.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(spill) = uses.spill.take() {
            spill.leave();
        }
        if !uses.readers.is_empty() || !uses.writer.is_usable_here() {
            let ordered = if tracking() { uses.order() } else { Ok(()) };
            if let Err(error) = ordered {
                tracing::warn!(%error, "a buffer's last users cannot be waited for; its memory is leaked");
                std::mem::forget((self.owner.take(), uses.resource.take()));
                return;
            }
        }
        // A buffer of zero bytes has no block, and spilled memory has no resource.
        if let Some(resource) = uses.resource.take().filter(|_| self.bytes > 0) {
            // SAFETY: `resource` allocated the block at `ptr` with size `bytes` and `BUFFER_ALIGNMENT`. `take` lets the
            // block be deallocated only once. The writer has waited for every reader, so every use of the block comes
            // before the deallocation in the order of the writer.
            unsafe { resource.deallocate_kept(ptr, self.bytes, BUFFER_ALIGNMENT, &uses.writer) };
        }
        if let Some(owner) = self.owner.take() {
            release_on(&uses.writer, move || drop(owner));
        }
    }
}

impl Uses {
    /// Returns whether the allocation has memory of a resource.
    pub(crate) fn is_resident(&self) -> bool {
        self.resource.is_some()
    }

    /// Increments the pins of the reader on `stream`. Returns whether there is such a reader.
    fn pin(&mut self, stream: &Stream) -> bool {
        let reader = self.readers.iter_mut().find(|reader| reader.stream.id() == stream.id());
        reader.map(|reader| reader.pins += 1).is_some()
    }

    /// Makes a reader the writer, if the writer belongs to [`Lane::AtOnce`] and a reader has unfinished work.
    fn hand_over(&mut self) {
        if self.writer.lane() == Lane::AtOnce {
            self.readers.retain(|reader| !reader.stream.is_over());
            if let Some(reader) = self.readers.pop() {
                self.writer = reader.stream;
            }
        }
    }

    /// Makes the writer wait for all readers.
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
/// the result is `stream`.
pub(crate) fn usable_here(stream: &Stream) -> gdf_driver::Result<Cow<'_, Stream>> {
    if stream.is_usable_here() {
        return Ok(Cow::Borrowed(stream));
    }
    let event = stream.record_from_anywhere()?;
    let own = Stream::default_for(stream.device())?;
    own.wait(&event)?;
    Ok(Cow::Owned(own))
}

/// Runs the closure `ending` after all work that is already enqueued on `stream`.
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
