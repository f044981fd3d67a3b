//! The address space of a virtual-memory pool: a reserved range of addresses, into which the pool maps memory granule
//! by granule.
//!
//! Free granules that are not adjacent can be remapped to adjacent addresses, so fragmentation never makes a request
//! fail. On the CPU, an in-memory file replaces physical memory, so that tests need no GPU.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gdf_driver::Device;
use gdf_driver::virtual_memory::{AddressRange, Physical, granularity};

use super::free_granules::{FreeGranules, Span};
#[cfg(target_os = "linux")]
use super::space_host::{FilePart, HostRange};
use crate::resources::out_of_memory;
use crate::{MemoryError, Result, reaper};

const NAME: &str = "virtual_pool";

#[derive(Debug)]
enum Addresses {
    Cuda(AddressRange, Device),
    #[cfg(target_os = "linux")]
    Host(HostRange),
}

#[derive(Debug)]
enum Memory {
    Cuda(Physical),
    #[cfg(target_os = "linux")]
    Host(FilePart),
}

#[derive(Debug)]
struct Mapped {
    /// The mapped memory of each granule. The key is the offset of the granule in the range.
    memory: HashMap<usize, Memory>,
    holes: FreeGranules,
    /// The offsets of granules that the driver refused to unmap. The pool can neither use such a granule nor map other
    /// memory at its address, until a later attempt unmaps the granule.
    stuck: Vec<usize>,
}

/// A range of addresses and the memory that is mapped in the range.
#[derive(Debug)]
pub(super) struct Space {
    addresses: Addresses,
    granule: usize,
    pub(super) range: Range<usize>,
    mapped: Mutex<Mapped>,
    #[cfg(test)]
    pub(super) refusals: std::sync::atomic::AtomicUsize,
    #[cfg(test)]
    pub(super) is_short: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

/// The error of a failed mapping. `stuck` is the number of bytes that stay mapped until [`Space::retry`] unmaps them.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: MemoryError,
    pub(super) stuck: usize,
}

/// Returns the smallest size of a granule that is at least `asked` bytes and a multiple of the mapping granularity of
/// the device.
pub(super) fn granule_for(device: Device, asked: usize) -> Result<usize> {
    match device {
        Device::Cpu => Ok(asked),
        Device::Cuda(_) => Ok(asked.next_multiple_of(granularity(device)?)),
    }
}

impl Space {
    pub(super) fn new(device: Device, bytes: usize, granule: usize) -> Result<Self> {
        let (addresses, base) = match device {
            Device::Cuda(_) => {
                let range = AddressRange::reserve(device, bytes)?;
                let base = range.base() as usize;
                (Addresses::Cuda(range, device), base)
            }
            #[cfg(target_os = "linux")]
            Device::Cpu => {
                let range = HostRange::reserve(bytes, granule)?;
                let base = range.base();
                (Addresses::Host(range), base)
            }
            #[cfg(not(target_os = "linux"))]
            Device::Cpu => {
                return Err(MemoryError::DeviceMismatch { expected: Device::Cuda(0), found: device });
            }
        };
        let range = base..base + bytes;
        let mut holes = FreeGranules::default();
        holes.put(Span { address: base, size: bytes, after: 0 }, &range);
        let mapped = Mutex::new(Mapped { memory: HashMap::new(), holes, stuck: Vec::new() });
        Ok(Self {
            addresses,
            granule,
            range,
            mapped,
            #[cfg(test)]
            refusals: Default::default(),
            #[cfg(test)]
            is_short: Default::default(),
        })
    }

    /// Locks the mappings. A thread that holds this lock must not take another lock.
    fn mapped(&self) -> MutexGuard<'_, Mapped> {
        self.mapped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates the physical memory of a granule. If no physical memory is left, the call waits for the reaper thread,
    /// which frees memory that is no longer in use, and tries again.
    fn make(&self) -> Result<Memory> {
        reaper::ask_again(|| self.make_now(), MemoryError::is_out_of_memory)
    }

