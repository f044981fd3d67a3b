//! An adaptor that counts bytes and blocks (RMM's `statistics_resource_adaptor`).

use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::around::{Around, Request, adaptor};
use crate::{Resource, Result};

/// The current value, the largest value and the sum of all additions of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// The current value. The value is negative if, since the start of the counter, more was freed than allocated.
    pub current: i64,
    /// The largest value of `current` so far.
    pub peak: i64,
    /// The sum of all additions.
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

    /// Adds the counts of a nested counter that has ended.
    fn absorb(&mut self, inner: &Counter) {
        self.peak = self.peak.max(self.current + inner.peak);
        self.current += inner.current;
        self.total += inner.total;
    }
}

/// The counts of allocations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of requested bytes.
    pub bytes: Counter,
    /// The number of blocks.
    pub allocations: Counter,
}

/// Counts bytes and blocks. For each, the resource counts the current number, the peak and the total. To measure a part
/// of a program, push nested counters before that part and pop them after that part. Clones share the counters.
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
    /// The nested counters. The innermost counters are the last element. The list always has at least one element.
    levels: Arc<Mutex<Vec<Statistics>>>,
}

impl StatisticsResource {
    /// Makes an adaptor that counts the allocations from `upstream`.
    pub fn new(upstream: Resource) -> Self {
        Self { upstream, levels: Arc::new(Mutex::new(vec![Statistics::default()])) }
    }

    fn levels(&self) -> MutexGuard<'_, Vec<Statistics>> {
        self.levels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the innermost counters.
    pub fn statistics(&self) -> Statistics {
        self.levels().last().copied().unwrap_or_default()
    }

    /// Starts new innermost counters, which begin at zero (RMM's `push_counters`).
    pub fn push(&self) {
        self.levels().push(Statistics::default());
    }

    /// Ends the innermost counters and returns them (RMM's `pop_counters`). Their counts are added to the enclosing
    /// counters. Returns `None` if no counters were pushed.
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

    fn after_deallocate(&self, bytes: usize) {
        if let Some(level) = self.levels().last_mut() {
            level.bytes.subtract(bytes as i64);
            level.allocations.subtract(1);
        }
    }
}

adaptor!(pub StatisticsResource);
