//! Children of `fork`. A child has a copy of this crate's state about the driver, but cannot use the driver.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{DriverError, Result};

static FORKED: AtomicBool = AtomicBool::new(false);

/// Returns `Err(Forked)` if this process is a child of `fork`, and its parent initialized the driver.
#[inline]
pub(crate) fn check() -> Result<()> {
    if FORKED.load(Ordering::Relaxed) { Err(DriverError::Forked) } else { Ok(()) }
}

// The crate `libc` does not declare this function for Linux.
#[cfg(unix)]
unsafe extern "C" {
    fn pthread_atfork(prepare: Handler, parent: Handler, child: Handler) -> std::ffi::c_int;
}

#[cfg(unix)]
type Handler = Option<unsafe extern "C" fn()>;

#[cfg(unix)]
extern "C" fn begin() {
    FORKED.store(true, Ordering::Relaxed);
}

/// Makes children of this process refuse calls of the driver.
pub(crate) fn watch() {
    #[cfg(unix)]
    // SAFETY: the handler takes no argument and does not unwind. The handler only stores to an atomic, which is
    // allowed in a child of `fork`.
    if unsafe { pthread_atfork(None, None, Some(begin)) } != 0 {
        tracing::warn!(
            "the handler of `fork` cannot be registered; children of `fork` cannot detect that CUDA is unusable"
        );
    }
}
