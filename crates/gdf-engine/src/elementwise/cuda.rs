//! The CUDA half: one launch of a kernel that takes the inputs, an output and scratch memory.

use gdf_core::{Column, DataType, Result};
use gdf_driver::Stream;
use gdf_kernels::{Arguments, ColumnIn, ColumnOut, FamilyArguments, OneKernel};
use smallvec::SmallVec;

use super::plan::{Inputs, Nulls, SharedMask};
use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Kernel, SingleOutput};
use crate::vouch;

/// What a kernel takes besides its own parameters, open on the stream until the launch is enqueued.
#[derive(Debug)]
pub struct Launch<'a, const N: usize> {
    pub stream: &'a Stream,
    pub rows: usize,
    pub inputs: [ColumnIn<'a>; N],
    pub out: ColumnOut<'a>,
}

impl<const N: usize> Launch<'_, N> {
    /// Words of 32 rows, for kernels with a thread for each.
    pub fn words(&self) -> usize {
        self.rows.div_ceil(32)
    }

    /// Enqueues a kernel of a family with a grid for `units`: rows, or words.
    pub fn run<A: FamilyArguments>(&self, kernel: A::Kernel, units: usize, arguments: &A) -> Result<()> {
        self.enqueue(&Kernel::choose(kernel, self.stream)?, units, arguments)
    }

    /// Enqueues the kernel, which prepares what is the same for all rows: by no more blocks than the device holds.
    pub fn run_prepared<A: FamilyArguments>(&self, kernel: A::Kernel, arguments: &A) -> Result<()> {
        self.enqueue_prepared(&Kernel::choose(kernel, self.stream)?, arguments)
    }

    /// Enqueues the kernel that takes these arguments, with a grid for all rows.
    pub fn run_only<A: Arguments<Static: OneKernel>>(&self, arguments: &A) -> Result<()> {
        self.enqueue(&Kernel::find(self.stream)?, self.rows, arguments)
    }

    /// As [`run_only`](Self::run_only), of a kernel that prepares what is the same for all rows.
    pub fn run_only_prepared<A: Arguments<Static: OneKernel>>(&self, arguments: &A) -> Result<()> {
        self.enqueue_prepared(&Kernel::find(self.stream)?, arguments)
    }

    /// As [`run_only`](Self::run_only), of a kernel that takes a row with each warp.
    pub fn run_warps<A: Arguments<Static: OneKernel>>(&self, arguments: &A) -> Result<()> {
        self.enqueue(&Kernel::find(self.stream)?, self.rows.saturating_mul(32), arguments)
    }

    fn enqueue_prepared<A: Arguments>(&self, kernel: &Kernel<A::Static>, arguments: &A) -> Result<()> {
        self.enqueue(kernel, (kernel.blocks(self.rows) as usize).saturating_mul(kernel.tile()), arguments)
    }

    fn enqueue<A: Arguments>(&self, kernel: &Kernel<A::Static>, units: usize, arguments: &A) -> Result<()> {
        let blocks =
            if self.out.validity.is_null() { kernel.streaming_blocks(units) } else { kernel.counting_blocks(units) };
        // SAFETY: elementwise kernels read the rows of `inputs`, one of those that are broadcast, and write as many of
        // `out`, whose mask and null count are there together or not at all, and whose booleans take whole words; their
        // operations launch them for types that they take. What else they write is scratch memory that the operation has
        // sized. All are open until `map` returns, what else parameters name until the launch is enqueued; of rows that may
        // fail there is a mailbox of two words, which is waited for.
        unsafe { kernel.launch(self.stream, blocks, 1, arguments)? };
        Ok(())
    }
}

pub(super) fn map<const N: usize>(
    inputs: Inputs<'_, N>,
    output_type: &DataType,
    nulls: Nulls,
    ctx: Ctx<'_>,
    launch: &dyn Fn(&Launch<'_, N>) -> Result<()>,
) -> Result<Column> {
    let (stream, rows) = (ctx.stream, inputs.rows);
    let mut opened: SmallVec<[CudaColumn<'_>; N]> = SmallVec::new();
    for operand in inputs.operands {
        opened.push(CudaColumn::open_input(operand, stream)?);
    }
    let descriptors = std::array::from_fn(|index| opened[index].desc());
    let with = |out| Launch { stream, rows, inputs: descriptors, out };
    if nulls != Nulls::Share {
        let mut output = CudaOutput::fixed_width(output_type, rows, ctx)?.nullable(inputs.nullable(nulls), ctx)?;
        let open = output.open(stream)?;
        launch(&with(open.desc()))?;
        drop((opened, open));
        return output.finish(stream);
    }
    let mask = SharedMask::of(inputs.operands[0].view())?;
    let mut output = SingleOutput::new(output_type, rows, matches!(mask, SharedMask::Copied), 0, ctx)?;
    let open = output.open(stream)?;
    launch(&with(open.desc()))?;
    drop((opened, open));
    let (mask, null_count) = mask.finish(|| output.mask())?;
    vouch::result(output.parts(stream)?.validity(mask, null_count))
}
