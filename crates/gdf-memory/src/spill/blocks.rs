//! Spilled bytes in compressed blocks.
//!
//! The bytes of a buffer are divided into blocks. If a block does not become smaller by an eighth, this block and all
//! later blocks of the buffer are stored uncompressed.

use std::io::{self, Read, Write};
use std::sync::Arc;

use super::file::{Extent, SpillFile};
use crate::Result;

/// The number of bytes of a block.
pub(super) const BLOCK: usize = 4 << 20;

pub(super) struct Compressor {
    /// Whether all blocks so far became smaller by an eighth.
    pays: bool,
}

/// A block of a buffer in the file.
#[derive(Debug)]
pub(super) struct Block {
    extent: Extent,
    bytes: usize,
    /// The number of stored bytes.
    stored: usize,
}

impl Compressor {
    pub(super) fn new() -> Self {
        Self { pays: true }
    }

    pub(super) fn store(&mut self, file: &Arc<SpillFile>, bytes: &[u8]) -> Result<Block> {
        let compressed = if self.pays { lz4_flex::block::compress(bytes) } else { Vec::new() };
        // Compression that saves less than an eighth costs more time than it saves.
        self.pays &= compressed.len() <= bytes.len() - bytes.len() / 8;
        let stored = if self.pays { compressed.as_slice() } else { bytes };
        let write = |to: &mut dyn Write| to.write_all(stored).map_err(|error| file.write_error(&error));
        let extent = file.store(stored.len(), write)?;
        Ok(Block { extent, bytes: bytes.len(), stored: stored.len() })
    }
}

impl Block {
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn stored(&self) -> usize {
        self.stored
    }

    /// Reads the bytes.
    pub(super) fn load(&self, into: &mut [u8]) -> Result<()> {
        let fill = |bytes: &mut [u8]| {
            let read = |from: &mut dyn Read| from.read_exact(bytes).map_err(|error| self.extent.read_error(&error));
            self.extent.load(read)
        };
        if self.stored == self.bytes {
            return fill(into);
        }
        let mut compressed = vec![0; self.stored];
        fill(&mut compressed)?;
        match lz4_flex::block::decompress_into(&compressed, into) {
            Ok(found) if found == self.bytes => Ok(()),
            Ok(_) => Err(self.extent.read_error(&io::Error::from(io::ErrorKind::InvalidData))),
            Err(error) => Err(self.extent.read_error(&io::Error::new(io::ErrorKind::InvalidData, error))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_compressed_where_it_pays() {
        let folder = tempfile::tempdir().unwrap();
        let file = Arc::new(SpillFile::new(folder.path(), usize::MAX, None).unwrap());
        let mut state = 1_u32;
        let random: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .take(100_000)
        .collect();
        let equal = vec![7; 100_000];
        let loaded = |block: &Block| {
            let mut bytes = vec![0; block.bytes()];
            block.load(&mut bytes).unwrap();
            bytes
        };
        let mut compressor = Compressor::new();
        let (first, second) = (compressor.store(&file, &equal).unwrap(), compressor.store(&file, &random).unwrap());
        assert!(first.stored() < 1_000 && second.stored() == 100_000, "{first:?} {second:?}");
        assert!(loaded(&first) == equal && loaded(&second) == random);
        // After a block that did not become smaller, later blocks are not compressed.
        let third = compressor.store(&file, &equal).unwrap();
        assert!(third.stored() == 100_000 && loaded(&third) == equal);
        let one = Compressor::new().store(&file, &[1]).unwrap();
        assert_eq!(loaded(&one), [1]);
    }

    #[test]
    fn a_block_that_was_damaged_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = Arc::new(SpillFile::new(folder.path(), usize::MAX, None).unwrap());
        let block = Compressor::new().store(&file, &[3; 10_000]).unwrap();
        let short = Block { bytes: 20_000, ..block };
        let error = short.load(&mut vec![0; 20_000]).unwrap_err();
        assert!(error.to_string().starts_with("cannot read spilled bytes"), "{error}");
    }
}
