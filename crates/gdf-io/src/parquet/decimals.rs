//! Decodes decimals from the form in which Parquet stores them: 32-bit and 64-bit integers, and big-endian bytes.
//!
//! The digits are checked on the way, because nothing else in a file proves that a value has the digits of its type.

use parquet::basic::Type;
use parquet::schema::types::ColumnDescriptor;

use super::numbers::{Numbers, Values};
use super::spare::Spare;

/// How a column stores its decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    Int32,
    Int64,
    /// A fixed number of bytes, from 1 to 16. The most significant byte is the first.
    Bytes(usize),
}

impl Stored {
    /// Returns `None` for other columns.
    pub(super) fn of(column: &ColumnDescriptor) -> Option<Stored> {
        match (column.physical_type(), usize::try_from(column.type_length())) {
            (Type::INT32, _) => Some(Stored::Int32),
            (Type::INT64, _) => Some(Stored::Int64),
            (Type::FIXED_LEN_BYTE_ARRAY, Ok(size @ 1..=16)) => Some(Stored::Bytes(size)),
            _ => None,
        }
    }

    /// Decodes values to little-endian integers of `W` bytes. Returns `None` if there are too few bytes, or if the
    /// absolute value of a decimal exceeds `largest`.
    pub(super) fn decode<const W: usize>(self, page: &[u8], out: &mut [[u8; W]], largest: i128) -> Option<()> {
        match self {
            Stored::Int32 => narrow::<4, W>(page, out, largest, |bytes| i32::from_le_bytes(bytes).into()),
            Stored::Int64 => narrow::<8, W>(page, out, largest, i64::from_le_bytes),
            Stored::Bytes(size) => bytes_of_size(size)(page, out, largest),
        }
    }
}

/// Decimals, which are converted to `W` bytes and whose digits are checked.
pub(super) struct Decimals<'a, const W: usize> {
    numbers: Numbers<'a, W>,
    stored: Stored,
    largest: i128,
}

impl<'a, const W: usize> Decimals<'a, W> {
    pub(super) fn new(place: &'a mut [u8], stored: Stored, largest: i128) -> Self {
        Decimals { numbers: Numbers::new(place), stored, largest }
    }
}

impl<const W: usize> Values for Decimals<'_, W> {
    fn set_dictionary(&mut self, page: &[u8], count: usize) -> Option<()> {
        // Each value takes at least one byte, so that a damaged count allocates no more memory than the page has.
        let mut values = Spare::new((count <= page.len()).then_some(count)?.checked_mul(W)?);
        self.stored.decode(page, values.as_mut_slice().as_chunks_mut::<W>().0, self.largest)?;
        self.numbers.dictionary = values;
        Some(())
    }

    fn plain(&mut self, row: usize, count: usize, page: &[u8]) -> Option<()> {
        self.stored.decode(page, self.numbers.place.get_mut(row..row + count)?, self.largest)
    }

    fn by_keys(&mut self, row: usize, keys: &[u32]) -> Option<()> {
        self.numbers.by_keys(row, keys)
    }

    fn repeat(&mut self, row: usize, count: usize, key: u32) -> Option<()> {
        self.numbers.repeat(row, count, key)
    }

    fn spread(&mut self, row: usize, rows: usize, count: usize, valid: &[u8]) -> Option<()> {
        self.numbers.spread(row, rows, count, valid)
    }

    fn is_full(&self) -> bool {
        true
    }
}

type Decode<const W: usize> = fn(&[u8], &mut [[u8; W]], i128) -> Option<()>;

/// Returns the decoder for decimals of `size` bytes. A constant size makes a load of each value.
fn bytes_of_size<const W: usize>(size: usize) -> Decode<W> {
    macro_rules! of {
        ($($narrow:literal)* ; $($wide:literal)*) => {
            match size {
                $($narrow => |page, out, largest| narrow::<$narrow, W>(page, out, largest, from_be),)*
                $($wide => |page, out, largest| wide::<$wide, W>(page, out, largest),)*
                _ => |_, _, _| None,
            }
        };
    }
    of!(1 2 3 4 5 6 7 8 ; 9 10 11 12 13 14 15 16)
}

