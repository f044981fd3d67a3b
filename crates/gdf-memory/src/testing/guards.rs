//! Guard bytes around blocks and poison in fresh ones, so that writes outside of a block and reads of what nobody wrote show.
//!
//! Blocks that were given back are kept until somebody asks: looking at the guards then costs the streams that use the
//! memory no copy and no wait, which tests count.

use std::fmt;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gdf_driver::{CopyKind, Stream};

use crate::{Resource, Result};

/// Bytes before and behind every block, at least.
pub const GUARD_BYTES: usize = 64;
/// What they hold.
const GUARD: u8 = 0x5C;
/// What fresh memory holds.
const POISON: u8 = 0xA5;

/// Bytes that were written outside of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overrun {
    /// The length of the block.
    pub block: usize,
    /// The first of the bytes, counted from the start of the block.
    pub first: isize,
    /// How many bytes of the guard are not what they were.
    pub bytes: usize,
}

impl fmt::Display for Overrun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Overrun { block, first, bytes } = self;
        let side = if *first < 0 { "before" } else { "behind" };
        write!(f, "{bytes} bytes were written {side} a block of {block} bytes, the first at offset {first}")
    }
}

/// A block without its guards, as it was given out.
#[derive(Debug)]
struct Block {
    ptr: NonNull<u8>,
    bytes: usize,
    align: usize,
    /// In whose order it was given back; `None` when nothing used it any more.
    stream: Option<Stream>,
}

// SAFETY: the block is memory that only the guards know of.
unsafe impl Send for Block {}

/// Bytes before a block: as many as keep it aligned.
fn front(align: usize) -> usize {
    align.max(GUARD_BYTES)
}

/// Bytes from the start of the front guard to the end of the one behind; one that does not fit is refused by every resource.
fn total(bytes: usize, align: usize) -> usize {
    bytes.saturating_add(front(align)).saturating_add(GUARD_BYTES)
}

fn address(ptr: NonNull<u8>) -> u64 {
    ptr.as_ptr().expose_provenance() as u64
}

/// Hands out blocks of `upstream` with guards around them.
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

    /// A block that is poisoned, or zeroed, in the order of `stream`.
    pub(super) fn allocate(&self, bytes: usize, align: usize, zeroed: bool, stream: &Stream) -> Result<NonNull<u8>> {
        let total = total(bytes, align);
        // Initialized also where the fills below never run.
        let base = if self.upstream.host_accessible() {
            self.upstream.allocate_initialized(total, align, stream)?
        } else {
            self.upstream.allocate(total, align, stream)?
        };
        if let Err(error) = Self::fill(base, bytes, align, zeroed, stream) {
            // SAFETY: allocated just above with the same size and alignment; nothing but fills uses it.
            unsafe { self.upstream.deallocate(base, total, align, stream) };
            return Err(error);
        }
        // SAFETY: the front guard lies within the block.
        Ok(unsafe { base.add(front(align)) })
    }

    /// As [`allocate`](Self::allocate), for every stream.
    pub(super) fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        let total = total(bytes, align);
        let base = self.upstream.allocate_sync(total, align)?;
        let filled = Stream::new(self.upstream.device()).map_err(Into::into).and_then(|stream| {
            Self::fill(base, bytes, align, false, &stream)?;
            Ok(stream.synchronize()?)
        });
        if let Err(error) = filled {
            // SAFETY: allocated just above with the same size and alignment; nothing uses it.
            unsafe { self.upstream.deallocate_sync(base, total, align) };
            return Err(error);
        }
        // SAFETY: the front guard lies within the block.
        Ok(unsafe { base.add(front(align)) })
    }

    fn fill(base: NonNull<u8>, bytes: usize, align: usize, zeroed: bool, stream: &Stream) -> Result<()> {
        let (start, front) = (address(base), front(align));
        let content = if zeroed { 0 } else { POISON };
        let end = start + (front + bytes) as u64;
        for (at, value, bytes) in
            [(start, GUARD, front), (start + front as u64, content, bytes), (end, GUARD, GUARD_BYTES)]
        {
            // SAFETY: the range is a part of the block, which nobody uses yet.
            unsafe { stream.fill(at, value, bytes)? };
        }
        Ok(())
    }

    /// Keeps a block that was given back.
    pub(super) fn keep(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: Option<&Stream>) {
        self.given_back().push(Block { ptr, bytes, align, stream: stream.cloned() });
    }

    /// Looks at the guards of what was given back, once all work on it is done, and gives it back to the upstream.
    pub(super) fn overruns(&self) -> Result<Vec<Overrun>> {
        let blocks = std::mem::take(&mut *self.given_back());
        let found = Self::look(&blocks, &self.upstream);
        blocks.into_iter().for_each(|block| self.release(block));
        found
    }

    fn look(blocks: &[Block], upstream: &Resource) -> Result<Vec<Overrun>> {
        // Not a stream whose copies and waits are counted.
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
                // SAFETY: the guard is a part of the block, all work on which precedes on the stream; the vector lives until
                // the copy has run, for which the next line waits.
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
        // SAFETY: the block was given out behind a front guard.
        let base = unsafe { ptr.sub(front(align)) };
        match stream {
            // SAFETY: the upstream's block, with its size and alignment; who gave it back promised the rest.
            Some(stream) => unsafe { self.upstream.deallocate(base, total, align, &stream) },
            // SAFETY: as above.
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
