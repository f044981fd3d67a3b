//! Heaps.

use std::sync::Arc;

use gdf_driver::{Event, Lane, Stream};

use super::Keeper;
use super::blocks::Blocks;
use super::lock::{Guard, Lock};
use crate::Result;

#[derive(Debug)]
pub(super) struct Pending {
    pub(super) address: usize,
    /// The bit of the heap of the lane on which the block was freed; see [`Heap::bit`]. The value is 0 if that stream
    /// has no heap of its own.
    pub(super) after: u64,
    /// The end of the work of the stream that freed the block, if that stream has no heap of its own.
    pub(super) event: Option<Event>,
}

#[derive(Debug)]
pub(super) struct HeapState {
    pub(super) blocks: Blocks,
    /// Blocks that were freed on other lanes.
    pub(super) pending: Vec<Pending>,
    /// The number of allocated bytes.
    pub(super) used: usize,
    /// The handles that buffers of the lane hold; see [`Keeper`](super::Keeper).
    pub(super) keepers: Keepers,
}

/// Handles that are given to buffers together with blocks.
#[derive(Debug, Default)]
pub(super) struct Keepers {
    /// Clones of one handle.
    handles: Vec<Arc<Keeper>>,
    /// Whether the last clone of the pool was dropped.
    ended: bool,
}

/// The maximum number of handles that a heap stores for reuse.
const MAX_HANDLES: usize = 64;

impl Keepers {
    #[inline]
    pub(super) fn take(&mut self, make: impl FnOnce() -> Keeper) -> Arc<Keeper> {
        if self.handles.len() > 1
            && let Some(handle) = self.handles.pop()
        {
            return handle;
        }
        if self.ended {
            return Arc::new(make());
        }
        if self.handles.is_empty() {
            self.handles.push(Arc::new(make()));
        }
        Arc::clone(&self.handles[0])
    }

    /// Returns whether `handle` is a clone of the first handle, and whether the heap may store another handle.
    #[inline]
    pub(super) fn has_capacity(&self, handle: &Arc<Keeper>) -> bool {
        self.handles.len() < MAX_HANDLES && self.handles.first().is_some_and(|first| Arc::ptr_eq(first, handle))
    }

    #[inline]
    pub(super) fn give(&mut self, handle: Arc<Keeper>) {
        self.handles.push(handle);
    }

    /// Removes and returns all handles.
    pub(super) fn end(&mut self) -> Vec<Arc<Keeper>> {
        self.ended = true;
        std::mem::take(&mut self.handles)
    }
}

#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Heap {
    pub(super) number: u16,
    /// An alias of the lane's stream. `None` for [`Lane::AtOnce`], and for the heap of streams without a heap of their
    /// own.
    alias: Option<Stream>,
    state: Lock<HeapState>,
}

impl Heap {
    pub(super) fn new(number: u16, stream: &Stream) -> Self {
        let alias = matches!(stream.lane(), Lane::Queue(_)).then(|| stream.alias()).flatten();
        let state = HeapState { blocks: Blocks::new(), pending: Vec::new(), used: 0, keepers: Keepers::default() };
        Self { number, alias, state: Lock::new(state) }
    }

    #[inline]
    pub(super) fn lock(&self) -> Guard<'_, HeapState> {
        self.state.lock()
    }

    /// Returns the bit that represents this heap in a set of heaps. Heaps whose numbers are equal modulo 64 share a
    /// bit. A wait for one of these heaps therefore also waits for the other heaps with the same bit.
    pub(super) fn bit(&self) -> u64 {
        1 << (self.number % 64)
    }

    pub(super) fn alias(&self) -> Option<&Stream> {
        self.alias.as_ref()
    }

    /// Returns whether a stream of this lane can wait for another stream on the device. If not, the calling thread must
    /// block.
    pub(super) fn waits_alone(&self) -> bool {
        self.alias.is_some()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.alias.as_ref().is_none_or(Stream::is_over)
    }

    pub(super) fn settle(&self) -> Result<()> {
        match self.alias.as_ref().map_or(Ok(()), Stream::synchronize) {
            Err(error) if error.is_fatal() => Ok(()),
            outcome => Ok(outcome?),
        }
    }

    /// Makes `stream` wait for all earlier work of the heap `other`. Only work that is enqueued on `stream` after the
    /// call waits. `stream` must belong to the lane of this heap. If [`waits_alone`](Self::waits_alone) is false, the
    /// calling thread waits instead of the stream.
    pub(super) fn order_after(&self, other: &Heap, stream: &Stream) -> Result<()> {
        let Some(alias) = other.alias() else { return Ok(()) };
        if self.number == other.number || other.is_idle() {
            return Ok(());
        }
        match alias.record() {
            Err(error) if error.is_fatal() => Ok(()),
            event => self.follow(&event?, stream),
        }
    }

    /// Makes `stream` wait for `event`; see [`order_after`](Self::order_after).
    pub(super) fn follow(&self, event: &Event, stream: &Stream) -> Result<()> {
        let outcome = if self.waits_alone() { stream.wait(event) } else { event.synchronize() };
        let outcome = match outcome {
            // One of the two devices is lost. The event may belong to the other device, so the calling thread waits for
            // the event.
            Err(error) if error.is_fatal() => event.synchronize(),
            outcome => outcome,
        };
        match outcome {
            Err(error) if error.is_fatal() => Ok(()),
            outcome => Ok(outcome?),
        }
    }
}