fn from_be<const N: usize>(bytes: [u8; N]) -> i64 {
    let mut padded = [0; 8];
    padded[..N].copy_from_slice(&bytes);
    // The shift to the right repeats the sign.
    i64::from_be_bytes(padded) >> (64 - 8 * N)
}

/// Decodes values of at most 64 bits.
fn narrow<const N: usize, const W: usize>(
    page: &[u8],
    out: &mut [[u8; W]],
    largest: i128,
    value: impl Fn([u8; N]) -> i64,
) -> Option<()> {
    let values = page.as_chunks::<N>().0.get(..out.len())?;
    let (mut low, mut high) = (0_i64, 0_i64);
    for (out, bytes) in out.iter_mut().zip(values) {
        let value = value(*bytes);
        (low, high) = (low.min(value), high.max(value));
        *out = stored(value);
    }
    (i128::from(high) <= largest && -i128::from(low) <= largest).then_some(())
}

fn stored<const W: usize>(value: i64) -> [u8; W] {
    let mut bytes = [0; W];
    match bytes.first_chunk_mut::<8>() {
        Some(low) => {
            *low = value.to_le_bytes();
            let sign = if value < 0 { 0xff } else { 0 };
            bytes[8..].fill(sign);
        }
        None => bytes.copy_from_slice(&value.to_le_bytes()[..W]),
    }
    bytes
}

/// Decodes values of more than 64 bits.
fn wide<const N: usize, const W: usize>(page: &[u8], out: &mut [[u8; W]], largest: i128) -> Option<()> {
    let values = page.as_chunks::<N>().0.get(..out.len())?;
    let mut fits = true;
    for (out, bytes) in out.iter_mut().zip(values) {
        let mut padded = [0; 16];
        padded[..N].copy_from_slice(bytes);
        let value = i128::from_be_bytes(padded) >> (128 - 8 * N);
        fits &= value.unsigned_abs() <= largest.unsigned_abs();
        out.copy_from_slice(&value.to_le_bytes()[..W.min(16)]);
    }
    fits.then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_size_keeps_its_values_and_its_signs() {
        for size in 1..=16 {
            let values: Vec<i128> = (0..8 * size as u32 - 1).flat_map(|bit| [1 << bit, -(1 << bit)]).collect();
            let page: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()[16 - size..].to_vec()).collect();
            let largest = 10_i128.pow(18) - 1;
            let mut out = vec![[0; 16]; values.len()];
            Stored::Bytes(size).decode(&page, &mut out, i128::MAX).unwrap();
            assert_eq!(out.iter().map(|bytes| i128::from_le_bytes(*bytes)).collect::<Vec<_>>(), values, "{size}");
            let few: Vec<i128> = values.iter().copied().filter(|value| value.abs() <= largest).collect();
            let page: Vec<u8> = few.iter().flat_map(|value| value.to_be_bytes()[16 - size..].to_vec()).collect();
            let mut out = vec![[0; 8]; few.len()];
            Stored::Bytes(size).decode(&page, &mut out, largest).unwrap();
            let found: Vec<i128> = out.iter().map(|bytes| i64::from_le_bytes(*bytes).into()).collect();
            assert_eq!(found, few, "{size}");
            assert_eq!(Stored::Bytes(size).decode(&page[1..], &mut out, largest), None);
        }
    }

    #[test]
    fn values_with_too_many_digits_are_refused() {
        for (value, fits) in [(99, true), (-99, true), (100, false), (-100, false), (i32::MIN, false)] {
            let page = value.to_le_bytes();
            let found = Stored::Int32.decode(&page, &mut [[0; 8]], 99);
            assert_eq!(found.is_some(), fits, "{value}");
            let found = Stored::Bytes(12).decode(&i128::from(value).to_be_bytes()[4..], &mut [[0; 16]], 99);
            assert_eq!(found.is_some(), fits, "{value}");
        }
        assert_eq!(Stored::Int64.decode(&i64::MIN.to_le_bytes(), &mut [[0; 8]], 10_i128.pow(18) - 1), None);
    }
}
