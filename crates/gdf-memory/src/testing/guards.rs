//! Guard bytes around blocks, and a pattern in new blocks. Changed guard bytes show that code has written outside of a
//! block. The pattern makes reads of memory that was never written visible.
//!
//! A freed block is kept until its guards are checked.

use std::fmt;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gdf_driver::{CopyKind, Stream};

use crate::{Resource, Result};

/// The minimum number of guard bytes before and after every block.
pub const GUARD_BYTES: usize = 64;
/// The value of a guard byte.
const GUARD: u8 = 0x5C;
/// The value of the bytes of new memory.
const POISON: u8 = 0xA5;

/// Bytes that were written outside of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overrun {
    /// The size of the block in bytes.
    pub block: usize,
    /// The offset of the first changed guard byte, counted from the start of the block. For the guard before the block,
    /// the offset is negative.
    pub first: isize,
    /// The number of changed guard bytes.
    pub bytes: usize,
}

impl fmt::Display for Overrun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Overrun { block, first, bytes } = self;
        let side = if *first < 0 { "before" } else { "after" };
        write!(f, "{bytes} bytes were written {side} a block of {block} bytes, the first at offset {first}")
    }
}

/// A block that was freed.
#[derive(Debug)]
struct Block {
    ptr: NonNull<u8>,
    bytes: usize,
    align: usize,
    /// The stream on which the block was freed. `None` if no work used the block any more.
    stream: Option<Stream>,
}

// SAFETY: `Block` is only the address of a freed block, which only the guards use.
unsafe impl Send for Block {}

/// Returns the number of guard bytes before a block.
fn front(align: usize) -> usize {
    align.max(GUARD_BYTES)
}

/// Returns the number of bytes of a block including both guards.
fn total(bytes: usize, align: usize) -> usize {
    bytes.saturating_add(front(align)).saturating_add(GUARD_BYTES)
}

fn address(ptr: NonNull<u8>) -> u64 {
    ptr.as_ptr().expose_provenance() as u64
}

#[derive(Debug)]
pub(super) struct Guards {
    upstream: Resource,
    given_back: Mutex<Vec<Block>>,
}

impl Guards {
    pub(super) fn new(upstream: Resource) -> Self {
        Self { upstream, given_back: Mutex::default() }
    }

    fn given_back(&self) -> MutexGuard<'_, Vec<Block>> {
        self.given_back.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates a block that is filled with the pattern or with zeros, in the order of `stream`.
    pub(super) fn allocate(&self, bytes: usize, align: usize, zeroed: bool, stream: &Stream) -> Result<NonNull<u8>> {
        let total = total(bytes, align);
        // If the fills below never run, the memory must still be initialized.
        let base = if self.upstream.host_accessible() {
            self.upstream.allocate_initialized(total, align, stream)?
        } else {
            self.upstream.allocate(total, align, stream)?
        };
        if let Err(error) = Self::fill(base, bytes, align, zeroed, stream) {
            // SAFETY: the upstream allocated the block above with the same size and alignment. Only the fills on
            // `stream` use the block.
            unsafe { self.upstream.deallocate(base, total, align, stream) };
            return Err(error);
        }
        // SAFETY: the block has `front(align) + bytes + GUARD_BYTES` bytes, so the result lies within the block.
        Ok(unsafe { base.add(front(align)) })
    }

