//! The null count of a column, in one of three states: known, stored in device memory, or not counted yet.

use std::sync::{Arc, OnceLock};

use gdf_driver::Stream;
use gdf_memory::Buffer;

use crate::{Error, Result};

/// The null count of a column, which may be unknown.
#[derive(Clone, Debug)]
pub enum NullCount {
    /// The column has this number of nulls.
    Known(usize),
    /// The kernel that writes the validity mask also writes the count, as a `u64`, to these 8 bytes.
    Device {
        /// The memory of the 8 bytes.
        word: Buffer,
        /// The count, after a thread has waited for the kernel. Before that, the cell is empty. All clones of the
        /// column share the cell.
        cache: Arc<OnceLock<usize>>,
    },
    /// The count is unknown. The zeros of the mask would have to be counted.
    Unknown,
}

impl NullCount {
    /// Makes a count that a kernel stores in the 8 bytes of `word`.
    pub fn device(word: Buffer) -> NullCount {
        NullCount::Device { word, cache: Arc::default() }
    }

    /// Returns the count if the count is known without waiting or counting.
    pub fn known(&self) -> Option<usize> {
        match self {
            NullCount::Known(count) => Some(*count),
            NullCount::Device { cache, .. } => cache.get().copied(),
            NullCount::Unknown => None,
        }
    }

    /// Returns the null count of a slice.
    pub(crate) fn of_slice(&self, len: usize, part: usize) -> NullCount {
        match self.known() {
            _ if part == len => self.clone(),
            _ if part == 0 => NullCount::Known(0),
            Some(0) => NullCount::Known(0),
            Some(count) if count == len => NullCount::Known(part),
            _ => NullCount::Unknown,
        }
    }
}

/// Reads the count that a kernel has written to `word`.
pub(crate) fn read_word(word: &Buffer, cache: &OnceLock<usize>, stream: &Stream) -> Result<usize> {
    if let Some(count) = cache.get() {
        return Ok(*count);
    }
    let bytes = word.to_host(stream)?;
    let bytes: [u8; 8] = bytes
        .get(..8)
        .and_then(|b| b.try_into().ok())
        .ok_or_else(|| Error::buffer_too_small("null count", 8, bytes.len()))?;
    let count = usize::try_from(u64::from_ne_bytes(bytes))
        .map_err(|_| Error::invalid_data("the null count on the device exceeds the address space"))?;
    Ok(*cache.get_or_init(|| count))
}
