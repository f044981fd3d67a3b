//! The CUDA half: one launch of a kernel that takes an input, an output and scratch memory.

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_driver::Stream;
use gdf_kernels::{Arguments, ColumnIn, ColumnOut};

use super::Nulls;
use crate::context::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Kernel, Scratch};

/// What a kernel takes besides its own parameters, open on the stream until the launch is enqueued.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    pub(crate) stream: &'a Stream,
    pub(crate) rows: usize,
    pub(crate) input: ColumnIn,
    pub(crate) out: ColumnOut,
    pub(crate) scratch: Scratch,
}

impl Launch<'_> {
    /// Enqueues an elementwise kernel with a grid for `units` rows, or words of 32 rows.
    pub(crate) fn run<A: Arguments>(&self, kernel: &Kernel<A>, units: usize, arguments: &A) -> Result<()> {
        // SAFETY: elementwise kernels read the rows of `input` and write as many of `out`, whose mask and null count are
        // there together or not at all; their operations launch them for types that they take. Both are open until `map`
        // returns.
        unsafe { kernel.launch(self.stream, kernel.streaming_blocks(units), 1, arguments)? };
        Ok(())
    }
}

pub(super) fn map(
    column: ColumnView<'_>,
    output_type: &DataType,
    nulls: Nulls,
    ctx: Ctx<'_>,
    launch: impl FnOnce(&Launch<'_>) -> Result<()>,
) -> Result<Column> {
    let rows = column.len();
    let input = CudaColumn::open(column, ctx.stream)?;
    let nullable = nulls == Nulls::Keep && column.has_validity();
    let mut output = CudaOutput::fixed_width(output_type, rows, nullable, ctx)?;
    let open = output.open(ctx.stream)?;
    launch(&Launch { stream: ctx.stream, rows, input: input.desc, out: open.desc, scratch: Scratch::of(ctx.stream)? })?;
    drop((input, open));
    output.finish(ctx.stream)
}
