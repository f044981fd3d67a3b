//! The resource of a spill manager: an adaptor that spills buffers when memory is short.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{Read, Write};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Instant;

use gdf_driver::Stream;

use super::blocks::{BLOCK, Block, Compressor};
use super::file::{Extent, SpillFile};
use super::registry::{Candidate, Entry, Manager, Registry};
use super::releases::Releases;
use super::statistics::Direction;
use super::{HostCopy, SpillCompression, SpillOptions, SpillStatistics, SpilledCopy};
use crate::adaptors::around::{Around, Request, adaptor};
use crate::allocation::{Spill, usable_here};
use crate::reservation::Reservation;
use crate::shared::Shared;
use crate::{
    BUFFER_ALIGNMENT, Buffer, FreeMemory, MemoryBudget, MemoryError, MemoryResource, Resource, Result,
    current_pinned_resource,
};

/// The size in bytes of the chunks in which bytes are copied between a device and a file.
const CHUNK: usize = 8 << 20;

/// The maximum number of times that a request is repeated because other threads freed memory.
const MOST_REPEATS: usize = 100;

/// The minimum size in bytes of allocations that are spilled. Smaller allocations free too little memory for the cost
/// of a transfer.
const MIN_BYTES: usize = 4096;

/// A resource whose watched buffers are spilled when a request fails or exceeds a limit.
#[derive(Debug)]
pub(crate) struct SpillingResource {
    /// A reference to this resource.
    this: Weak<SpillingResource>,
    upstream: Resource,
    budget: MemoryBudget,
    options: SpillOptions,
    allocated: AtomicUsize,
    peak: AtomicUsize,
    releases: Releases,
    registry: Registry,
    /// The lock of the thread that spills.
    spilling: Mutex<()>,
    /// The size of all copies in pinned memory.
    host_bytes: AtomicUsize,
    file: OnceLock<Arc<SpillFile>>,
    statistics: Mutex<SpillStatistics>,
}

fn counted(bytes: usize) -> Option<usize> {
    bytes.checked_next_multiple_of(BUFFER_ALIGNMENT)
}

