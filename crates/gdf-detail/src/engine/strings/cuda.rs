//! The CUDA half: a launch for sizes, a wait for their total, and a launch that writes.

use std::cell::Cell;

use gdf_core::{DataType, Result};
use gdf_driver::Stream;
use gdf_kernels::generated::common::TextIn;
use gdf_kernels::generated::strings::{REGEX_DETAIL_UNKNOWN_SIZE, RegexChunk};
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

/// Bytes of a chunk of a long row, as a power of two.
pub(crate) const CHUNK_SHIFT: u32 = 7;

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
    /// Of the first input, so many as [`chunks_of`] says; null until a size is unknown.
    pub(crate) chunks: Out<RegexChunk>,
    /// Whether a size may be.
    pub(crate) has_long_rows: Cell<bool>,
}

/// Chunks of a character buffer of `bytes` bytes.
pub(crate) fn chunks_of(bytes: i64) -> usize {
    (bytes >> CHUNK_SHIFT) as usize + 1
}

impl<const N: usize> Launch<'_, N> {
    /// Enqueues the kernel of this pass: of the two that `GDF_STRINGS_MAP`, `GDF_STRINGS_BUILD` or `GDF_STRINGS_SPANS` makes,
    /// the one whose name ends in `sizes`, and the one whose name ends in `write`.
    pub(crate) fn run<A: Family>(&self, kernels: [A::Kernel; 2], arguments: &A) -> Result<()> {
        self.enqueue(self.of_pass(kernels), self.rows, arguments)
    }

    /// As [`run`](Self::run), of kernels that prepare what is the same for all rows: by no more blocks than the device holds.
    pub(crate) fn run_prepared<A: Family>(&self, kernels: [A::Kernel; 2], arguments: &A) -> Result<()> {
        self.enqueue_prepared(self.of_pass(kernels), self.rows, false, arguments)
    }

    /// As [`run_prepared`](Self::run_prepared), of one of the kernels, with a grid for `rows` rows, over which all stride. Of what is
    /// prepared in `little` time there are as many blocks as there are tiles.
    pub(crate) fn enqueue_prepared<A: Family>(
        &self,
        kernel: A::Kernel,
        rows: usize,
        little: bool,
        arguments: &A,
    ) -> Result<()> {
        self.enqueue_by(
            kernel,
            arguments,
            |kernel| if little { kernel.streaming_blocks(rows) } else { kernel.blocks(rows) },
        )
    }

    /// Of the two kernels the one of this pass.
    pub(crate) fn of_pass<K>(&self, [sizes, write]: [K; 2]) -> K {
        if self.pass == Pass::Sizes { sizes } else { write }
    }

    /// Whether kernels of chunks are to be enqueued before sizes are counted.
    pub(crate) fn counts_chunks(&self) -> bool {
        self.pass == Pass::Sizes && !self.chunks.is_null()
    }

    /// Whether a kernel that writes what chunks have is to be enqueued, after the one that writes short rows.
    pub(crate) fn writes_chunks(&self) -> bool {
        self.pass == Pass::Write && !self.chunks.is_null()
    }

    /// Enqueues one of the kernels of a pass with a grid for `units`, over which all rows or chunks stride.
    pub(crate) fn enqueue<A: Family>(&self, kernel: A::Kernel, units: usize, arguments: &A) -> Result<()> {
        self.enqueue_by(kernel, arguments, |kernel| kernel.streaming_blocks(units))
    }

    fn enqueue_by<A: Family>(
        &self,
        kernel: A::Kernel,
        arguments: &A,
        blocks: impl FnOnce(&Kernel<A>) -> u32,
    ) -> Result<()> {
        let kernel = Kernel::choose(kernel, self.stream)?;
        debug_assert!(kernel.tile() >= MIN_TILE);
        // SAFETY: such kernels read what their inputs and parameters, open until the launch is enqueued, are declared to be,
        // in the rows that these have, and write the rows of `out`: first sizes and counts, of which there are enough for
        // tiles that are not smaller, and one word of the mailbox; then, from unchanged inputs, offsets, validity, null
        // count, and the elements that were counted. Kernels of chunks write as many as the first input has, before sizes
        // are counted, and then the elements of long rows. Where the number of elements is the same for all rows, `out` has no
        // offsets, and kernels write these elements alone. All is open until the engine returns.
        unsafe { kernel.launch(self.stream, blocks(&kernel), 1, arguments)? };
        Ok(())
    }
}

