//! Addresses of a pool's own, with memory mapped behind them granule by granule: what a virtual-memory pool stands on.
//!
//! Free granules that lie apart are mapped anew side by side, so memory that is free is never too scattered for a request.
//! On the CPU the same is done with a file in memory, so that all of it is tested without a GPU.

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

/// Reserved addresses.
#[derive(Debug)]
enum Addresses {
    Cuda(AddressRange, Device),
    #[cfg(target_os = "linux")]
    Host(HostRange),
}

/// Memory of one granule.
#[derive(Debug)]
enum Memory {
    Cuda(Physical),
    #[cfg(target_os = "linux")]
    Host(FilePart),
}

#[derive(Debug)]
struct Mapped {
    /// By offset.
    memory: HashMap<usize, Memory>,
    /// Addresses with nothing behind them.
    holes: FreeGranules,
    /// Offsets of granules that the driver did not unmap: neither to be used nor holes, until it does.
    stuck: Vec<usize>,
}

/// A range of addresses and the memory that is mapped in it.
#[derive(Debug)]
pub(super) struct Space {
    addresses: Addresses,
    granule: usize,
    pub(super) range: Range<usize>,
    mapped: Mutex<Mapped>,
    /// So many calls to unmap fail.
    #[cfg(test)]
    pub(super) refusals: std::sync::atomic::AtomicUsize,
    /// Whether there is no physical memory just now.
    #[cfg(test)]
    pub(super) is_short: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

/// Why nothing was mapped, and how many bytes are held all the same, to be unmapped by [`Space::retry`].
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: MemoryError,
    pub(super) stuck: usize,
}

/// The granule that a device can map, at least as large as asked.
pub(super) fn granule_for(device: Device, asked: usize) -> Result<usize> {
    match device {
        Device::Cpu => Ok(asked),
        Device::Cuda(_) => Ok(asked.next_multiple_of(granularity(device)?)),
    }
}

impl Space {
    /// Reserves `bytes` of addresses of `device`.
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

    /// Nobody else's lock is taken while it is held.
    fn mapped(&self) -> MutexGuard<'_, Mapped> {
        self.mapped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory of a granule. Physical memory that others gave back and that is done with is had first; the reaper that holds
    /// it is waited for, so the lock must not be held.
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

    /// Maps a granule at an offset that nothing is mapped at.
    fn map(&self, mapped: &mut Mapped, offset: usize, memory: Memory) -> Result<()> {
        match (&self.addresses, &memory) {
            // SAFETY: `memory` has no entry for the offset, so nothing is mapped there; `drop` unmaps what is.
            (Addresses::Cuda(range, _), Memory::Cuda(physical)) => unsafe { range.map(offset, physical)? },
            #[cfg(target_os = "linux")]
            (Addresses::Host(range), Memory::Host(part)) => range.map(offset, part)?,
            #[cfg(target_os = "linux")]
            _ => {}
        }
        mapped.memory.insert(offset, memory);
        Ok(())
    }

    /// Takes the memory of a granule away from its address, which becomes a hole. Where the driver refuses, the granule is
    /// kept aside to try again, and `None` is returned.
    ///
    /// # Safety
    /// No work uses the address any more.
    unsafe fn unmap(&self, mapped: &mut Mapped, offset: usize) -> Option<Memory> {
        // SAFETY: the caller's promise.
        if let Err(error) = unsafe { self.unmap_at(offset) } {
            tracing::warn!(%error, stuck = mapped.stuck.len() + 1, "a granule stays mapped until a later attempt");
            mapped.stuck.push(offset);
            return None;
        }
        mapped.holes.put(Span { address: self.range.start + offset, size: self.granule, after: 0 }, &self.range);
        mapped.memory.remove(&offset)
    }

