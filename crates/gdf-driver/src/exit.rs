//! The end of the process. The driver shuts down in exit handlers, while threads may still use the driver.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::forked;
use crate::lock::lock;

static EXITING: AtomicBool = AtomicBool::new(false);
static HOOKS: Mutex<Vec<fn()>> = Mutex::new(Vec::new());

/// Returns whether the process is ending (RMM's `process_is_exiting`). While the process is ending, no call reaches the
/// driver, and the operating system frees the memory of GPUs together with the process. In a process that never used
/// the driver, the result is always `false`.
///
/// ```
/// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
/// assert!(!gdf::driver::process_is_exiting());
/// ```
#[inline]
pub fn process_is_exiting() -> bool {
    EXITING.load(Ordering::Acquire)
}

/// Registers `hook`. The hook is called when the process begins to end. At that time, [`process_is_exiting`] already
/// returns `true`. The hook must not call the driver.
#[doc(hidden)]
pub fn at_exit(hook: fn()) {
    lock(&HOOKS).push(hook);
}

extern "C" fn begin() {
    EXITING.store(true, Ordering::Release);
    if forked::check().is_err() {
        return; // the hooks stop threads that exist only in the parent
    }
    let hooks = std::mem::take(&mut *lock(&HOOKS));
    hooks.into_iter().for_each(|hook| hook());
}

/// Registers the exit handler. Exit handlers run in the reverse order of their registration. Therefore a later call
/// makes the handler run before all handlers that are registered by then.
pub(crate) fn watch() {
    // SAFETY: the handler takes no argument. The handler does not unwind, because it only locks, stores and waits.
    if unsafe { libc::atexit(begin) } != 0 {
        tracing::debug!(
            "the exit handler cannot be registered; threads that use the driver while the process exits may crash"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// Hooks run only when a process ends.
    #[cfg(not(miri))]
    #[test]
    fn hooks_run_when_the_process_ends() {
        const CHILD: &str = "GDF_DRIVER_TEST_EXIT";
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        fn hook() {
            let first = CALLS.fetch_add(1, Ordering::SeqCst) == 0;
            println!("hook: {}", first && process_is_exiting());
        }
        if std::env::var_os(CHILD).is_some() {
            watch();
            at_exit(hook);
            assert!(!process_is_exiting());
            return;
        }
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "exit::tests::hooks_run_when_the_process_ends", "--nocapture"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.matches("hook: true").count() == 1, "{text}");
    }
}
