//! The CUDA half of the engine.

use gdf_core::{Column, ColumnView, DataType, Error, PhysicalType, Result, physical_type};
use gdf_driver::Stream;
use gdf_kernels::generated::common::{REDUCE_MAX_BLOCKS, SegmentedPlan};
use gdf_kernels::{Arguments, ColumnIn, ColumnOut};
use gdf_memory::{Buffer, Mailbox};
use smallvec::SmallVec;

use super::NOT_ASCENDING;
use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Grid, Kernel, OpenSingle, Out, Rows, SingleOutput};
use crate::layout::byte_len;

/// The part of the input that a reduction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    Values,
    Mask,
    /// The reduction reads neither values nor mask. The kernel gets only the number of rows.
    Nothing {
        rows: usize,
    },
}

/// The arguments that all reduction kernels take. The parameters of the operation are passed separately. `S` is the
/// type of the kernel.
#[derive(Debug)]
pub struct ReduceLaunch<'a, S> {
    kernel: &'a Kernel<S>,
    blocks: u32,
    stream: &'a Stream,
    pub input: ColumnIn<'a>,
    pub out: &'a [ColumnOut<'a>],
}

impl<S: Arguments<Static = S>> ReduceLaunch<'_, S> {
    pub fn run<A: Arguments<Static = S>>(&self, arguments: &A) -> Result<()> {
        // SAFETY: The kernel reads the input, writes the outputs, and stores partial results in scratch memory.
        // - The input is open for reading and has at least one row, because `reduce` requires a column with rows.
        // - The operation has chosen the kernel for the type of the input. A counting kernel takes any type, because
        //   the kernel reads only the mask.
        // - Each output has one row and is open for writing. An output has both a mask and a null count, or neither.
        // - The grid has at most `REDUCE_MAX_BLOCKS` blocks, whose partial results fit in the scratch memory.
        unsafe { self.kernel.launch(self.stream, self.blocks.min(REDUCE_MAX_BLOCKS as u32), 1, arguments)? };
        Ok(())
    }
}

/// The properties of the results. Each result is a column of one row.
#[derive(Clone, Copy, Debug)]
pub struct ReduceResults<'a> {
    pub data_type: &'a DataType,
    pub count: usize,
    pub masked: bool,
}

/// Computes the results of a column. The column must not be empty.
pub fn reduce<S: Arguments<Static = S>>(
    column: ColumnView<'_>,
    results: ReduceResults<'_>,
    reads: Reads,
    kernel: &Kernel<S>,
    launch: impl FnOnce(&ReduceLaunch<'_, S>) -> Result<()>,
    ctx: Ctx<'_>,
) -> Result<SmallVec<[Column; 2]>> {
    let mut outputs = (0..results.count)
        .map(|_| SingleOutput::new(results.data_type, 1, results.masked, 0, ctx))
        .collect::<Result<SmallVec<[SingleOutput; 2]>>>()?;
    let open_input = CudaColumn::open(column, ctx.stream)?;
    let mut input = open_input.desc();
    let blocks = match reads {
        Reads::Values => kernel.blocks(loads(column)),
        Reads::Mask => kernel.blocks(column.len().div_ceil(32)),
        Reads::Nothing { rows } => {
            input.length = rows as i64;
            1
        }
    };
    {
        let open = outputs.iter_mut().map(|output| output.open(ctx.stream)).collect::<Result<SmallVec<[_; 2]>>>()?;
        let out: SmallVec<[ColumnOut<'_>; 2]> = open.iter().map(OpenSingle::desc).collect();
        launch(&ReduceLaunch { kernel, blocks, stream: ctx.stream, input, out: &out })?;
    }
    outputs.into_iter().map(|output| output.finish(ctx.stream)).collect()
}

fn loads(column: ColumnView<'_>) -> usize {
    let rows = match physical_type(column.data_type()) {
        PhysicalType::Bool => 32,
        physical => match physical.width() {
            Some(1) => 8,
            Some(width @ 2..16) => 16 / width,
            _ => 1,
        },
    };
    column.len().div_ceil(rows)
}

/// The arguments that all kernels of segments take.
#[derive(Debug)]
pub struct SegmentedLaunch<'a, S> {
    kernel: &'a Kernel<S>,
    blocks: usize,
    stream: &'a Stream,
    pub input: ColumnIn<'a>,
    pub offsets: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
    pub plan: SegmentedPlan<'a>,
    pub mailbox: Out<'a, u64>,
}

impl<S: Arguments<Static = S>> SegmentedLaunch<'_, S> {
    pub fn run<A: Arguments<Static = S>>(&self, arguments: &A) -> Result<()> {
        // SAFETY: The kernel reads the input and the offsets, and writes the output, the partial results and the
        // mailbox.
        // - The operation has chosen the kernel for the types of the input and of the output.
        // - The output has a row for each segment. The output has both a mask and a null count, or neither.
        // - The offsets are integers, and their number is the number of segments plus one. The kernel limits offsets
        //   to the rows of the input.
        // - The memory of partial results has one entry for each segment and two for each tile. An entry has `words`
        //   words and a count.
        // - All blocks of the grid can run at the same time, as a cooperative launch requires, because `blocks` is at
        //   most the number of resident blocks.
        // - The mailbox has a word.
        // - The caller holds the input, the offsets, the output, the partial results and the mailbox until the launch
        //   is enqueued.
        unsafe { self.kernel.launch_grid(self.stream, Grid::Cooperative(self.blocks as u32, 1), arguments)? };
        Ok(())
    }
}

