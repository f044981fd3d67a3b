//! The validity of the rows of a column chunk.

use gdf_core::bitmask;

use super::runs::{Run, Runs};
use crate::batch::Flaw;

/// The validity of rows. As long as no row is null, the bits may be missing.
#[derive(Clone, Debug, Default)]
pub struct RowValidity {
    bits: Vec<u8>,
    /// The number of rows that have a validity bit.
    filled: usize,
    rows: usize,
    null_count: usize,
}

impl RowValidity {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of null rows.
    pub fn null_count(&self) -> usize {
        self.null_count
    }

    /// Appends `rows` valid rows.
    pub fn push_valid(&mut self, rows: usize) {
        self.rows += rows;
    }

    /// Appends `rows` rows, whose bits begin at bit `offset` of `bits` and have `null_count` zeros.
    pub fn push_bits(&mut self, bits: &[u8], offset: usize, rows: usize, null_count: usize) {
        if null_count > 0 {
            self.fill(self.rows);
            self.bits.resize(bitmask::used_bytes(self.rows + rows), 0);
            bitmask::copy_bits(bits, offset, &mut self.bits, self.rows, rows);
            self.filled = self.rows + rows;
        }
        self.rows += rows;
        self.null_count += null_count;
    }

    /// Writes the bits of all rows, from bit `at` of `bits` on.
    ///
    /// # Panics
    /// - `bits` end before the last row.
    pub fn write(&self, bits: &mut [u8], at: usize) {
        let filled = if self.null_count > 0 { self.filled } else { 0 };
        bitmask::copy_bits(&self.bits, 0, bits, at, filled);
        bitmask::fill_bits(bits, at + filled, self.rows - filled, true);
    }

    /// Appends `rows` rows by their definition levels, and returns the number of nulls among them.
    pub(super) fn push_levels(&mut self, rows: usize, levels: &[u8]) -> Result<usize, Flaw> {
        let mut runs = Runs::new(levels, 1).ok_or(Flaw::Levels)?;
        let row = self.rows;
        let (mut at, end) = (row, row + rows);
        while at < end {
            let run = runs.next_run().ok_or(Flaw::Levels)?;
            let count = run.len(1).min(end - at);
            match run {
                _ if count == 0 => continue,
                Run::Repeated { value: 2.., .. } => return Err(Flaw::Levels),
                Run::Repeated { value: 1, .. } if self.filled == 0 => {
                    at += count;
                    continue;
                }
                Run::Repeated { .. } | Run::Packed { .. } => {}
            }
            self.fill(at);
            self.bits.resize(bitmask::used_bytes(end), 0);
            match run {
                Run::Repeated { value, .. } => bitmask::fill_bits(&mut self.bits, at, count, value == 1),
                Run::Packed { bytes } => bitmask::copy_bits(bytes, 0, &mut self.bits, at, count),
            }
            at += count;
            self.filled = at;
        }
        self.rows = end;
        if self.filled <= row {
            return Ok(0);
        }
        let nulls = bitmask::count_zeros_in_range(&self.bits, row, rows);
        self.null_count += nulls;
        Ok(nulls)
    }

    /// Returns the validity bits so far. All rows up to the last null have bits.
    pub(super) fn bits(&self) -> &[u8] {
        &self.bits
    }

    /// Marks all rows up to `end` that have no validity bit yet as valid.
    fn fill(&mut self, end: usize) {
        if self.filled < end {
            self.bits.resize(bitmask::used_bytes(end), 0);
            bitmask::fill_bits(&mut self.bits, self.filled, end - self.filled, true);
            self.filled = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(of: &RowValidity) -> Vec<bool> {
        let mut bits = vec![0; (of.rows() + 3).div_ceil(8)];
        of.write(&mut bits, 3);
        (0..of.rows()).map(|row| bitmask::get_bit(&bits, row + 3)).collect()
    }

    #[test]
    fn rows_follow_one_another() {
        let mut validity = RowValidity::default();
        validity.push_valid(3);
        assert_eq!(validity.push_levels(5, &[10, 1]), Ok(0));
        assert_eq!((bits(&validity), validity.null_count()), (vec![true; 8], 0));
        assert_eq!(validity.push_levels(4, &[3, 0b0101]), Ok(2));
        validity.push_valid(2);
        validity.push_bits(&[0b1110_1111], 3, 3, 1);
        let expected = [vec![true; 8], vec![true, false, true, false, true, true, true, false, true]].concat();
        assert_eq!((bits(&validity), validity.null_count()), (expected, 3));
    }

    #[test]
    fn levels_are_zero_or_one() {
        assert_eq!(RowValidity::default().push_levels(3, &[6, 2]), Err(Flaw::Levels));
        assert_eq!(RowValidity::default().push_levels(3, &[0, 2, 6, 0]), Ok(3), "an empty run has no level");
        assert_eq!(RowValidity::default().push_levels(3, &[4, 1]), Err(Flaw::Levels), "cut");
    }
}
