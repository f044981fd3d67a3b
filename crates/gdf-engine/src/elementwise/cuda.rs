//! The CUDA half of the engine. An operation is one launch of a kernel, which takes the inputs, an output and scratch
//! memory.

use gdf_core::{Column, DataType, Result};
use gdf_driver::Stream;
use gdf_kernels::{Arguments, ColumnIn, ColumnOut, FamilyArguments, OneKernel};
use smallvec::SmallVec;

use super::plan::{Inputs, Nulls, SharedMask};
use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Kernel, SingleOutput};
use crate::vouch;

/// Up to this number of rows, a kernel that first prepares data in each block is given more blocks, each with fewer
/// rows. With more rows, the preparation would take longer than the rows.
const FEW_PREPARED_ROWS: usize = 1 << 14;

/// The inputs and the output of a kernel.
#[derive(Debug)]
pub struct Launch<'a, const N: usize> {
    pub stream: &'a Stream,
    pub rows: usize,
    pub inputs: [ColumnIn<'a>; N],
    pub out: ColumnOut<'a>,
}

impl<const N: usize> Launch<'_, N> {
    /// Returns the number of words of 32 rows, for kernels with one thread per word.
    pub fn words(&self) -> usize {
        self.rows.div_ceil(32)
    }

    /// Enqueues a kernel of a family. The grid is made for `units` units of work, which are rows or words of 32 rows.
    pub fn run<A: FamilyArguments>(&self, kernel: A::Kernel, units: usize, arguments: &A) -> Result<()> {
        self.enqueue(&Kernel::choose(kernel, self.stream)?, units, arguments)
    }

    /// Enqueues a kernel of a family whose driver is `gdf::value_strings`. At most `few` rows are divided among more
    /// warps.
    pub fn run_texts<A: FamilyArguments>(&self, kernel: A::Kernel, few: usize, arguments: &A) -> Result<()> {
        let kernel = Kernel::choose(kernel, self.stream)?;
        self.enqueue(&kernel, self.spread(&kernel, few), arguments)
    }

    /// Enqueues a kernel in the same way as [`run_texts`](Self::run_texts), with at most as many blocks as
    /// [`run_prepared`](Self::run_prepared).
    pub fn run_prepared_texts<A: FamilyArguments>(&self, kernel: A::Kernel, arguments: &A) -> Result<()> {
        let kernel = Kernel::choose(kernel, self.stream)?;
        let blocks = kernel.blocks(self.spread_prepared(&kernel)) as usize;
        self.enqueue(&kernel, blocks.saturating_mul(kernel.tile()), arguments)
    }

    /// Enqueues a kernel of a family whose driver is `gdf::value_long_strings`.
    pub fn run_long_texts<A: FamilyArguments>(&self, kernel: A::Kernel, arguments: &A) -> Result<()> {
        self.run(kernel, self.rows.saturating_mul(32), arguments)
    }

    /// Returns the number of units of work for which the grid of a kernel of `gdf::value_strings` is made. For at most
    /// `few` rows, the grid has a thread for each row.
    fn spread<S: Arguments<Static = S>>(&self, kernel: &Kernel<S>, few: usize) -> usize {
        if self.rows <= few { self.rows * (kernel.tile() / kernel.threads()) } else { self.rows }
    }

    /// Returns the number of units of work of [`run_prepared_texts`](Self::run_prepared_texts).
    pub fn spread_prepared<S: Arguments<Static = S>>(&self, kernel: &Kernel<S>) -> usize {
        self.spread(kernel, FEW_PREPARED_ROWS)
    }

    /// Enqueues a kernel in which each block first computes data that are the same for all rows. The grid has at most
    /// as many blocks as the device can run at a time, because each further block would compute the same data again.
    pub fn run_prepared<A: FamilyArguments>(&self, kernel: A::Kernel, arguments: &A) -> Result<()> {
        self.enqueue_prepared(&Kernel::choose(kernel, self.stream)?, arguments)
    }

    /// Enqueues the kernel that takes these arguments. The grid covers all rows.
    pub fn run_only<A: Arguments<Static: OneKernel>>(&self, arguments: &A) -> Result<()> {
        self.enqueue(&Kernel::find(self.stream)?, self.rows, arguments)
    }

    /// Enqueues the kernel that takes these arguments.
    pub fn run_only_prepared<A: Arguments<Static: OneKernel>>(&self, arguments: &A) -> Result<()> {
        self.enqueue_prepared(&Kernel::find(self.stream)?, arguments)
    }

    /// Enqueues the kernel that takes these arguments, with one warp per row.
    pub fn run_warps<A: Arguments<Static: OneKernel>>(&self, arguments: &A) -> Result<()> {
        self.enqueue(&Kernel::find(self.stream)?, self.rows.saturating_mul(32), arguments)
    }

    fn enqueue_prepared<A: Arguments>(&self, kernel: &Kernel<A::Static>, arguments: &A) -> Result<()> {
        self.enqueue(kernel, (kernel.blocks(self.rows) as usize).saturating_mul(kernel.tile()), arguments)
    }

    fn enqueue<A: Arguments>(&self, kernel: &Kernel<A::Static>, units: usize, arguments: &A) -> Result<()> {
        let blocks =
            if self.out.validity.is_null() { kernel.streaming_blocks(units) } else { kernel.counting_blocks(units) };
        // SAFETY: The kernel reads `inputs` and writes `out`, scratch memory and a mailbox.
        // - Elementwise kernels read as many rows of each input as the result has rows. If an input is broadcast, the
        //   kernels read only its first row.
        // - `out` has as many rows as the result, and elementwise kernels write only these rows. `out` has both a mask
        //   and a null count, or neither. Booleans of `out` are padded to whole words.
        // - The operations launch a kernel only for types that the kernel supports.
        // - The operations have allocated the scratch memory in the size that the kernel writes.
        // - If the kernel reports failed rows, its mailbox has two words, and the operation waits for the mailbox.
        // - Inputs and output are open until `map` returns. The operations hold all other memory of the parameters
        //   until the launch is enqueued.
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
