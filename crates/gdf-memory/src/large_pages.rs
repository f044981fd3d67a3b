//! Large pages behind long memory of the CPU.

use std::mem::MaybeUninit;

/// The size of large pages. A first touch is one fault for all of it, and far fewer addresses need translating.
pub(crate) const LARGE_PAGE: usize = 1 << 21;
/// Blocks from this size on ask for large pages.
pub(crate) const LARGE_BLOCK: usize = 2 * LARGE_PAGE;

/// Asks for large pages behind memory that is about to be filled, if it is long enough. Content and access stay as they
/// are; a system that has no such pages, or none left, uses small ones.
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) fn ask_for_large_pages(memory: &mut [MaybeUninit<u8>]) {
    let skipped = memory.as_ptr().addr().wrapping_neg() % LARGE_PAGE;
    if memory.len() < LARGE_BLOCK {
        return;
    }
    let whole = &mut memory[skipped..];
    let bytes = whole.len() & !(LARGE_PAGE - 1);
    // SAFETY: the range lies within the borrowed memory and begins at a page (it is aligned to large ones); the advice
    // changes neither content nor access. It may be refused, which changes nothing.
    unsafe { libc::madvise(whole.as_mut_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
}

#[cfg(not(all(target_os = "linux", not(miri))))]
pub(crate) fn ask_for_large_pages(_memory: &mut [MaybeUninit<u8>]) {}
