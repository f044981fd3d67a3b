//! The CUDA half: a launch that writes values, validity and null count of one row each into one allocation; or a cooperative
//! one that writes a row for each segment.

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
    /// Values and mask.
    Values,
    /// The mask.
    Mask,
    /// Neither values nor mask. The kernel gets only the number of rows.
    Nothing { rows: usize },
}

/// The arguments of a kernel besides its own parameters, which have the type `S`.
#[derive(Debug)]
pub struct ReduceLaunch<'a, S> {
    kernel: &'a Kernel<S>,
    blocks: u32,
    stream: &'a Stream,
    pub input: ColumnIn<'a>,
    pub out: &'a [ColumnOut<'a>],
}

impl<S: Arguments<Static = S>> ReduceLaunch<'_, S> {
    /// Enqueues the kernel.
    pub fn run<A: Arguments<Static = S>>(&self, arguments: &A) -> Result<()> {
        // SAFETY: the input is open for reading and has a row or more of a type that the operation says the kernel takes
        // (counting takes any, and looks at the mask alone); each output is open for writing, of one row, with mask and null
        // count or neither; partial results of so few blocks fit the scratch memory.
        unsafe { self.kernel.launch(self.stream, self.blocks.min(REDUCE_MAX_BLOCKS as u32), 1, arguments)? };
        Ok(())
    }
}

/// Columns of one row each.
#[derive(Clone, Copy, Debug)]
pub struct ReduceResults<'a> {
    pub data_type: &'a DataType,
    pub count: usize,
    /// Whether the columns have a mask.
    pub masked: bool,
}

/// The results of a column that has rows.
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

/// The number of loads for all rows. A load has `rows_per_load` rows in the kernels, or is a word of 32 bits.
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

/// What a kernel of segments takes besides its own parameters, which are of the type `S`.
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
    /// Enqueues the kernel.
    pub fn run<A: Arguments<Static = S>>(&self, arguments: &A) -> Result<()> {
        // SAFETY: the input is of a type that the operation says the kernel takes, and the output of the one that it writes,
        // with a row for each segment, and mask and null count or neither; offsets, of integers, are one more than segments and
        // are limited to the rows by the kernel. There is a part of so many words and a count for each segment
        // and, twice, for each tile. So many blocks run at the same time; the mailbox has a word. All are held until the
        // launch is enqueued.
        unsafe { self.kernel.launch_grid(self.stream, Grid::Cooperative(self.blocks as u32, 1), arguments)? };
        Ok(())
    }
}

/// A row for each segment.
#[derive(Clone, Copy, Debug)]
pub struct SegmentResults<'a> {
    pub data_type: &'a DataType,
    /// 64-bit words of the operation's value.
    pub words: usize,
    /// A segment is null if it has at most this number of valid rows.
    pub fewest: Option<u32>,
    /// Whether segments with a null are null.
    pub spread: bool,
}

/// Rows of a warp's tile: few where there are few rows, so that all multiprocessors have some.
fn tile_rows(rows: usize, warps: usize) -> usize {
    rows.div_ceil(warps.max(1)).next_power_of_two().clamp(128, 4096)
}

/// The results of segments of a column. **Waits** for whether the offsets ascend.
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