    /// # Safety
    /// As [`unmap`](Self::unmap).
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
            // SAFETY: the caller's promise.
            Addresses::Cuda(range, _) => unsafe { range.unmap(offset, self.granule) }.map_err(Into::into),
            #[cfg(target_os = "linux")]
            Addresses::Host(range) => range.unmap(offset),
        }
    }

    /// Tries again to unmap what the driver refused to; returns the bytes given back.
    pub(super) fn retry(&self) -> usize {
        let mut mapped = self.mapped();
        let stuck = std::mem::take(&mut mapped.stuck);
        // SAFETY: nothing used these granules when they were to be unmapped, and nobody was given them since.
        stuck.into_iter().filter_map(|offset| unsafe { self.unmap(&mut mapped, offset) }).count() * self.granule
    }

    fn allow(&self, offset: usize, bytes: usize) -> Result<()> {
        match &self.addresses {
            Addresses::Cuda(range, _) => Ok(range.allow(offset, bytes)?),
            #[cfg(target_os = "linux")]
            Addresses::Host(_) => Ok(()),
        }
    }

    /// Maps what `next` gives, granule by granule, at a hole of `bytes`; returns its address. What was mapped before a
    /// failure is unmapped again.
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
                    // SAFETY: mapped just above; nobody knows the address.
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

    /// Maps `bytes` of new memory; returns the address.
    pub(super) fn grow(&self, bytes: usize) -> Result<usize, Failure> {
        if self.mapped().holes.largest() < bytes {
            return Err(Failure { error: refused(bytes), stuck: 0 });
        }
        let made: Result<Vec<Memory>> = (0..bytes / self.granule).map(|_| self.make()).collect();
        let mut made = made.map_err(|error| Failure { error, stuck: 0 })?;
        self.fill(bytes, |_| made.pop().ok_or_else(|| refused(bytes)))
    }

    /// Maps the memory of `spans`, together `bytes`, side by side; returns the address, and how many bytes were given up:
    /// none, unless it fails. Granules that the driver does not unmap stay with it, see [`retry`](Self::retry).
    ///
    /// # Safety
    /// The spans are mapped, and nothing uses them any more.
    pub(super) unsafe fn remap(&self, spans: &[Span], bytes: usize) -> (Result<usize>, usize) {
        let granules = |span: &Span| {
            let offset = span.address - self.range.start;
            (offset..offset + span.size).step_by(self.granule)
        };
        let before = self.mapped().memory.len();
        let mut offsets = spans.iter().flat_map(granules).collect::<Vec<_>>().into_iter();
        let next = |mapped: &mut Mapped| match offsets.next() {
            // SAFETY: the caller's promise.
            Some(offset) => unsafe { self.unmap(mapped, offset) }.ok_or_else(|| refused(bytes)),
            None => Err(refused(bytes)),
        };
        let outcome = self.fill(bytes, next).map_err(|failure| failure.error);
        // Where the attempt failed, what was left is unmapped too, so that all addresses of the spans are holes.
        let mut mapped = self.mapped();
        for offset in offsets {
            // SAFETY: the caller's promise.
            drop(unsafe { self.unmap(&mut mapped, offset) });
        }
        let given_up = before.saturating_sub(mapped.memory.len()) * self.granule;
        (outcome, given_up)
    }

    /// Gives the memory behind a span back; returns how many bytes that were.
    ///
    /// # Safety
    /// The span is mapped, and nothing uses it any more.
    pub(super) unsafe fn shrink(&self, span: Span) -> usize {
        let mut mapped = self.mapped();
        let offset = span.address - self.range.start;
        let granules = (offset..offset + span.size).step_by(self.granule);
        // SAFETY: the caller's promise.
        granules.filter_map(|granule| unsafe { self.unmap(&mut mapped, granule) }).count() * self.granule
    }
}

fn refused(requested: usize) -> MemoryError {
    MemoryError::OutOfMemory { requested, free: None, resource: NAME }
}

impl Drop for Space {
    /// Whoever drops it has waited for all users.
    fn drop(&mut self) {
        let mapped = std::mem::take(&mut self.mapped.get_mut().unwrap_or_else(PoisonError::into_inner).memory);
        for (offset, memory) in mapped {
            if let (Addresses::Cuda(range, _), Memory::Cuda(_)) = (&self.addresses, &memory) {
                // SAFETY: the offset is mapped, once, and all its users are done.
                if let Err(error) = unsafe { range.unmap(offset, self.granule) } {
                    tracing::warn!(%error, "a granule stays mapped");
                }
            }
        }
    }
}
