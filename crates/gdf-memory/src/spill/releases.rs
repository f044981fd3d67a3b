//! Release events: the moments at which memory was freed, for threads that wait for memory.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A counter of release events that threads can wait for. Counting costs two atomic operations while nobody waits.
#[derive(Debug, Default)]
pub(super) struct Releases {
    count: AtomicU64,
    waiting: AtomicUsize,
    lock: Mutex<()>,
    released: Condvar,
}

impl Releases {
    pub(super) fn count(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    pub(super) fn notify(&self) {
        self.count.fetch_add(1, Ordering::SeqCst);
        // A thread that waits counts itself before it reads the count. If this thread sees nobody waiting, the other
        // thread therefore sees the new count.
        if self.waiting.load(Ordering::SeqCst) > 0 {
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.released.notify_all();
        }
    }

    /// Waits until the count differs from `seen`, and returns whether it does. Waits at most for `timeout`.
    pub(super) fn wait(&self, seen: u64, timeout: Duration) -> bool {
        let since = Instant::now();
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while self.count() == seen {
            let Some(rest) = timeout.checked_sub(since.elapsed()).filter(|rest| !rest.is_zero()) else { break };
            guard = self.released.wait_timeout(guard, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(guard);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        self.count() != seen
    }
}
