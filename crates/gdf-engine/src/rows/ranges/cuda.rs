//! `copy_ranges` on CUDA. The kernels find the range of a row when they copy the row, so that there is no map of rows.

use gdf_core::{Result, Table};
use gdf_kernels::ColumnIn;
use gdf_kernels::generated::copying::{CopyRanges, CopyRangesKernel, CopyRangesSizes, CopyRangesTiles};
use gdf_memory::Buffer;

use super::RowRanges;
use crate::Ctx;
use crate::cuda::{CudaColumn, Grid, In, Kernel, Out, Rows, Tiles};
use crate::rows::RowPlan;
use crate::rows::cuda::TiledCopy;

pub(super) fn copy_ranges(plan: &RowPlan<'_>, rows: usize, ranges: &RowRanges<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let (stream, length) = (ctx.stream, ranges.rows);
    let ends = CudaColumn::open(ranges.ends, stream)?;
    let begins = ranges.begins.map(|begins| CudaColumn::open(begins, stream)).transpose()?;
    let sizes = ranges.sizes.map(|sizes| CudaColumn::open(sizes, stream)).transpose()?;
    let fixed = Kernel::<CopyRanges>::choose(CopyRangesKernel::Fixed, stream)?;
    let text = Kernel::<CopyRanges>::choose(CopyRangesKernel::Text, stream)?;
    let measuring = Kernel::find(stream)?;
    let share = fixed.share(length);
    let tiles = length.div_ceil(share * fixed.threads());
    let (share, tile_count) = (share as i32, Tiles::new(tiles));
    let (row_count, result_rows) = (Rows::new(rows), Rows::new(length));
    let tile_rows = share as usize * fixed.threads();
    let first = first_ranges(&ends, tile_rows, tiles, ctx)?;
    let first = first.read_on(stream)?;
    TiledCopy { plan, length, nullable: ranges.nullable(), tiles, ctx }.run(
        |open, counts, mailbox| {
            let arguments = CopyRangesSizes {
                ends: ends.desc(),
                begins: desc(begins.as_ref()),
                sizes: desc(sizes.as_ref()),
                first: In::of(&first),
                rows: row_count,
                length: result_rows,
                input: open.input,
                copy: open.copy,
                counts,
                share,
                tiles: tile_count,
                mailbox,
            };
            open.run(&measuring, Grid::Columns(measuring.spread_blocks(length), open.columns()), &arguments)
        },
        |open, counts, all_text| {
            let kernel = if all_text { &text } else { &fixed };
            let arguments = CopyRanges {
                ends: ends.desc(),
                begins: desc(begins.as_ref()),
                sizes: desc(sizes.as_ref()),
                first: In::of(&first),
                rows: row_count,
                length: result_rows,
                input: open.input,
                out: open.out,
                copy: open.copy,
                counts,
                share,
                tiles: tile_count,
            };
            open.run(kernel, Grid::Columns(kernel.spread_blocks(length), open.columns()), &arguments)
        },
    )
}

fn first_ranges(ends: &CudaColumn<'_>, tile_rows: usize, tiles: usize, ctx: Ctx<'_>) -> Result<Buffer> {
    let kernel = Kernel::find(ctx.stream)?;
    let mut first = Buffer::uninitialized((tiles + 1) * size_of::<i64>(), ctx.stream, ctx.mr.temporary)?;
    let access = first.write_on(ctx.stream)?;
    let arguments = CopyRangesTiles {
        ends: ends.desc(),
        tile_rows: Rows::new(tile_rows),
        tiles: Tiles::new(tiles),
        out: Out::of(&access),
    };
    // SAFETY: The kernel reads `ends` and writes `tiles + 1` numbers of 64 bits, for which the buffer has room. Both
    // are open until the launch is enqueued.
    unsafe { kernel.launch(ctx.stream, kernel.blocks(tiles + 1), 1, &arguments)? };
    drop(access);
    Ok(first)
}

fn desc<'c>(column: Option<&'c CudaColumn<'_>>) -> ColumnIn<'c> {
    column.map_or_else(ColumnIn::default, CudaColumn::desc)
}
