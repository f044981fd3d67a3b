//! Runs programs that reduce rows, on CUDA. One launch computes all results.

use gdf_core::{Column, ColumnView, Result};
use gdf_engine::cuda::{CudaColumn, Kernel, OpenSingle, Out, SingleOutput, in_table, one_launch};
use gdf_engine::layout::byte_len;
use gdf_engine::rounding::power_of_ten;
use gdf_kernels::generated::expression::{
    PARTIAL_WORDS, Program as Encoded, Reduce, ReducedOutput as EncodedOutput, ReducedOutputs, Reduction as Code,
};
use gdf_kernels::{ColumnIn, Grid, Rows, TableOut};
use gdf_memory::Buffer;

use super::super::reduced_output::{ReducedOutput, Reduction};
use super::shared_bytes;
use crate::Ctx;

fn encoded_output(output: &ReducedOutput) -> EncodedOutput {
    let plain = |code: Code| EncodedOutput { power: 1.0, operation: code as i32, ..EncodedOutput::default() };
    match output.reduction {
        Reduction::Sum { scale, mean } => EncodedOutput {
            power: power_of_ten(scale.unsigned_abs()),
            divides: i32::from(scale > 0),
            mean: i32::from(mean),
            ..plain(Code::Sum)
        },
        Reduction::FloatSum { mean } => EncodedOutput { mean: i32::from(mean), ..plain(Code::FloatSum) },
        Reduction::Extreme { minimum } => EncodedOutput { minimum: i32::from(minimum), ..plain(Code::Extreme) },
        Reduction::WideExtreme { minimum } => EncodedOutput { minimum: i32::from(minimum), ..plain(Code::WideExtreme) },
        Reduction::Count => plain(Code::Count),
    }
}

/// Computes the results of the program for the rows for which the mask is true. `outputs` are the reductions of the
/// outputs of the program, in the same order.
pub(crate) fn reduce(
    encoded: &Encoded,
    outputs: &[ReducedOutput],
    views: &[ColumnView<'_>],
    mask: Option<ColumnView<'_>>,
    rows: usize,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    let stream = ctx.stream;
    let columns = views.iter().map(|view| CudaColumn::open(*view, stream)).collect::<Result<Vec<_>>>()?;
    let mask = mask.map(|mask| CudaColumn::open(mask, stream)).transpose()?;
    let result = |output: &ReducedOutput| SingleOutput::new(&output.data_type, 1, output.nullable, 0, ctx);
    let mut results = outputs.iter().map(result).collect::<Result<Vec<_>>>()?;
    let mut how = ReducedOutputs::default();
    for (slot, output) in how.output.iter_mut().zip(outputs) {
        *slot = encoded_output(output);
    }
    let kernel = Kernel::<Reduce>::find(stream)?;
    let cells = outputs.len() * PARTIAL_WORDS * 8;
    let shared = shared_bytes(encoded, &kernel) + (cells * kernel.threads()) as u32;
    kernel.allow_shared(shared)?;
    let blocks = kernel.blocks(rows);
    let mut parts = Buffer::uninitialized(byte_len(blocks as usize, cells, ctx.mr)?, stream, ctx.mr.temporary)?;
    {
        let open = results.iter_mut().map(|result| result.open(stream)).collect::<Result<Vec<_>>>()?;
        let out: Vec<_> = open.iter().map(OpenSingle::desc).collect();
        let parts = parts.write_on(stream)?;
        let (table, out) = (in_table(&columns)?, one_launch(TableOut::new(&out))?);
        let (rows, parts) = (Rows::new(rows), Out::of(&parts));
        let mask = mask.as_ref().map_or(ColumnIn::default(), CudaColumn::desc);
        let arguments = Reduce { table, p: *encoded, how, mask, out, rows, parts };
        // SAFETY: The kernel reads columns, and writes partial results and the only row of each output.
        // - Every column and the mask have `rows` rows, and the mask is boolean. Columns, mask and outputs stay open
        //   until after the launch.
        // - `encoded` was made from the program. Therefore, all columns, slots, constants and outputs in `encoded`
        //   exist, and `encoded` has opcodes for the types of all loaded columns.
        // - Each output has a reduction that gives its type. An output has both a mask and a null count, or neither.
        // - The launch has shared memory for all slots and for the partial results of the threads. `parts` has the
        //   partial results of all blocks.
        unsafe { kernel.launch_grid(stream, Grid::Shared(blocks, shared), &arguments)? };
    }
    results.into_iter().map(|result| result.finish(stream)).collect()
}
