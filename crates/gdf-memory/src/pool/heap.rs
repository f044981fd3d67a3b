//! Heaps. A heap is the memory of one lane. Free blocks of a heap are available in the order of the work of the lane.

use std::sync::Arc;

use gdf_driver::{Event, Lane, Stream};

use super::Keeper;
use super::blocks::Blocks;
use super::lock::{Guard, Lock};
use crate::Result;

/// A block of a heap that was freed on a stream of another lane.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) address: usize,
    /// The bit of the heap of the other lane; see [`Heap::bit`]. The value is 0 if `event` marks the end of the use.
    pub(super) after: u64,
    /// The end of the work of a stream that has no heap of its own.
    pub(super) event: Option<Event>,
}

#[derive(Debug)]
pub(super) struct HeapState {
    pub(super) blocks: Blocks,
    /// Blocks that were freed on other lanes. In `blocks`, these blocks are still in use.
    pub(super) pending: Vec<Pending>,
    /// The number of allocated bytes. Each block counts with its size rounded up to `UNIT`.
    pub(super) used: usize,
    /// The handles that buffers of the lane hold; see [`Keeper`](super::Keeper).
    pub(super) keepers: Keepers,
}

/// Handles that are given to buffers together with blocks. Returned handles are reused under the lock of the heap, so
/// reuse needs no change of the atomic reference count.
#[derive(Debug, Default)]
pub(super) struct Keepers {
    /// Clones of one handle. The first clone always stays. The other clones were returned by buffers.
    handles: Vec<Arc<Keeper>>,
    /// Whether the last clone of the pool was dropped. The last buffer then drops the engine.
    ended: bool,
}

/// The maximum number of handles that a heap keeps for reuse.
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

    /// Returns whether `handle` is a clone of the first handle and may be kept here.
    #[inline]
    pub(super) fn has_capacity(&self, handle: &Arc<Keeper>) -> bool {
        self.handles.len() < MAX_HANDLES && self.handles.first().is_some_and(|first| Arc::ptr_eq(first, handle))
    }

    #[inline]
    pub(super) fn give(&mut self, handle: Arc<Keeper>) {
        self.handles.push(handle);
    }

    /// Removes and returns all handles. No handle is kept afterwards.
    pub(super) fn end(&mut self) -> Vec<Arc<Keeper>> {
        self.ended = true;
        std::mem::take(&mut self.handles)
    }
}

/// The memory of one lane.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Heap {
    pub(super) number: u16,
    /// A stream for recording and waiting in the order of the lane. The value is `None` for lanes whose blocks become
    /// free only after all work has completed.
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

    /// Returns the bit of this heap in a set of heaps to wait for. Heaps whose numbers are equal modulo 64 share a
    /// bit.
    pub(super) fn bit(&self) -> u64 {
        1 << (self.number % 64)
    }

    pub(super) fn alias(&self) -> Option<&Stream> {
        self.alias.as_ref()
    }

    /// Returns whether a stream of this lane waits for other streams on the device, without blocking the calling
    /// thread.
    pub(super) fn waits_alone(&self) -> bool {
        self.alias.is_some()
    }

    /// Returns whether all work of the lane has completed.
    pub(super) fn is_idle(&self) -> bool {
        self.alias.as_ref().is_none_or(Stream::is_over)
    }

    /// Blocks the calling thread until all work of the lane has completed.
    pub(super) fn settle(&self) -> Result<()> {
        match self.alias.as_ref().map_or(Ok(()), Stream::synchronize) {
            Err(error) if error.is_fatal() => Ok(()),
            outcome => Ok(outcome?),
        }
    }

    /// Makes work that is enqueued on `stream` after the call run after all earlier work of `other`. `stream` belongs
    /// to the lane of `self`. If [`waits_alone`](Self::waits_alone) is false, the calling thread waits instead.
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

    /// Makes work that is enqueued on `stream` after the call run after `event`, as
    /// [`order_after`](Self::order_after) does for the work of a heap.
    pub(super) fn follow(&self, event: &Event, stream: &Stream) -> Result<()> {
        let outcome = if self.waits_alone() { stream.wait(event) } else { event.synchronize() };
        let outcome = match outcome {
            // One of the two devices is lost. The calling thread waits here for work of the other device.
            Err(error) if error.is_fatal() => event.synchronize(),
            outcome => outcome,
        };
        match outcome {
            Err(error) if error.is_fatal() => Ok(()),
            outcome => Ok(outcome?),
        }
    }
}