    /// Allocates a block; see [`allocate`](Self::allocate).
    pub(super) fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        let total = total(bytes, align);
        let base = self.upstream.allocate_sync(total, align)?;
        let filled = Stream::new(self.upstream.device()).map_err(Into::into).and_then(|stream| {
            Self::fill(base, bytes, align, false, &stream)?;
            Ok(stream.synchronize()?)
        });
        if let Err(error) = filled {
            // SAFETY: the upstream allocated the block above with the same size and alignment. No other code has the
            // block.
            unsafe { self.upstream.deallocate_sync(base, total, align) };
            return Err(error);
        }
        // SAFETY: the block has `front(align) + bytes + GUARD_BYTES` bytes, so the result lies within the block.
        Ok(unsafe { base.add(front(align)) })
    }

    fn fill(base: NonNull<u8>, bytes: usize, align: usize, zeroed: bool, stream: &Stream) -> Result<()> {
        let (start, front) = (address(base), front(align));
        let content = if zeroed { 0 } else { POISON };
        let end = start + (front + bytes) as u64;
        for (at, value, bytes) in
            [(start, GUARD, front), (start + front as u64, content, bytes), (end, GUARD, GUARD_BYTES)]
        {
            // SAFETY: the range is a part of the new block, and the block is usable on `stream`. No other work uses
            // the block yet.
            unsafe { stream.fill(at, value, bytes)? };
        }
        Ok(())
    }

    /// Keeps a freed block until the guards are checked.
    pub(super) fn keep(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: Option<&Stream>) {
        self.given_back().push(Block { ptr, bytes, align, stream: stream.cloned() });
    }

    /// Waits for all work on the freed blocks, checks the guards, and frees the blocks to the upstream.
    pub(super) fn overruns(&self) -> Result<Vec<Overrun>> {
        let blocks = std::mem::take(&mut *self.given_back());
        let found = Self::look(&blocks, &self.upstream);
        blocks.into_iter().for_each(|block| self.release(block));
        found
    }

    fn look(blocks: &[Block], upstream: &Resource) -> Result<Vec<Overrun>> {
        // Tests count the copies and waits of the other streams. Therefore a separate stream is used.
        let own = Stream::new(upstream.device())?;
        let mut found = Vec::new();
        for block in blocks {
            if let Some(stream) = &block.stream {
                own.wait(&stream.record_from_anywhere()?)?;
            }
            let front = front(block.align);
            let sides =
                [(address(block.ptr) - front as u64, front), (address(block.ptr) + block.bytes as u64, GUARD_BYTES)];
            let firsts = [-(front as isize), block.bytes as isize];
            for ((from, bytes), first) in sides.into_iter().zip(firsts) {
                let mut guard = vec![0u8; bytes];
                let to = guard.as_mut_ptr().expose_provenance() as u64;
                // SAFETY: the guard is a part of the block. All work on the block precedes the copy on `own`, which
                // waits for the stream of the free. The vector has `bytes` bytes and lives until `synchronize` below
                // has waited for the copy.
                unsafe { own.copy(to, from, bytes, CopyKind::DeviceToHost)? };
                own.synchronize()?;
                let is_written = |byte: &u8| *byte != GUARD;
                if let Some(at) = guard.iter().position(is_written) {
                    let bytes = guard.iter().filter(|byte| is_written(byte)).count();
                    found.push(Overrun { block: block.bytes, first: first + at as isize, bytes });
                }
            }
        }
        Ok(found)
    }

    fn release(&self, block: Block) {
        let Block { ptr, bytes, align, stream } = block;
        let total = total(bytes, align);
        // SAFETY: `allocate` or `allocate_sync` returned `ptr` after a front guard of `front(align)` bytes.
        let base = unsafe { ptr.sub(front(align)) };
        match stream {
            // SAFETY: the upstream allocated the block at `base` with this size and alignment. The caller of
            // `deallocate` guaranteed that the block is freed once and that all uses precede on `stream`.
            Some(stream) => unsafe { self.upstream.deallocate(base, total, align, &stream) },
            // SAFETY: the upstream allocated the block at `base` with this size and alignment. The caller of
            // `deallocate_sync` guaranteed that the block is freed once and that no work uses the block any more.
            None => unsafe { self.upstream.deallocate_sync(base, total, align) },
        }
    }
}

impl Drop for Guards {
    fn drop(&mut self) {
        let blocks = std::mem::take(&mut *self.given_back());
        blocks.into_iter().for_each(|block| self.release(block));
    }
}
