//! Numbers of a fixed width, as pages store them.

use gdf_core::bitmask;

use super::values::Values;
use crate::batch::Flaw;
use crate::spare::Spare;

/// Numbers of `W` bytes.
pub(super) struct Numbers<'a, const W: usize> {
    pub(super) place: &'a mut [[u8; W]],
    pub(super) dictionary: Spare,
}

impl<'a, const W: usize> Numbers<'a, W> {
    pub(super) fn new(place: &'a mut [u8]) -> Self {
        Numbers { place: place.as_chunks_mut().0, dictionary: Spare::default() }
    }

    /// Returns the memory of rows.
    pub(super) fn rows(&mut self, row: usize, count: usize) -> Result<&mut [[u8; W]], Flaw> {
        let end = row.checked_add(count).ok_or(Flaw::Rows)?;
        self.place.get_mut(row..end).ok_or(Flaw::Rows)
    }
}

impl<const W: usize> Values for Numbers<'_, W> {
    fn set_dictionary(&mut self, page: &[u8], count: usize) -> Result<(), Flaw> {
        let page = count.checked_mul(W).and_then(|size| page.get(..size)).ok_or(Flaw::Dictionary)?;
        self.dictionary = Spare::new(page.len());
        self.dictionary.as_mut_slice().copy_from_slice(page);
        Ok(())
    }

    fn plain(&mut self, row: usize, count: usize, page: &[u8]) -> Result<(), Flaw> {
        let values = page.as_chunks().0.get(..count).ok_or(Flaw::Values)?;
        self.rows(row, count)?.copy_from_slice(values);
        Ok(())
    }

    fn by_keys(&mut self, row: usize, keys: &[u32]) -> Result<(), Flaw> {
        let place = self.place.get_mut(row..row + keys.len()).ok_or(Flaw::Rows)?;
        let dictionary = self.dictionary.as_ref().as_chunks::<W>().0;
        for (value, key) in place.iter_mut().zip(keys) {
            *value = *dictionary.get(*key as usize).ok_or(Flaw::Key)?;
        }
        Ok(())
    }

    fn repeat(&mut self, row: usize, count: usize, key: u32) -> Result<(), Flaw> {
        let value = *self.dictionary.as_ref().as_chunks::<W>().0.get(key as usize).ok_or(Flaw::Key)?;
        self.rows(row, count)?.fill(value);
        Ok(())
    }

    fn spread(&mut self, row: usize, rows: usize, count: usize, valid: &[u8]) -> Result<(), Flaw> {
        let place = self.rows(row, rows)?;
        let mut left = count;
        for start in (0..rows).step_by(64).rev() {
            let len = (rows - start).min(64);
            let bits = bitmask::load_bits(valid, row + start, len);
            let count = bits.count_ones() as usize;
            left -= count;
            if count == len {
                place.copy_within(left..left + count, start);
                continue;
            }
            // The values are copied first, because their final rows overlap with values that have not been moved yet.
            let mut values = [[0; W]; 64];
            values[..count].copy_from_slice(&place[left..left + count]);
            let place = &mut place[start..start + len];
            place.fill([0; W]);
            let mut rest = bits;
            for value in &values[..count] {
                place[rest.trailing_zeros() as usize] = *value;
                rest &= rest - 1;
            }
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        true
    }
}