/// The properties of the result, which has a row for each segment.
#[derive(Clone, Copy, Debug)]
pub struct SegmentResults<'a> {
    pub data_type: &'a DataType,
    /// The number of 64-bit words of an accumulator.
    pub words: usize,
    /// A segment becomes null if its number of valid rows is at most this number.
    pub fewest: Option<u32>,
    /// Whether a segment becomes null if any of its rows is null.
    pub spread: bool,
}

/// Returns the number of rows of the tile of a warp. With few rows, tiles are small, so that all multiprocessors get
/// tiles.
fn tile_rows(rows: usize, warps: usize) -> usize {
    rows.div_ceil(warps.max(1)).next_power_of_two().clamp(128, 4096)
}

/// Reduces the segments of a column. **Waits** for the result of the check that the offsets ascend.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument): the offsets do not ascend.
pub fn reduce_segments<S: Arguments<Static = S>>(
    column: ColumnView<'_>,
    offsets: ColumnView<'_>,
    results: SegmentResults<'_>,
    kernel: &Kernel<S>,
    launch: impl FnOnce(&SegmentedLaunch<'_, S>) -> Result<()>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let segments = offsets.len() - 1;
    let warps = kernel.resident() * kernel.threads() / 32;
    let tile_rows = tile_rows(column.len(), warps);
    let tiles = column.len().div_ceil(tile_rows);
    let SegmentResults { data_type, words, fewest, spread } = results;
    let output = CudaOutput::fixed_width(data_type, segments, ctx)?;
    let mut output = output.nullable(fewest.is_some() || spread, ctx)?;
    let part = (words + 1) * 8;
    let bytes = byte_len(segments.saturating_add(2 * tiles), part, ctx.mr)?;
    let mut parts = Buffer::uninitialized(bytes, ctx.stream, ctx.mr.temporary)?;
    let mailbox = Mailbox::new(ctx.stream, 1)?;
    let (input, offsets) = (CudaColumn::open(column, ctx.stream)?, CudaColumn::open(offsets, ctx.stream)?);
    let (access, open) = (parts.write_on(ctx.stream)?, output.open(ctx.stream)?);
    let complete = Out::<u64>::of(&access);
    let plan = SegmentedPlan {
        complete,
        heads: complete.at(segments * part),
        tails: complete.at((segments + tiles) * part),
        tile_rows: Rows::new(tile_rows),
        fewest: fewest.map_or(-1, i64::from),
        spread: i64::from(spread),
    };
    let blocks = tiles.max(segments.div_ceil(32)).div_ceil(kernel.threads() / 32).clamp(1, kernel.resident());
    launch(&SegmentedLaunch {
        kernel,
        blocks,
        stream: ctx.stream,
        input: input.desc(),
        offsets: offsets.desc(),
        out: open.desc(),
        plan,
        mailbox: Out::of(&mailbox),
    })?;
    drop((input, offsets, access, open));
    let [wrong, ..] = mailbox.wait()?;
    if wrong != 0 {
        return Err(Error::invalid_argument(NOT_ASCENDING).in_argument("offsets"));
    }
    output.finish(ctx.stream)
}
