//! The end of memory that was lent to other libraries.

use gdf_driver::{Device, foreign};
use gdf_memory::{Buffer, when_complete};

/// Keeps the buffers until everything that is enqueued on the device now is done.
pub(crate) fn keep_until_idle(device: Device, held: Vec<Buffer>) {
    match foreign::record_all(device) {
        Ok(event) => when_complete(vec![event], move || drop(held)),
        // The driver cannot say: wait here.
        Err(_) => match foreign::synchronize_all(device) {
            Ok(()) => drop(held),
            Err(error) => {
                tracing::warn!(%device, %error, "the end of a consumer's work cannot be waited for; memory is leaked");
                std::mem::forget(held);
            }
        },
    }
}
