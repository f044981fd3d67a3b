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

#[cfg(all(test, unix, not(miri)))]
mod tests {
    use super::*;
    use crate::{Device, poison};

    fn child(ask: impl FnOnce() -> bool) -> bool {
        // SAFETY: the child only calls `ask` and exits, and takes no lock that another thread may hold.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: the call ends the process at once.
            unsafe { libc::_exit(i32::from(ask())) }
        }
        let mut status = 0;
        // SAFETY: `status` is writable, and the child is a child of this process that was not waited for yet.
        let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
        assert!(child > 0 && waited == child && libc::WIFEXITED(status));
        libc::WEXITSTATUS(status) == 1
    }

    #[test]
    fn children_know_that_the_driver_is_their_parents() {
        watch();
        let is_refused = || {
            let refused = Err(DriverError::Forked);
            poison::check(Device::Cuda(0)) == refused && Device::Cuda(3).open() == refused && Device::Cpu.open().is_ok()
        };
        assert!(!is_refused());
        assert!(child(is_refused));
        assert!(!is_refused());
        assert!(DriverError::Forked.is_fatal());
    }
}
