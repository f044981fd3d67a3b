//! Shared ownership of one allocation.
//!
//! As `Arc` without weak references: most buffers are owned once, and letting go of such a one needs no atomic
//! read-modify-write here, where `Arc` needs two, nor does asking whether it is owned once. Each thread keeps a few blocks
//! of what it let go of for the next ones, which the system's allocator takes several times as long for.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::RefCell;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use crate::allocation::Allocation;

#[derive(Debug)]
struct RefCounted<T> {
    owners: AtomicUsize,
    value: T,
}

/// The blocks that are kept: those of allocations.
const KEPT: Layout = Layout::new::<RefCounted<Allocation>>();
/// So many at most per thread.
const MAX_KEPT: usize = 64;

/// Blocks of the system's allocator with the layout [`KEPT`] that nothing is in.
struct Spare(Vec<NonNull<u8>>);

impl Drop for Spare {
    fn drop(&mut self) {
        for block in self.0.drain(..) {
            // SAFETY: the block came from the system's allocator with this layout, and nothing is in it.
            unsafe { dealloc(block.as_ptr(), KEPT) };
        }
    }
}

thread_local! {
    static SPARE: RefCell<Spare> = const { RefCell::new(Spare(Vec::new())) };
}

/// A block of memory for a layout.
#[inline]
fn take_block(layout: Layout) -> NonNull<u8> {
    let kept = || SPARE.try_with(|spare| spare.borrow_mut().0.pop()).ok().flatten();
    let found = if layout == KEPT { kept() } else { None };
    // SAFETY: the layout's size is not zero, since a counter is in it.
    let new = || NonNull::new(unsafe { alloc(layout) });
    found.or_else(new).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Gives a block back that nothing is in any more.
///
/// # Safety
/// The block came from `take_block` with this layout, and nobody refers to it.
#[inline]
unsafe fn give_block(block: NonNull<u8>, layout: Layout) {
    let keep = |spare: &RefCell<Spare>| {
        let blocks = &mut spare.borrow_mut().0;
        let has_space = blocks.len() < MAX_KEPT;
        if has_space {
            blocks.push(block);
        }
        has_space
    };
    if layout != KEPT || !SPARE.try_with(keep).unwrap_or(false) {
        // SAFETY: the caller's promise; both ways of taking a block are the system's allocator with this layout.
        unsafe { dealloc(block.as_ptr(), layout) };
    }
}

/// Shared ownership of a `T`.
#[derive(Debug)]
pub(crate) struct Shared<T>(NonNull<RefCounted<T>>);

// SAFETY: owners on several threads share `&T` and the last one drops the `T`, as with `Arc`.
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// SAFETY: as above; `&Shared` gives `&T` and new owners.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    #[inline(always)]
    pub(crate) fn new(value: T) -> Self {
        let block = take_block(Layout::new::<RefCounted<T>>()).cast::<RefCounted<T>>();
        // SAFETY: the block is ours, and large and aligned enough.
        unsafe { block.write(RefCounted { owners: AtomicUsize::new(1), value }) };
        Self(block)
    }

    fn counted(&self) -> &RefCounted<T> {
        // SAFETY: the block was filled by `new` and is freed by the last owner only, which `self` is not done being.
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
        // SAFETY: the block was filled by `new`; this was the last owner, so nobody refers to it any more.
        unsafe { self.0.drop_in_place() };
        // SAFETY: it came from `take_block` with this layout, and its content has just ended.
        unsafe { give_block(self.0.cast(), Layout::new::<RefCounted<T>>()) };
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
