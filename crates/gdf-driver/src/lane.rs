//! Lanes. Two streams are on the same lane if their work runs in one common order. Memory pools need this
//! information.
//!
//! A pool keeps freed memory in the order of the stream on which the memory was freed, and keeps the memory longer
//! than the stream lives. The pool must not keep the stream alive, because a stream is recycled when its last clone is
//! dropped. The pool only needs the order. When a stream is recycled, the order of the stream continues with the next
//! owner.

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
    /// The call that enqueues work runs the work before the call returns. So all enqueued work has already run.
    AtOnce,
    /// An order that continues for the life of the process. The number is never 0. Work of streams with the same
    /// number runs in the order of enqueueing, even if one stream was dropped before the other stream was created.
    Queue(u64),
    /// The order of a stream that other code owns and may destroy.
    Foreign,
}

impl Stream {
    /// Returns the lane of this stream.
    #[inline]
    pub fn lane(&self) -> Lane {
        match self.kind() {
            Kind::Eager => Lane::AtOnce,
            // Addresses of handles are even, so an odd number never equals the number of a CUDA stream.
            Kind::Deferred(queue) if queue.is_kept() => Lane::Queue(self.id() * 2 + 1),
            Kind::Deferred(_) => Lane::Foreign,
            Kind::Cuda(cuda) if cuda.is_kept() => Lane::Queue(cuda.raw.0.addr() as u64),
            Kind::Cuda(_) => Lane::Foreign,
        }
    }

    /// Returns another stream on the same lane, for recording and waiting. The returned stream does not keep `self`
    /// from being recycled. The result is `None` for a stream that other code owns.
    pub fn alias(&self) -> Option<Stream> {
        match self.kind() {
            Kind::Eager => Some(self.clone()),
            Kind::Deferred(queue) => queue.is_kept().then(|| self.clone()),
            Kind::Cuda(cuda) => Some(self.with_handle(cuda.alias()?)),
        }
    }
}
