//! Merges, fills and changes validity masks on the CPU. Masks are merged 64 rows at a time.

use gdf_core::{ColumnView, NullCount, Result, bitmask};
use gdf_driver::Device;
use gdf_memory::{AccessMut, Buffer};

use super::{MaskState, Merge, RowState};
use crate::Ctx;
use crate::host::{Bits, HostColumn, mask_from_words};
use crate::mask::Bitmask;

fn finish(len: usize, buffer: Buffer, valid: usize) -> Result<Bitmask> {
    let buffer = buffer.slice(0, len.div_ceil(8))?;
    Ok(Bitmask { buffer: Some(buffer), device: Device::Cpu, len, null_count: NullCount::Known(len - valid) })
}

pub(crate) fn merge(how: Merge, columns: &[ColumnView<'_>], len: usize, ctx: Ctx<'_>) -> Result<Bitmask> {
    let columns = columns.iter().map(|column| HostColumn::open(*column, ctx.stream)).collect::<Result<Vec<_>>>()?;
    let masks = columns.iter().filter_map(|column| column.validity().transpose()).collect::<Result<Vec<Bits<'_>>>>()?;
    let (buffer, valid) = match how {
        Merge::And => mask_from_words(len, ctx.stream, ctx.mr.output, |word| {
            masks.iter().fold(u64::MAX, |all, mask| all & mask.word(word))
        }),
        Merge::Or => mask_from_words(len, ctx.stream, ctx.mr.output, |word| {
            masks.iter().fold(0, |all, mask| all | mask.word(word))
        }),
    }?;
    finish(len, buffer, valid)
}

pub(crate) fn filled(len: usize, state: MaskState, ctx: Ctx<'_>) -> Result<Bitmask> {
    let word = if state == MaskState::AllValid { u64::MAX } else { 0 };
    let (buffer, valid) = mask_from_words(len, ctx.stream, ctx.mr.output, |_| word)?;
    finish(len, buffer, valid)
}

pub(crate) fn set_null_mask(mask: AccessMut<'_>, begin: usize, end: usize, state: RowState) -> Result<()> {
    bitmask::fill_bits(mask.into_mut_slice()?, begin, end - begin, state == RowState::Valid);
    Ok(())
}
