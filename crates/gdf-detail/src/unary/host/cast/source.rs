//! Rows of any type of numbers, read in blocks of a wider one.

use gdf_core::{Error, I256, Result, f16};

use crate::host::{Bits, HostColumn, HostValues, nearest_f64};

/// Rows `first ..` of `from`, each through `to`.
fn fill<S: Copy, C>(from: &[S], first: usize, out: &mut [C], to: impl Fn(S) -> C) {
    for (slot, value) in out.iter_mut().zip(from.get(first..).unwrap_or_default()) {
        *slot = to(*value);
    }
}

/// The rows of a column of numbers.
pub(super) struct Source<'a>(HostValues<'a>);

impl<'a> Source<'a> {
    pub(super) fn of(column: &'a HostColumn<'_>) -> Result<Self> {
        let values = HostValues::open(column)?;
        values.map(Self).ok_or_else(|| Error::unsupported(super::OPERATION, column.view().data_type()))
    }

    /// Integers of at most 64 bits and booleans; unsigned ones of 64 keep their bits.
    pub(super) fn load_i64(&self, first: usize, out: &mut [i64]) {
        match self.0 {
            HostValues::Bool(bits) => fill_bits(bits, first, out, i64::from),
            HostValues::I8(from) => fill(from, first, out, i64::from),
            HostValues::I16(from) => fill(from, first, out, i64::from),
            HostValues::I32(from) => fill(from, first, out, i64::from),
            HostValues::I64(from) => fill(from, first, out, |value| value),
            HostValues::U8(from) => fill(from, first, out, i64::from),
            HostValues::U16(from) => fill(from, first, out, i64::from),
            HostValues::U32(from) => fill(from, first, out, i64::from),
            HostValues::U64(from) => fill(from, first, out, |value| value as i64),
            _ => {}
        }
    }

    /// Integers of at most 128 bits and booleans.
    pub(super) fn load_i128(&self, first: usize, out: &mut [i128]) {
        match self.0 {
            HostValues::Bool(bits) => fill_bits(bits, first, out, i128::from),
            HostValues::I8(from) => fill(from, first, out, i128::from),
            HostValues::I16(from) => fill(from, first, out, i128::from),
            HostValues::I32(from) => fill(from, first, out, i128::from),
            HostValues::I64(from) => fill(from, first, out, i128::from),
            HostValues::U8(from) => fill(from, first, out, i128::from),
            HostValues::U16(from) => fill(from, first, out, i128::from),
            HostValues::U32(from) => fill(from, first, out, i128::from),
            HostValues::U64(from) => fill(from, first, out, i128::from),
            HostValues::I128(from) => fill(from, first, out, |value| value),
            _ => {}
        }
    }

    /// Integers and booleans.
    pub(super) fn load_i256(&self, first: usize, out: &mut [I256]) {
        if let HostValues::I256(from) = self.0 {
            return fill(from, first, out, |value| value);
        }
        for (index, out) in out.chunks_mut(16).enumerate() {
            let mut narrow = [0; 16];
            let rows = &mut narrow[..out.len()];
            self.load_i128(first + index * 16, rows);
            out.iter_mut().zip(rows).for_each(|(slot, value)| *slot = I256::from(*value));
        }
    }

    /// Floats, and decimals rounded to the nearest.
    pub(super) fn load_f64(&self, first: usize, out: &mut [f64]) {
        match self.0 {
            HostValues::I32(from) => fill(from, first, out, f64::from),
            HostValues::I64(from) => fill(from, first, out, |value| value as f64),
            HostValues::I128(from) => fill(from, first, out, |value| value as f64),
            HostValues::I256(from) => fill(from, first, out, |value| nearest_f64(value.0)),
            HostValues::F16(from) => fill(from, first, out, f16::to_f64),
            HostValues::F32(from) => fill(from, first, out, f64::from),
            HostValues::F64(from) => fill(from, first, out, |value| value),
            _ => {}
        }
    }
}

fn fill_bits<C>(bits: Bits<'_>, first: usize, out: &mut [C], to: impl Fn(bool) -> C) {
    for (row, slot) in out.iter_mut().enumerate() {
        *slot = to(bits.get(first + row));
    }
}
