//! Booleans, which are bits. Chunks share bytes, so each chunk has its bits in memory of its own.

use gdf_core::bitmask;

use super::values::Values;
use crate::batch::Flaw;

/// The bits of the rows of a chunk.
pub(super) struct Bits(Vec<u8>);

impl Bits {
    pub(super) fn new() -> Self {
        Bits(Vec::new())
    }

    /// Makes room for the rows up to `end`.
    fn grow(&mut self, end: usize) {
        self.0.resize(self.0.len().max(bitmask::used_bytes(end)), 0);
    }
}

impl Values for Bits {
    fn set_dictionary(&mut self, _: &[u8], _: usize) -> Result<(), Flaw> {
        // No key refers to it.
        Ok(())
    }

    fn plain(&mut self, row: usize, count: usize, page: &[u8]) -> Result<(), Flaw> {
        if count.div_ceil(8) > page.len() {
            return Err(Flaw::Values);
        }
        self.grow(row + count);
        bitmask::copy_bits(page, 0, &mut self.0, row, count);
        Ok(())
    }

    fn repeat(&mut self, row: usize, count: usize, key: u32) -> Result<(), Flaw> {
        if key > 1 {
            return Err(Flaw::Key);
        }
        self.grow(row + count);
        bitmask::fill_bits(&mut self.0, row, count, key == 1);
        Ok(())
    }

    fn spread(&mut self, row: usize, rows: usize, count: usize, valid: &[u8]) -> Result<(), Flaw> {
        self.grow(row + rows);
        let mut left = count;
        for at in (row..row + rows).rev() {
            let is_valid = bitmask::get_bit(valid, at);
            left -= usize::from(is_valid);
            let bit = is_valid && bitmask::get_bit(&self.0, row + left);
            bitmask::put_bit(&mut self.0, at, bit);
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        true
    }

    fn take_bits(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}
