//! The blocks of one heap. A run is a range of adjacent addresses that is split into blocks. When a block is freed, the
//! block is coalesced with its free neighbors.
//!
//! There is one exception to coalescing: the last freed block of a size is not coalesced at first.

use std::collections::BTreeMap;
use std::ops::Range;

use super::classes::{Classes, NONE, class_of};
use super::index::Index;

/// Every size and every address is a multiple of this number of bytes.
pub(super) const UNIT: usize = 256;
/// The number of blocks of its own size class that a request tries before it takes a block of a larger class.
const TRIES: usize = 4;

#[derive(Clone, Copy, Debug)]
struct PoolBlock {
    address: usize,
    /// The size in bytes, a multiple of [`UNIT`].
    size: usize,
    /// The neighbors in memory. The value is `NONE` at the ends of a run.
    below: u32,
    above: u32,
    /// The neighbors in the list of the size class. The values are valid while the block is free and not waiting.
    previous: u32,
    next: u32,
}

const _: () = assert!(size_of::<PoolBlock>() == 32);

/// The values of `previous` that mark a block in use (`USED`) and a waiting block (`WAITING`).
const USED: u32 = u32::MAX - 1;
const WAITING: u32 = u32::MAX - 2;
/// The number of slots for waiting blocks. A hash of the size selects the slot.
const WAITING_SIZES: usize = 32;

