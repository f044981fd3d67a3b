//! The CUDA half: a launch for sizes, a wait for their total, and a launch that writes.

use gdf_core::{DataType, Result};
use gdf_driver::Stream;
use gdf_kernels::generated::common::TextIn;
use gdf_kernels::{ColumnOut, Family};
use gdf_memory::{Buffer, Mailbox, ResourceRef};
use smallvec::SmallVec;

use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Kernel, Out, Scratch};
use crate::engine::elementwise::Inputs;
use crate::engine::keys::characters;
use crate::engine::rows::{OutputBuffers, RowKind, byte_len, check_offsets};
use crate::operand::Input;

/// Rows of a tile of the kernels, at least: there is a count for each.
const MIN_TILE: usize = 128;

/// Which of the two launches is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    Sizes,
    Write,
}

/// What the kernels take besides their own parameters, open on the stream until the launch is enqueued.
#[derive(Debug)]
pub(crate) struct Launch<'a, const N: usize> {
    pass: Pass,
    pub(crate) stream: &'a Stream,
    pub(crate) rows: usize,
    pub(crate) inputs: [TextIn; N],
    pub(crate) out: ColumnOut,
    pub(crate) counts: Out<u64>,
    pub(crate) scratch: Scratch,
    pub(crate) mailbox: Out<u64>,
}

impl<const N: usize> Launch<'_, N> {
    /// Enqueues the kernel of this pass: of the two that `GDF_STRINGS_MAP`, `GDF_STRINGS_BUILD` or `GDF_STRINGS_SPANS` makes,
    /// the one whose name ends in `sizes`, and the one whose name ends in `write`.
    pub(crate) fn run<A: Family>(&self, kernels: [A::Kernel; 2], arguments: &A) -> Result<()> {
        self.run_for(self.rows, kernels, arguments)
    }

    /// As [`run`](Self::run), with a grid for fewer rows, over which all rows stride.
    pub(crate) fn run_for<A: Family>(&self, rows: usize, kernels: [A::Kernel; 2], arguments: &A) -> Result<()> {
        self.enqueue(kernels, arguments, |kernel| kernel.streaming_blocks(rows))
    }

    /// As [`run`](Self::run), of kernels that prepare what is the same for all rows: by no more blocks than the device holds.
    pub(crate) fn run_prepared<A: Family>(&self, kernels: [A::Kernel; 2], arguments: &A) -> Result<()> {
        self.enqueue(kernels, arguments, |kernel| kernel.blocks(self.rows))
    }

    fn enqueue<A: Family>(
        &self,
        [sizes, write]: [A::Kernel; 2],
        arguments: &A,
        blocks: impl FnOnce(&Kernel<A>) -> u32,
    ) -> Result<()> {
        let kernel = Kernel::choose(if self.pass == Pass::Sizes { sizes } else { write }, self.stream)?;
        debug_assert!(kernel.tile() >= MIN_TILE);
        // SAFETY: such kernels read what their inputs and parameters, open until the launch is enqueued, are declared to be,
        // in the rows that these have, and write the rows of `out`: first sizes and counts, of which there are enough for
        // tiles that are not smaller, and one word of the mailbox; then, from unchanged inputs, offsets, validity, null
        // count, and the elements that were counted. All is open until the engine returns.
        unsafe { kernel.launch(self.stream, blocks(&kernel), 1, arguments)? };
        Ok(())
    }
}

/// The input as kernels of text take it, and what keeps it open.
pub(crate) fn open_text<'a>(input: Input<'a>, stream: &Stream) -> Result<(TextIn, CudaColumn<'a>)> {
    let column = CudaColumn::open_input(input, stream)?;
    Ok((TextIn { column: column.desc, bytes: characters(input.view()) }, column))
}

/// Elements of `unit` bytes, in memory of `mr`, for each row; offsets are as wide as those of `data_type`, a type of text.
pub(super) fn elements<const N: usize>(
    inputs: Inputs<'_, N>,
    (data_type, large): (&DataType, bool),
    nullable: bool,
    (unit, mr): (usize, ResourceRef<'_>),
    ctx: Ctx<'_>,
    launch: &dyn Fn(&Launch<'_, N>) -> Result<()>,
) -> Result<OutputBuffers> {
    let (stream, rows) = (ctx.stream, inputs.rows());
    let mut opened: SmallVec<[CudaColumn<'_>; N]> = SmallVec::new();
    let mut descriptors = [TextIn::default(); N];
    for (descriptor, input) in descriptors.iter_mut().zip(inputs.operands) {
        let (text, column) = open_text(input, stream)?;
        *descriptor = text;
        opened.push(column);
    }
    let scratch = Scratch::of(stream)?;
    let mailbox = Mailbox::new(stream, 1)?;
    let mut positions = Buffer::uninitialized(rows.div_ceil(MIN_TILE) * 8, stream, ctx.mr.temporary)?;
    let counts = positions.write_on(stream)?;
    let mut output = CudaOutput::string_sizes(data_type, rows, ctx)?;
    let open = output.open(stream)?;
    let sizes = Launch {
        pass: Pass::Sizes,
        stream,
        rows,
        inputs: descriptors,
        out: open.desc,
        counts: Out::of(&counts),
        scratch,
        mailbox: Out::of(&mailbox),
    };
    launch(&sizes)?;
    drop(open);
    let total = mailbox.wait()?[0];
    check_offsets(RowKind::Strings { large }, total)?;
    let bytes = byte_len(usize::try_from(total).unwrap_or(usize::MAX), unit, ctx.mr)?;
    output.add_elements(Buffer::uninitialized(bytes, stream, mr)?, nullable, ctx)?;
    let open = output.open(stream)?;
    launch(&Launch { pass: Pass::Write, out: open.desc, mailbox: Out::NULL, ..sizes })?;
    drop((opened, open, counts));
    output.into_buffers()
}
