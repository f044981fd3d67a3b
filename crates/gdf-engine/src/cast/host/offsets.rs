//! Changes the width of string offsets.

use bytemuck::Pod;
use gdf_core::{Column, ColumnView, DataType, Error, NullCount, Result, physical_type};
use gdf_memory::Buffer;

use crate::Ctx;
use crate::elementwise::{BitWords, SharedMask};
use crate::host::{HostColumn, HostMask, column, for_each_chunk};
use crate::vouch;

/// Converts 32-bit string offsets to 64 bits, or 64-bit string offsets to 32 bits. The result shares the bytes of the
/// input.
pub(crate) fn offsets(view: ColumnView<'_>, target: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let input = HostColumn::open(view, ctx.stream)?;
    let mut bytes = view.buffer(1)?.clone();
    let buffer;
    if physical_type(target).is_large() {
        let from = input.offsets::<i32>()?;
        buffer = filled::<i64>(view.len() + 1, ctx, |first, out| {
            for (slot, offset) in out.iter_mut().zip(from.get(first..).unwrap_or_default()) {
                *slot = i64::from(*offset);
            }
        })?;
    } else {
        let from = input.offsets::<i64>()?;
        let (start, end) = (from.first().copied().unwrap_or(0), from.last().copied().unwrap_or(0));
        let mut base = 0;
        if end > i64::from(i32::MAX) {
            let needed = u64::try_from(end.wrapping_sub(start)).unwrap_or(u64::MAX);
            let (Ok(first), Ok(len @ 0..=0x7fff_ffff)) = (usize::try_from(start), usize::try_from(needed)) else {
                return Err(Error::offset_overflow(needed));
            };
            bytes = bytes.slice(first, len)?;
            base = start;
        }
        buffer = filled::<i32>(view.len() + 1, ctx, |first, out| {
            for (slot, offset) in out.iter_mut().zip(from.get(first..).unwrap_or_default()) {
                *slot = offset.wrapping_sub(base) as i32;
            }
        })?;
    }
    let (mask, null_count) = SharedMask::of(view)?.finish(|| {
        let valid = BitWords::validity(&input)?;
        let mask = HostMask::from_words(view.len(), ctx.stream, ctx.mr.output, |index| valid.word(index))?;
        Ok((mask.validity, NullCount::Known(mask.nulls)))
    })?;
    let mut parts = column(target, view.len(), [buffer, bytes], HostMask::none())?.into_parts();
    parts.sanitized = view.sanitized();
    vouch::result(parts.validity(mask, null_count))
}

/// Returns a buffer of `len` offsets, which `fill` writes. If `len` is 1, the function first sets the only offset to 0,
/// because a column without rows may have no offset that `fill` could copy.
fn filled<O: Pod + Send>(len: usize, ctx: Ctx<'_>, fill: impl Fn(usize, &mut [O]) + Sync) -> Result<Buffer> {
    let mut buffer = Buffer::uninitialized(len * size_of::<O>(), ctx.stream, ctx.mr.output)?;
    let out = buffer.write_on(ctx.stream)?.into_mut_slice::<O>()?;
    if len == 1 {
        out.fill(O::zeroed());
    }
    for_each_chunk(out, fill);
    Ok(buffer)
}
