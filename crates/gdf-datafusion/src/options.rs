//! The options of gdf in a session, and the counters of the islands that were run.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use gdf_driver::Device;
use gdf_exec::{Progress, spilled_bytes};
use gdf_memory::{Resource, SpillManager, SpillOptions, SpillStatisticsLevel, current_resource};

use crate::error::IslandError;

/// The policy for islands that fail while they run.
///
/// Nodes that gdf does not support are not failures. DataFusion runs them under every policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// The query fails with the error of gdf.
    Forbidden,
    /// DataFusion runs the nodes that the island replaced, and the fallback is counted.
    Allowed,
    /// DataFusion runs the nodes as under [`Allowed`](Self::Allowed), and a warning of `tracing` contains the error.
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
    memory_resource: Option<Resource>,
    /// The manager that [`with_shared_memory_limit`](Self::with_shared_memory_limit) has made.
    shared: Option<SpillManager>,
    in_parts: bool,
    timeout: Option<Duration>,
    piece_rows: Option<usize>,
    orders_joins: bool,
    passes_keys: bool,
    is_profiled: bool,
    counters: Arc<Counters>,
}

/// The default options: the device is the CPU, fallbacks are logged as warnings, results are not verified, and memory
/// is not limited.
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
            memory_resource: None,
            shared: None,
            in_parts: false,
            timeout: None,
            piece_rows: None,
            orders_joins: true,
            passes_keys: true,
            is_profiled: false,
            counters: Arc::default(),
        }
    }

    /// Sets the policy for islands that fail while they run.
    #[must_use]
    pub fn with_fallback(self, fallback: Fallback) -> GdfOptions {
        GdfOptions { fallback, ..self }
    }

    /// Sets whether DataFusion also runs each island, and whether the query fails if the rows differ.
    ///
    /// The order of the rows is not compared. Floats may differ by 1e-9 of the larger absolute value. Some islands have
    /// several correct results: those with a limit, and those with a window function whose result depends on the order
    /// of rows with equal keys. For such an island, only the number of rows is compared.
    #[must_use]
    pub fn with_verify(self, verify: bool) -> GdfOptions {
        GdfOptions { verify, ..self }
    }

    /// Sets the maximum number of bytes of device memory that one island may hold at a time. The columns of a
    /// [`GdfTable`](crate::GdfTable) do not count.
    ///
    /// An island that needs more memory runs again in parts. Scans, filters, projections, limits, and joins with a small
    /// right side pass on one part after another. Other joins, group-bys, and windows with partitions divide their rows by
    /// keys, and sorts by ranges of keys. A window without partitions gets all rows at once. What waits is spilled: from a
    /// GPU to pinned memory of the CPU, from the CPU to a file in the folder for temporary files. If memory runs out
    /// again, the island fails with [`IslandError::OutOfMemory`](crate::IslandError::OutOfMemory), and the [`Fallback`]
    /// policy applies. The same happens without a limit when the device has no memory left.
    ///
    /// To choose where and how much is spilled, pass the resource of a [`SpillManager`](gdf_memory::SpillManager) with
    /// a limit to [`with_memory_resource`](Self::with_memory_resource) instead. All islands share its limit then.
    #[must_use]
    pub fn with_memory_limit(self, bytes: usize) -> GdfOptions {
        GdfOptions { memory_limit: Some(bytes), ..self }
    }

    /// Sets the maximum number of bytes of device memory that all islands of these options and of their clones may hold
    /// together, as [`with_memory_limit`](Self::with_memory_limit) does for one island. An island that needs more than the
    /// others leave runs in parts, and waits for them.
    ///
    /// The option is for processes that run several queries or tasks at a time, such as the workers of a cluster. Options
    /// that are made separately have separate limits, also on the same device.
    ///
    /// ```
    /// use gdf_datafusion::GdfOptions;
    ///
    /// let options = GdfOptions::default().with_shared_memory_limit(4 << 30)?;
    /// assert_eq!(options.clone().shared_memory_limit(), Some(4 << 30));
    /// # Ok::<(), gdf_datafusion::IslandError>(())
    /// ```
    ///
    /// # Errors
    /// * [`IslandError::Operation`]: the device cannot be opened.
    pub fn with_shared_memory_limit(self, bytes: usize) -> Result<GdfOptions, IslandError> {
        let upstream = match &self.memory_resource {
            Some(resource) => resource.clone(),
            None => current_resource(self.device).map_err(gdf_core::Error::from)?,
        };
        let options = SpillOptions::new().with_statistics(SpillStatisticsLevel::Transfers).with_hard_limit(bytes);
        let manager = SpillManager::new(upstream, options);
        Ok(GdfOptions { memory_resource: Some(manager.resource()), shared: Some(manager), ..self })
    }

    /// Sets whether islands work on their rows in parts from the start; see
    /// [`with_memory_limit`](Self::with_memory_limit). By default, they first work on all rows at once, and in parts only
    /// after they have run out of memory. Set the option for data that are known not to fit.
    #[must_use]
    pub fn with_parts(self, in_parts: bool) -> GdfOptions {
        GdfOptions { in_parts, ..self }
    }

    /// Sets the longest time for which a statement may run. The time begins with the first row that is asked for, and
    /// includes what DataFusion runs and what the reader of the rows does. When the time is over, the statement ends with
    /// [`IslandError::TimedOut`], and islands stop before their next operation. A thread that is in the middle of an
    /// operation goes on until its end.
    ///
    /// The option has an effect when it is passed to [`GdfSession::with_gdf`](crate::GdfSession::with_gdf).
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> GdfOptions {
        GdfOptions { timeout: Some(timeout), ..self }
    }

    /// Sets the number of rows of the pieces in which files are read. On the CPU, a thread passes a piece through
    /// filters, joins and partial aggregates while it reads no other. On a GPU, the next piece is read while one is
    /// computed. By default, a piece has about 4 MiB on the CPU, and 1 GiB on a GPU, which reads files of up to
    /// an eighth of its memory at once. A piece of a Parquet file has at least one row group.
    #[must_use]
    pub fn with_piece_rows(self, rows: usize) -> GdfOptions {
        GdfOptions { piece_rows: Some(rows), ..self }
    }

    /// Sets the resource from which islands allocate, such as a pool of the session. By default, islands allocate from
    /// the current resource of the device.
    ///
    /// The resource must belong to the device of the options; otherwise islands fail. Islands that run in parts take the
    /// limit of a [`SpillManager`](gdf_memory::SpillManager) from it. Without one, they take what the device has free
    /// outside of the resource. Put a spill manager with a limit above a pool that holds most of the device's memory.
    #[must_use]
    pub fn with_memory_resource(self, resource: Resource) -> GdfOptions {
        GdfOptions { memory_resource: Some(resource), shared: None, ..self }
    }

    /// Sets whether the session orders inner joins by the statistics of the tables, which is the default. Otherwise
    /// DataFusion follows the order of the tables in the query.
    ///
    /// The option has an effect when it is passed to [`GdfSession::with_gdf`](crate::GdfSession::with_gdf).
    #[must_use]
    pub fn with_join_order(self, orders_joins: bool) -> GdfOptions {
        GdfOptions { orders_joins, ..self }
    }

    /// Sets whether a join passes on the set of the keys of the side that it computes first, which is the default. The
    /// set filters rows below the other side. A join passes on a set if the first side has at most a quarter of the
    /// rows of its table, and at most a quarter of the rows that the set would filter. The second condition does not
    /// apply to rows of files.
    ///
    /// In `EXPLAIN`, the number `key_filters` of a `GdfExec` is the number of joins that may pass on a set. In the
    /// metrics of `EXPLAIN ANALYZE`, it is the number of filters that were applied.
    #[must_use]
    pub fn with_key_filters(self, passes_keys: bool) -> GdfOptions {
        GdfOptions { passes_keys, ..self }
    }

    /// Returns the device.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns the policy for islands that fail while they run.
    pub fn fallback(&self) -> Fallback {
        self.fallback
    }

    /// Returns whether DataFusion also runs each island.
    pub fn verify(&self) -> bool {
        self.verify
    }

    /// Returns the maximum number of bytes of device memory that one island may hold at a time.
    pub fn memory_limit(&self) -> Option<usize> {
        self.memory_limit
    }

    /// Returns the maximum number of bytes of device memory that all islands may hold together.
    pub fn shared_memory_limit(&self) -> Option<usize> {
        self.shared.as_ref().and_then(|manager| manager.options().device_limit())
    }

    /// Returns the longest time for which a statement may run.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Returns the limit of the memory of an island, of its own or with others.
    pub(crate) fn limit(&self) -> Option<usize> {
        self.memory_limit.or_else(|| self.shared_memory_limit())
    }

    /// Returns the number of rows of a piece, or `None` for the default.
    pub fn piece_rows(&self) -> Option<usize> {
        self.piece_rows
    }

    /// Returns whether islands work on their rows in parts from the start.
    pub fn parts(&self) -> bool {
        self.in_parts
    }

    /// Returns the resource from which islands allocate, if the options set one.
    pub fn memory_resource(&self) -> Option<&Resource> {
        self.memory_resource.as_ref()
    }

    /// Returns whether the session orders inner joins by the statistics of the tables.
    pub fn join_order(&self) -> bool {
        self.orders_joins
    }

    /// Returns whether joins pass on sets of keys.
    pub fn key_filters(&self) -> bool {
        self.passes_keys
    }

    /// Returns the numbers of islands that were run so far, over all sessions that have a clone of these options.
    pub fn counts(&self) -> Counts {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            islands: of(&self.counters.islands),
            fallbacks: of(&self.counters.fallbacks),
            verified: of(&self.counters.verified),
            in_parts: of(&self.counters.in_parts),
            // The difference of an island includes what islands at the same time have spilled.
            spilled_bytes: match &self.shared {
                Some(manager) => spilled_bytes(manager),
                None => of(&self.counters.spilled_bytes),
            },
            peak_bytes: of(&self.counters.peak_bytes),
            key_filters: self.counters.progress.key_filters(),
            running_pipelines: self.counters.progress.running_pipelines(),
            ended_pipelines: self.counters.progress.ended_pipelines(),
            read_rows: self.counters.progress.read_rows(),
            read_bytes: self.counters.progress.read_bytes(),
        }
    }

    /// Sets whether islands measure their pipelines, as `EXPLAIN ANALYZE` needs.
    #[must_use]
    pub(crate) fn with_profile(self, is_profiled: bool) -> GdfOptions {
        GdfOptions { is_profiled, ..self }
    }

    pub(crate) fn is_profiled(&self) -> bool {
        self.is_profiled
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }
}

