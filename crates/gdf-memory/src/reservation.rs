//! Reservations: bytes that are added to a counter with a limit before they are allocated.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that were added to a counter. When the reservation is dropped, the bytes that were not committed are
/// subtracted again.
#[must_use]
#[derive(Debug)]
pub(crate) struct Reservation<'a> {
    counter: &'a AtomicUsize,
    bytes: usize,
}

impl<'a> Reservation<'a> {
    /// Adds `bytes` to `counter`. Returns `None` if the sum would exceed `limit`.
    pub(crate) fn new(counter: &'a AtomicUsize, bytes: usize, limit: usize) -> Option<Self> {
        let more = |reserved: usize| reserved.checked_add(bytes).filter(|&sum| sum <= limit);
        counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Self { counter, bytes })
    }

    pub(crate) fn commit(self) {
        let bytes = self.bytes;
        self.commit_part(bytes);
    }

    pub(crate) fn commit_part(mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.counter.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
