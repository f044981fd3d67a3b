//! Pinned words that a kernel writes for the CPU. With mailboxes, operations read sizes that the device has computed.

use std::ops::Range;

use gdf_driver::Stream;

use crate::pinned_slots::{PerDevice, Slot, SlotPool};
use crate::{MemoryError, Result};

const WORDS: usize = 64;
const MAILBOXES_PER_BLOCK: usize = 128;

/// The value of a word that no kernel has written yet.
const NOT_POSTED: u64 = 0x6e6f_7420_796e_6574;

static POOLS: PerDevice<SlotPool> = PerDevice::new();

/// Up to 64 pinned words that kernels write and that the CPU reads after one wait.
///
/// Operations read sizes from the device only through mailboxes, so that this type alone decides how to wait. Kernels
/// must write each word exactly once, as a whole, and after all other writes that depend on the word (`gdf::post`).
/// [`preset`](Self::preset) sets words that no kernel writes.
///
/// Use a [`cleared`](Self::cleared) mailbox for words that kernels write only in some cases, or more than once.
#[derive(Debug)]
pub struct Mailbox {
    slot: Slot,
    words: usize,
    stream: Stream,
    pool: &'static SlotPool,
    /// Whether `wait` polls the words.
    polled: bool,
    waited: bool,
}

impl Mailbox {
    /// The maximum number of words in a mailbox.
    pub const MAX_WORDS: usize = WORDS;

    /// Makes a mailbox of `words` words for kernels on `stream`. The kernels must write each word exactly once.
    ///
    /// # Errors
    /// * [`NotHostAccessible`](MemoryError::NotHostAccessible) on a CPU stream. The CPU can read the results of its own
    ///   work without a mailbox.
    /// * [`OutOfRange`](MemoryError::OutOfRange) when `words` exceeds [`MAX_WORDS`](Self::MAX_WORDS).
    /// * Driver errors of allocating pinned memory.
    pub fn new(stream: &Stream, words: usize) -> Result<Self> {
        let mut mailbox = Self::cleared(stream, words)?;
        mailbox.fill(0..words, NOT_POSTED);
        mailbox.polled = true;
        Ok(mailbox)
    }

    /// Makes a mailbox of `words` words for kernels on `stream`. All words are zero at first. The kernels need not
    /// write every word.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
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

    /// Sets the words of a range to 0. The function is for words that no kernel writes. The caller must call `preset`
    /// before the kernels are launched.
    ///
    /// # Panics
    /// If `words` ends after the last word of the mailbox.
    pub fn preset(&mut self, words: Range<usize>) {
        assert!(words.end <= self.words, "the range of words {words:?} exceeds the mailbox of {} words", self.words);
        self.fill(words, 0);
    }

    fn fill(&self, words: Range<usize>, value: u64) {
        for word in words {
            // SAFETY: the mailbox has exclusive use of the slot, which has `WORDS` words of pinned memory, and `word`
            // is below `WORDS`. No kernel accesses the words yet, because the mailbox is filled before the kernels are
            // launched.
            unsafe { self.slot.ptr().cast::<u64>().add(word).write_volatile(value) };
        }
    }

    fn read(&self, word: usize) -> u64 {
        debug_assert!(word < WORDS, "a slot holds {WORDS} words");
        // SAFETY: the mailbox has exclusive use of the slot, which has `WORDS` words of initialized pinned memory, and
        // `word` is below `WORDS`. A kernel may write the word at the same time. Kernels write an aligned word as a
        // whole, so the volatile read returns either the old or the new value of the word.
        unsafe { self.slot.ptr().cast::<u64>().add(word).read_volatile() }
    }

    /// Returns the address of the first word, for kernels on the stream of the mailbox.
    pub fn address(&self) -> u64 {
        self.slot.address()
    }

    /// Waits until all words are written, and returns the words. The kernels that wrote the words may still be running.
    /// For a [`cleared`](Self::cleared) mailbox, the call waits for all work that was enqueued on the stream.
    ///
    /// # Errors
    /// Driver errors, including the errors of kernels that failed before they wrote their words.
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
