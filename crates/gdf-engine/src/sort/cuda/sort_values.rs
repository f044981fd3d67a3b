//! Sorts values that are turned into keys and back on the way, so that keys are stored only between passes.

use gdf_core::Result;
use gdf_memory::Buffer;

use super::passes::{CodedValues, PassBuffers, PassInput, Passes, Payload};
use super::prefix_sort::{self, Sorted};
use super::sorting::Sorting;
use crate::cuda::Memory;
use crate::layout::byte_len;

/// Sorts `sorting.rows` values of a column into `target`. The codec of `source` turns a value into a key of `bits`
/// bits. Memory for keys is therefore needed only between passes.
pub(super) fn sort_values(
    sorting: &Sorting<'_, '_>,
    source: CodedValues<'_>,
    bits: u32,
    target: Memory<'_>,
) -> Result<()> {
    let (rows, ctx) = (sorting.rows, sorting.ctx);
    if prefix_sort::sort(sorting, bits, Sorted::Values { source, target })? {
        return Ok(());
    }
    let key_bytes = if bits > 32 { 8 } else { 4 };
    let (passes, mut state) =
        Passes::new(PassInput { rows, bits, key_bytes, payload: Payload::None, wide: sorting.wide }, ctx)?;
    let bytes = byte_len(rows, key_bytes, ctx.mr)?;
    let capacity = |needed: bool| if needed { bytes } else { 0 };
    let mut b = Buffer::uninitialized(capacity(passes.count() >= 2), ctx.stream, ctx.mr.temporary)?;
    let mut a = Buffer::uninitialized(capacity(passes.count() >= 3), ctx.stream, ctx.mr.temporary)?;
    let (a, b, state) = (a.write_on(ctx.stream)?, b.write_on(ctx.stream)?, state.write_on(ctx.stream)?);
    let (keys, target) = ([Memory::of(&a), Memory::of(&b)], Some((target, source.codec)));
    let counted = sorting.count(source, key_bytes, &passes, Memory::of(&state))?;
    counted.run(&PassBuffers { keys, target, ..PassBuffers::default() }, ctx.stream)
}
