//! `distinct` on CUDA: one cooperative launch decides which rows stay.

use gdf_core::{Column, DataType, Result};
use gdf_engine::cuda::{CudaOutput, Kernel, Memory, Rows};
use gdf_engine::hash_table::{KeyTableLayout, fill};
use gdf_engine::keys::{KeySide, NumberedKeys, OpenKeys, WordBits, numbers, order_column};
use gdf_engine::layout::byte_len;
use gdf_engine::limits::cuda as limits;
use gdf_kernels::generated::stream_compaction::{Distinct, DistinctKeep, DistinctKernel, RowNumbers};
use gdf_memory::Buffer;

use super::plan::DuplicateKeepOption;
use crate::Ctx;

pub(super) fn distinct_mask(keys: &KeySide<'_>, keep: DuplicateKeepOption, ctx: Ctx<'_>) -> Result<Column> {
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

pub(super) fn row_numbers(rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let numbers = numbers(rows, 4, ctx.mr.output, ctx, |launch| {
        launch.run(&RowNumbers { numbers: launch.out.cast(), rows: Rows::new(rows) })
    })?;
    order_column(numbers, rows, ctx.stream)
}
