//! Background threads beside threads that capture graphs.
//!
//! While somebody captures in the driver's global mode, calls that could go wrong in a capture, such as asking an event,
//! allocating and freeing, are refused on every thread, and each of them ends that capture. Nothing that background threads do
//! is part of a capture, so they leave that rule; the setting is the calling thread's alone.

use std::cell::Cell;

use crate::context::{self, DeviceState};
use crate::{Result, raw, table};

#[derive(Clone, Copy, PartialEq, Eq)]
enum CaptureMode {
    /// Somebody else's, with a mode that is not ours to change.
    Inherited,
    /// Ours; the driver does not know that yet.
    Pending,
    /// Ours, and relaxed in the driver.
    Relaxed,
}

thread_local! {
    static CAPTURE_MODE: Cell<CaptureMode> = const { Cell::new(CaptureMode::Inherited) };
}

/// Says that the calling thread is one of ours: captures of others and what it asks of the driver leave each other alone
/// from now on. Called before each piece of work that may use the driver, since that may not be opened before; cheap after
/// the first time.
#[doc(hidden)]
pub fn enter_background_thread() {
    if CAPTURE_MODE.get() == CaptureMode::Relaxed {
        return;
    }
    CAPTURE_MODE.set(CaptureMode::Pending);
    let Some(state) = context::first_opened() else { return };
    // Not tried again: a driver that refuses once would refuse each time.
    CAPTURE_MODE.set(CaptureMode::Relaxed);
    if let Err(error) = relax(state) {
        tracing::warn!(%error, "graphs that are captured now may be lost to a thread in the background");
    }
}

/// Whether the calling thread is one of ours.
pub(crate) fn is_background_thread() -> bool {
    CAPTURE_MODE.get() != CaptureMode::Inherited
}

fn relax(state: &DeviceState) -> Result<()> {
    let _entered = state.enter()?;
    let mut mode = raw::CAPTURE_MODE_RELAXED;
    // SAFETY: `mode` is writable and one that the driver knows; a context is current.
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
