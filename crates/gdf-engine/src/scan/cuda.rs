//! The CUDA half of the engine.

use gdf_core::{Column, ColumnView, Result, is_floating, width};
use gdf_driver::Stream;
use gdf_kernels::Arguments;
use gdf_kernels::generated::common::{PIPELINE_BYTES, PIPELINE_STATE_BYTES, SCAN_GROUP, SCRATCH_ZEROED_WORDS};
use gdf_kernels::generated::scan::{Clear, Scan, ScanKernel};
use gdf_memory::Buffer;

use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Grid, Kernel, Out};
use crate::limits::cuda::SCAN_PIPELINE_ROWS;

/// The number of 32-bit words at the beginning of the scratch memory that are zero before each launch.
const SCRATCH_WORDS: usize = SCRATCH_ZEROED_WORDS * 2;

/// The number of bytes of a state whose value has one word (`gdf::scan_entry`).
const STATE_BYTES: usize = 16;

/// Returns the number of states of a look-back over tiles.
const fn states_of(tiles: usize) -> usize {
    tiles + tiles / SCAN_GROUP + tiles / SCAN_GROUP / SCAN_GROUP
}

/// Returns memory for the states of a look-back over tiles, whose values have one word.
pub fn look_back_states(tiles: usize, ctx: Ctx<'_>) -> Result<Option<Buffer>> {
    let bytes = states_of(tiles) * STATE_BYTES;
    let is_large = bytes > SCRATCH_WORDS * 4;
    Ok(is_large.then(|| Buffer::zeroed(bytes, ctx.stream, ctx.mr.temporary)).transpose()?)
}

/// A kernel, and the number of 64-bit words of the aggregate of a tile. An aggregate of one word is published together
/// with its status.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub kernel: ScanKernel,
    pub words: usize,
}

/// Scans `input`, which must not be empty.
pub fn scan(
    input: ColumnView<'_>,
    output: CudaOutput,
    Choice { kernel, words }: Choice,
    modes: i32,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let pipeline = if input.len() < SCAN_PIPELINE_ROWS { None } else { pipeline(kernel, input, ctx.stream)? };
    let (kernel, shared) = pipeline.map_or((kernel, 0), |kernel| (kernel, PIPELINE_BYTES as u32));
    let kernel = Kernel::choose(kernel, ctx.stream)?;
    kernel.allow_shared(shared)?;
    scan_with(input, output, &kernel, words, ctx, |launch| launch.run_with(shared, &Scan { modes, ..launch.scan }))
}

/// Returns the pipelined variant of a kernel. The result is `None` if the kernel has no such variant, if rows do not
/// have 64 bits, or if a block has too little shared memory.
fn pipeline(kernel: ScanKernel, input: ColumnView<'_>, stream: &Stream) -> Result<Option<ScanKernel>> {
    let kernel = match kernel {
        ScanKernel::SumIntegers => ScanKernel::PipelinedSumIntegers,
        ScanKernel::ProductIntegers => ScanKernel::PipelinedProductIntegers,
        ScanKernel::SumFloats => ScanKernel::PipelinedSumFloats,
        ScanKernel::ProductFloats => ScanKernel::PipelinedProductFloats,
        ScanKernel::Extreme if is_floating(input.data_type()) => ScanKernel::PipelinedExtremeFloats,
        ScanKernel::Extreme => ScanKernel::PipelinedExtremeWords,
        _ => return Ok(None),
    };
    let fits = stream.device().properties()?.shared_bytes_per_block >= (PIPELINE_BYTES + PIPELINE_STATE_BYTES) as u64;
    Ok((fits && width(input.data_type()) == Some(8)).then_some(kernel))
}

/// The arguments of a scan kernel, whose parameters have the type `S`.
#[derive(Debug)]
pub struct ScanLaunch<'a, S> {
    kernel: &'a Kernel<S>,
    blocks: u32,
    stream: &'a Stream,
    /// The parameters that all kernels of the family have.
    pub scan: Scan<'a>,
}

impl<S: Arguments<Static = S>> ScanLaunch<'_, S> {
    pub fn run<A: Arguments<Static = S>>(&self, arguments: &A) -> Result<()> {
        self.run_with(0, arguments)
    }

    fn run_with<A: Arguments<Static = S>>(&self, shared: u32, arguments: &A) -> Result<()> {
        // SAFETY: The kernel reads the input, writes the output, and uses the state of the tiles.
        // - The input has at least one row. The caller has chosen the kernel for the type of the input. A counting
        //   kernel takes any type, because the kernel reads only the mask.
        // - The output has the number of rows of the input, and the type that the kernel writes. The kernel writes
        //   the type of the input or a 64-bit integer.
        // - The state of values of one word has 16 zero bytes per slot. The state of longer values has a zero word of
        //   32 bits and `words` 64-bit words per slot. Buffers have the alignment of the state.
        // - If no state is allocated, there are so few slots that the stream's scratch memory holds the slots: at
        //   most `SCRATCH_WORDS` status words. The scratch memory has 61,440 bytes for values, and a value has at
        //   most 32 bytes.
        // - A pipelined kernel gets the shared memory that it uses.
        // - Input, output and state are held until the launch is enqueued.
        unsafe { self.kernel.launch_grid(self.stream, Grid::Shared(self.blocks, shared), arguments)? };
        Ok(())
    }
}

/// Scans `input` in the same way as [`scan`], by a kernel that also takes parameters of the operation.
pub fn scan_with<S: Arguments<Static = S>>(
    input: ColumnView<'_>,
    mut output: CudaOutput,
    kernel: &Kernel<S>,
    words: usize,
    ctx: Ctx<'_>,
    launch: impl FnOnce(&ScanLaunch<'_, S>) -> Result<()>,
) -> Result<Column> {
    let rows = input.len();
    let tiles = kernel.tiles(rows);
    let slots = states_of(tiles);
    // `before` is the number of bytes of values before the status words. `cleared` is the number of 32-bit words of the
    // status, and only the status must be cleared.
    let (before, cleared) = if words == 1 { (0, slots * 4) } else { (slots * words * 8, slots) };
    let mut state = match cleared {
        0..=SCRATCH_WORDS => None,
        _ => Some(Buffer::uninitialized(before + cleared * 4, ctx.stream, ctx.mr.temporary)?),
    };
    let access = state.as_mut().map(|state| state.write_on(ctx.stream)).transpose()?;
    let own = Out::<u8>::of_option(access.as_ref());
    let (values, status) = match &access {
        None => (Out::NULL, Out::NULL),
        Some(_) if words == 1 => (Out::NULL, own.cast()),
        Some(_) => (own.cast(), own.at(before)),
    };
    if !status.is_null() {
        let clear = Kernel::find(ctx.stream)?;
        let arguments = Clear { status, words: cleared as i64 };
        // SAFETY: The kernel writes `cleared` words of 32 bits from `status` on. `own` is the start of a buffer of
        // `before + cleared * 4` bytes, and `status` is `before` bytes after `own`. `access` keeps the buffer open
        // for writing until the launch is enqueued.
        unsafe { clear.launch(ctx.stream, clear.blocks(cleared), 1, &arguments)? };
    }
    let input = CudaColumn::open(input, ctx.stream)?;
    let open = output.open(ctx.stream)?;
    let scan = Scan { input: input.desc(), out: open.desc(), modes: 0, status, values };
    launch(&ScanLaunch { kernel, blocks: kernel.blocks(rows), stream: ctx.stream, scan })?;
    drop((input, open, access));
    output.finish(ctx.stream)
}
