//! Rows of any type of numbers, read in blocks of a wider one.

use gdf_core::{Error, I256, PhysicalType, Result, f16, physical_type};

use crate::host::{Bits, HostColumn, nearest_f64};

/// The rows of a column, as they are stored.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    Bits(Bits<'a>),
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
    F16(&'a [f16]),
    F32(&'a [f32]),
    F64(&'a [f64]),
    I128(&'a [i128]),
    I256(&'a [I256]),
}

/// Rows `first ..` of `from`, each through `to`.
fn fill<S: Copy, C>(from: &[S], first: usize, out: &mut [C], to: impl Fn(S) -> C) {
    for (slot, value) in out.iter_mut().zip(from.get(first..).unwrap_or_default()) {
        *slot = to(*value);
    }
}

impl<'a> Source<'a> {
    pub(super) fn of(column: &'a HostColumn<'_>) -> Result<Self> {
        let data_type = column.view().data_type();
        Ok(match physical_type(data_type) {
            PhysicalType::Bool => Source::Bits(column.bits()?),
            PhysicalType::I8 => Source::I8(column.values()?),
            PhysicalType::I16 => Source::I16(column.values()?),
            PhysicalType::I32 => Source::I32(column.values()?),
            PhysicalType::I64 => Source::I64(column.values()?),
            PhysicalType::U8 => Source::U8(column.values()?),
            PhysicalType::U16 => Source::U16(column.values()?),
            PhysicalType::U32 => Source::U32(column.values()?),
            PhysicalType::U64 => Source::U64(column.values()?),
            PhysicalType::F16 => Source::F16(column.values()?),
            PhysicalType::F32 => Source::F32(column.values()?),
            PhysicalType::F64 => Source::F64(column.values()?),
            PhysicalType::I128 => Source::I128(column.values()?),
            PhysicalType::I256 => Source::I256(column.values()?),
            _ => return Err(Error::unsupported(super::OPERATION, data_type)),
        })
    }

    /// Integers of at most 64 bits and booleans; unsigned ones of 64 keep their bits.
    pub(super) fn load_i64(&self, first: usize, out: &mut [i64]) {
        match self {
            Source::Bits(bits) => fill_bits(*bits, first, out, i64::from),
            Source::I8(from) => fill(from, first, out, i64::from),
            Source::I16(from) => fill(from, first, out, i64::from),
            Source::I32(from) => fill(from, first, out, i64::from),
            Source::I64(from) => fill(from, first, out, |value| value),
            Source::U8(from) => fill(from, first, out, i64::from),
            Source::U16(from) => fill(from, first, out, i64::from),
            Source::U32(from) => fill(from, first, out, i64::from),
            Source::U64(from) => fill(from, first, out, |value| value as i64),
            _ => {}
        }
    }

    /// Integers of at most 128 bits and booleans.
    pub(super) fn load_i128(&self, first: usize, out: &mut [i128]) {
        match self {
            Source::Bits(bits) => fill_bits(*bits, first, out, i128::from),
            Source::I8(from) => fill(from, first, out, i128::from),
            Source::I16(from) => fill(from, first, out, i128::from),
            Source::I32(from) => fill(from, first, out, i128::from),
            Source::I64(from) => fill(from, first, out, i128::from),
            Source::U8(from) => fill(from, first, out, i128::from),
            Source::U16(from) => fill(from, first, out, i128::from),
            Source::U32(from) => fill(from, first, out, i128::from),
            Source::U64(from) => fill(from, first, out, i128::from),
            Source::I128(from) => fill(from, first, out, |value| value),
            _ => {}
        }
    }

    /// Integers and booleans.
    pub(super) fn load_i256(&self, first: usize, out: &mut [I256]) {
        if let Source::I256(from) = self {
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
        match self {
            Source::I32(from) => fill(from, first, out, f64::from),
            Source::I64(from) => fill(from, first, out, |value| value as f64),
            Source::I128(from) => fill(from, first, out, |value| value as f64),
            Source::I256(from) => fill(from, first, out, |value| nearest_f64(value.0)),
            Source::F16(from) => fill(from, first, out, f16::to_f64),
            Source::F32(from) => fill(from, first, out, f64::from),
            Source::F64(from) => fill(from, first, out, |value| value),
            _ => {}
        }
    }
}

fn fill_bits<C>(bits: Bits<'_>, first: usize, out: &mut [C], to: impl Fn(bool) -> C) {
    for (row, slot) in out.iter_mut().enumerate() {
        *slot = to(bits.get(first + row));
    }
}
