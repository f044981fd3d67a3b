//! Lanes. Two streams are on the same lane if all their work together runs in one order.

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
    /// Work runs before the call that enqueues it returns. Therefore all enqueued work has already run.
    AtOnce,
    /// An order that continues until the process ends. The number is never 0. If streams have the same number, their
    /// work runs in the order in which it was enqueued, even if one stream was dropped before the other stream was
    /// created.
    Queue(u64),
    /// The stream belongs to other code, which may destroy the stream.
    Foreign,
}

impl Stream {
    /// Returns the lane of this stream.
    #[inline]
    pub fn lane(&self) -> Lane {
        match self.kind() {
            Kind::Eager => Lane::AtOnce,
            // Addresses of handles are even, so they differ from the odd numbers of deferred streams.
            Kind::Deferred(queue) if queue.is_kept() => Lane::Queue(self.id() * 2 + 1),
            Kind::Deferred(_) => Lane::Foreign,
            Kind::Cuda(cuda) if cuda.is_kept() => Lane::Queue(cuda.raw.0.addr() as u64),
            Kind::Cuda(_) => Lane::Foreign,
        }
    }

    /// Returns another stream on the same lane, for recording events and waiting. The returned stream does not prevent
    /// the recycling of `self`. The result is `None` for a stream that other code owns.
    pub fn alias(&self) -> Option<Stream> {
        match self.kind() {
            Kind::Eager => Some(self.clone()),
            Kind::Deferred(queue) => queue.is_kept().then(|| self.clone()),
            Kind::Cuda(cuda) => Some(self.with_handle(cuda.alias()?)),
        }
    }
}
