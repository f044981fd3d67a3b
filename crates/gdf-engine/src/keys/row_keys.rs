//! Rows as keys: hashes of rows and equality of rows, for any number of columns of any type without children. NaN
//! equals NaN, −0.0 equals 0.0, and null equals null. The CUDA counterparts are `kernels/include/gdf/row_hash.cuh`
//! and `row_equal.cuh`. Their hashes differ from the hashes of this file.

use std::ops::Range;

use gdf_core::{Error, PhysicalType, Result, physical_type};

use crate::host::{Bits, HostColumn, vectorized};
use crate::keys::short_texts::{ShortTexts, TextEnds};
use crate::keys::text::{KeyTexts, Text, TextOffsets, text};
use crate::policy::NullPolicy;

/// Maps a 64-bit number to another 64-bit number. The mapping is a bijection, and each bit of the result depends on
/// every bit of the argument.
pub fn mix64(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^= x >> 33;
    x = x.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 33)
}

fn combine(before: u64, value: u64) -> u64 {
    mix64(before.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ value)
}

/// The hash that a null contributes to the hash of a row.
const NULL_HASH: u64 = 0x6e75_6c6c;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Float {
    No,
    Half,
    Single,
    Double,
}

impl Float {
    fn canonical(self, bits: u64) -> u64 {
        let (sign, infinity, nan) = match self {
            Float::No => return bits,
            Float::Half => (0x8000, 0x7c00, 0x7e00),
            Float::Single => (0x8000_0000, 0x7f80_0000, 0x7fc0_0000),
            Float::Double => (1 << 63, 0x7ff0_0000_0000_0000, 0x7ff8_0000_0000_0000),
        };
        match bits & !sign {
            0 => 0,
            magnitude if magnitude > infinity => nan,
            _ => bits,
        }
    }

