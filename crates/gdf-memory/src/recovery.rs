//! Recovery from out-of-memory errors: trim, spill, retry, and split the input.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use gdf_driver::Device;

use crate::{MemoryError, Resource};

/// An error that may mean that memory ran out. In that case, the caller can free memory and retry.
pub trait RanOut {
    /// Returns the number of requested bytes if memory ran out. The result is 0 if memory ran out and the number is
    /// unknown. The result is `None` for all other errors.
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

/// A function that frees memory of a device. The argument is the number of requested bytes, and the result is the
/// number of freed bytes. The hook runs on the thread that ran out of memory. No lock is held, so the hook may use
/// resources.
pub type SpillHook = Arc<dyn Fn(usize) -> usize + Send + Sync>;

static HOOKS: RwLock<Option<HashMap<Device, SpillHook>>> = RwLock::new(None);

/// Registers a hook for `device`. If the device runs out of memory, [`retry`] and [`split`] call the hook. `None`
/// removes the hook. Returns the previous hook.
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

/// Runs `run`, and runs it again if memory ran out. The function makes at most `attempts` attempts.
///
/// * After the first failure, the function trims `resource`. If the trim freed fewer bytes than requested, the
///   function also calls the registered spill hook.
/// * After each later failure, the function calls the spill hook.
/// * If the trim or the hook freed memory, the function runs `run` again. Otherwise nothing has changed, and the
///   function returns the error.
///
/// If `run` fails, it must leave no state that would make the next attempt fail. Operations of this library meet this
/// requirement.
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
/// * The last error of `run`, if no attempt succeeded.
/// * The first error of `run` that is not an out-of-memory error.
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
        if trimmed == 0 && spilled == 0 {
            return Err(error);
        }
        tracing::debug!(requested, trimmed, spilled, failures, "out of memory: trying again");
    }
}

/// The limits for the attempts and the pieces of [`split`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitBounds {
    /// The maximum number of attempts for a piece; see [`retry`]. After that many failures, the piece is halved.
    pub attempts: usize,
    /// A piece of at most this number of rows is not halved.
    pub least_rows: usize,
}

impl Default for SplitBounds {
    fn default() -> Self {
        Self { attempts: 2, least_rows: 1024 }
    }
}

/// Runs `run` for the rows `0..rows` in order, in as few pieces as memory allows. The first piece contains all rows. If
/// all attempts of [`retry`] for a piece run out of memory, the piece is halved. All later pieces have the first size
/// that succeeded.
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
/// * The out-of-memory error of a piece that cannot be halved.
/// * The first error that is not an out-of-memory error.
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
