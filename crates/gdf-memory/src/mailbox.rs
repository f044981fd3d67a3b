//! Words that a kernel posts to the CPU: how sizes that only the device knows come back.

use gdf_driver::Stream;

use crate::pinned_slots::{PerDevice, Slot, SlotPool};
use crate::{MemoryError, Result};

/// Words of one mailbox.
const WORDS: usize = 64;
const MAILBOXES_PER_BLOCK: usize = 128;

static POOLS: PerDevice<SlotPool> = PerDevice::new();

/// Up to 64 pinned words that kernels write and the CPU reads after one wait.
///
/// This is the one way in which operations learn a size from the device, so how to wait is decided here once.
#[derive(Debug)]
pub struct Mailbox {
    slot: Slot,
    words: usize,
    stream: Stream,
    pool: &'static SlotPool,
    waited: bool,
}

impl Mailbox {
    /// Most words of one mailbox.
    pub const MAX_WORDS: usize = WORDS;

    /// A mailbox of `words` words, all zero, for kernels on `stream`.
    ///
    /// # Errors
    /// * [`NotHostAccessible`](MemoryError::NotHostAccessible) on a CPU stream, which needs none.
    /// * [`OutOfRange`](MemoryError::OutOfRange) above [`MAX_WORDS`](Self::MAX_WORDS).
    /// * Driver errors of making pinned memory.
    pub fn new(stream: &Stream, words: usize) -> Result<Self> {
        let device = stream.device();
        if device.is_cpu() {
            return Err(MemoryError::NotHostAccessible { device });
        }
        if words > WORDS {
            return Err(MemoryError::OutOfRange { offset: 0, len: words, size: WORDS });
        }
        let pool = POOLS.get(device, || SlotPool::new(device, WORDS * 8, MAILBOXES_PER_BLOCK, usize::MAX));
        let slot = pool.take()?;
        for word in 0..words {
            // SAFETY: the slot is exclusively ours and holds WORDS words.
            unsafe { slot.ptr().cast::<u64>().add(word).write_volatile(0) };
        }
        Ok(Self { slot, words, stream: stream.clone(), pool, waited: false })
    }

    /// Address of the first word for kernels on the mailbox's stream.
    pub fn address(&self) -> u64 {
        self.slot.address()
    }

    /// Waits for everything enqueued on the mailbox's stream so far and returns the words.
    ///
    /// # Errors
    /// Driver errors, those of the kernels that ran included.
    pub fn wait(mut self) -> Result<[u64; WORDS]> {
        self.stream.synchronize()?;
        self.waited = true;
        let mut words = [0; WORDS];
        for (index, word) in words.iter_mut().enumerate().take(self.words) {
            // SAFETY: the slot is ours, holds WORDS words, and the kernels that write it have completed.
            *word = unsafe { self.slot.ptr().cast::<u64>().add(index).read_volatile() };
        }
        Ok(words)
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        if self.waited {
            return self.pool.give_back(self.slot);
        }
        match self.stream.record() {
            Ok(event) => self.pool.give_back_after(self.slot, event),
            Err(error) => tracing::warn!(%error, "a mailbox on a failed stream is leaked"),
        }
    }
}
