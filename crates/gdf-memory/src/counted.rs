//! What counts before it is there.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes, or whatever, that count while this lives, also when code of others panics, and for good once they are kept.
#[must_use]
#[derive(Debug)]
pub(crate) struct Counted<'a> {
    counter: &'a AtomicUsize,
    bytes: usize,
}

impl<'a> Counted<'a> {
    /// Counts so many bytes more, unless that makes more than `most`.
    pub(crate) fn new(counter: &'a AtomicUsize, bytes: usize, most: usize) -> Option<Self> {
        let more = |counted: usize| counted.checked_add(bytes).filter(|&sum| sum <= most);
        counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Self { counter, bytes })
    }

    pub(crate) fn keep(self) {
        let bytes = self.bytes;
        self.keep_part(bytes);
    }

    /// Keeps at most so many of the bytes.
    pub(crate) fn keep_part(mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.counter.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
