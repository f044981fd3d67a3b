//! Values of any number of bytes, which is the same for all values of a column.

use gdf_core::bitmask;

use super::values::Values;
use crate::batch::Flaw;
use crate::spare::Spare;

/// Values of `width` bytes, at least 1.
pub(super) struct FixedBytes<'a> {
    place: &'a mut [u8],
    width: usize,
    dictionary: Spare,
}

impl<'a> FixedBytes<'a> {
    pub(super) fn new(place: &'a mut [u8], width: usize) -> Self {
        FixedBytes { place, width, dictionary: Spare::default() }
    }

    /// Returns the memory of rows.
    fn rows(&mut self, row: usize, count: usize) -> Result<&mut [u8], Flaw> {
        self.place.get_mut(row * self.width..(row + count) * self.width).ok_or(Flaw::Rows)
    }
}

impl Values for FixedBytes<'_> {
    fn set_dictionary(&mut self, page: &[u8], count: usize) -> Result<(), Flaw> {
        let page = count.checked_mul(self.width).and_then(|size| page.get(..size)).ok_or(Flaw::Dictionary)?;
        self.dictionary = Spare::new(page.len());
        self.dictionary.as_mut_slice().copy_from_slice(page);
        Ok(())
    }

    fn plain(&mut self, row: usize, count: usize, page: &[u8]) -> Result<(), Flaw> {
        let values = page.get(..count * self.width).ok_or(Flaw::Values)?;
        self.rows(row, count)?.copy_from_slice(values);
        Ok(())
    }

    fn repeat(&mut self, row: usize, count: usize, key: u32) -> Result<(), Flaw> {
        let (key, width) = (key as usize, self.width);
        let place = self.place.get_mut(row * width..(row + count) * width).ok_or(Flaw::Rows)?;
        let value = self.dictionary.as_ref().get(key * width..(key + 1) * width).ok_or(Flaw::Key)?;
        place.chunks_exact_mut(width).for_each(|place| place.copy_from_slice(value));
        Ok(())
    }

    fn spread(&mut self, row: usize, rows: usize, count: usize, valid: &[u8]) -> Result<(), Flaw> {
        let width = self.width;
        let place = self.rows(row, rows)?;
        let mut left = count;
        for at in (0..rows).rev() {
            if bitmask::get_bit(valid, row + at) {
                left -= 1;
                place.copy_within(left * width..(left + 1) * width, at * width);
            } else {
                place[at * width..(at + 1) * width].fill(0);
            }
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        true
    }
}
