//! A lock for work of a few dozen instructions that is hardly ever contended: each lane has its own.
//!
//! Letting go of it is a plain store, where a mutex needs an atomic exchange to see whether somebody sleeps; the two of
//! them are a tenth of what allocating and giving back costs (2026-11, Xeon 8480). Who does not get it gives way to other threads.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

/// Tries before the thread gives way.
const SPINS: u32 = 64;

#[derive(Debug, Default)]
pub(super) struct Lock<T> {
    held: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached through a guard only, of which there is one at a time.
unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    pub(super) fn new(value: T) -> Self {
        Self { held: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    #[inline]
    pub(super) fn lock(&self) -> Guard<'_, T> {
        while self.held.swap(true, Ordering::Acquire) {
            self.wait();
        }
        Guard(self)
    }

    #[cold]
    fn wait(&self) {
        let mut spins = 0;
        while self.held.load(Ordering::Relaxed) {
            if spins < SPINS {
                spins += 1;
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}

/// The lock is held while this lives.
pub(super) struct Guard<'a, T>(&'a Lock<T>);

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard holds the lock, so nobody else refers to the value.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and the guard is borrowed exclusively.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.0.held.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let (lock, rounds) = (Lock::new(0_u64), if cfg!(miri) { 20 } else { 20_000 });
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..rounds).for_each(|_| *lock.lock() += 1));
            }
        });
        assert_eq!(*lock.lock(), 4 * rounds);
    }
}
