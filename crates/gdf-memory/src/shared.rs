//! Shared ownership of one allocation.
//!
//! As `Arc` without weak references: most buffers are owned once, and letting go of such a one needs no atomic
//! read-modify-write here, where `Arc` needs two, nor does asking whether it is owned once.

use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

#[derive(Debug)]
struct Counted<T> {
    owners: AtomicUsize,
    value: T,
}

/// Shared ownership of a `T`.
#[derive(Debug)]
pub(crate) struct Shared<T>(NonNull<Counted<T>>);

// SAFETY: owners on several threads share `&T` and the last one drops the `T`, as with `Arc`.
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// SAFETY: as above; `&Shared` gives `&T` and new owners.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    pub(crate) fn new(value: T) -> Self {
        let owner = Box::new(Counted { owners: AtomicUsize::new(1), value });
        Self(NonNull::from(Box::leak(owner)))
    }

    fn counted(&self) -> &Counted<T> {
        // SAFETY: the box was leaked by `new` and is freed by the last owner only, which `self` is not done being.
        unsafe { self.0.as_ref() }
    }

    /// Whether this is the only owner. Nobody else can change that, since new owners come from owners.
    fn is_only(&self) -> bool {
        self.counted().owners.load(Ordering::Acquire) == 1
    }

    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        if !self.is_only() {
            return None;
        }
        // SAFETY: this is the only owner and borrowed exclusively, and what earlier owners did happened before (the
        // acquiring load meets their releasing decrement).
        Some(unsafe { &mut self.0.as_mut().value })
    }

    pub(crate) fn ptr_eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.counted().value
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        let before = self.counted().owners.fetch_add(1, Ordering::Relaxed);
        assert!(before <= isize::MAX as usize, "owners are counted in memory, so there are fewer");
        Self(self.0)
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        if !self.is_only() {
            if self.counted().owners.fetch_sub(1, Ordering::Release) != 1 {
                return;
            }
            fence(Ordering::Acquire);
        }
        // SAFETY: the box was leaked by `new`; this was the last owner, so nobody refers to it any more.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn the_last_owner_drops() {
        let seen = Arc::new(());
        let mut shared = Shared::new(Arc::clone(&seen));
        assert!(shared.get_mut().is_some());
        let other = shared.clone();
        assert!(shared.get_mut().is_none() && shared.ptr_eq(&other));
        drop(other);
        assert!(shared.get_mut().is_some());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let own = shared.clone();
                scope.spawn(move || {
                    for _ in 0..if cfg!(miri) { 10 } else { 1000 } {
                        assert_eq!(Arc::strong_count(&own.clone()), 2);
                    }
                });
            }
            drop(shared);
        });
        assert_eq!(Arc::strong_count(&seen), 1);
    }
}
