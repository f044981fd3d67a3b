//! Background threads of this library, and graph captures of other threads.

use std::cell::Cell;

use crate::context::{self, DeviceState};
use crate::{Result, raw, table};

#[derive(Clone, Copy, PartialEq, Eq)]
enum CaptureMode {
    /// The thread belongs to other code.
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
#[doc(hidden)]
pub fn enter_background_thread() {
    if CAPTURE_MODE.get() == CaptureMode::Relaxed {
        return;
    }
    CAPTURE_MODE.set(CaptureMode::Pending);
    let Some(state) = context::first_opened() else { return };
    // The mode is stored even if the driver refuses the call, so that the call is not repeated.
    CAPTURE_MODE.set(CaptureMode::Relaxed);
    if let Err(error) = relax(state) {
        tracing::warn!(%error, "a background thread may invalidate a graph capture of another thread");
    }
}

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
