//! Going on after memory ran out: trim, spill, try again, and halve the input.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use gdf_driver::Device;

use crate::{MemoryError, Resource};

/// Errors that can say that memory ran out, so that freeing some and trying again may succeed.
pub trait RanOut {
    /// Bytes that were asked for when memory ran out (0 where that is not known); `None` for every other error.
    fn ran_out(&self) -> Option<usize>;
}

impl RanOut for MemoryError {
    fn ran_out(&self) -> Option<usize> {
        match self {
            Self::OutOfMemory { requested, .. } => Some(*requested),
            _ => self.is_out_of_memory().then_some(0),
        }
    }
}

/// Frees memory of a device: called with the bytes that were asked for, returns how many it freed. It is called on the
/// thread that ran out, with no lock held, and may use resources.
pub type SpillHook = Arc<dyn Fn(usize) -> usize + Send + Sync>;

static HOOKS: RwLock<Option<HashMap<Device, SpillHook>>> = RwLock::new(None);

/// Registers what [`retry`] and [`split`] call when memory of `device` is out; returns what was registered before. `None`
/// registers nothing.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use std::sync::Arc;
/// use gdf::Device;
/// use gdf::memory::set_spill_hook;
///
/// let before = set_spill_hook(Device::Cpu, Some(Arc::new(|_bytes| 0)));
/// set_spill_hook(Device::Cpu, before);
/// ```
pub fn set_spill_hook(device: Device, hook: Option<SpillHook>) -> Option<SpillHook> {
    let mut hooks = HOOKS.write().unwrap_or_else(PoisonError::into_inner);
    let hooks = hooks.get_or_insert_default();
    match hook {
        Some(hook) => hooks.insert(device, hook),
        None => hooks.remove(&device),
    }
}

fn spill_hook(device: Device) -> Option<SpillHook> {
    HOOKS.read().unwrap_or_else(PoisonError::into_inner).as_ref()?.get(&device).cloned()
}

/// Runs `run`. When memory runs out, trims `resource`, calls the registered spill hook where that freed less than was asked
/// for, and runs again; then calls the hook as long as that frees something, and runs again after each call; in all at
/// most `attempts` times.
///
/// `run` must leave nothing behind that it would trip over, as operations do.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{Buffer, HostResource, LimitingResource, Resource, retry};
///
/// let resource = Resource::new(LimitingResource::new(Resource::new(HostResource::new()), 1024));
/// let stream = Stream::cpu();
/// assert!(retry(&resource, 3, || Buffer::zeroed(1000, &stream, resource.as_ref())).is_ok());
/// assert!(retry(&resource, 3, || Buffer::zeroed(2000, &stream, resource.as_ref())).is_err());
/// ```
///
/// # Errors
/// The last error of `run`; the first that is not for lack of memory.
pub fn retry<T, E: RanOut>(
    resource: &Resource,
    attempts: usize,
    mut run: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    let mut failures = 0;
    loop {
        let error = match run() {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        failures += 1;
        let Some(requested) = error.ran_out().filter(|_| failures < attempts) else { return Err(error) };
        let trimmed = if failures == 1 { resource.trim() } else { 0 };
        let spilled = if trimmed < requested.max(1) {
            spill_hook(resource.device()).map_or(0, |hook| hook(requested.saturating_sub(trimmed)))
        } else {
            0
        };
        tracing::debug!(requested, trimmed, spilled, failures, "out of memory: trying again");
        if failures > 1 && spilled == 0 {
            return Err(error);
        }
    }
}

/// How far [`split`] goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitBounds {
    /// How often each piece is tried before it is halved; see [`retry`].
    pub attempts: usize,
    /// Pieces of this many rows are not halved any more.
    pub least_rows: usize,
}

impl Default for SplitBounds {
    fn default() -> Self {
        Self { attempts: 2, least_rows: 1024 }
    }
}

/// Runs `run` over `0..rows` in as few pieces as memory allows, in order: on all of it; when memory runs out in spite of
/// [`retry`], on halves, and from then on with pieces of the size that went well.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{Buffer, HostResource, LimitingResource, Resource, SplitBounds, split};
///
/// let resource = Resource::new(LimitingResource::new(Resource::new(HostResource::new()), 1024));
/// let (stream, bounds) = (Stream::cpu(), SplitBounds { attempts: 1, least_rows: 1 });
/// let sizes = split(&resource, 3000, bounds, |rows| {
///     Buffer::zeroed(rows.len(), &stream, resource.as_ref()).map(|scratch| scratch.len())
/// })?;
/// assert_eq!(sizes, [750; 4]);
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
///
/// # Errors
/// The error of a piece that cannot be halved any more; the first error that is not for lack of memory.
pub fn split<T, E: RanOut>(
    resource: &Resource,
    rows: usize,
    bounds: SplitBounds,
    mut run: impl FnMut(Range<usize>) -> Result<T, E>,
) -> Result<Vec<T>, E> {
    let (mut done, mut step, mut results) = (0, rows, Vec::new());
    while done < rows || results.is_empty() {
        let piece = done..rows.min(done.saturating_add(step));
        let (len, end) = (piece.len(), piece.end);
        match retry(resource, bounds.attempts, || run(piece.clone())) {
            Ok(value) => {
                results.push(value);
                done = end;
            }
            Err(error) if error.ran_out().is_some() && len > bounds.least_rows.max(1) => {
                step = len.div_ceil(2);
                tracing::debug!(rows = len, step, "out of memory: halving the input");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(results)
}
