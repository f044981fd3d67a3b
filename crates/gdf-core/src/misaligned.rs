//! A counter of the buffers that imports copy because the buffers are misaligned.

use std::sync::atomic::{AtomicU64, Ordering};

static COPIED_MISALIGNED: AtomicU64 = AtomicU64::new(0);

/// Returns the number of buffers that imports of this process have copied because their address was misaligned for the
/// elements.
pub fn copied_misaligned() -> u64 {
    COPIED_MISALIGNED.load(Ordering::Relaxed)
}

/// Counts a buffer that an import had to copy because its address was misaligned.
#[doc(hidden)]
pub fn count_copied_misaligned() {
    COPIED_MISALIGNED.fetch_add(1, Ordering::Relaxed);
}
