//! Locks whose data are consistent at every point where a panic can happen.

use std::sync::{Mutex, MutexGuard};

/// Locks `mutex`, even if a thread panicked while it held the lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