/// The counts of the islands that have run, and the progress of the islands that run at present. [`GdfOptions::counts`]
/// returns them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// The number of islands that gdf has run without an error.
    pub islands: u64,
    /// The number of islands that failed, and whose nodes DataFusion ran instead.
    pub fallbacks: u64,
    /// The number of islands for which the comparison with DataFusion found no difference.
    pub verified: u64,
    /// The number of islands that ran in parts, either from the start or after they had run out of memory with all rows at
    /// once.
    pub in_parts: u64,
    /// The number of bytes that these islands have spilled. With a resource of the session, its spill manager must count
    /// transfers.
    pub spilled_bytes: u64,
    /// The largest number of bytes of device memory that an island with a memory limit has held at a time. With a shared
    /// limit, it is the number of all islands together.
    pub peak_bytes: u64,
    /// The number of times that a set of keys of a join has filtered rows.
    pub key_filters: u64,
    /// The number of pipelines of the islands that run at present.
    pub running_pipelines: u64,
    /// The number of pipelines that have ended, of the islands that run at present.
    pub ended_pipelines: u64,
    /// The number of rows that the islands that run at present have read from files and from nodes of DataFusion. Rows
    /// that a reader leaves out do not count.
    pub read_rows: u64,
    /// The number of bytes of the columns of these rows in memory.
    pub read_bytes: u64,
}

#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) islands: AtomicU64,
    pub(crate) fallbacks: AtomicU64,
    pub(crate) verified: AtomicU64,
    pub(crate) in_parts: AtomicU64,
    pub(crate) spilled_bytes: AtomicU64,
    pub(crate) peak_bytes: AtomicU64,
    pub(crate) progress: Progress,
}

impl fmt::Debug for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Counters").finish_non_exhaustive()
    }
}

pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
