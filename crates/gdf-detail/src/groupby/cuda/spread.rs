//! Spreads on CUDA of groups whose sums of squares have lost their digits: a launch that looks at the groups, and one that
//! reads the rows again if any of them needs it.

use bytemuck::{Pod, Zeroable};
use gdf_core::{ColumnView, Result};
use gdf_driver::Stream;
use gdf_kernels::ColumnIn;

use super::descriptors::{AccumulatorsOut, GroupTable};
use crate::cuda::{CudaColumn, Kernel, KeysIn, args};
use crate::groupby::plan::Spread;

/// `groupby::spread_words`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct SpreadWords {
    sum: i32,
    squares: i32,
    count: i32,
    mean: i32,
    bit: i32,
    copies: i32,
}

/// `groupby::spread_columns`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct SpreadColumns([ColumnIn; 3]);

/// Pairs of sums that a block keeps: with four blocks to a multiprocessor they leave most of its memory to the cache.
const CELLS: usize = 2048;

/// Writes the sums of a spread, number `index` of the plan, behind its means. `table` has all `groups` groups.
pub(super) fn centre(
    keys: &KeysIn,
    packed: bool,
    values: &[ColumnView<'_>],
    spread: &Spread,
    index: usize,
    groups: usize,
    table: GroupTable,
    acc: AccumulatorsOut,
    stream: &Stream,
) -> Result<()> {
    let copies = (CELLS / groups.max(1)).min(32);
    let copies = if copies == 0 { 0 } else { 1usize << copies.ilog2() };
    let word = |word: usize| word as i32;
    let words = SpreadWords {
        sum: word(spread.sum),
        squares: word(spread.squares),
        count: word(spread.count),
        mean: word(spread.mean),
        // Spreads beyond the 64th share bits: they are looked at once too often.
        bit: (index % 64) as i32,
        copies: word(copies),
    };
    let means = Kernel::find(stream, "groupby", "spread_means_kernel", "spread")?;
    let groups_in = groups as i64;
    // SAFETY: the kernel takes (groups, group_state*, accumulators, spread_words); the accumulators have `groups` and more
    // of each of these words, and the table its state; both are exclusively ours.
    unsafe { means.launch(stream, means.blocks(groups), 1, args![groups_in, table.state, acc, words])? };

    let numbers = CudaColumn::open(values[spread.values], stream)?;
    let open = |request: usize| CudaColumn::open(values[request], stream);
    let beside = spread.batches.map(|batches| Ok::<_, gdf_core::Error>((open(batches.count)?, open(batches.m2)?)));
    let beside = beside.transpose()?;
    let mut columns = SpreadColumns::zeroed();
    columns.0[0] = numbers.desc;
    if let Some((count, m2)) = &beside {
        (columns.0[1], columns.0[2]) = (count.desc, m2.desc);
    }
    let name = if packed { "spread_packed_kernel" } else { "spread_rows_kernel" };
    let kernel = Kernel::find(stream, "groupby", name, "spread")?;
    let rows = values[spread.values].len();
    let (rows_in, shared) = (rows as i64, (groups * copies * 16) as u32);
    let args = args![*keys, columns, rows_in, groups_in, table, acc, words];
    // SAFETY: the kernel takes (keys, spread_columns, rows, groups, group_table, accumulators, spread_words); columns have
    // `rows` rows and are open for reading on this stream, those beside means are an Int64 and a Float64 column; dynamic
    // shared memory is 16 bytes for each copy of each group; the table, which has all groups, and the accumulators are
    // exclusively ours and outlive the launch in stream order.
    unsafe { kernel.launch_shared(stream, kernel.blocks(rows), shared, args)? };
    Ok(())
}
