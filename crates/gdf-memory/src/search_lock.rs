//! A lock with a shared and an exclusive mode for the slow paths of allocation. The lock is reentrant: a thread that
//! holds the lock can take the lock again.
//!
//! While a thread moves blocks between the heaps of a pool, the free granules and the upstream, these blocks are on no
//! list for a short time. Therefore a thread returns an out-of-memory error only after a search with the exclusive
//! lock.

use std::cell::RefCell;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

thread_local! {
    /// The numbers of the search locks that this thread holds.
    static HELD: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

#[derive(Debug, Default)]
pub(crate) struct SearchLock(RwLock<()>);

#[must_use]
pub(crate) struct SearchGuard<'a> {
    /// The number of the lock. `None` if this thread already held the lock.
    search_lock: Option<usize>,
    _shared: Option<RwLockReadGuard<'a, ()>>,
    _exclusive: Option<RwLockWriteGuard<'a, ()>>,
}

impl SearchLock {
    fn number(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Returns whether this thread already holds the lock. That is the case if the upstream of a pool, or a callback,
    /// calls the same pool again.
    fn is_held(&self) -> bool {
        HELD.try_with(|held| held.borrow().contains(&self.number())).unwrap_or(true)
    }

    fn note(&self) -> Option<usize> {
        HELD.try_with(|held| held.borrow_mut().push(self.number())).ok().map(|()| self.number())
    }

    pub(crate) fn shared(&self) -> SearchGuard<'_> {
        if self.is_held() {
            return SearchGuard { search_lock: None, _shared: None, _exclusive: None };
        }
        let shared = Some(self.0.read().unwrap_or_else(PoisonError::into_inner));
        SearchGuard { search_lock: self.note(), _shared: shared, _exclusive: None }
    }

    /// Takes the lock in shared mode. If another thread holds the lock exclusively, the result is `None`.
    pub(crate) fn try_shared(&self) -> Option<SearchGuard<'_>> {
        if self.is_held() {
            return Some(SearchGuard { search_lock: None, _shared: None, _exclusive: None });
        }
        let shared = match self.0.try_read() {
            Ok(shared) => shared,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(SearchGuard { search_lock: self.note(), _shared: Some(shared), _exclusive: None })
    }

    /// Takes the lock in exclusive mode. If this thread already holds the lock, the mode does not change.
    pub(crate) fn exclusive(&self) -> SearchGuard<'_> {
        if self.is_held() {
            return SearchGuard { search_lock: None, _shared: None, _exclusive: None };
        }
        let exclusive = Some(self.0.write().unwrap_or_else(PoisonError::into_inner));
        SearchGuard { search_lock: self.note(), _shared: None, _exclusive: exclusive }
    }
}

impl Drop for SearchGuard<'_> {
    fn drop(&mut self) {
        let Some(search_lock) = self.search_lock else { return };
        let forget = |held: &RefCell<Vec<usize>>| held.borrow_mut().retain(|number| *number != search_lock);
        // When a thread ends, its thread-local list may already be destroyed. In that case there is no entry to remove.
        let _ = HELD.try_with(forget);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_passes_again_and_others_wait() {
        let (search_lock, other) = (SearchLock::default(), SearchLock::default());
        let exclusive = search_lock.exclusive();
        drop((search_lock.exclusive(), search_lock.shared(), search_lock.try_shared(), other.shared()));
        std::thread::scope(|scope| assert!(scope.spawn(|| search_lock.try_shared().is_none()).join().unwrap()));
        assert!(search_lock.is_held() && !other.is_held() && search_lock.0.try_read().is_err());
        drop(exclusive);
        assert!(!search_lock.is_held() && search_lock.0.try_write().is_ok());
        let shared = search_lock.shared();
        std::thread::scope(|scope| scope.spawn(|| drop(search_lock.shared())).join().unwrap());
        assert!(search_lock.0.try_write().is_err());
        drop(shared);
        assert!(search_lock.0.try_write().is_ok());
    }
}
