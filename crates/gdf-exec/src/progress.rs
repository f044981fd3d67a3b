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
    read_rows: AtomicU64,
    read_bytes: AtomicU64,
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

    /// Returns the number of rows that the runs that have not ended have read from files and other sources outside of
    /// their plans. Rows that a reader leaves out do not count.
    pub fn read_rows(&self) -> u64 {
        self.read_rows.load(Ordering::Relaxed)
    }

    /// Returns the number of bytes of the columns of these rows in memory.
    pub fn read_bytes(&self) -> u64 {
        self.read_bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn add_key_filters(&self, count: usize) {
        self.key_filters.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub(crate) fn running(&self, pipelines: u64) -> Running<'_> {
        self.running_pipelines.fetch_add(pipelines, Ordering::Relaxed);
        let [ended, read_rows, read_bytes] = [const { AtomicU64::new(0) }; 3];
        Running { progress: self, pipelines, ended, read_rows, read_bytes }
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
    read_rows: AtomicU64,
    read_bytes: AtomicU64,
}

impl Running<'_> {
    pub(crate) fn one_has_ended(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
        self.progress.ended_pipelines.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of rows that were read, and the number of their bytes.
    pub(crate) fn read(&self) -> (u64, u64) {
        (self.read_rows.load(Ordering::Relaxed), self.read_bytes.load(Ordering::Relaxed))
    }

    /// Counts rows that were read, and their bytes.
    pub(crate) fn has_read(&self, rows: usize, bytes: usize) {
        let counts =
            [(&self.read_rows, &self.progress.read_rows, rows), (&self.read_bytes, &self.progress.read_bytes, bytes)];
        for (own, all, count) in counts {
            own.fetch_add(count as u64, Ordering::Relaxed);
            all.fetch_add(count as u64, Ordering::Relaxed);
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.progress.running_pipelines.fetch_sub(self.pipelines, Ordering::Relaxed);
        let Progress { ended_pipelines, read_rows, read_bytes, .. } = self.progress;
        let counts = [(ended_pipelines, &self.ended), (read_rows, &self.read_rows), (read_bytes, &self.read_bytes)];
        for (all, own) in counts {
            all.fetch_sub(own.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_count_until_their_run_ends() {
        let progress = Progress::default();
        let (one, other) = (progress.running(2), progress.running(1));
        one.has_read(3, 12);
        one.has_read(4, 16);
        other.has_read(1, 4);
        assert_eq!((one.read(), other.read()), ((7, 28), (1, 4)));
        assert_eq!((progress.read_rows(), progress.read_bytes()), (8, 32));
        drop(one);
        assert_eq!((progress.read_rows(), progress.read_bytes(), progress.running_pipelines()), (1, 4, 1));
    }
}
