//! The second pass on CUDA for variances. If the variance of a group has lost too many digits in the first pass, it is
//! computed again from differences from the mean. One launch checks the groups. A second launch reads the rows again if
//! any group needs the second pass.

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_engine::cuda::{CudaColumn, Grid, Kernel, Rows};
use gdf_kernels::generated::groupby::{self as kernels, SpreadColumns, SpreadKernel, SpreadMeans, SpreadWords};

use super::descriptors::{Groups, Keys, run};
use crate::groupby::aggregate::plan::AggregationPlan;

/// The number of pairs of sums that a block keeps in shared memory. The number is small enough that, with four blocks
/// per multiprocessor, most of the shared memory is left to the L1 cache.
const CELLS: usize = 2048;

/// Writes the sums of correction `index` of the plan to the words that follow the correction's mean. The table must
/// contain all `count` groups.
pub(super) fn correct_variance(
    keys: Keys<'_>,
    plan: &AggregationPlan<'_>,
    index: usize,
    count: usize,
    groups: &Groups<'_>,
    stream: &Stream,
) -> Result<()> {
    let (values, correction) = (&plan.values, &plan.corrections[index]);
    let copies = (CELLS / count.max(1)).min(32);
    let copies = if copies == 0 { 0 } else { 1usize << copies.ilog2() };
    let word = |word: usize| word as i32;
    let words = SpreadWords {
        sum: word(correction.sum),
        squares: word(correction.squares),
        count: word(correction.count),
        mean: word(correction.mean),
        // The bit states whether correction `index` needs a second pass. There are only 64 bits, so the corrections
        // after the 64th share a bit with an earlier correction. A shared bit may cause a second pass that is not
        // needed, but never skips a second pass that is needed.
        bit: (index % 64) as i32,
        copies: word(copies),
    };
    let means = Kernel::find(stream)?;
    let (table, acc) = (groups.table, groups.acc);
    let arguments = SpreadMeans { groups: count as i64, state: table.state, acc, words };
    run(&means, Grid::Blocks(means.blocks(count)), &arguments, stream)?;

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
    run(&kernel, Grid::Shared(kernel.blocks(rows), shared), &arguments, stream)
}
