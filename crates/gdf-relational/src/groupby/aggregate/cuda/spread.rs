//! The second pass on CUDA for variances.

use gdf_core::Result;
use gdf_engine::cuda::{CudaColumn, Grid, Kernel, Rows};
use gdf_kernels::generated::groupby::{self as kernels, SpreadColumns, SpreadKernel, SpreadMeans, SpreadWords};

use super::request::{Groups, Request};

/// The number of pairs of sums that a block keeps in shared memory.
const CELLS: usize = 2048;

/// Writes the sums of correction `index` of the plan to the words that follow the correction's mean.
pub(super) fn correct_variance(
    request: &Request<'_, '_>,
    index: usize,
    count: usize,
    groups: &Groups<'_>,
) -> Result<()> {
    let (keys, stream) = (request.keys, request.ctx.stream);
    let (values, correction) = (&request.plan.values, &request.plan.corrections[index]);
    let copies = (CELLS / count.max(1)).min(32);
    let copies = if copies == 0 { 0 } else { 1usize << copies.ilog2() };
    let word = |word: usize| word as i32;
    let words = SpreadWords {
        sum: word(correction.sum),
        squares: word(correction.squares),
        count: word(correction.count),
        mean: word(correction.mean),
        // The bit states whether correction `index` needs a second pass.
        bit: (index % 64) as i32,
        copies: word(copies),
    };
    let means = Kernel::find(stream)?;
    let (table, acc) = (groups.table, groups.acc);
    let arguments = SpreadMeans { groups: count as i64, state: table.state, acc, words };
    request.run(&means, Grid::Blocks(means.blocks(count)), &arguments)?;

    let numbers = CudaColumn::open(values[correction.values], stream)?;
    let open = |request: usize| CudaColumn::open(values[request], stream);
    let beside = correction.batches.map(|batches| Ok::<_, gdf_core::Error>((open(batches.count)?, open(batches.m2)?)));
    let beside = beside.transpose()?;
    let mut input = SpreadColumns { values: numbers.desc(), ..SpreadColumns::default() };
    if let Some((count, m2)) = &beside {
        (input.count, input.m2) = (count.desc(), m2.desc());
    }
    let kernel = Kernel::choose(if keys.packed { SpreadKernel::Packed } else { SpreadKernel::Rows }, stream)?;
    let rows = values[correction.values].len();
    let arguments =
        kernels::Spread { keys: *keys.desc, input, rows: Rows::new(rows), groups: count as i64, table, acc, words };
    let shared = (count * copies * 16) as u32;
    request.run(&kernel, Grid::Shared(kernel.blocks(rows), shared), &arguments)
}
