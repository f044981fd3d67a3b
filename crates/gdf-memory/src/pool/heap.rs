//! Heaps: the memory that one lane has, free in the order of its work.

use std::sync::Arc;

use gdf_driver::{Event, Lane, Stream};

use super::Keeper;
use super::blocks::Blocks;
use super::lock::{Guard, Lock};
use crate::Result;

/// A block of a heap that was given back on a stream of another lane.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) address: usize,
    /// The lane's heap, as [`Heap::bit`].
    pub(super) after: u64,
    /// The end of the work of a stream without a heap of its own.
    pub(super) event: Option<Event>,
}

#[derive(Debug)]
pub(super) struct HeapState {
    pub(super) blocks: Blocks,
    /// In use as far as `blocks` knows.
    pub(super) pending: Vec<Pending>,
    /// Bytes handed out, in multiples of the unit.
    pub(super) used: usize,
    /// What buffers of this lane keep; see [`Keeper`](super::Keeper).
    pub(super) keepers: Keepers,
}

/// Handles to hand out with blocks, counted under the heap's lock as far as they come back here.
#[derive(Debug, Default)]
pub(super) struct Keepers {
    /// All of one: the first stays, the others were given back.
    handles: Vec<Arc<Keeper>>,
    /// The pool is gone but for its buffers, which are to end it.
    ended: bool,
}

/// So many handles at most wait for their next block.
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

    /// Whether a handle can be given back here.
    #[inline]
    pub(super) fn has_capacity(&self, handle: &Arc<Keeper>) -> bool {
        self.handles.len() < MAX_HANDLES && self.handles.first().is_some_and(|first| Arc::ptr_eq(first, handle))
    }

    #[inline]
    pub(super) fn give(&mut self, handle: Arc<Keeper>) {
        self.handles.push(handle);
    }

    /// Takes all out, for good.
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
    /// For recording and waiting in the lane's order; none where all work is known to be done.
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

    /// Stands for this heap, and for every 64th other one, in sets of heaps to wait for.
    pub(super) fn bit(&self) -> u64 {
        1 << (self.number % 64)
    }

    pub(super) fn alias(&self) -> Option<&Stream> {
        self.alias.as_ref()
    }

    /// Whether streams of this lane can wait for others without a thread that waits.
    pub(super) fn waits_alone(&self) -> bool {
        self.alias.is_some()
    }

    /// Whether all work of the lane is done.
    pub(super) fn is_idle(&self) -> bool {
        self.alias.as_ref().is_none_or(Stream::is_over)
    }

    /// Waits, on the calling thread, until all work of the lane is done.
    pub(super) fn settle(&self) -> Result<()> {
        match self.alias.as_ref().map_or(Ok(()), Stream::synchronize) {
            Err(error) if error.is_fatal() => Ok(()),
            outcome => Ok(outcome?),
        }
    }

    /// Makes what is enqueued on `stream`, of the lane of `self`, run after all work of `other` until now. For heaps
    /// whose blocks are usable at once, the calling thread waits.
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

    /// Makes what is enqueued on `stream`, of the lane of `self`, run after `event`; see [`order_after`](Self::order_after).
    pub(super) fn follow(&self, event: &Event, stream: &Stream) -> Result<()> {
        let outcome = if self.waits_alone() { stream.wait(event) } else { event.synchronize() };
        let outcome = match outcome {
            // One of two devices is lost. Work of the other one can be waited for here.
            Err(error) if error.is_fatal() => event.synchronize(),
            outcome => outcome,
        };
        match outcome {
            Err(error) if error.is_fatal() => Ok(()),
            outcome => Ok(outcome?),
        }
    }
}
