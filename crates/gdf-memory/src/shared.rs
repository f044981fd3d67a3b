//! Shared ownership of one allocation.
//!
//! There are watchers instead of weak references, because the drop of the value has to wait for its watchers. Each
//! thread keeps a few freed blocks for reuse, because allocating a block from the system takes several times as long.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::RefCell;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use crate::allocation::Allocation;

/// The bit of `owners` that is set while there are [`Watcher`]s. The other bits are the number of owners.
///
/// If the bit is not set, only owners make new owners.
const WATCHED: usize = 1 << (usize::BITS - 1);

#[derive(Debug)]
struct RefCounted<T> {
    owners: AtomicUsize,
    value: T,
}

const KEPT: Layout = Layout::new::<RefCounted<Allocation>>();
const MAX_KEPT: usize = 64;

/// Unused blocks with the layout [`KEPT`].
struct Spare(Vec<NonNull<u8>>);

impl Drop for Spare {
    fn drop(&mut self) {
        for block in self.0.drain(..) {
            // SAFETY: the block came from the system's allocator with this layout, and holds no value.
            unsafe { dealloc(block.as_ptr(), KEPT) };
        }
    }
}

thread_local! {
    static SPARE: RefCell<Spare> = const { RefCell::new(Spare(Vec::new())) };
}

/// Takes a block that this thread has kept, or allocates a new block with `layout`.
#[inline]
fn take_block(layout: Layout) -> NonNull<u8> {
    let kept = || SPARE.try_with(|spare| spare.borrow_mut().0.pop()).ok().flatten();
    let found = if layout == KEPT { kept() } else { None };
    // SAFETY: the size of `layout` is not zero, because the layout contains a counter.
    let new = || NonNull::new(unsafe { alloc(layout) });
    found.or_else(new).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Frees a block that holds no value. If the layout allows it, the thread keeps the block for reuse.
///
/// # Safety
/// The block came from `take_block` with `layout`, and no reference to the block exists.
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
        // SAFETY: the caller guarantees that the block came from `take_block` with `layout` and holds no value.
        // `take_block` gets every block from the system's allocator with `layout`; a kept block has the layout
        // `KEPT`, which equals `layout` in that case.
        unsafe { dealloc(block.as_ptr(), layout) };
    }
}

#[derive(Debug)]
pub(crate) struct Shared<T>(NonNull<RefCounted<T>>);

// SAFETY: as with `Arc`, owners on several threads share `&T`, and the last owner drops the `T`. Therefore `T` must be
// `Send` and `Sync`.
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// SAFETY: `&Shared` gives `&T` and new owners, which the argument for `Send` covers.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    #[inline(always)]
    pub(crate) fn new(value: T) -> Self {
        let block = take_block(Layout::new::<RefCounted<T>>()).cast::<RefCounted<T>>();
        // SAFETY: `take_block` returned an unused block with the size and the alignment of `RefCounted<T>`.
        unsafe { block.write(RefCounted { owners: AtomicUsize::new(1), value }) };
        Self(block)
    }

    fn counted(&self) -> &RefCounted<T> {
        // SAFETY: `new` initialized the block. Only the last owner frees the block, and `self` is still an owner.
        unsafe { self.0.as_ref() }
    }

    /// Returns whether this is the only owner, and there is no watcher. Then only this owner can make a new owner.
    fn is_only(&self) -> bool {
        self.counted().owners.load(Ordering::Acquire) == 1
    }

    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        if !self.is_only() {
            return None;
        }
        // SAFETY: this is the only owner and is borrowed exclusively, so no other reference to the value exists. The
        // acquire load in `is_only` pairs with the release decrement of each earlier owner, so all accesses of
        // earlier owners happened before.
        Some(unsafe { &mut self.0.as_mut().value })
    }

    pub(crate) fn ptr_eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    /// Returns a watcher, and marks the value as watched.
    pub(crate) fn watch(&self) -> Watcher<T> {
        self.counted().owners.fetch_or(WATCHED, Ordering::Relaxed);
        Watcher(self.0)
    }

    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        self.counted().owners.load(Ordering::Relaxed) & WATCHED != 0
    }

    /// Removes the mark of [`watch`](Self::watch). The caller guarantees that no watcher makes an owner any more.
    pub(crate) fn unwatch(&self) {
        self.counted().owners.fetch_and(!WATCHED, Ordering::Relaxed);
    }

    pub(crate) fn owners(&self) -> usize {
        self.counted().owners.load(Ordering::Acquire) & !WATCHED
    }
}

/// A reference that does not keep the value alive. The holder of a watcher must be notified when the value is dropped.
/// The drop of the value has to wait while a watcher makes an owner.
#[derive(Debug)]
pub(crate) struct Watcher<T>(NonNull<RefCounted<T>>);

// SAFETY: a watcher gives nothing but new owners, whose threads share `&T`, and the last owner drops the `T`.
unsafe impl<T: Send + Sync> Send for Watcher<T> {}
// SAFETY: the argument for `Send` also holds for `Sync`.
unsafe impl<T: Send + Sync> Sync for Watcher<T> {}

impl<T> Watcher<T> {
    /// Makes a new owner.
    ///
    /// # Safety
    /// The block is not freed: `T::drop` has not returned, and cannot return during the call. The value is still marked
    /// as watched.
    pub(crate) unsafe fn upgrade(&self) -> Option<Shared<T>> {
        // SAFETY: the caller guarantees that the block is not freed. The reference is to the counter alone, because the
        // value may be borrowed exclusively by its drop.
        let counter = unsafe { &(*self.0.as_ptr()).owners };
        let more = |owners: usize| (owners & !WATCHED != 0).then_some(owners + 1);
        counter.fetch_update(Ordering::Acquire, Ordering::Relaxed, more).ok()?;
        Some(Shared(self.0))
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
        assert!(before & !WATCHED < WATCHED - 1, "too many owners of one allocation");
        Self(self.0)
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        if !self.is_only() {
            if self.counted().owners.fetch_sub(1, Ordering::Release) & !WATCHED != 1 {
                return;
            }
            fence(Ordering::Acquire);
        }
        // SAFETY: `new` initialized the block. This was the last owner, so no reference to the value exists. The
        // acquire load or fence orders all accesses of earlier owners before the drop. Only the value is dropped,
        // because a watcher may still read the counter, which needs no drop.
        unsafe { std::ptr::drop_in_place(&raw mut (*self.0.as_ptr()).value) };
        // SAFETY: `take_block` returned the block with this layout in `new`. The value was dropped above, and no
        // reference to the block exists.
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
