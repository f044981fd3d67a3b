//! The destination of the values of a column.

use crate::batch::Flaw;

/// The memory of the values of a column, and the dictionary of its pages. Values are written to consecutive rows, and
/// then moved to their rows.
pub(super) trait Values: Send {
    /// Sets the dictionary, which contains the values for the keys of the following pages.
    fn set_dictionary(&mut self, page: &[u8], count: usize) -> Result<(), Flaw>;

    /// Writes `count` plain-encoded values of a page.
    fn plain(&mut self, row: usize, count: usize, page: &[u8]) -> Result<(), Flaw>;

    /// Writes the values that keys stand for.
    fn by_keys(&mut self, row: usize, keys: &[u32]) -> Result<(), Flaw> {
        for (at, key) in keys.iter().enumerate() {
            self.repeat(row + at, 1, *key)?;
        }
        Ok(())
    }

    /// Writes the value that a key stands for to `count` rows.
    fn repeat(&mut self, row: usize, count: usize, key: u32) -> Result<(), Flaw>;

    /// Moves `count` values to their rows.
    fn spread(&mut self, row: usize, rows: usize, count: usize, valid: &[u8]) -> Result<(), Flaw>;

    /// Returns whether all bytes of text are written.
    fn is_full(&self) -> bool;

    /// Returns the bits of all rows, if the values are bits.
    fn take_bits(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Returns the number of bytes of text of the rows so far.
    fn text_bytes(&self) -> usize {
        0
    }
}
