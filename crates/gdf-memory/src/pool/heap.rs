//! Heaps: the memory that one lane has, free in the order of its work.

use std::sync::Arc;

use gdf_driver::{Event, Lane, Stream};

use super::blocks::Blocks;
use super::lock::{Guard, Lock};
use crate::{MemoryResource, Result};

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
pub(super) struct State {
    pub(super) blocks: Blocks,
    /// In use as far as `blocks` knows.
    pub(super) pending: Vec<Pending>,
    /// Bytes handed out, in multiples of the unit.
    pub(super) used: usize,
    /// What buffers of this lane keep; see [`Keeper`](super::Keeper).
    pub(super) keeper: Option<Arc<dyn MemoryResource>>,
}

/// The memory of one lane.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Heap {
    pub(super) number: u16,
    /// For recording and waiting in the lane's order; none where all work is known to be done.
    alias: Option<Stream>,
    state: Lock<State>,
}

impl Heap {
    pub(super) fn new(number: u16, stream: &Stream) -> Self {
        let alias = matches!(stream.lane(), Lane::Queue(_)).then(|| stream.alias()).flatten();
        let state = State { blocks: Blocks::new(), pending: Vec::new(), used: 0, keeper: None };
        Self { number, alias, state: Lock::new(state) }
    }

    #[inline]
    pub(super) fn lock(&self) -> Guard<'_, State> {
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
        self.alias.as_ref().is_none_or(|alias| alias.is_idle().unwrap_or_else(|error| error.is_fatal()))
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