    fn make_now(&self) -> Result<Memory> {
        #[cfg(test)]
        if self.is_short.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(refused(self.granule));
        }
        match &self.addresses {
            Addresses::Cuda(_, device) => {
                let made = Physical::new(*device, self.granule);
                Ok(Memory::Cuda(made.map_err(|error| out_of_memory(error, self.granule, *device, NAME))?))
            }
            #[cfg(target_os = "linux")]
            Addresses::Host(range) => Ok(Memory::Host(range.make()?)),
        }
    }

    fn map(&self, mapped: &mut Mapped, offset: usize, memory: Memory) -> Result<()> {
        match (&self.addresses, &memory) {
            // SAFETY: every caller passes the offset of a hole, and a hole has no mapping. `mapped.memory` keeps the
            // memory until `unmap` has succeeded or until `Space::drop`, which unmaps all memory before the range is
            // dropped.
            (Addresses::Cuda(range, _), Memory::Cuda(physical)) => unsafe { range.map(offset, physical)? },
            #[cfg(target_os = "linux")]
            (Addresses::Host(range), Memory::Host(part)) => range.map(offset, part)?,
            #[cfg(target_os = "linux")]
            _ => {}
        }
        mapped.memory.insert(offset, memory);
        Ok(())
    }

    /// Unmaps the granule at `offset` and returns its memory. The address range becomes a hole. If the driver refuses,
    /// the offset is added to `stuck` for a later attempt, and the result is `None`.
    ///
    /// # Safety
    /// No work uses the addresses of the granule any more.
    unsafe fn unmap(&self, mapped: &mut Mapped, offset: usize) -> Option<Memory> {
        // SAFETY: the caller guarantees that no work uses the addresses.
        if let Err(error) = unsafe { self.unmap_at(offset) } {
            tracing::warn!(%error, stuck = mapped.stuck.len() + 1, "a granule of a pool cannot be unmapped; the pool tries again later");
            mapped.stuck.push(offset);
            return None;
        }
        mapped.holes.put(Span { address: self.range.start + offset, size: self.granule, after: 0 }, &self.range);
        mapped.memory.remove(&offset)
    }

    /// # Safety
    /// The conditions of [`unmap`](Self::unmap).
    unsafe fn unmap_at(&self, offset: usize) -> Result<()> {
        #[cfg(test)]
        {
            use std::sync::atomic::Ordering;
            let fewer = |refusals: usize| refusals.checked_sub(1);
            if self.refusals.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer).is_ok() {
                return Err(refused(self.granule));
            }
        }
        match &self.addresses {
            // SAFETY: the caller guarantees that no work uses the addresses.
            Addresses::Cuda(range, _) => unsafe { range.unmap(offset, self.granule) }.map_err(Into::into),
            #[cfg(target_os = "linux")]
            Addresses::Host(range) => range.unmap(offset),
        }
    }

    /// Tries again to unmap the granules that the driver refused to unmap. Returns the number of unmapped bytes.
    pub(super) fn retry(&self) -> usize {
        let mut mapped = self.mapped();
        let stuck = std::mem::take(&mut mapped.stuck);
        // SAFETY: no work used these granules when `unmap` was first called. Such a granule is neither a hole nor free,
        // so no code has received its addresses since then.
        stuck.into_iter().filter_map(|offset| unsafe { self.unmap(&mut mapped, offset) }).count() * self.granule
    }

    fn allow(&self, offset: usize, bytes: usize) -> Result<()> {
        match &self.addresses {
            Addresses::Cuda(range, _) => Ok(range.allow(offset, bytes)?),
            #[cfg(target_os = "linux")]
            Addresses::Host(_) => Ok(()),
        }
    }

    /// Takes a hole of `bytes` bytes and maps the memory that `next` returns, granule by granule.
    fn fill(&self, bytes: usize, mut next: impl FnMut(&mut Mapped) -> Result<Memory>) -> Result<usize, Failure> {
        let mut mapped = self.mapped();
        let hole = mapped.holes.take(bytes, bytes).ok_or_else(|| Failure { error: refused(bytes), stuck: 0 })?;
        let offset = hole.address - self.range.start;
        let mut outcome = Ok(());
        let mut done = 0;
        while outcome.is_ok() && done < bytes {
            outcome = next(&mut mapped).and_then(|memory| self.map(&mut mapped, offset + done, memory));
            done += if outcome.is_ok() { self.granule } else { 0 };
        }
        match outcome.and_then(|()| self.allow(offset, bytes)) {
            Ok(()) => Ok(hole.address),
            Err(error) => {
                let before = mapped.stuck.len();
                for granule in (0..done).step_by(self.granule) {
                    // SAFETY: this call mapped the granule and has not returned the address, so no work uses the
                    // granule.
                    drop(unsafe { self.unmap(&mut mapped, offset + granule) });
                }
                let rest = Span { address: hole.address + done, size: bytes - done, after: 0 };
                if rest.size > 0 {
                    mapped.holes.put(rest, &self.range);
                }
                Err(Failure { error, stuck: (mapped.stuck.len() - before) * self.granule })
            }
        }
    }

    /// Allocates `bytes` bytes of physical memory, and maps the memory to adjacent addresses.
    pub(super) fn grow(&self, bytes: usize) -> Result<usize, Failure> {
        if self.mapped().holes.largest() < bytes {
            return Err(Failure { error: refused(bytes), stuck: 0 });
        }
        let made: Result<Vec<Memory>> = (0..bytes / self.granule).map(|_| self.make()).collect();
        let mut made = made.map_err(|error| Failure { error, stuck: 0 })?;
        self.fill(bytes, |_| made.pop().ok_or_else(|| refused(bytes)))
    }

    /// Remaps the memory of `spans`, `bytes` bytes in total, to adjacent addresses. Returns the address, and the number
    /// of bytes that were freed.
    ///
    /// # Safety
    /// The spans are mapped, and no work uses the spans any more.
    pub(super) unsafe fn remap(&self, spans: &[Span], bytes: usize) -> (Result<usize>, usize) {
        let granules = |span: &Span| {
            let offset = span.address - self.range.start;
            (offset..offset + span.size).step_by(self.granule)
        };
        let before = self.mapped().memory.len();
        let mut offsets = spans.iter().flat_map(granules).collect::<Vec<_>>().into_iter();
        let next = |mapped: &mut Mapped| match offsets.next() {
            // SAFETY: the offset belongs to one of the spans. The caller guarantees that no work uses the spans.
            Some(offset) => unsafe { self.unmap(mapped, offset) }.ok_or_else(|| refused(bytes)),
            None => Err(refused(bytes)),
        };
        let outcome = self.fill(bytes, next).map_err(|failure| failure.error);
        // After a failure, some granules of the spans may not have been unmapped yet. These granules are unmapped here,
        // so that all addresses of the spans become holes.
        let mut mapped = self.mapped();
        for offset in offsets {
            // SAFETY: the offset belongs to one of the spans. The caller guarantees that no work uses the spans.
            drop(unsafe { self.unmap(&mut mapped, offset) });
        }
        let given_up = before.saturating_sub(mapped.memory.len()) * self.granule;
        (outcome, given_up)
    }

    /// Unmaps a span and frees its memory. Returns the number of freed bytes.
    ///
    /// # Safety
    /// The span is mapped, and no work uses the span any more.
    pub(super) unsafe fn shrink(&self, span: Span) -> usize {
        let mut mapped = self.mapped();
        let offset = span.address - self.range.start;
        let granules = (offset..offset + span.size).step_by(self.granule);
        // SAFETY: the granule belongs to the span. The caller guarantees that no work uses the span.
        granules.filter_map(|granule| unsafe { self.unmap(&mut mapped, granule) }).count() * self.granule
    }
}

fn refused(requested: usize) -> MemoryError {
    MemoryError::OutOfMemory { requested, free: None, resource: NAME }
}

impl Drop for Space {
    /// Unmaps all memory. The code that drops the space must have waited for all work that uses the memory.
    fn drop(&mut self) {
        let mapped = std::mem::take(&mut self.mapped.get_mut().unwrap_or_else(PoisonError::into_inner).memory);
        for (offset, memory) in mapped {
            if let (Addresses::Cuda(range, _), Memory::Cuda(_)) = (&self.addresses, &memory) {
                // SAFETY: `mapped.memory` has one entry for each mapped granule. The code that drops the space has
                // waited for all work, so no work uses the granule.
                if let Err(error) = unsafe { range.unmap(offset, self.granule) } {
                    tracing::warn!(%error, "a granule of a pool cannot be unmapped; its memory is leaked");
                }
            }
        }
    }
}