impl SpillingResource {
    pub(super) fn new(upstream: Resource, options: SpillOptions) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            this: this.clone(),
            upstream,
            statistics: Mutex::new(SpillStatistics::new(options.statistics)),
            budget: MemoryBudget::new(options.device_limit().unwrap_or(usize::MAX)),
            options,
            allocated: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            releases: Releases::default(),
            registry: Registry::default(),
            spilling: Mutex::new(()),
            host_bytes: AtomicUsize::new(0),
            file: OnceLock::new(),
        })
    }

    pub(super) fn options(&self) -> &SpillOptions {
        &self.options
    }

    pub(super) fn budget(&self) -> &MemoryBudget {
        &self.budget
    }

    pub(super) fn allocated_bytes(&self) -> usize {
        self.allocated.load(Ordering::Relaxed)
    }

    pub(super) fn releases(&self) -> &Releases {
        &self.releases
    }

    pub(super) fn peak_bytes(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }

    pub(super) fn reset_peak(&self) {
        self.peak.store(self.allocated_bytes(), Ordering::Relaxed);
    }

    pub(super) fn host_bytes(&self) -> usize {
        self.host_bytes.load(Ordering::Relaxed)
    }

    pub(super) fn disk_bytes(&self) -> u64 {
        self.file.get().map_or(0, |file| file.used())
    }

    pub(super) fn statistics(&self) -> SpillStatistics {
        self.statistics.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn count(&self, direction: Direction, bytes: usize, since: Instant) {
        self.statistics.lock().unwrap_or_else(PoisonError::into_inner).count(direction, bytes, since);
    }

    /// Makes an allocation spillable. Returns `false` if it already is spillable or cannot be spilled, or if it is memory
    /// of another resource and `own_only` is set.
    pub(super) fn watch(self: &Arc<Self>, allocation: &Shared<crate::allocation::Allocation>, own_only: bool) -> bool {
        // If both the CPU and the GPU can access the memory, the CPU may read it at any time without an access for the
        // GPU. Therefore such memory is not spilled.
        let both = allocation.host_accessible() && !allocation.device().is_cpu();
        let fits = allocation.device() == self.upstream.device() && allocation.bytes() >= MIN_BYTES;
        if !fits || both || allocation.foreign_owner().is_some() || allocation.is_exposed() {
            return false;
        }
        let mut uses = allocation.uses();
        let is_own = |resource: &Arc<dyn MemoryResource>| {
            let manager = resource.clone().spilling().and_then(|manager| manager.downcast::<Self>().ok());
            manager.is_some_and(|manager| Arc::ptr_eq(&manager, self))
        };
        if own_only && !uses.resource.as_ref().is_some_and(is_own) {
            return false;
        }
        if let Some(spill) = &uses.spill {
            let again = !allocation.is_watched() && std::ptr::addr_eq(spill.manager(), Arc::as_ptr(self));
            if again {
                // The entry still has a watcher. The new watcher is dropped, because only the mark is needed.
                let _watcher = allocation.watch();
                spill.clone().enter();
            }
            return again;
        }
        let entry = Arc::new(Entry::new(self.clone(), self.registry.next_id(), allocation));
        uses.spill = Some(entry.clone());
        entry.enter();
        true
    }

    /// Spills watched buffers until `bytes` bytes are freed or no other buffer can be spilled. The least recently used
    /// buffer is spilled first. Returns the number of freed bytes. If the file cannot be written any more
    /// after some bytes were freed, the function ends early.
    pub(super) fn spill(&self, bytes: usize) -> Result<usize> {
        let (mut freed, mut skipped) = (0, HashSet::new());
        while freed < bytes
            && let Some(candidate) = self.registry.oldest(&skipped)
        {
            skipped.insert(candidate.id());
            match self.spill_one(&candidate) {
                Ok(more) => freed += more,
                // The freed bytes may be enough for the request.
                Err(error @ MemoryError::Spill { .. }) if freed > 0 => {
                    tracing::debug!(%error, freed, "spilling ends early");
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        if freed > 0 {
            tracing::debug!(bytes, freed, device = %self.upstream.device(), "spilled buffers");
        }
        Ok(freed)
    }

    /// Spills one buffer.
    fn spill_one(&self, candidate: &Candidate<'_>) -> Result<usize> {
        let Some(allocation) = candidate.allocation() else { return Ok(0) };
        let Some(writer) = allocation.try_begin_copy() else { return Ok(0) };
        let since = Instant::now();
        let made = match candidate.entry().has_copy() {
            true => Ok(Direction::Dropped),
            false => self.copy(&Buffer::of_allocation(allocation), &writer).map(|(direction, copy)| {
                candidate.entry().keep(copy);
                direction
            }),
        };
        let memory = allocation.end_copy(made.is_ok());
        let direction = made?;
        // If the allocation is in use by now, its memory is not freed. The copy stays valid for a later attempt.
        let Some(memory) = memory else { return Ok(0) };
        let freed = memory.bytes();
        drop(memory);
        self.count(direction, freed, since);
        Ok(freed)
    }

    /// Copies the bytes of a whole allocation to pinned memory, or to the file if pinned memory has no space.
    fn copy(&self, bytes: &Buffer, writer: &Stream) -> Result<(Direction, SpilledCopy)> {
        let own;
        let stream = if writer.device() == self.upstream.device() {
            usable_here(writer)?
        } else {
            // The CPU may have written to the memory of a GPU. The copy waits for the writer.
            own = Stream::default_for(self.upstream.device())?;
            Cow::Borrowed(&own)
        };
        if let Some(copy) = self.copy_to_host(bytes, &stream)? {
            return Ok((Direction::DeviceToHost, SpilledCopy::Host(copy)));
        }
        let copy = match self.options.compression {
            SpillCompression::Lz4 => SpilledCopy::Blocks(self.compressed(bytes, &stream)?),
            SpillCompression::None => {
                SpilledCopy::Disk(self.file()?.store(bytes.len(), |to| self.write(bytes, &stream, to))?)
            }
        };
        let stored = match &copy {
            SpilledCopy::Blocks(blocks) => blocks.iter().map(Block::stored).sum(),
            SpilledCopy::Disk(_) | SpilledCopy::Host(_) => bytes.len(),
        };
        self.statistics.lock().unwrap_or_else(PoisonError::into_inner).count_stored(stored);
        Ok((Direction::DeviceToDisk, copy))
    }

    fn compressed(&self, bytes: &Buffer, stream: &Stream) -> Result<Vec<Block>> {
        let (file, mut compressor) = (self.file()?, Compressor::new());
        if stream.device().is_cpu() {
            let access = bytes.read_on(stream)?;
            return access.as_slice::<u8>()?.chunks(BLOCK).map(|block| compressor.store(file, block)).collect();
        }
        let block = |offset: usize| {
            let block = bytes.slice(offset, BLOCK.min(bytes.len() - offset))?;
            compressor.store(file, &block.to_host(stream)?)
        };
        (0..bytes.len()).step_by(BLOCK).map(block).collect()
    }

    /// Copies bytes of a GPU to pinned memory. Returns `None` for bytes of the CPU, and if pinned memory has no space.
    fn copy_to_host(&self, bytes: &Buffer, stream: &Stream) -> Result<Option<HostCopy>> {
        let device = self.upstream.device();
        let Some(manager) = self.this.upgrade().filter(|_| !device.is_cpu()) else { return Ok(None) };
        let (len, pinned) = (bytes.len(), current_pinned_resource(device)?);
        // If the pinned memory is full, copies of allocations that are also in memory of the device are dropped before
        // the second attempt.
        for is_last in [false, true] {
            if let Some(reserved) = Reservation::new(&self.host_bytes, len, self.options.host_limit) {
                match bytes.deep_copy(stream, pinned.as_ref()) {
                    Ok(buffer) => {
                        reserved.commit();
                        return Ok(Some(HostCopy { buffer, bytes: len, manager }));
                    }
                    Err(error) if error.is_out_of_memory() => {}
                    Err(error) => return Err(error),
                }
            }
            if is_last || self.registry.drop_host_copies(len) == 0 {
                break;
            }
        }
        Ok(None)
    }

    fn write(&self, bytes: &Buffer, stream: &Stream, to: &mut dyn Write) -> Result<()> {
        let file = self.file()?;
        let mut write = |bytes: &[u8]| to.write_all(bytes).map_err(|error| file.write_error(&error));
        if stream.device().is_cpu() {
            return write(bytes.read_on(stream)?.as_slice::<u8>()?);
        }
        (0..bytes.len()).step_by(CHUNK).try_for_each(|offset| {
            let chunk = bytes.slice(offset, CHUNK.min(bytes.len() - offset))?;
            write(&chunk.to_host(stream)?)
        })
    }

    /// Returns the file of spilled bytes, which is made on first use.
    fn file(&self) -> Result<&Arc<SpillFile>> {
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        let made =
            Arc::new(SpillFile::new(&self.options.directory, self.options.disk_limit, self.options.faults.clone())?);
        Ok(self.file.get_or_init(|| made))
    }

    fn refusal(&self, requested: usize) -> MemoryError {
        let limit = self.options.hard_limit.unwrap_or(usize::MAX);
        let rest = limit.saturating_sub(self.allocated_bytes()) as u64;
        let free = FreeMemory { bytes: rest, largest_block: Some(rest) };
        MemoryError::OutOfMemory { requested, free: Some(free), resource: Self::NAME }
    }

    /// Serves a request.
    fn try_allocate(&self, request: Request<'_>, size: usize, limit: usize) -> Option<Result<NonNull<u8>>> {
        let reservation = Reservation::new(&self.allocated, size, limit)?;
        let served = request.ask(&self.upstream).inspect(|_| reservation.commit());
        if served.is_ok() {
            self.peak.fetch_max(self.allocated_bytes(), Ordering::Relaxed);
        }
        Some(served)
    }
}

fn read(extent: &Extent, from: &mut dyn Read, buffer: &mut Buffer, stream: &Stream) -> Result<()> {
    let mut fill = |bytes: &mut [u8]| from.read_exact(bytes).map_err(|error| extent.read_error(&error));
    let len = buffer.len();
    let mut target = buffer.write_on(stream)?;
    if stream.device().is_cpu() {
        return fill(target.as_mut_slice::<u8>()?);
    }
    let mut chunk = vec![0; CHUNK.min(len)];
    (0..len).step_by(CHUNK).try_for_each(|offset| {
        let chunk = &mut chunk[..CHUNK.min(len - offset)];
        fill(chunk)?;
        target.copy_from_host(offset, chunk)
    })
}

fn read_blocks(blocks: &[Block], buffer: &mut Buffer, stream: &Stream) -> Result<()> {
    let mut target = buffer.write_on(stream)?;
    let (mut offset, mut bytes) = (0, Vec::new());
    for block in blocks {
        match stream.device().is_cpu() {
            true => block.load(&mut target.as_mut_slice::<u8>()?[offset..offset + block.bytes()])?,
            false => {
                bytes.resize(block.bytes(), 0);
                block.load(&mut bytes)?;
                target.copy_from_host(offset, &bytes)?;
            }
        }
        offset += block.bytes();
    }
    Ok(())
}

impl Manager for SpillingResource {
    fn registry(&self) -> &Registry {
        &self.registry
    }

    fn load(&self, copy: &SpilledCopy, bytes: usize, stream: &Stream) -> Result<Buffer> {
        let this = self
            .this
            .upgrade()
            .ok_or(MemoryError::Internal("a spill manager was dropped while one of its buffers was in use"))?;
        let resource = Resource::from(this as Arc<dyn MemoryResource>);
        let since = Instant::now();
        let (direction, buffer) = match copy {
            SpilledCopy::Host(copy) => (Direction::HostToDevice, copy.buffer.deep_copy(stream, resource.as_ref())?),
            SpilledCopy::Disk(extent) => {
                let mut buffer = Buffer::uninitialized(bytes, stream, resource.as_ref())?;
                extent.load(|from| read(extent, from, &mut buffer, stream))?;
                (Direction::DiskToDevice, buffer)
            }
            SpilledCopy::Blocks(blocks) => {
                let mut buffer = Buffer::uninitialized(bytes, stream, resource.as_ref())?;
                read_blocks(blocks, &mut buffer, stream)?;
                (Direction::DiskToDevice, buffer)
            }
        };
        self.count(direction, bytes, since);
        Ok(buffer)
    }

    fn give_host_bytes(&self, bytes: usize) {
        self.host_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn count_exposure(&self, bytes: usize) {
        self.statistics.lock().unwrap_or_else(PoisonError::into_inner).count_exposure(bytes);
    }
}

impl Around for SpillingResource {
    const NAME: &'static str = "spilling";

    fn upstream(&self) -> &Resource {
        &self.upstream
    }

    fn on_spilling(self: Arc<Self>) -> Option<Arc<dyn Any + Send + Sync>> {
        Some(self)
    }

    fn on_allocate(&self, request: Request<'_>) -> Result<NonNull<u8>> {
        let size = counted(request.bytes).ok_or_else(|| self.refusal(request.bytes))?;
        let limit = self.options.device_limit().unwrap_or(usize::MAX);
        let is_hard = self.options.hard_limit.is_some();
        if is_hard && size > limit {
            return Err(self.refusal(request.bytes));
        }
        match self.try_allocate(request, size, limit) {
            Some(Err(error)) if error.is_out_of_memory() && self.options.on_demand => {}
            Some(served) => return served,
            None => {}
        }
        // Another thread may have spilled while this thread waited for the lock. Therefore the request is repeated
        // before each attempt to spill.
        let _spilling = self.spilling.lock().unwrap_or_else(PoisonError::into_inner);
        let mut repeats = 0;
        loop {
            let seen = self.releases.count();
            let (missing, refused, is_needed) = match self.try_allocate(request, size, limit) {
                Some(Err(error)) if error.is_out_of_memory() && self.options.on_demand => (size, error, true),
                Some(served) => return served,
                None => {
                    let missing = (self.allocated_bytes().saturating_add(size)).saturating_sub(limit).max(1);
                    (missing, self.refusal(request.bytes), is_hard)
                }
            };
            match self.spill(missing) {
                Ok(freed) if freed > 0 => continue,
                Ok(_) => {}
                // A soft limit may be exceeded.
                Err(error @ MemoryError::Spill { .. }) if !is_needed => {
                    tracing::warn!(target: "gdf", %error, "a soft limit of memory is exceeded, because spilling failed");
                }
                Err(error) => return Err(error),
            }
            // A pool between this resource and the system may keep the freed blocks.
            if self.upstream.trim() > 0
                && let Some(Ok(served)) = self.try_allocate(request, size, limit)
            {
                return Ok(served);
            }
            // Another thread may have freed memory after the attempt.
            if is_hard && repeats < MOST_REPEATS && self.releases.count() != seen {
                repeats += 1;
                continue;
            }
            if is_hard {
                return Err(refused);
            }
            // The limit is soft, so the request is served without a limit.
            return self.try_allocate(request, size, usize::MAX).unwrap_or(Err(refused));
        }
    }

    fn after_deallocate(&self, bytes: usize) {
        self.allocated.fetch_sub(counted(bytes).unwrap_or(0), Ordering::Relaxed);
        self.releases.notify();
    }
}

adaptor!(pub(crate) SpillingResource);
