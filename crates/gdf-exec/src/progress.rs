//! Counters of the runs of plans, which other threads can read.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// The counts of the runs that have begun, and the progress of the runs that have not ended. Several runs may share the
/// counters.
#[derive(Default)]
pub struct Progress {
    key_filters: AtomicU64,
    running_pipelines: AtomicU64,
    ended_pipelines: AtomicU64,
}

impl Progress {
    /// Returns the number of times that a set of keys of a join has filtered rows.
    pub fn key_filters(&self) -> u64 {
        self.key_filters.load(Ordering::Relaxed)
    }

    /// Returns the number of pipelines of the runs that have not ended.
    pub fn running_pipelines(&self) -> u64 {
        self.running_pipelines.load(Ordering::Relaxed)
    }

    /// Returns the number of pipelines that have ended, of the runs that have not ended. A run in parts does not count
    /// pipelines of which a limit leaves rows unread.
    pub fn ended_pipelines(&self) -> u64 {
        self.ended_pipelines.load(Ordering::Relaxed)
    }

    pub(crate) fn add_key_filters(&self, count: usize) {
        self.key_filters.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub(crate) fn running(&self, pipelines: u64) -> Running<'_> {
        self.running_pipelines.fetch_add(pipelines, Ordering::Relaxed);
        Running { progress: self, pipelines, ended: AtomicU64::new(0) }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").finish_non_exhaustive()
    }
}

/// The pipelines of a plan that runs. The counters include them until the value is dropped.
pub(crate) struct Running<'p> {
    progress: &'p Progress,
    pipelines: u64,
    ended: AtomicU64,
}

impl Running<'_> {
    pub(crate) fn one_has_ended(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
        self.progress.ended_pipelines.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.progress.running_pipelines.fetch_sub(self.pipelines, Ordering::Relaxed);
        self.progress.ended_pipelines.fetch_sub(self.ended.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}
