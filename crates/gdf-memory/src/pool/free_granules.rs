//! The granules of memory from the upstream: the owner of each granule, and the free granules.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicU16, Ordering};

/// The owner number that means that no heap owns the granule.
pub(super) const UNOWNED: u16 = u16::MAX;

/// One allocation from the upstream, or the address range of a virtual-memory pool.
#[derive(Debug)]
pub(super) struct Region {
    pub(super) range: Range<usize>,
    granule: usize,
    /// The number of the owning heap, one entry per granule.
    owners: Box<[AtomicU16]>,
}

impl Region {
    pub(super) fn new(base: usize, size: usize, granule: usize) -> Self {
        let owners = (0..size / granule).map(|_| AtomicU16::new(UNOWNED)).collect();
        Self { range: base..base + size, granule, owners }
    }

    /// Returns the number of the heap that owns the granule at `address`, or `UNOWNED`.
    pub(super) fn owner(&self, address: usize) -> u16 {
        let at = (address - self.range.start) / self.granule;
        // A relaxed load suffices. A thread frees a block only after it has received the block, and the owner was
        // stored before.
        self.owners.get(at).map_or(UNOWNED, |owner| owner.load(Ordering::Relaxed))
    }

    pub(super) fn set_owner(&self, address: usize, size: usize, owner: u16) {
        let first = (address - self.range.start) / self.granule;
        for at in &self.owners[first..first + size / self.granule] {
            at.store(owner, Ordering::Relaxed);
        }
    }

    /// Returns the whole granules within a range of addresses, as their first address and their total size. Returns
    /// `None` if there are none.
    pub(super) fn granules(&self, address: usize, size: usize) -> Option<(usize, usize)> {
        let base = self.range.start;
        let from = base + (address - base).next_multiple_of(self.granule);
        let to = base + (address + size - base) / self.granule * self.granule;
        (from < to).then(|| (from, to - from))
    }
}

/// Adjacent free granules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) address: usize,
    pub(super) size: usize,
    pub(super) after: u64,
}

/// The granules that no heap owns.
#[derive(Debug, Default)]
pub(super) struct FreeGranules {
    spans: BTreeMap<usize, Span>,
    sizes: BTreeSet<(usize, usize)>,
    free: usize,
}

impl FreeGranules {
    pub(super) fn free(&self) -> usize {
        self.free
    }

    pub(super) fn largest(&self) -> usize {
        self.sizes.last().map_or(0, |&(size, _)| size)
    }

    pub(super) fn spans(&self) -> impl Iterator<Item = &Span> {
        self.spans.values()
    }

    fn remove(&mut self, address: usize) -> Option<Span> {
        let span = self.spans.remove(&address)?;
        self.sizes.remove(&(span.size, span.address));
        self.free -= span.size;
        Some(span)
    }

    fn insert(&mut self, span: Span) {
        self.spans.insert(span.address, span);
        self.sizes.insert((span.size, span.address));
        self.free += span.size;
    }

    /// Adds a span.
    pub(super) fn put(&mut self, mut span: Span, bounds: &Range<usize>) {
        let lower = self.spans.range(..span.address).next_back().map(|(_, lower)| *lower);
        if let Some(lower) = lower.filter(|lower| lower.address + lower.size == span.address)
            && span.address > bounds.start
        {
            self.remove(lower.address);
            span = Span { address: lower.address, size: lower.size + span.size, after: lower.after | span.after };
        }
        let end = span.address + span.size;
        if end < bounds.end
            && let Some(upper) = self.remove(end)
        {
            span = Span { size: span.size + upper.size, after: upper.after | span.after, ..span };
        }
        self.insert(span);
    }

    /// Takes `requested` bytes from the smallest sufficiently large span. If no span is large enough, takes the largest
    /// span, provided that it has at least `min` bytes.
    pub(super) fn take(&mut self, min: usize, requested: usize) -> Option<Span> {
        let fitting = self.sizes.range((requested, 0)..).next().map(|&(_, address)| (address, requested));
        let (address, size) = fitting.or_else(|| {
            let &(size, address) = self.sizes.last()?;
            (size >= min).then_some((address, size))
        })?;
        let span = self.remove(address)?;
        if span.size > size {
            self.insert(Span { address: address + size, size: span.size - size, after: span.after });
        }
        Some(Span { size, ..span })
    }

    pub(super) fn take_all(&mut self) -> Vec<Span> {
        let spans = std::mem::take(self).spans;
        spans.into_values().collect()
    }

    /// If one span covers the whole of `range`, removes the span and returns it.
    pub(super) fn take_whole(&mut self, range: &Range<usize>) -> Option<Span> {
        let whole = self.spans.get(&range.start).is_some_and(|span| span.size == range.len());
        whole.then(|| self.remove(range.start)).flatten()
    }
}
