//! A counter of the buffers that imports had to copy because of their alignment.

use std::sync::atomic::{AtomicU64, Ordering};

static COPIED_MISALIGNED: AtomicU64 = AtomicU64::new(0);

/// Returns how many buffers the imports of this process have copied because the address of the buffer was not aligned
/// for its elements.
pub fn copied_misaligned() -> u64 {
    COPIED_MISALIGNED.load(Ordering::Relaxed)
}

/// Counts a buffer that an import had to copy because its address was misaligned.
#[doc(hidden)]
pub fn count_copied_misaligned() {
    COPIED_MISALIGNED.fetch_add(1, Ordering::Relaxed);
}
