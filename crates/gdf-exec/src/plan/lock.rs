//! The lock of the state that threads of a run share.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks state of a run. No code panics while it changes the state.
pub(super) fn locked<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
