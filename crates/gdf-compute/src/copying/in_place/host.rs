//! The CPU half: values are copied as bytes, bits a byte of them at a time.

use gdf_core::{ColumnParts, Result};
use gdf_engine::host::{Bits, HostColumn, for_each_chunk};
use gdf_engine::input::Input;

use crate::Ctx;

pub(super) fn write(
    source: Input<'_>,
    parts: &mut ColumnParts,
    (begin, len): (usize, usize),
    width: usize,
    ctx: Ctx<'_>,
) -> Result<()> {
    let column = HostColumn::open_input(source, ctx.stream)?;
    let one = matches!(source, Input::Scalar(_));
    // Both are there before either is written.
    let mut mask = parts.validity.as_mut().map(|mask| mask.write_on(ctx.stream)).transpose()?;
    let values = parts.buffers[0].write_on(ctx.stream)?.into_mut_slice::<u8>()?;
    if width == 0 {
        write_bits(values, (begin, len), Some(column.bits()?), one);
    } else {
        let rows = column.row_bytes(width)?;
        let to = &mut values[begin * width..(begin + len) * width];
        if one {
            to.chunks_exact_mut(width).for_each(|slot| slot.copy_from_slice(&rows[..width]));
        } else {
            to.copy_from_slice(&rows[..len * width]);
        }
    }
    if let Some(mask) = mask.take() {
        write_bits(mask.into_mut_slice()?, (begin, len), column.validity()?, one);
    }
    Ok(())
}

/// `len` bits from bit `begin` of `bytes` on; ones, where there are none to copy.
fn write_bits(bytes: &mut [u8], (begin, len): (usize, usize), bits: Option<Bits<'_>>, one: bool) {
    let first = begin / 8;
    let all = one.then(|| bits.is_none_or(|bits| bits.get(0)));
    for_each_chunk(&mut bytes[first..(begin + len).div_ceil(8)], |at, chunk| {
        for (byte, slot) in (first + at..).zip(chunk) {
            // The rows of this byte, and the bit of the first of them.
            let from = (byte * 8).max(begin);
            let rows = ((byte + 1) * 8).min(begin + len) - from;
            let shift = from - byte * 8;
            let mask = (u8::MAX >> (8 - rows)) << shift;
            let value = match (all, bits) {
                (Some(true), _) | (None, None) => u8::MAX,
                (Some(false), _) => 0,
                (None, Some(bits)) => (bits.slice(from - begin, rows).word(0) as u8) << shift,
            };
            *slot = *slot & !mask | value & mask;
        }
    });
}
