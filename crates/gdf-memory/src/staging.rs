//! Transfers between pageable CPU memory and a GPU, in chunks through pinned memory.

use gdf_driver::{CopyKind, Device, Stream};

use crate::pinned_slots::{PerDevice, Slot, SlotPool};
use crate::{Access, AccessMut, Result};

const SMALL: usize = 4 << 10;
const LARGE: usize = 4 << 20;
/// Enough to keep the link busy while the CPU fills the next chunk.
const LARGE_LIMIT: usize = 8;
/// Chunks from here on are copied by several threads: one reaches about 10 GB/s, the link 55 (H200, 2026-11).
const PARALLEL_ABOVE: usize = 1 << 20;
const COPY_THREADS: usize = 4;

static SMALL_POOLS: PerDevice<SlotPool> = PerDevice::new();
static LARGE_POOLS: PerDevice<SlotPool> = PerDevice::new();

fn pool(device: Device, bytes: usize) -> &'static SlotPool {
    if bytes <= SMALL {
        SMALL_POOLS.get(device, || SlotPool::new(device, SMALL, LARGE / SMALL, usize::MAX))
    } else {
        LARGE_POOLS.get(device, || SlotPool::new(device, LARGE, 1, LARGE_LIMIT))
    }
}

fn fill(slot: Slot, bytes: &[u8]) {
    // SAFETY: the slot is exclusively ours, at least as long as a chunk, and initialised before anyone reads it: bytes
    // are only written here.
    let target = unsafe { std::slice::from_raw_parts_mut(slot.ptr().as_ptr(), bytes.len()) };
    if bytes.len() <= PARALLEL_ABOVE {
        return target.copy_from_slice(bytes);
    }
    let part = bytes.len().div_ceil(COPY_THREADS);
    std::thread::scope(|scope| {
        for (to, from) in target.chunks_mut(part).zip(bytes.chunks(part)) {
            scope.spawn(move || to.copy_from_slice(from));
        }
    });
}

/// Copies `bytes` to the start of `target`; returns when the last chunk is enqueued.
pub(crate) fn to_device(bytes: &[u8], target: &AccessMut<'_>, stream: &Stream) -> Result<()> {
    let pool = pool(stream.device(), bytes.len());
    for (index, chunk) in bytes.chunks(pool.slot_bytes()).enumerate() {
        let slot = pool.take()?;
        fill(slot, chunk);
        let address = target.address() + (index * pool.slot_bytes()) as u64;
        // SAFETY: the chunk lies within the target, which this stream may write; the slot stays ours until the event.
        let copied = unsafe { stream.copy(address, slot.address(), chunk.len(), CopyKind::HostToDevice) };
        match stream.record() {
            Ok(event) => pool.give_back_after(slot, event),
            Err(error) => tracing::warn!(%error, "a staging chunk on a failed stream is leaked"),
        }
        copied?;
    }
    Ok(())
}

/// Gives all bytes of `source` to `take`, in order; waits for each chunk while the next one is on its way.
pub(crate) fn to_host(source: &Access<'_>, mut take: impl FnMut(&[u8]), stream: &Stream) -> Result<()> {
    let pool = pool(stream.device(), source.len());
    let step = pool.slot_bytes();
    let mut pending = None;
    let mut offset = 0;
    while offset < source.len() || pending.is_some() {
        let next = if offset < source.len() {
            let len = step.min(source.len() - offset);
            let slot = pool.take()?;
            // SAFETY: the chunk lies within the source, which this stream may read; the slot is ours until the event.
            unsafe { stream.copy(slot.address(), source.address() + offset as u64, len, CopyKind::DeviceToHost)? };
            offset += len;
            Some((slot, len, stream.record()?))
        } else {
            None
        };
        if let Some((slot, len, event)) = std::mem::replace(&mut pending, next) {
            let event: gdf_driver::Event = event;
            event.synchronize()?;
            let slot: Slot = slot;
            // SAFETY: the copy into the slot has completed and wrote `len` bytes; the slot is still ours.
            take(unsafe { std::slice::from_raw_parts(slot.ptr().as_ptr(), len) });
            pool.give_back(slot);
        }
    }
    Ok(())
}
