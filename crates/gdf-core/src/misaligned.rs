//! Counts what imports have to copy.

use std::sync::atomic::{AtomicU64, Ordering};

static COPIED_MISALIGNED: AtomicU64 = AtomicU64::new(0);

/// How many buffers were copied at import because their address did not suit the width of their elements, in this process.
pub fn copied_misaligned() -> u64 {
    COPIED_MISALIGNED.load(Ordering::Relaxed)
}

/// Counts a buffer that an import had to copy for its address.
#[doc(hidden)]
pub fn count_copied_misaligned() {
    COPIED_MISALIGNED.fetch_add(1, Ordering::Relaxed);
}