    fn is_nan(self, bits: u64) -> bool {
        match self {
            Float::No => false,
            Float::Half => bits == 0x7e00,
            Float::Single => bits == 0x7fc0_0000,
            Float::Double => bits == 0x7ff8_0000_0000_0000,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Values<'a> {
    Bits(Bits<'a>),
    W1(&'a [u8]),
    W2(&'a [u16]),
    W4(&'a [u32]),
    W8(&'a [u64]),
    W16(&'a [[u64; 2]]),
    W32(&'a [[u64; 4]]),
    Short(&'a [i32], &'a [u8]),
    Long(&'a [i64], &'a [u8]),
}

#[derive(Clone, Copy, Debug)]
pub struct KeyColumn<'a> {
    values: Values<'a>,
    validity: Option<Bits<'a>>,
    float: Float,
}

impl<'a> KeyColumn<'a> {
    /// Opens a key column.
    ///
    /// # Errors
    /// * [`Unsupported`](Error::Unsupported) for types with children, views, and bytes of fixed size.
    pub fn open(operation: &'static str, column: &'a HostColumn<'_>) -> Result<Self> {
        use PhysicalType as P;
        let data_type = column.view().data_type();
        let physical = physical_type(data_type);
        let values = match physical {
            P::Bool => Values::Bits(column.bits()?),
            P::I8 | P::U8 => Values::W1(column.values()?),
            P::I16 | P::U16 | P::F16 => Values::W2(column.values()?),
            P::I32 | P::U32 | P::F32 => Values::W4(column.values()?),
            P::I64 | P::U64 | P::F64 | P::IntervalDayTime => Values::W8(column.values()?),
            P::I128 | P::IntervalMonthDayNano => Values::W16(column.values()?),
            P::I256 => Values::W32(column.values()?),
            P::String { large: false } | P::Binary { large: false } => {
                Values::Short(column.offsets()?, column.chars()?)
            }
            P::String { large: true } | P::Binary { large: true } => Values::Long(column.offsets()?, column.chars()?),
            _ => return Err(Error::unsupported(operation, data_type)),
        };
        let float = match physical {
            P::F16 => Float::Half,
            P::F32 => Float::Single,
            P::F64 => Float::Double,
            _ => Float::No,
        };
        Ok(Self { values, validity: column.validity()?, float })
    }

    pub fn is_valid(&self, row: usize) -> bool {
        self.validity.is_none_or(|validity| validity.get(row))
    }

    pub(super) fn validity(&self, first: usize, rows: usize) -> Option<Bits<'a>> {
        self.validity.map(|validity| validity.slice(first, rows))
    }

    pub fn has_validity(&self) -> bool {
        self.validity.is_some()
    }

    pub fn is_nan(&self, row: usize) -> bool {
        self.float != Float::No && self.float.is_nan(self.bits(row))
    }

    /// Returns the text of a row of a string or binary column.
    #[inline]
    fn text(&self, row: usize) -> Text<'a> {
        match self.values {
            Values::Short(offsets, bytes) => text(offsets, bytes, row),
            Values::Long(offsets, bytes) => text(offsets, bytes, row),
            _ => Text::new(&[], None, None),
        }
    }

    pub(super) fn texts(&self, null_policy: NullPolicy) -> Option<KeyTexts<'a>> {
        let (offsets, bytes) = match self.values {
            Values::Short(offsets, bytes) => (TextOffsets::Short(offsets), bytes),
            Values::Long(offsets, bytes) => (TextOffsets::Long(offsets), bytes),
            _ => return None,
        };
        Some(KeyTexts { offsets, bytes, validity: self.validity, null_policy })
    }

    /// Returns the bytes of a row of a string or binary column.
    pub fn bytes(&self, row: usize) -> &'a [u8] {
        self.text(row).bytes()
    }

    /// Writes the bits of the values of the rows from `first` on, extended by zeros to 64 bits.
    pub(crate) fn bits_into(&self, first: usize, out: &mut [u64]) {
        let rows = first..first + out.len();
        match self.values {
            Values::Bits(bits) => spread_bits(bits.slice(first, out.len()), out),
            Values::W1(values) => out.iter_mut().zip(&values[rows]).for_each(|(out, v)| *out = u64::from(*v)),
            Values::W2(values) => out.iter_mut().zip(&values[rows]).for_each(|(out, v)| *out = u64::from(*v)),
            Values::W4(values) => out.iter_mut().zip(&values[rows]).for_each(|(out, v)| *out = u64::from(*v)),
            Values::W8(values) => out.copy_from_slice(&values[rows]),
            _ => out.fill(0),
        }
        if self.float != Float::No {
            out.iter_mut().for_each(|bits| *bits = self.float.canonical(*bits));
        }
    }

    pub(super) fn may_be_short(&self) -> bool {
        fn few<O: Copy + TryInto<usize>>(offsets: &[O]) -> bool {
            let at = |offset: Option<&O>| offset.and_then(|offset| (*offset).try_into().ok()).unwrap_or(0);
            at(offsets.last()).saturating_sub(at(offsets.first())) <= ShortTexts::MAX_BYTES * offsets.len()
        }
        match self.values {
            Values::Short(offsets, _) => few(offsets),
            Values::Long(offsets, _) => few(offsets),
            _ => false,
        }
    }

    pub(super) fn text_ends(&self, rows: Range<usize>) -> Option<TextEnds> {
        match self.values {
            Values::Short(offsets, bytes) => Some(TextEnds::new(offsets, bytes, rows)),
            Values::Long(offsets, bytes) => Some(TextEnds::new(offsets, bytes, rows)),
            _ => None,
        }
    }

    pub(super) fn text_number_ends(&self, texts: ShortTexts, rows: Range<usize>) -> Option<(u64, u64)> {
        match self.values {
            Values::Short(offsets, bytes) => texts.ends(offsets, bytes, rows),
            Values::Long(offsets, bytes) => texts.ends(offsets, bytes, rows),
            _ => None,
        }
    }

    /// Writes the numbers of the texts of the rows from `first` on.
    pub(super) fn text_numbers_into(&self, texts: ShortTexts, first: usize, out: &mut [u64]) {
        match self.values {
            Values::Short(offsets, bytes) => texts.numbers_into(offsets, bytes, first, out),
            Values::Long(offsets, bytes) => texts.numbers_into(offsets, bytes, first, out),
            _ => out.fill(0),
        }
    }

    /// Combines the hashes of the rows from `first` on with the hashes in `out`, which are the hashes of the preceding
    /// columns.
    pub fn hash_into(&self, first: usize, out: &mut [u64]) {
        let hash =
            |row: usize, before: u64, hash: u64| combine(before, if self.is_valid(row) { hash } else { NULL_HASH });
        match self.values {
            Values::Short(offsets, bytes) => self.hash_texts(offsets, bytes, first, out),
            Values::Long(offsets, bytes) => self.hash_texts(offsets, bytes, first, out),
            Values::W16(_) | Values::W32(_) => {
                for (row, out) in (first..).zip(out) {
                    *out = hash(row, *out, if self.is_valid(row) { self.hash(row) } else { 0 });
                }
            }
            _ => {
                let mut bits = [0; 256];
                for (block, out) in out.chunks_mut(bits.len()).enumerate() {
                    let begin = first + block * 256;
                    let bits = &mut bits[..out.len()];
                    self.bits_into(begin, bits);
                    for ((row, out), bits) in (begin..).zip(out).zip(bits) {
                        *out = hash(row, *out, *bits);
                    }
                }
            }
        }
    }

    fn hash_texts<O: Copy + TryInto<usize>>(&self, offsets: &[O], bytes: &[u8], first: usize, out: &mut [u64]) {
        let Some(offsets) = offsets.get(first..first + out.len() + 1) else { return };
        for (index, (out, ends)) in out.iter_mut().zip(offsets.windows(2)).enumerate() {
            let valid = self.is_valid(first + index);
            let hash = Text::new(bytes, ends[0].try_into().ok(), ends[1].try_into().ok()).hash();
            *out = combine(*out, if valid { hash } else { NULL_HASH });
        }
    }

    /// Returns the hash of a row that is not null.
    pub fn hash(&self, row: usize) -> u64 {
        match self.values {
            Values::W16(values) => combine(values[row][0], values[row][1]),
            Values::W32(values) => values[row].iter().fold(0, |hash, word| combine(hash, *word)),
            Values::Short(..) | Values::Long(..) => self.text(row).hash(),
            _ => self.bits(row),
        }
    }

    fn bits(&self, row: usize) -> u64 {
        let mut bits = [0];
        self.bits_into(row, &mut bits);
        bits[0]
    }

    /// Returns whether row `i` equals row `j` of a column of the same type.
    pub fn equal(&self, i: usize, other: &KeyColumn<'_>, j: usize) -> bool {
        match (self.is_valid(i), other.is_valid(j)) {
            (true, true) => {}
            (a, b) => return a == b,
        }
        match (self.values, other.values) {
            (Values::W16(a), Values::W16(b)) => a[i] == b[j],
            (Values::W32(a), Values::W32(b)) => a[i] == b[j],
            (Values::Short(..) | Values::Long(..), _) => self.text(i).same(other.text(j)),
            _ => self.bits(i) == other.bits(j),
        }
    }
}

vectorized! {
    /// Writes 1 for each set bit and 0 for each other bit.
    fn spread_bits(bits: Bits<'_>, out: &mut [u64]) {
        for (index, out) in out.chunks_mut(64).enumerate() {
            let word = bits.word(index);
            out.iter_mut().enumerate().for_each(|(bit, out)| *out = word >> bit & 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_that_are_equal_have_equal_bits() {
        for (float, zero, nans) in [
            (Float::Half, 0x8000, [0x7e00, 0xfe01]),
            (Float::Single, 0x8000_0000, [u64::from(f32::NAN.to_bits()), 0xffff_ffff]),
            (Float::Double, (-0.0_f64).to_bits(), [f64::NAN.to_bits(), u64::MAX]),
        ] {
            assert_eq!(float.canonical(zero), 0);
            assert_eq!(float.canonical(nans[0]), float.canonical(nans[1]));
        }
        assert_eq!(Float::Double.canonical(f64::INFINITY.to_bits()), f64::INFINITY.to_bits());
        assert_eq!(Float::No.canonical(u64::MAX), u64::MAX);
    }
}
