//! A spinlock for critical sections of a few dozen instructions. Each heap has its own lock, so threads rarely wait.
//!
//! A thread that does not get the lock yields to other threads.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

/// A waiting thread spins this many times before it yields.
const SPINS: u32 = 64;

#[derive(Debug, Default)]
pub(super) struct Lock<T> {
    held: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: only a guard reaches the value, and at most one guard exists at a time. Sharing a `Lock` between threads
// therefore only moves the value from one thread to another, which `T: Send` allows.
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
        Guard(self, PhantomData)
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

/// A held lock. Dropping the guard unlocks the lock.
pub(super) struct Guard<'a, T>(&'a Lock<T>, PhantomData<&'a mut T>);

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard holds the lock, so no other guard exists, and the reference borrows this guard.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard holds the lock, so no other guard exists, and the reference borrows this guard
        // exclusively.
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
