//! Large pages for large blocks of CPU memory.

use std::mem::MaybeUninit;

/// The size of a large page in bytes. The first access to a large page causes one page fault, where small pages of the
/// same total size would cause many. Large pages also need far fewer TLB entries than small pages.
pub(crate) const LARGE_PAGE: usize = 1 << 21;
/// The smallest block, in bytes, for which large pages are requested.
pub(crate) const LARGE_BLOCK: usize = 2 * LARGE_PAGE;

/// Requests large pages for `memory`, which the caller is about to fill.
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) fn ask_for_large_pages(memory: &mut [MaybeUninit<u8>]) {
    let skipped = memory.as_ptr().addr().wrapping_neg() % LARGE_PAGE;
    if memory.len() < LARGE_BLOCK {
        return;
    }
    let whole = &mut memory[skipped..];
    let bytes = whole.len() & !(LARGE_PAGE - 1);
    // SAFETY: the range lies within the borrowed memory. The range begins at a page, because its start is a multiple of
    // `LARGE_PAGE`. `MADV_HUGEPAGE` changes neither the content nor the access rights, and a refusal has no effect.
    unsafe { libc::madvise(whole.as_mut_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
}

#[cfg(not(all(target_os = "linux", not(miri))))]
pub(crate) fn ask_for_large_pages(_memory: &mut [MaybeUninit<u8>]) {}