fn waiting_slot(size: usize) -> usize {
    let hash = ((size / UNIT) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (hash >> (64 - WAITING_SIZES.trailing_zeros())) as usize
}

/// Runs of adjacent addresses, each of which is split into blocks.
#[derive(Debug)]
pub(super) struct Blocks {
    blocks: Vec<PoolBlock>,
    spare: Vec<u32>,
    classes: Classes,
    used: Index,
    waiting: [u32; WAITING_SIZES],
    /// The first block of each run, by the start address of the run; and the last block of each run, by the end address
    /// of the run.
    starts: BTreeMap<usize, u32>,
    ends: BTreeMap<usize, u32>,
    total: usize,
    free: usize,
    in_use: usize,
}

impl Blocks {
    pub(super) fn new() -> Self {
        Self {
            blocks: Vec::new(),
            spare: Vec::new(),
            classes: Classes::new(),
            used: Index::new(),
            waiting: [NONE; WAITING_SIZES],
            starts: BTreeMap::new(),
            ends: BTreeMap::new(),
            total: 0,
            free: 0,
            in_use: 0,
        }
    }

    pub(super) fn total(&self) -> usize {
        self.total
    }

    pub(super) fn free(&self) -> usize {
        self.free
    }

    pub(super) fn in_use(&self) -> usize {
        self.in_use
    }

    pub(super) fn largest(&mut self) -> usize {
        self.join_waiting();
        let list = self.classes.last().map(|class| self.list(class));
        list.into_iter().flatten().map(|at| self.block(at).size).max().unwrap_or(0)
    }

    fn block(&self, at: u32) -> &PoolBlock {
        &self.blocks[at as usize]
    }

    fn block_mut(&mut self, at: u32) -> &mut PoolBlock {
        &mut self.blocks[at as usize]
    }

    fn list(&self, class: usize) -> impl Iterator<Item = u32> + '_ {
        let some = |at: u32| (at != NONE).then_some(at);
        std::iter::successors(some(self.classes.head(class)), move |&at| some(self.block(at).next))
    }

    fn make(&mut self, block: PoolBlock) -> u32 {
        if let Some(at) = self.spare.pop() {
            *self.block_mut(at) = block;
            return at;
        }
        self.blocks.push(block);
        (self.blocks.len() - 1) as u32
    }

    fn link(&mut self, at: u32) {
        let size = self.block(at).size;
        let class = class_of(size / UNIT);
        let head = self.classes.head(class);
        let block = self.block_mut(at);
        (block.previous, block.next) = (NONE, head);
        if head != NONE {
            self.block_mut(head).previous = at;
        }
        self.classes.set_head(class, at);
        self.free += size;
    }

    fn unlink(&mut self, at: u32) {
        let PoolBlock { size, previous, next, .. } = *self.block(at);
        if next != NONE {
            self.block_mut(next).previous = previous;
        }
        if previous == NONE {
            self.classes.set_head(class_of(size / UNIT), next);
        } else {
            self.block_mut(previous).next = next;
        }
        self.block_mut(at).previous = USED;
        self.free -= size;
    }

    fn is_free(&self, at: u32) -> bool {
        at != NONE && !matches!(self.block(at).previous, USED | WAITING)
    }

    /// Splits the block `at` after `size` bytes, and returns the upper part.
    fn cut(&mut self, at: u32, size: usize) -> u32 {
        let PoolBlock { address, size: whole, above, .. } = *self.block(at);
        let (rest, from) = (whole - size, address + size);
        let new = self.make(PoolBlock { address: from, size: rest, below: at, above, previous: USED, next: NONE });
        self.block_mut(at).size = size;
        self.block_mut(at).above = new;
        if above == NONE {
            self.ends.insert(from + rest, new);
        } else {
            self.block_mut(above).below = new;
        }
        new
    }

    /// Merges the block `at` with the block `upper`, which is its upper neighbor.
    fn join(&mut self, at: u32, upper: u32) {
        let PoolBlock { size, above, address, .. } = *self.block(upper);
        self.block_mut(at).size += size;
        self.block_mut(at).above = above;
        if above == NONE {
            self.ends.insert(address + size, at);
        } else {
            self.block_mut(above).below = at;
        }
        self.spare.push(upper);
    }

    /// Coalesces a block with its free neighbors, and inserts the result into the list of its size class.
    fn settle(&mut self, mut at: u32) {
        let PoolBlock { below, above, .. } = *self.block(at);
        if self.is_free(above) {
            self.unlink(above);
            self.join(at, above);
        }
        if self.is_free(below) {
            self.unlink(below);
            self.join(below, at);
            at = below;
        }
        self.link(at);
    }

    /// Adds a range of free memory. The range extends the runs that are adjacent to it within `bounds`.
    pub(super) fn add(&mut self, address: usize, size: usize, bounds: &Range<usize>) {
        let end = address + size;
        let lower = if address > bounds.start { self.ends.remove(&address) } else { None };
        let upper = if end < bounds.end { self.starts.remove(&end) } else { None };
        let (below, above) = (lower.unwrap_or(NONE), upper.unwrap_or(NONE));
        let at = self.make(PoolBlock { address, size, below, above, previous: USED, next: NONE });
        match lower {
            Some(lower) => self.block_mut(lower).above = at,
            None => _ = self.starts.insert(address, at),
        }
        match upper {
            Some(upper) => self.block_mut(upper).below = at,
            None => _ = self.ends.insert(end, at),
        }
        self.total += size;
        self.settle(at);
    }

    /// Returns a free block for a request of `size` bytes.
    fn fitting(&self, size: usize) -> Option<u32> {
        let class = class_of(size / UNIT);
        let fits = |at: &u32| self.block(*at).size >= size;
        if let Some(at) = self.list(class).take(TRIES).find(fits) {
            return Some(at);
        }
        match self.classes.next_above(class) {
            Some(larger) => Some(self.classes.head(larger)),
            None => self.list(class).skip(TRIES).find(fits),
        }
    }

    /// Takes a block of `size` bytes into use, and returns its address.
    #[inline]
    pub(super) fn take(&mut self, size: usize) -> Option<usize> {
        let slot = waiting_slot(size);
        let at = self.waiting[slot];
        if at != NONE && self.block(at).size == size {
            self.waiting[slot] = NONE;
            self.block_mut(at).previous = USED;
            self.free -= size;
            self.in_use += 1;
            return Some(self.block(at).address);
        }
        self.carve(size)
    }

    fn carve(&mut self, size: usize) -> Option<usize> {
        let at = match self.fitting(size) {
            Some(at) => at,
            None if self.join_waiting() => self.fitting(size)?,
            None => return None,
        };
        self.unlink(at);
        if self.block(at).size > size {
            let rest = self.cut(at, size);
            self.link(rest);
        }
        let blocks = &self.blocks;
        self.used.insert(at, |at| blocks[at as usize].address);
        self.in_use += 1;
        Some(self.block(at).address)
    }

    /// Frees the block at `address`. Returns `false` if no block in use begins there.
    #[inline]
    pub(super) fn give(&mut self, address: usize) -> bool {
        let Some(at) = self.used.get(address, |at| self.block(at).address) else { return false };
        let PoolBlock { size, previous, .. } = *self.block(at);
        if previous == WAITING {
            return false;
        }
        self.in_use -= 1;
        self.free += size;
        self.block_mut(at).previous = WAITING;
        let before = std::mem::replace(&mut self.waiting[waiting_slot(size)], at);
        if before != NONE {
            self.release(before);
        }
        true
    }

    fn release(&mut self, at: u32) {
        let PoolBlock { address, size, .. } = *self.block(at);
        let blocks = &self.blocks;
        self.used.remove(address, |at| blocks[at as usize].address);
        self.free -= size;
        self.block_mut(at).previous = USED;
        self.settle(at);
    }

    /// Coalesces all waiting blocks with their free neighbors. Returns whether there were waiting blocks.
    #[cold]
    fn join_waiting(&mut self) -> bool {
        let mut any = false;
        for slot in 0..WAITING_SIZES {
            let at = std::mem::replace(&mut self.waiting[slot], NONE);
            if at != NONE {
                self.release(at);
                any = true;
            }
        }
        any
    }

    /// Removes all whole granules of free memory from the runs. Returns the address and the size of each removed range.
    pub(super) fn reclaim(&mut self, granules: impl Fn(usize, usize) -> Option<(usize, usize)>) -> Vec<(usize, usize)> {
        self.join_waiting();
        let mut found = Vec::new();
        let mut class = self.classes.last();
        let mut free: Vec<u32> = Vec::new();
        while let Some(at) = class {
            free.extend(self.list(at));
            class = (0..at).rev().find(|&lower| self.classes.head(lower) != NONE);
        }
        for at in free {
            let PoolBlock { address, size, .. } = *self.block(at);
            let Some((from, len)) = granules(address, size).filter(|&(_, len)| len > 0) else { continue };
            self.unlink(at);
            let mut middle = at;
            if from > address {
                middle = self.cut(at, from - address);
                self.link(at);
            }
            if from + len < address + size {
                let rest = self.cut(middle, len);
                self.link(rest);
            }
            self.detach(middle);
            found.push((from, len));
        }
        found
    }

    /// Removes a block from its run.
    fn detach(&mut self, at: u32) {
        let PoolBlock { address, size, below, above, .. } = *self.block(at);
        if below == NONE {
            self.starts.remove(&address);
        } else {
            self.block_mut(below).above = NONE;
            self.ends.insert(address, below);
        }
        if above == NONE {
            self.ends.remove(&(address + size));
        } else {
            self.block_mut(above).below = NONE;
            self.starts.insert(address + size, above);
        }
        self.total -= size;
        self.spare.push(at);
    }

    /// Iterates over all blocks, run by run and in the order of addresses. An item is the address, the size, and
    /// whether the block is in use.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, usize, bool)> + '_ {
        let some = |at: u32| (at != NONE).then_some(at);
        let runs = self.starts.values();
        runs.flat_map(move |&first| std::iter::successors(Some(first), move |&at| some(self.block(at).above))).map(
            |at| {
                let block = self.block(at);
                (block.address, block.size, block.previous == USED)
            },
        )
    }
}
