//! Numbers that are made of what pages store. The values of a dictionary are converted once.

use super::numbers::Numbers;
use super::values::Values;
use crate::batch::Flaw;
use crate::spare::Spare;

/// Makes numbers of `W` bytes of stored values.
pub(super) trait Convert<const W: usize>: Send {
    /// Returns the number of bytes of a stored value.
    fn stored_width(&self) -> usize;

    /// Converts the first values of a page.
    ///
    /// # Errors
    /// - [`Flaw::Values`]: there are too few bytes.
    /// - The column cannot have a value.
    fn convert(&self, page: &[u8], out: &mut [[u8; W]]) -> Result<(), Flaw>;
}

/// Numbers of `W` bytes, which are converted.
pub(super) struct Converted<'a, C, const W: usize> {
    numbers: Numbers<'a, W>,
    convert: C,
}

impl<'a, C: Convert<W>, const W: usize> Converted<'a, C, W> {
    pub(super) fn new(place: &'a mut [u8], convert: C) -> Self {
        Converted { numbers: Numbers::new(place), convert }
    }
}

impl<C: Convert<W>, const W: usize> Values for Converted<'_, C, W> {
    fn set_dictionary(&mut self, page: &[u8], count: usize) -> Result<(), Flaw> {
        // The count is compared first, so that a damaged count allocates no more memory than the page has.
        let count = (count <= page.len() / self.convert.stored_width()).then_some(count).ok_or(Flaw::Dictionary)?;
        let mut values = Spare::new(count * W);
        self.convert.convert(page, values.as_mut_slice().as_chunks_mut::<W>().0)?;
        self.numbers.dictionary = values;
        Ok(())
    }

    fn plain(&mut self, row: usize, count: usize, page: &[u8]) -> Result<(), Flaw> {
        self.convert.convert(page, self.numbers.rows(row, count)?)
    }

    fn by_keys(&mut self, row: usize, keys: &[u32]) -> Result<(), Flaw> {
        self.numbers.by_keys(row, keys)
    }

    fn repeat(&mut self, row: usize, count: usize, key: u32) -> Result<(), Flaw> {
        self.numbers.repeat(row, count, key)
    }

    fn spread(&mut self, row: usize, rows: usize, count: usize, valid: &[u8]) -> Result<(), Flaw> {
        self.numbers.spread(row, rows, count, valid)
    }

    fn is_full(&self) -> bool {
        true
    }
}

/// The low bits of 32 bits.
pub(super) struct Narrow;

impl<const W: usize> Convert<W> for Narrow {
    fn stored_width(&self) -> usize {
        4
    }

    fn convert(&self, page: &[u8], out: &mut [[u8; W]]) -> Result<(), Flaw> {
        let values = page.as_chunks::<4>().0.get(..out.len()).ok_or(Flaw::Values)?;
        for (out, value) in out.iter_mut().zip(values) {
            *out = std::array::from_fn(|byte| value[byte]);
        }
        Ok(())
    }
}
