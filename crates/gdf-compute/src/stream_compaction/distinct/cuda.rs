//! `distinct` on CUDA: one cooperative launch decides which rows stay. For many integers in a small range, a launch
//! with a bit for each value decides instead, if any of several equal rows may stay.

use std::ops::RangeInclusive;

use gdf_core::{Column, DataType, Result};
use gdf_engine::cuda::{CudaColumn, CudaOutput, Kernel, Memory, Rows};
use gdf_engine::hash_table::{KeyTableLayout, fill};
use gdf_engine::keys::{
    KeySide, MAX_VALUE_BITS, NumberedKeys, OpenKeys, WordBits, is_plain_integer, numbers, order_column,
};
use gdf_engine::layout::byte_len;
use gdf_engine::limits::cuda as limits;
use gdf_engine::sort::value_bounds;
use gdf_kernels::generated::stream_compaction::{Distinct, DistinctBits, DistinctKeep, DistinctKernel, RowNumbers};
use gdf_memory::Buffer;

use super::plan::DuplicateKeepOption;
use crate::Ctx;

/// The sizes of key ranges for which a bit for each value is used. In a smaller range, too many rows would wait for the
/// bit of the same value.
const BITS: RangeInclusive<u64> = 1 << 16..=MAX_VALUE_BITS;

pub(super) fn distinct_mask(keys: &KeySide<'_>, keep: DuplicateKeepOption, ctx: Ctx<'_>) -> Result<Column> {
    if keep == DuplicateKeepOption::Any
        && let Some(mask) = mask_by_bits(keys, ctx)?
    {
        return Ok(mask);
    }
    let rows = keys.rows();
    let mut output = CudaOutput::fixed_width(&DataType::Boolean, rows, ctx)?;
    if rows > 0 {
        let numbered = NumberedKeys::of(&keys.keys, limits::KEY_TEXT_ROWS, WordBits::Double, ctx)?;
        let numbers = numbered.as_ref().map(|numbered| numbered.side(keys)).transpose()?;
        let keys = numbers.as_ref().unwrap_or(keys);
        let layout = KeyTableLayout::new(keys);
        // If the option is `Any`, the table needs no array of row positions.
        let positions = if keep == DuplicateKeepOption::Any { 0 } else { byte_len(rows, 4, ctx.mr)? };
        let mut memory = Buffer::uninitialized(layout.bytes().saturating_add(positions), ctx.stream, ctx.mr.temporary)?;
        let kernel = if keys.packing.is_some() { DistinctKernel::Packed } else { DistinctKernel::Rows };
        let kernel = Kernel::choose(kernel, ctx.stream)?;
        let open = OpenKeys::of_side(keys, ctx.stream)?;
        let (out, access) = (output.open(ctx.stream)?, memory.write_on(ctx.stream)?);
        let memory = Memory::of(&access);
        let keep = match keep {
            DuplicateKeepOption::Any => DistinctKeep::Any,
            DuplicateKeepOption::First => DistinctKeep::First,
            DuplicateKeepOption::Last => DistinctKeep::Last,
            DuplicateKeepOption::None => DistinctKeep::None,
        };
        let arguments = Distinct {
            keys: open.desc(),
            table: layout.describe(memory)?,
            rows: Rows::new(rows),
            keep: keep as i32,
            positions: memory.array(layout.bytes(), positions / 4)?,
            bits: out.values().array(0, rows.div_ceil(32))?,
        };
        fill(&kernel, rows, 0, &arguments, ctx.stream)?;
    }
    output.finish(ctx.stream)
}

/// Finds the rows to keep of many integers by a bit for each value of their range. Returns `None` for other keys, and
/// for a range whose size is not in [`BITS`]. **Waits** for the range if the column does not store it.
fn mask_by_bits(keys: &KeySide<'_>, ctx: Ctx<'_>) -> Result<Option<Column>> {
    let [key] = keys.keys.columns() else { return Ok(None) };
    if key.len() < limits::DISTINCT_BITS_ROWS || !is_plain_integer(key) {
        return Ok(None);
    }
    let bounds = value_bounds(&[*key], ctx.scratch())?.into_iter().next().flatten();
    let Some((low, count)) = bounds.and_then(|(low, high)| Some((low, (high - low).checked_add(1)?))) else {
        return Ok(None);
    };
    if !BITS.contains(&count) {
        return Ok(None);
    }
    let words = count.div_ceil(32) as usize;
    let mut seen = Buffer::zeroed(words * 4, ctx.stream, ctx.mr.temporary)?;
    let mut output = CudaOutput::fixed_width(&DataType::Boolean, key.len(), ctx)?;
    let kernel = Kernel::<DistinctBits>::find(ctx.stream)?;
    let (open, access, column) =
        (output.open(ctx.stream)?, seen.write_on(ctx.stream)?, CudaColumn::open(*key, ctx.stream)?);
    let seen = Memory::of(&access).array(0, words)?;
    let arguments = DistinctBits { keys: column.desc(), low, count, seen, out: open.desc() };
    // SAFETY: the kernel reads the rows of the keys, sets bits below `count`, for which `seen` has words, and writes a
    // bit of the output for each row. All memory is open on this stream until after the launch.
    unsafe { kernel.launch(ctx.stream, kernel.streaming_blocks(key.len()), 1, &arguments)? };
    drop((open, access, column));
    output.finish(ctx.stream).map(Some)
}

pub(super) fn row_numbers(rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let numbers = numbers(rows, 4, ctx.mr.output, ctx, |launch| {
        launch.run(&RowNumbers { numbers: launch.out.cast(), rows: Rows::new(rows) })
    })?;
    order_column(numbers, rows, ctx.stream)
}
