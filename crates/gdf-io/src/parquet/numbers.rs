//! The values of pages, and numbers of a fixed width that a file stores as memory has them.

use gdf_core::bitmask;

use super::spare::Spare;

/// The destination of the values of a column.
pub(super) trait Values {
    /// Sets the dictionary, which contains the values for the keys of the following pages.
    fn set_dictionary(&mut self, page: &[u8], count: usize) -> Option<()>;

    /// Writes `count` plain-encoded values of a page.
    fn plain(&mut self, row: usize, count: usize, page: &[u8]) -> Option<()>;

    fn by_keys(&mut self, row: usize, keys: &[u32]) -> Option<()>;

    fn repeat(&mut self, row: usize, count: usize, key: u32) -> Option<()>;

    /// Moves `count` values to their rows.
    fn spread(&mut self, row: usize, rows: usize, count: usize, valid: &[u8]) -> Option<()>;

    fn is_full(&self) -> bool;
}

/// Numbers of `W` bytes.
pub(super) struct Numbers<'a, const W: usize> {
    pub(super) place: &'a mut [[u8; W]],
    pub(super) dictionary: Spare,
}

impl<'a, const W: usize> Numbers<'a, W> {
    pub(super) fn new(place: &'a mut [u8]) -> Self {
        Numbers { place: place.as_chunks_mut().0, dictionary: Spare::default() }
    }
}

impl<const W: usize> Values for Numbers<'_, W> {
    fn set_dictionary(&mut self, page: &[u8], count: usize) -> Option<()> {
        let page = page.get(..count.checked_mul(W)?)?;
        self.dictionary = Spare::new(page.len());
        self.dictionary.as_mut_slice().copy_from_slice(page);
        Some(())
    }

    fn plain(&mut self, row: usize, count: usize, page: &[u8]) -> Option<()> {
        self.place.get_mut(row..row + count)?.copy_from_slice(page.as_chunks().0.get(..count)?);
        Some(())
    }

    fn by_keys(&mut self, row: usize, keys: &[u32]) -> Option<()> {
        let dictionary = self.dictionary.as_ref().as_chunks::<W>().0;
        for (value, key) in self.place.get_mut(row..row + keys.len())?.iter_mut().zip(keys) {
            *value = *dictionary.get(*key as usize)?;
        }
        Some(())
    }

    fn repeat(&mut self, row: usize, count: usize, key: u32) -> Option<()> {
        self.place.get_mut(row..row + count)?.fill(*self.dictionary.as_ref().as_chunks::<W>().0.get(key as usize)?);
        Some(())
    }

    fn spread(&mut self, row: usize, rows: usize, count: usize, valid: &[u8]) -> Option<()> {
        let place = self.place.get_mut(row..row + rows)?;
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
        Some(())
    }

    fn is_full(&self) -> bool {
        true
    }
}
