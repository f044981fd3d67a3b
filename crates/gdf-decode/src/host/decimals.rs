//! Decodes decimals from the form in which Parquet stores them: 32-bit and 64-bit integers, and big-endian bytes.
//!
//! The digits are checked on the way, because nothing else in a file proves that a value has the digits of its type.

use super::converted::Convert;
use crate::batch::Flaw;
use crate::conversion::StoredDecimal;

/// Decodes values to little-endian integers of `W` bytes.
///
/// # Errors
/// - [`Flaw::Values`]: there are too few bytes.
/// - [`Flaw::Digits`]: the absolute value of a decimal exceeds `largest`.
fn decode<const W: usize>(stored: StoredDecimal, page: &[u8], out: &mut [[u8; W]], largest: i128) -> Result<(), Flaw> {
    match stored {
        StoredDecimal::Int32 => narrow::<4, W>(page, out, largest, |bytes| i32::from_le_bytes(bytes).into()),
        StoredDecimal::Int64 => narrow::<8, W>(page, out, largest, i64::from_le_bytes),
        StoredDecimal::Bytes(size) => bytes_of_size(size)(page, out, largest),
    }
}

/// Makes decimals whose digits are checked.
pub(super) struct Decimals {
    pub(super) stored: StoredDecimal,
    pub(super) largest: i128,
}

impl<const W: usize> Convert<W> for Decimals {
    fn stored_width(&self) -> usize {
        self.stored.width()
    }

    fn convert(&self, page: &[u8], out: &mut [[u8; W]]) -> Result<(), Flaw> {
        decode(self.stored, page, out, self.largest)
    }
}

type Decode<const W: usize> = fn(&[u8], &mut [[u8; W]], i128) -> Result<(), Flaw>;

/// Returns the decoder for decimals of `size` bytes. A constant size makes a load of each value.
fn bytes_of_size<const W: usize>(size: usize) -> Decode<W> {
    macro_rules! of {
        ($($narrow:literal)* ; $($wide:literal)*) => {
            match size {
                $($narrow => |page, out, largest| narrow::<$narrow, W>(page, out, largest, from_be),)*
                $($wide => |page, out, largest| wide::<$wide, W>(page, out, largest),)*
                // No other size passes `StoredDecimal::of`.
                _ => |_, _, _| Err(Flaw::Unsupported),
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
) -> Result<(), Flaw> {
    let values = page.as_chunks::<N>().0.get(..out.len()).ok_or(Flaw::Values)?;
    let (mut low, mut high) = (0_i64, 0_i64);
    for (out, bytes) in out.iter_mut().zip(values) {
        let value = value(*bytes);
        (low, high) = (low.min(value), high.max(value));
        *out = stored(value);
    }
    let fits = i128::from(high) <= largest && -i128::from(low) <= largest;
    if fits { Ok(()) } else { Err(Flaw::Digits) }
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
fn wide<const N: usize, const W: usize>(page: &[u8], out: &mut [[u8; W]], largest: i128) -> Result<(), Flaw> {
    let values = page.as_chunks::<N>().0.get(..out.len()).ok_or(Flaw::Values)?;
    let mut fits = true;
    for (out, bytes) in out.iter_mut().zip(values) {
        let mut padded = [0; 16];
        padded[..N].copy_from_slice(bytes);
        let value = i128::from_be_bytes(padded) >> (128 - 8 * N);
        fits &= value.unsigned_abs() <= largest.unsigned_abs();
        out.copy_from_slice(&value.to_le_bytes()[..W.min(16)]);
    }
    if fits { Ok(()) } else { Err(Flaw::Digits) }
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
            decode(StoredDecimal::Bytes(size), &page, &mut out, i128::MAX).unwrap();
            assert_eq!(out.iter().map(|bytes| i128::from_le_bytes(*bytes)).collect::<Vec<_>>(), values, "{size}");
            let few: Vec<i128> = values.iter().copied().filter(|value| value.abs() <= largest).collect();
            let page: Vec<u8> = few.iter().flat_map(|value| value.to_be_bytes()[16 - size..].to_vec()).collect();
            let mut out = vec![[0; 8]; few.len()];
            decode(StoredDecimal::Bytes(size), &page, &mut out, largest).unwrap();
            let found: Vec<i128> = out.iter().map(|bytes| i64::from_le_bytes(*bytes).into()).collect();
            assert_eq!(found, few, "{size}");
            assert_eq!(decode(StoredDecimal::Bytes(size), &page[1..], &mut out, largest), Err(Flaw::Values));
        }
    }

    #[test]
    fn values_with_too_many_digits_are_refused() {
        for (value, fits) in [(99, true), (-99, true), (100, false), (-100, false), (i32::MIN, false)] {
            let page = value.to_le_bytes();
            let found = decode(StoredDecimal::Int32, &page, &mut [[0; 8]], 99);
            assert_eq!(found.is_ok(), fits, "{value}");
            let found = decode(StoredDecimal::Bytes(12), &i128::from(value).to_be_bytes()[4..], &mut [[0; 16]], 99);
            assert_eq!(found.is_ok(), fits, "{value}");
        }
        assert_eq!(
            decode(StoredDecimal::Int64, &i64::MIN.to_le_bytes(), &mut [[0; 8]], 10_i128.pow(18) - 1),
            Err(Flaw::Digits)
        );
    }
}
