//! Locks whose data are whole whenever a panic can happen.

use std::sync::{Mutex, MutexGuard};

/// Locks, also after a panic under the lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
