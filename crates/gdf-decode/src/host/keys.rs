//! Keys of texts, of which the dictionaries of several chunks become one.

use super::numbers::Numbers;
use super::values::Values;
use crate::batch::Flaw;

/// Keys to which the number of values in the dictionaries before is added.
pub(super) struct Keys<'a> {
    numbers: Numbers<'a, 4>,
    first: usize,
    /// The number of values of the dictionary.
    count: usize,
}

impl<'a> Keys<'a> {
    pub(super) fn new(place: &'a mut [u8], first: usize) -> Self {
        Keys { numbers: Numbers::new(place), first, count: 0 }
    }

    fn moved(&self, key: u32) -> Result<[u8; 4], Flaw> {
        let key = Some(key as usize).filter(|key| *key < self.count).ok_or(Flaw::Key)?;
        Ok(u32::try_from(self.first + key).map_err(|_| Flaw::Key)?.to_le_bytes())
    }
}

impl Values for Keys<'_> {
    fn set_dictionary(&mut self, page: &[u8], count: usize) -> Result<(), Flaw> {
        // Each text begins with its size.
        self.count = (count <= page.len() / 4).then_some(count).ok_or(Flaw::Dictionary)?;
        Ok(())
    }

    fn plain(&mut self, _: usize, _: usize, _: &[u8]) -> Result<(), Flaw> {
        Err(Flaw::Unsupported)
    }

    fn by_keys(&mut self, row: usize, keys: &[u32]) -> Result<(), Flaw> {
        for (index, key) in keys.iter().enumerate() {
            let key = self.moved(*key)?;
            self.numbers.rows(row + index, 1)?.fill(key);
        }
        Ok(())
    }

    fn repeat(&mut self, row: usize, count: usize, key: u32) -> Result<(), Flaw> {
        let key = self.moved(key)?;
        self.numbers.rows(row, count)?.fill(key);
        Ok(())
    }

    fn spread(&mut self, row: usize, rows: usize, count: usize, valid: &[u8]) -> Result<(), Flaw> {
        self.numbers.spread(row, rows, count, valid)
    }

    fn is_full(&self) -> bool {
        true
    }
}
