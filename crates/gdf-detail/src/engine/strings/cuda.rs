//! The CUDA half: a launch for sizes, a wait for their total, and a launch that writes.

use gdf_core::{Column, ColumnView, Result};
use gdf_driver::Stream;
use gdf_kernels::{Arguments, ColumnIn, ColumnOut};
use gdf_memory::{Buffer, Mailbox};

use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Kernel, Out, Scratch};
use crate::engine::keys::characters;
use crate::engine::rows::{RowKind, check_offsets};

/// Rows of a tile of the kernels, at least: there is a count for each.
const MIN_TILE: usize = 128;

/// Which of the two launches is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// That of `GDF_STRINGS_MAP` whose name ends in `sizes`.
    Sizes,
    /// That whose name ends in `write`.
    Write,
}

/// What the kernels take besides their own parameters, open on the stream until the launch is enqueued.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    pub(crate) pass: Pass,
    pub(crate) stream: &'a Stream,
    pub(crate) rows: usize,
    pub(crate) input: ColumnIn,
    /// Length of the input's character buffer.
    pub(crate) bytes: i64,
    pub(crate) out: ColumnOut,
    pub(crate) counts: Out<u64>,
    pub(crate) scratch: Scratch,
    pub(crate) mailbox: Out<u64>,
}

impl Launch<'_> {
    /// Enqueues the kernel of this pass, one that `GDF_STRINGS_MAP` makes, with a block for each tile.
    pub(crate) fn run<A: Arguments>(&self, kernel: &Kernel<A>, arguments: &A) -> Result<()> {
        debug_assert!(kernel.tile() >= MIN_TILE);
        // SAFETY: such kernels read the rows of `input`, which are text, and write as many of `out`, which is of the same
        // type: first sizes and counts, of which there are enough for tiles that are not smaller, and one word of the
        // mailbox; then, from unchanged inputs, offsets, validity, null count, and the bytes that were counted. All is
        // open until `map` returns.
        unsafe { kernel.launch(self.stream, kernel.streaming_blocks(self.rows), 1, arguments)? };
        Ok(())
    }
}

pub(super) fn map(
    column: ColumnView<'_>,
    large: bool,
    ctx: Ctx<'_>,
    launch: impl Fn(&Launch<'_>) -> Result<()>,
) -> Result<Column> {
    let (rows, bytes) = (column.len(), characters(column));
    let input = CudaColumn::open(column, ctx.stream)?;
    let scratch = Scratch::of(ctx.stream)?;
    let mailbox = Mailbox::new(ctx.stream, 1)?;
    let mut positions = Buffer::uninitialized(rows.div_ceil(MIN_TILE) * 8, ctx.stream, ctx.mr.temporary)?;
    let counts = positions.write_on(ctx.stream)?;
    let mut output = CudaOutput::string_sizes(column.data_type(), rows, ctx)?;
    let open = output.open(ctx.stream)?;
    let sizes = Launch {
        pass: Pass::Sizes,
        stream: ctx.stream,
        rows,
        input: input.desc,
        bytes,
        out: open.desc,
        counts: Out::of(&counts),
        scratch,
        mailbox: Out::of(&mailbox),
    };
    launch(&sizes)?;
    drop(open);
    let total = mailbox.wait()?[0];
    check_offsets(RowKind::Strings { large }, total)?;
    output.add_chars(usize::try_from(total).unwrap_or(usize::MAX), column.has_validity(), ctx)?;
    let open = output.open(ctx.stream)?;
    launch(&Launch { pass: Pass::Write, out: open.desc, mailbox: Out::NULL, ..sizes })?;
    drop((input, open, counts));
    output.finish(ctx.stream)
}