/// The input as kernels of text take it, and what keeps it open.
pub(crate) fn open_text<'a>(input: Input<'a>, stream: &Stream) -> Result<(TextIn, CudaColumn<'a>)> {
    let column = CudaColumn::open_input(input, stream)?;
    Ok((TextIn { column: column.desc, bytes: characters(input.view()) }, column))
}

/// Writes `spans`, so many for each row of `source`, by the launches of `launch`.
pub(super) fn fixed_spans(
    source: Input<'_>,
    rows: usize,
    spans: &mut Buffer,
    ctx: Ctx<'_>,
    launch: impl FnOnce(&Launch<'_, 1>) -> Result<()>,
) -> Result<()> {
    let (text, _column) = open_text(source, ctx.stream)?;
    let spans = spans.write_on(ctx.stream)?;
    launch(&Launch {
        pass: Pass::Write,
        stream: ctx.stream,
        rows,
        inputs: [text],
        out: ColumnOut { data: Out::of(&spans), length: rows as i64, ..ColumnOut::default() },
        counts: Out::NULL,
        scratch: Scratch::of(ctx.stream)?,
        mailbox: Out::NULL,
        chunks: Out::NULL,
        has_long_rows: Cell::new(false),
    })
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
    let mut mailbox = Mailbox::new(stream, 1)?;
    let mut positions = Buffer::uninitialized(rows.div_ceil(MIN_TILE) * 8, stream, ctx.mr.temporary)?;
    let counts = positions.write_on(stream)?;
    let mut output = CudaOutput::string_sizes(data_type, rows, ctx)?;
    let open = output.open(stream)?;
    let mut sizes = Launch {
        pass: Pass::Sizes,
        stream,
        rows,
        inputs: descriptors,
        out: open.desc,
        counts: Out::of(&counts),
        scratch,
        mailbox: Out::of(&mailbox),
        chunks: Out::NULL,
        has_long_rows: Cell::new(false),
    };
    let bytes = descriptors.first().map_or(0, |text| text.bytes);
    let mut memory = None;
    let mut chunks = None;
    launch(&sizes)?;
    let mut total = mailbox.wait()?[0];
    // The sum of 2²⁴ unknown sizes, of which there are no more in so many bytes, wraps.
    if sizes.has_long_rows.get() && (total >= REGEX_DETAIL_UNKNOWN_SIZE || bytes >> 33 != 0) {
        let bytes = chunks_of(bytes) * size_of::<RegexChunk>();
        let memory = memory.insert(Buffer::uninitialized(bytes, stream, ctx.mr.temporary)?);
        let chunks = chunks.insert(memory.write_on(stream)?);
        mailbox = Mailbox::new(stream, 1)?;
        (sizes.chunks, sizes.mailbox) = (Out::of(&*chunks), Out::of(&mailbox));
        launch(&sizes)?;
        total = mailbox.wait()?[0];
    }
    drop(open);
    check_offsets(RowKind::Strings { large }, total)?;
    let bytes = byte_len(usize::try_from(total).unwrap_or(usize::MAX), unit, ctx.mr)?;
    output.add_elements(Buffer::uninitialized(bytes, stream, mr)?, nullable, ctx)?;
    let open = output.open(stream)?;
    launch(&Launch { pass: Pass::Write, out: open.desc, mailbox: Out::NULL, ..sizes })?;
    drop((opened, open, counts, chunks));
    output.into_buffers()
}
