//! Sort of short segments on CUDA. One launch and one wait find the extent of the segments. Another launch sorts them.

use gdf_core::{Column, ColumnView, DataType, Result, width};
use gdf_driver::Stream;
use gdf_kernels::Arguments;
use gdf_kernels::generated::sorting::{
    DistinctSegments, DistinctSegmentsKept, SEGMENTS_OF_TILE, SegmentExtent as ExtentKernel, SortSegments,
};
use gdf_memory::{Buffer, Mailbox};

use super::key_stats::key_flags;
use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Grid, Kernel, Out};
use crate::layout::byte_len;
use crate::sort::KeyColumn;
use crate::sort::segment::{KeptValue, MarkedSegments, SegmentExtent, SegmentOutput};
use crate::vouch;

/// Returns the extent of segments.
pub fn segment_extent(offsets: ColumnView<'_>, ctx: Ctx<'_>) -> Result<SegmentExtent> {
    let kernel = Kernel::find(ctx.stream)?;
    let open = CudaColumn::open(offsets, ctx.stream)?;
    let mailbox = Mailbox::new(ctx.stream, 3)?;
    let arguments = ExtentKernel { offsets: open.desc(), mailbox: Out::of(&mailbox) };
    let blocks = kernel.blocks(offsets.len().saturating_sub(1));
    run(&kernel, blocks, &arguments, ctx.stream)?;
    drop(open);
    let words = mailbox.wait()?;
    let word = |at: usize| words.get(at).map_or(0, |word| *word as usize);
    Ok(SegmentExtent { begin: word(0), end: word(1), longest: word(2) })
}

/// Sorts segments.
pub fn sort_segments(
    offsets: ColumnView<'_>,
    key: KeyColumn<'_>,
    extent: SegmentExtent,
    sorted: &SegmentOutput,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let mut output = CudaOutput::fixed_width(sorted.data_type(), extent.rows(), ctx)?;
    if extent.rows() > 0 {
        let kernel = Kernel::find(ctx.stream)?;
        let (open, values) = (CudaColumn::open(offsets, ctx.stream)?, CudaColumn::open(key.view, ctx.stream)?);
        let written = output.open(ctx.stream)?;
        let arguments = SortSegments {
            offsets: open.desc(),
            values: values.desc(),
            flags: key_flags(&key),
            width: match sorted {
                SegmentOutput::Values(data_type) => width(data_type).unwrap_or(0) as i32,
                SegmentOutput::Rows(_) => 0,
            },
            out: written.desc(),
        };
        run(&kernel, blocks_of(offsets), &arguments, ctx.stream)?;
    }
    output.finish(ctx.stream)
}

/// Marks the distinct values of segments.
pub fn mark_distinct(
    offsets: ColumnView<'_>,
    values: ColumnView<'_>,
    extent: SegmentExtent,
    keep: KeptValue,
    ctx: Ctx<'_>,
) -> Result<MarkedSegments> {
    let mut marks = CudaOutput::fixed_width(&DataType::UInt8, extent.rows(), ctx)?;
    let segments = offsets.len() - 1;
    let mut sizes = Buffer::zeroed(byte_len(segments, size_of::<i64>(), ctx.mr)?, ctx.stream, ctx.mr.output)?;
    if extent.rows() > 0 {
        let kernel = Kernel::find(ctx.stream)?;
        let (open, values) = (CudaColumn::open(offsets, ctx.stream)?, CudaColumn::open(values, ctx.stream)?);
        let (out, counted) = (marks.open(ctx.stream)?, sizes.write_on(ctx.stream)?);
        let keep = match keep {
            KeptValue::First => DistinctSegmentsKept::First,
            KeptValue::Last => DistinctSegmentsKept::Last,
            KeptValue::Alone => DistinctSegmentsKept::Alone,
        };
        let arguments = DistinctSegments {
            offsets: open.desc(),
            values: values.desc(),
            keep: keep as i32,
            out: out.desc(),
            sizes: Out::of(&counted),
        };
        run(&kernel, blocks_of(offsets), &arguments, ctx.stream)?;
    }
    Ok(MarkedSegments {
        marks: marks.finish(ctx.stream)?,
        sizes: vouch::numbers(DataType::Int64, sizes, segments, ctx.stream)?,
    })
}

fn blocks_of(offsets: ColumnView<'_>) -> u32 {
    let tiles = (offsets.len() - 1).div_ceil(SEGMENTS_OF_TILE);
    u32::try_from(tiles).unwrap_or(u32::MAX).min(i32::MAX as u32)
}

fn run<A: Arguments>(kernel: &Kernel<A::Static>, blocks: u32, arguments: &A, stream: &Stream) -> Result<()> {
    // SAFETY: The kernels read offsets and values, and write an output or a mailbox.
    // - The columns and the output are open on this stream until `run` returns.
    // - The offsets are those of a validated column of lists, and the values are its elements. The offsets therefore
    //   ascend, and no offset is above the number of values. They have the type `Int32` or `Int64`.
    // - `SegmentExtent` has found that no segment is longer than the kernel can sort, and the number of rows for which
    //   the output was allocated.
    // - The type of the values is one of `sorts_segments_of`, and the output has this type if `width` is not 0.
    // - The marks have a byte for each row of the segments, and the sizes have a number for each segment.
    // - The mailbox has three words, and the kernel posts three.
    unsafe { kernel.launch_grid(stream, Grid::Blocks(blocks), arguments)? };
    Ok(())
}
