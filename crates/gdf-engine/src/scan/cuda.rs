//! The CUDA half: one launch. Columns of so many tiles that their state exceeds scratch memory need memory for it, and a
//! launch that clears it.

use gdf_core::{Column, ColumnView, Result, is_floating, width};
use gdf_driver::Stream;
use gdf_kernels::Arguments;
use gdf_kernels::generated::common::{PIPELINE_BYTES, PIPELINE_STATE_BYTES, SCAN_GROUP, SCRATCH_ZEROED_WORDS};
use gdf_kernels::generated::scan::{Clear, Scan, ScanKernel};
use gdf_memory::Buffer;

use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Grid, Kernel, Out};
use crate::limits::cuda::SCAN_PIPELINE_ROWS;

/// As words of 32 bits, those of scratch memory that are zero.
const SCRATCH_WORDS: usize = SCRATCH_ZEROED_WORDS * 2;

/// A kernel and the 64-bit words of a tile's value. One word is published with its status, as an entry.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    pub kernel: ScanKernel,
    pub words: usize,
}

/// `output`, with a row for each of `input`, which has some; `modes` are those of the kernels.
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

/// The kernel that does the same for many rows of 64 bits, if the device has the shared memory for it.
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

/// What a kernel takes, whose parameters are of the type `S`.
#[derive(Debug)]
pub struct ScanLaunch<'a, S> {
    kernel: &'a Kernel<S>,
    blocks: u32,
    stream: &'a Stream,
    /// Those of the family.
    pub scan: Scan<'a>,
}

impl<S: Arguments<Static = S>> ScanLaunch<'_, S> {
    /// Enqueues the kernel.
    pub fn run<A: Arguments<Static = S>>(&self, arguments: &A) -> Result<()> {
        self.run_with(0, arguments)
    }

    /// With bytes of dynamic shared memory.
    fn run_with<A: Arguments<Static = S>>(&self, shared: u32, arguments: &A) -> Result<()> {
        // SAFETY: the input has a row or more of a type that the plan says the kernel takes (counting takes any, and looks at
        // the mask alone); the output has as many rows of the type that the kernel writes: that of the input, or 64-bit
        // integers. State has a zero word and a value of `words` words for each slot; or, of values of one word, 16 zero bytes,
        // aligned as all buffers; or there are none of it and so few slots that the stream's scratch memory, with 61,440 bytes
        // for values of at most 32, has them. Pipelined kernels get the shared memory that they take. All are held until the
        // launch is enqueued.
        unsafe { self.kernel.launch_grid(self.stream, Grid::Shared(self.blocks, shared), arguments)? };
        Ok(())
    }
}

/// As [`scan`], by a kernel whose parameters `launch` makes of those of the family.
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
    // Of tiles, groups of tiles and groups of these.
    let slots = tiles + tiles / SCAN_GROUP + tiles / SCAN_GROUP / SCAN_GROUP;
    // Bytes before the status, which is cleared, and its 32-bit words.
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
        // SAFETY: so many words lie there in a buffer that is open for writing.
        unsafe { clear.launch(ctx.stream, clear.blocks(cleared), 1, &arguments)? };
    }
    let input = CudaColumn::open(input, ctx.stream)?;
    let open = output.open(ctx.stream)?;
    let scan = Scan { input: input.desc(), out: open.desc(), modes: 0, status, values };
    launch(&ScanLaunch { kernel, blocks: kernel.blocks(rows), stream: ctx.stream, scan })?;
    drop((input, open, access));
    output.finish(ctx.stream)
}
