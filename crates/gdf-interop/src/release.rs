//! The end of memory that was lent to other libraries.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gdf_driver::{Device, foreign};
use gdf_memory::{Buffer, when_complete};

/// Keeps the buffers until everything that is enqueued on the device now is done.
pub(crate) fn keep_until_idle(device: Device, held: Vec<Buffer>) {
    match foreign::record_all(device) {
        Ok(event) => when_complete(vec![event], move || let_go(held)),
        // The driver cannot say: wait here.
        Err(_) => match foreign::synchronize_all(device) {
            Ok(()) => let_go(held),
            Err(error) => {
                tracing::warn!(%device, %error, "the end of a consumer's work cannot be waited for; memory is leaked");
                std::mem::forget(held);
            }
        },
    }
}

/// Drops the buffers one by one. They may be the last of a foreign owner, whose panic must neither keep the others nor leave a
/// callback of C.
pub(crate) fn let_go(held: Vec<Buffer>) {
    for buffer in held {
        if catch_unwind(AssertUnwindSafe(|| drop(buffer))).is_err() {
            tracing::error!("the owner of foreign memory panicked when it was let go of");
        }
    }
}
