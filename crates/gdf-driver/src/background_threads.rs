//! Background threads of this library, and graph captures of other threads.
//!
//! While other code captures a graph in the driver's global mode, the driver refuses calls that are unsafe in a
//! capture. Examples are querying an event, allocating and freeing. The driver refuses such calls on every thread, and
//! each refused call ends the capture. The work of background threads is never part of a capture. Therefore background
//! threads set the driver's relaxed mode, in which the driver accepts their calls. The mode applies only to the thread
//! that sets it.

use std::cell::Cell;

use crate::context::{self, DeviceState};
use crate::{Result, raw, table};

#[derive(Clone, Copy, PartialEq, Eq)]
enum CaptureMode {
    /// The thread belongs to other code. This crate does not change the capture mode of the thread.
    Inherited,
    /// The thread is a background thread of this library. The driver does not know its relaxed mode yet.
    Pending,
    /// The thread is a background thread of this library. The thread has set the driver's relaxed mode.
    Relaxed,
}

thread_local! {
    static CAPTURE_MODE: Cell<CaptureMode> = const { Cell::new(CaptureMode::Inherited) };
}

/// Marks the calling thread as a background thread of this library.
///
/// After this call, the driver calls of the thread do not end graph captures of other threads, and captures of other
/// threads do not make these driver calls fail. A background thread must call the function before each piece of work
/// that may use the driver, because the driver may not have been open at the previous call. After the first successful
/// call, further calls are cheap.
#[doc(hidden)]
pub fn enter_background_thread() {
    if CAPTURE_MODE.get() == CaptureMode::Relaxed {
        return;
    }
    CAPTURE_MODE.set(CaptureMode::Pending);
    let Some(state) = context::first_opened() else { return };
    // The flag is set even if the driver refuses the call. The driver would refuse each further attempt, too.
    CAPTURE_MODE.set(CaptureMode::Relaxed);
    if let Err(error) = relax(state) {
        tracing::warn!(%error, "a background thread may invalidate a graph capture of another thread");
    }
}

/// Returns whether the calling thread is a background thread of this library.
pub(crate) fn is_background_thread() -> bool {
    CAPTURE_MODE.get() != CaptureMode::Inherited
}

fn relax(state: &DeviceState) -> Result<()> {
    let _entered = state.enter()?;
    let mut mode = raw::CAPTURE_MODE_RELAXED;
    // SAFETY: `mode` is writable and holds a value that the driver knows. A context is current.
    unsafe { table::cuThreadExchangeStreamCaptureMode(&mut mode) }?.on(state.device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_threads_that_say_so_are_background_threads() {
        let own = std::thread::spawn(|| {
            let before = is_background_thread();
            enter_background_thread();
            enter_background_thread();
            (before, is_background_thread())
        });
        assert_eq!((own.join().unwrap(), is_background_thread()), ((false, true), false));
    }
}
