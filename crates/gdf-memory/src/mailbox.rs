//! Pinned words that a kernel writes for the CPU. Operations use mailboxes to read sizes that the device computed.

use std::ops::Range;

use gdf_driver::Stream;

use crate::pinned_slots::{PerDevice, Slot, SlotPool};
use crate::{MemoryError, Result};

/// The number of words in a mailbox.
const WORDS: usize = 64;
const MAILBOXES_PER_BLOCK: usize = 128;

/// The value of a word that no kernel has written yet.
const NOT_POSTED: u64 = 0x6e6f_7420_796e_6574;

static POOLS: PerDevice<SlotPool> = PerDevice::new();

/// Up to 64 pinned words that kernels write and the CPU reads after one wait.
///
/// This is the one way in which operations learn a size from the device, so how to wait is decided here once: the CPU
/// looks at the words themselves, which shows them some microseconds before the driver tells of the kernel's end.
/// Kernels write each word exactly once, whole and last of all that depends on it (`gdf::post`); words that none writes
/// are named by [`preset`](Self::preset). Words that are written only in some cases, or more than once, are for a
/// [`cleared`](Self::cleared) mailbox, whose wait is the driver's.
#[derive(Debug)]
pub struct Mailbox {
    slot: Slot,
    words: usize,
    stream: Stream,
    pool: &'static SlotPool,
    /// Whether `wait` polls the words. `wait` synchronizes the stream otherwise.
    polled: bool,
    waited: bool,
}

impl Mailbox {
    /// The maximum number of words in a mailbox.
    pub const MAX_WORDS: usize = WORDS;

    /// Makes a mailbox of `words` words for kernels on `stream`. The kernels must write each word exactly once.
    ///
    /// # Errors
    /// * [`NotHostAccessible`](MemoryError::NotHostAccessible) on a CPU stream, which needs none.
    /// * [`OutOfRange`](MemoryError::OutOfRange) above [`MAX_WORDS`](Self::MAX_WORDS).
    /// * Driver errors of making pinned memory.
    pub fn new(stream: &Stream, words: usize) -> Result<Self> {
        let mut mailbox = Self::cleared(stream, words)?;
        mailbox.fill(0..words, NOT_POSTED);
        mailbox.polled = true;
        Ok(mailbox)
    }

    /// Makes a mailbox of `words` words, all zero, for kernels on `stream`. The kernels need not write every word.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn cleared(stream: &Stream, words: usize) -> Result<Self> {
        let device = stream.device();
        if device.is_cpu() {
            return Err(MemoryError::NotHostAccessible { device });
        }
        if words > WORDS {
            return Err(MemoryError::OutOfRange { offset: 0, len: words, size: WORDS });
        }
        let pool = POOLS.get(device, || SlotPool::new(device, WORDS * 8, MAILBOXES_PER_BLOCK, usize::MAX));
        let slot = pool.take(stream)?;
        let mailbox = Self { slot, words, stream: stream.clone(), pool, polled: false, waited: false };
        mailbox.fill(0..words, 0);
        Ok(mailbox)
    }

    /// Sets words that no kernel writes to 0. The caller must call `preset` before the kernels are launched.
    ///
    /// # Panics
    /// If `words` ends after the last word of the mailbox.
    pub fn preset(&mut self, words: Range<usize>) {
        assert!(words.end <= self.words, "words {words:?} of a mailbox of {}", self.words);
        self.fill(words, 0);
    }

    fn fill(&self, words: Range<usize>, value: u64) {
        for word in words {
            // SAFETY: the slot is exclusively ours, as no kernel has been told of it, and holds WORDS words.
            unsafe { self.slot.ptr().cast::<u64>().add(word).write_volatile(value) };
        }
    }

    fn read(&self, word: usize) -> u64 {
        debug_assert!(word < WORDS, "a slot holds {WORDS} words");
        // SAFETY: the slot is ours and holds WORDS words; a kernel may be writing this one, whole, at this moment,
        // which a volatile read of an aligned word sees before or after.
        unsafe { self.slot.ptr().cast::<u64>().add(word).read_volatile() }
    }

    /// Returns the address of the first word, for kernels on the stream of the mailbox.
    pub fn address(&self) -> u64 {
        self.slot.address()
    }

    /// Waits for all words and returns them. Kernels that wrote them may still be ending, but for those of a
    /// [`cleared`](Self::cleared) mailbox: everything enqueued on the stream so far has completed.
    ///
    /// # Errors
    /// Driver errors, those of kernels that failed before they wrote their words included.
    pub fn wait(mut self) -> Result<[u64; WORDS]> {
        let mut posted = 0;
        let all_posted = || {
            while posted < self.words && self.read(posted) != NOT_POSTED {
                posted += 1;
            }
            posted == self.words
        };
        if self.polled {
            self.stream.wait_until(all_posted)?
        } else {
            self.stream.synchronize()?
        }
        self.waited = true;
        let mut words = [0; WORDS];
        for (index, word) in words.iter_mut().enumerate().take(self.words) {
            *word = self.read(index);
        }
        Ok(words)
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        if self.waited {
            return self.pool.give_back(self.slot);
        }
        match self.stream.record_from_anywhere() {
            Ok(event) => self.pool.give_back_after(self.slot, event),
            Err(error) => tracing::warn!(%error, "a mailbox on a failed stream is leaked"),
        }
    }
}
