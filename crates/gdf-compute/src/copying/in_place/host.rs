//! In-place writes on the CPU. Values are copied as bytes. Bits are written a byte at a time.

use std::ops::Range;

use gdf_core::{ColumnParts, Result};
use gdf_engine::host::{Bits, HostColumn, for_each_chunk};
use gdf_engine::input::Input;

use crate::Ctx;

pub(super) fn write(
    source: Input<'_>,
    parts: &mut ColumnParts,
    target_rows: Range<usize>,
    width: usize,
    ctx: Ctx<'_>,
) -> Result<()> {
    let column = HostColumn::open_input(source, ctx.stream)?;
    let one = matches!(source, Input::Scalar(_));
    // Both buffers are opened before either is written, so that an error leaves both unchanged.
    let mut mask = parts.validity.as_mut().map(|mask| mask.write_on(ctx.stream)).transpose()?;
    let values = parts.buffers[0].write_on(ctx.stream)?.into_mut_slice::<u8>()?;
    if width == 0 {
        write_bits(values, target_rows.clone(), Some(column.bits()?), one);
    } else {
        let rows = column.row_bytes(width)?;
        let to = &mut values[target_rows.start * width..target_rows.end * width];
        if one {
            to.chunks_exact_mut(width).for_each(|slot| slot.copy_from_slice(&rows[..width]));
        } else {
            to.copy_from_slice(&rows[..target_rows.len() * width]);
        }
    }
    if let Some(mask) = mask.take() {
        write_bits(mask.into_mut_slice()?, target_rows, column.validity()?, one);
    }
    Ok(())
}

/// Writes `bits` to the rows `rows` of `bytes`.
fn write_bits(bytes: &mut [u8], rows: Range<usize>, bits: Option<Bits<'_>>, one: bool) {
    let Range { start: begin, end } = rows;
    let first = begin / 8;
    let all = one.then(|| bits.is_none_or(|bits| bits.get(0)));
    for_each_chunk(&mut bytes[first..end.div_ceil(8)], |at, chunk| {
        for (byte, slot) in (first + at..).zip(chunk) {
            let from = (byte * 8).max(begin);
            let rows = ((byte + 1) * 8).min(end) - from;
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
