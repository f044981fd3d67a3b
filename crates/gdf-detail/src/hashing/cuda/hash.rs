//! Hashes of all rows: one launch for all columns, up to 32.

use gdf_core::{Column, DataType, Result};
use gdf_kernels::generated::hashing::{Hash, HashKernel};

use super::OpenTable;
use crate::context::Ctx;
use crate::cuda::{CudaOutput, Kernel, Out};
use crate::hashing::HashedColumn;
use crate::hashing::host::Function;

pub(crate) fn hash<F: Function>(
    kernel: HashKernel,
    columns: &[HashedColumn<'_>],
    rows: usize,
    data_type: &DataType,
    seed: F::Seed,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    let kernel = Kernel::choose(kernel, ctx.stream)?;
    let output = || CudaOutput::fixed_width(data_type, rows, false, ctx);
    let mut outputs = (0..F::WORDS).map(|_| output()).collect::<Result<Vec<_>>>()?;
    let open = outputs.iter_mut().map(|output| output.open(ctx.stream)).collect::<Result<Vec<_>>>()?;
    let out = |word: usize| open.get(word).map_or(Out::NULL, |output| output.desc.data);
    let mut begun = 0;
    let mut left = columns;
    while !left.is_empty() {
        let (table, later) = OpenTable::open(left, ctx.stream)?;
        let arguments =
            Hash { table: table.desc, rows: rows as i64, seed: seed.into(), begun, out: out(0), high: out(1) };
        // SAFETY: all columns have `rows` rows, above 0 (checked by the caller), as do the outputs, of the words that the
        // kernel writes; from the second launch on they hold what the one before wrote. All are held until the launch is
        // enqueued.
        unsafe { kernel.launch(ctx.stream, kernel.streaming_blocks(rows), 1, &arguments)? };
        (left, begun) = (later, 1);
    }
    drop(open);
    outputs.into_iter().map(|output| output.finish(ctx.stream)).collect()
}
