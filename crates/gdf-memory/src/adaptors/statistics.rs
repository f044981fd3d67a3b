//! Counts of bytes and blocks (RMM's `statistics_resource_adaptor`).

use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gdf_driver::Stream;

use super::around::{Around, Request, adaptor};
use crate::{Resource, Result};

/// One number over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// Now. Below zero when more was given back than taken since the counter began.
    pub current: i64,
    /// The most at once.
    pub peak: i64,
    /// All that was ever added.
    pub total: i64,
}

impl Counter {
    fn add(&mut self, amount: i64) {
        self.current += amount;
        self.total += amount;
        self.peak = self.peak.max(self.current);
    }

    fn subtract(&mut self, amount: i64) {
        self.current -= amount;
    }

    /// Takes in what an inner counter saw.
    fn absorb(&mut self, inner: &Counter) {
        self.peak = self.peak.max(self.current + inner.peak);
        self.current += inner.current;
        self.total += inner.total;
    }
}

/// What was allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Bytes, as asked for.
    pub bytes: Counter,
    /// Blocks.
    pub allocations: Counter,
}

/// Counts what passes: now, at most and in all. Counters can be nested to measure a part of a program. Clones share them.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{Buffer, HostResource, Resource, StatisticsResource};
///
/// let (stream, counted) = (Stream::cpu(), StatisticsResource::new(Resource::new(HostResource::new())));
/// let resource = Resource::new(counted.clone());
/// let kept = Buffer::zeroed(1024, &stream, resource.as_ref())?;
/// counted.push();
/// drop(Buffer::zeroed(4096, &stream, resource.as_ref())?);
/// let inner = counted.pop();
/// assert_eq!(inner.map(|inner| (inner.bytes.current, inner.bytes.peak)), Some((0, 4096)));
/// assert_eq!(counted.statistics().bytes.peak, 5120);
/// # drop(kept);
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct StatisticsResource {
    upstream: Resource,
    /// The innermost last; never empty.
    levels: Arc<Mutex<Vec<Statistics>>>,
}

impl StatisticsResource {
    /// Counts what is allocated from `upstream`.
    pub fn new(upstream: Resource) -> Self {
        Self { upstream, levels: Arc::new(Mutex::new(vec![Statistics::default()])) }
    }

    fn levels(&self) -> MutexGuard<'_, Vec<Statistics>> {
        self.levels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The innermost counters.
    pub fn statistics(&self) -> Statistics {
        self.levels().last().copied().unwrap_or_default()
    }

    /// Begins new counters at zero (RMM's `push_counters`).
    pub fn push(&self) {
        self.levels().push(Statistics::default());
    }

    /// Ends the innermost counters and adds what they saw to the ones before (RMM's `pop_counters`); `None` when none
    /// were pushed.
    pub fn pop(&self) -> Option<Statistics> {
        let mut levels = self.levels();
        if levels.len() < 2 {
            return None;
        }
        let inner = levels.pop()?;
        if let Some(outer) = levels.last_mut() {
            outer.bytes.absorb(&inner.bytes);
            outer.allocations.absorb(&inner.allocations);
        }
        Some(inner)
    }
}

impl Around for StatisticsResource {
    const NAME: &'static str = "statistics";

    fn upstream(&self) -> &Resource {
        &self.upstream
    }

    fn on_allocate(&self, request: Request<'_>) -> Result<NonNull<u8>> {
        let ptr = request.ask(&self.upstream)?;
        if let Some(level) = self.levels().last_mut() {
            level.bytes.add(request.bytes as i64);
            level.allocations.add(1);
        }
        Ok(ptr)
    }

    fn on_deallocate(&self, _ptr: NonNull<u8>, bytes: usize, _stream: Option<&Stream>) {
        if let Some(level) = self.levels().last_mut() {
            level.bytes.subtract(bytes as i64);
            level.allocations.subtract(1);
        }
    }
}

adaptor!(StatisticsResource);
