//! Release of memory that was lent to other libraries.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gdf_driver::{Device, foreign};
use gdf_memory::when_complete;

/// Keeps values that own memory until all work that is enqueued on the device so far has finished.
pub(crate) fn keep_until_idle<T: Send + 'static>(device: Device, held: Vec<T>) {
    match foreign::record_all(device) {
        Ok(event) => when_complete(vec![event], move || let_go(held)),
        // If the driver cannot record the event, the CPU waits for the device instead.
        Err(_) => match foreign::synchronize_all(device) {
            Ok(()) => let_go(held),
            Err(error) => {
                tracing::warn!(%device, %error, "the end of a consumer's work cannot be waited for; memory is leaked");
                std::mem::forget(held);
            }
        },
    }
}

/// Drops the values one after the other.
pub(crate) fn let_go<T>(held: Vec<T>) {
    for owner in held {
        if catch_unwind(AssertUnwindSafe(|| drop(owner))).is_err() {
            tracing::error!("the owner of foreign memory panicked while the owner was dropped");
        }
    }
}
