//! Columns of the adversarial suite. Each column is created for one case and dropped with the case, because all columns
//! together would not fit in the memory of a device.

use anyhow::Result;
use gdf::Column;
use gdf::arrow::array::{BooleanArray, Float64Array, Int32Array, Int64Array};

use crate::generate::{bits, texts, values};
use crate::inputs::{Inputs, numbered, strings};

/// The start of all URLs. The text has 48 bytes.
pub(crate) const URL: &str = "https://www.example.com/catalogue/products/item/";

/// The text that the texts of some cases repeat.
pub(crate) const WORDS: &str = "jumps over, the lazy dog; PROMO special packages of the quick brown fox. ";

impl Inputs {
    /// Returns one 64-bit integer per row.
    pub(crate) fn longs(&self, value: impl Fn(usize) -> i64 + Sync) -> Result<Column> {
        self.longs_of(self.rows(), value)
    }

    /// Returns `len` 64-bit integers.
    pub(crate) fn longs_of(&self, len: usize, value: impl Fn(usize) -> i64 + Sync) -> Result<Column> {
        self.import(&Int64Array::from(values(len, value)))
    }

    /// Returns one 32-bit integer per row.
    pub(crate) fn ints(&self, value: impl Fn(usize) -> usize + Sync) -> Result<Column> {
        self.import(&Int32Array::from(values(self.rows(), |row| value(row) as i32)))
    }

    /// Returns one floating-point number per row.
    pub(crate) fn floats(&self, value: impl Fn(usize) -> f64 + Sync) -> Result<Column> {
        self.import(&Float64Array::from(values(self.rows(), value)))
    }

    pub(crate) fn booleans_of(&self, len: usize, value: impl Fn(usize) -> bool + Sync) -> Result<Column> {
        self.import(&BooleanArray::new(bits(len, value), None))
    }

    /// Returns URLs with a common prefix of 48 bytes, followed by the digits of `number(row)`.
    pub(crate) fn urls(&self, number: impl Fn(usize) -> usize + Sync) -> Result<Column> {
        self.import(&numbered(self.rows(), URL, number)?)
    }

    /// Returns texts of `size(row)` letters. All letters of a text are the same.
    pub(crate) fn letters(&self, size: impl Fn(usize) -> usize + Sync) -> Result<Column> {
        let write = |row: usize, text: &mut [u8]| text.fill(b'a' + (row % 26) as u8);
        self.import(&strings(texts(self.rows(), size, write))?)
    }

    /// Returns texts of `size(row)` bytes. Each text repeats [`WORDS`]. The row number determines the byte at which the
    /// text begins.
    pub(crate) fn worded(&self, size: impl Fn(usize) -> usize + Sync) -> Result<Column> {
        let write = |row: usize, text: &mut [u8]| {
            let words = WORDS.as_bytes().iter().cycle().skip(row % WORDS.len());
            text.iter_mut().zip(words).for_each(|(byte, letter)| *byte = *letter);
        };
        self.import(&strings(texts(self.rows(), size, write))?)
    }

    /// Returns a text for each row. The text is the digits of `number(row)`, but the text of the row in the middle has
    /// 1 MiB.
    pub(crate) fn digits_and_one_long(&self, number: impl Fn(usize) -> usize + Sync) -> Result<Column> {
        let middle = self.rows() / 2;
        let digits = |row: usize| number(row).checked_ilog10().map_or(1, |log| log as usize + 1);
        let size = |row: usize| if row == middle { 1 << 20 } else { digits(row) };
        let write = |row: usize, text: &mut [u8]| {
            let mut rest = if row == middle { 0 } else { number(row) };
            for digit in text.iter_mut().rev() {
                *digit = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
        };
        self.import(&strings(texts(self.rows(), size, write))?)
    }
}
