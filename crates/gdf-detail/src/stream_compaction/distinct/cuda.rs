//! `distinct` on CUDA: one cooperative launch says which rows stay.

use gdf_core::{Column, DataType, Result};
use gdf_kernels::generated::stream_compaction::{Distinct, DistinctKeep, DistinctKernel, RowNumbers};
use gdf_memory::Buffer;

use super::plan::DuplicateKeepOption;
use crate::Ctx;
use crate::cuda::{CudaOutput, Kernel, Out, Scratch};
use crate::engine::hash_table::KeyTableLayout;
use crate::engine::keys::{KeySide, OpenKeys, order_column};
use crate::engine::rows::byte_len;

pub(super) fn distinct_mask(keys: &KeySide<'_>, keep: DuplicateKeepOption, ctx: Ctx<'_>) -> Result<Column> {
    let rows = keys.rows();
    let mut output = CudaOutput::fixed_width(&DataType::Boolean, rows, false, ctx)?;
    if rows > 0 {
        let layout = KeyTableLayout::new(keys);
        // A table of any row needs no position of each.
        let positions = if keep == DuplicateKeepOption::Any { 0 } else { byte_len(rows, 4, ctx.mr)? };
        let mut memory = Buffer::uninitialized(layout.bytes().saturating_add(positions), ctx.stream, ctx.mr.temporary)?;
        let kernel = if keys.packing.is_some() { DistinctKernel::Packed } else { DistinctKernel::Rows };
        let kernel = Kernel::choose(kernel, ctx.stream)?;
        let open = OpenKeys::of_side(keys, ctx.stream)?;
        let (out, access) = (output.open(ctx.stream)?, memory.write_on(ctx.stream)?);
        let memory = Out::<u8>::of(&access);
        let keep = match keep {
            DuplicateKeepOption::Any => DistinctKeep::Any,
            DuplicateKeepOption::First => DistinctKeep::First,
            DuplicateKeepOption::Last => DistinctKeep::Last,
            DuplicateKeepOption::None => DistinctKeep::None,
        };
        let arguments = Distinct {
            keys: open.desc,
            table: layout.describe(memory),
            rows: rows as i64,
            keep: keep as i32,
            positions: memory.at(layout.bytes()),
            bits: out.desc.data.cast(),
            scratch: Scratch::of(ctx.stream)?,
        };
        // SAFETY: keys have `rows` rows, fewer than 2^31, and are open for reading on this stream; the table has twice as many
        // slots, and a word per row behind it unless any row may stay, when the kernel uses none; the output has whole words
        // of bits for all rows; all are exclusively ours. The launch is cooperative, as the barrier asks.
        unsafe { kernel.launch_cooperative(ctx.stream, kernel.spread_blocks(rows), 1, &arguments)? };
    }
    output.finish(ctx.stream)
}

/// The numbers of rows.
pub(super) fn row_numbers(rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let mut numbers = Buffer::uninitialized(byte_len(rows, 4, ctx.mr)?, ctx.stream, ctx.mr.output)?;
    let kernel = Kernel::find(ctx.stream)?;
    let access = numbers.write_on(ctx.stream)?;
    let arguments = RowNumbers { numbers: Out::of(&access), rows: rows as i64 };
    // SAFETY: the buffer has a word per row, and keys have fewer than 2^31 rows.
    unsafe { kernel.launch(ctx.stream, kernel.blocks(rows), 1, &arguments)? };
    drop(access);
    order_column(numbers, rows, ctx.stream)
}
