//! The options of gdf in a session, and the counts of what the session did.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gdf_driver::Device;

/// What happens when an island fails while it runs.
///
/// Nodes that gdf does not cover are no failures: they stay DataFusion's under every policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// The query fails with the error of gdf.
    Forbidden,
    /// DataFusion runs the original nodes of the island, and the fallback is counted.
    Allowed,
    /// As [`Allowed`](Self::Allowed), and a warning of `tracing` says why.
    #[default]
    Warned,
}

/// The options of gdf in a session. Clones share their counts.
///
/// ```
/// use gdf_datafusion::{Fallback, GdfOptions};
///
/// let options = GdfOptions::default().with_fallback(Fallback::Forbidden).with_verify(true);
/// assert!(options.device().is_cpu());
/// assert_eq!(options.counts().islands, 0);
/// ```
#[derive(Clone, Debug)]
pub struct GdfOptions {
    device: Device,
    fallback: Fallback,
    verify: bool,
    memory_limit: Option<usize>,
    counters: Arc<Counters>,
}

/// The CPU, fallbacks with warnings, no second run, and no limit.
impl Default for GdfOptions {
    fn default() -> Self {
        GdfOptions::on(Device::Cpu)
    }
}

impl GdfOptions {
    /// Returns options for a device: the CPU, or a CUDA device if the crate is built with feature `cuda`.
    pub fn on(device: Device) -> GdfOptions {
        GdfOptions {
            device,
            fallback: Fallback::default(),
            verify: false,
            memory_limit: None,
            counters: Arc::default(),
        }
    }

    /// Sets what happens when an island fails while it runs.
    #[must_use]
    pub fn with_fallback(self, fallback: Fallback) -> GdfOptions {
        GdfOptions { fallback, ..self }
    }

    /// Sets whether DataFusion also runs each island, and whether the query fails if the rows differ.
    ///
    /// Rows are compared without their order, and floats to 1e-9 of their size. Of an island with a limit only the
    /// number of rows is compared, because ties may be cut in any way.
    #[must_use]
    pub fn with_verify(self, verify: bool) -> GdfOptions {
        GdfOptions { verify, ..self }
    }

    /// Sets how many bytes of the device one island may hold at a time. An island that needs more fails with
    /// `OutOfMemory`, which the [`Fallback`] policy then treats. Columns of a [`GdfTable`](crate::GdfTable) do not
    /// count.
    #[must_use]
    pub fn with_memory_limit(self, bytes: usize) -> GdfOptions {
        GdfOptions { memory_limit: Some(bytes), ..self }
    }

    /// Returns the device.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns what happens when an island fails while it runs.
    pub fn fallback(&self) -> Fallback {
        self.fallback
    }

    /// Returns whether DataFusion also runs each island.
    pub fn verify(&self) -> bool {
        self.verify
    }

    /// Returns how many bytes of the device one island may hold at a time.
    pub fn memory_limit(&self) -> Option<usize> {
        self.memory_limit
    }

    /// Returns what has happened so far in all sessions that have a clone of these options.
    pub fn counts(&self) -> Counts {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            islands: of(&self.counters.islands),
            fallbacks: of(&self.counters.fallbacks),
            verified: of(&self.counters.verified),
        }
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }
}

/// How often something has happened; [`GdfOptions::counts`] returns it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// The islands that gdf has run to their end.
    pub islands: u64,
    /// The islands that failed and that DataFusion ran instead.
    pub fallbacks: u64,
    /// The islands whose rows were equal to DataFusion's.
    pub verified: u64,
}

#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) islands: AtomicU64,
    pub(crate) fallbacks: AtomicU64,
    pub(crate) verified: AtomicU64,
}

impl fmt::Debug for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counters").finish_non_exhaustive()
    }
}

/// Adds one to a counter.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
