//! Lanes: which streams run their work in one order, as a memory pool has to know it.
//!
//! A pool keeps memory in the order in which it was given back, longer than the stream that it was given back on. It
//! must not keep the stream for that: a stream is recycled when its last clone goes. What the pool needs is the order,
//! which for a recycled stream goes on with its next owner.

use crate::stream::{Kind, Stream};

/// The lane of a stream: the order in which the stream's work runs.
///
/// ```
/// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
/// use gdf::{driver::Lane, Stream};
/// assert_eq!(Stream::cpu().lane(), Lane::AtOnce);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lane {
    /// Work runs before the call that enqueues it returns. So all enqueued work has run.
    AtOnce,
    /// An order that goes on for the life of the process: work of streams with the same number, which is never 0, runs
    /// in the order of enqueueing, also when one is gone and the other new.
    Queue(u64),
    /// The order of a stream that other code owns and may destroy.
    Foreign,
}

impl Stream {
    /// The lane of this stream.
    #[inline]
    pub fn lane(&self) -> Lane {
        match self.kind() {
            Kind::Eager => Lane::AtOnce,
            // Addresses of handles are even.
            Kind::Deferred(queue) if queue.is_kept() => Lane::Queue(self.id() * 2 + 1),
            Kind::Deferred(_) => Lane::Foreign,
            Kind::Cuda(cuda) if cuda.is_kept() => Lane::Queue(cuda.raw.0.addr() as u64),
            Kind::Cuda(_) => Lane::Foreign,
        }
    }

    /// Another stream on the same lane, for recording and waiting, that does not keep this one from being recycled.
    /// `None` for a stream that other code owns.
    pub fn alias(&self) -> Option<Stream> {
        match self.kind() {
            Kind::Eager => Some(self.clone()),
            Kind::Deferred(queue) => queue.is_kept().then(|| self.clone()),
            Kind::Cuda(cuda) => Some(self.with_handle(cuda.alias()?)),
        }
    }
}
