//! Binary search of rows among sorted rows on CUDA, in one launch.

use gdf_core::{Column, Result};
use gdf_driver::Stream;
use gdf_kernels::generated::sorting::SearchSorted;

use super::inputs::SortColumns;
use crate::Ctx;
use crate::cuda::{CudaOutput, Grid, Kernel, Rows, in_table};
use crate::keys::row_indices;
use crate::sort::{Bound, KeyColumn, SortedRows};

/// Returns the number of rows of `haystack` that come before each of the `count` rows of `needles`. If `bound` is
/// `Bound::Upper`, equal rows are counted as well. `count` must be at least 1.
pub fn search_sorted(
    haystack: SortedRows<'_>,
    needles: &[KeyColumn<'_>],
    count: usize,
    bound: Bound,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let kernel = Kernel::find(ctx.stream)?;
    let bits = |is: fn(&KeyColumn<'_>) -> bool| {
        needles.iter().enumerate().fold(0, |bits, (at, key)| bits | u64::from(is(key)) << at)
    };
    let (sorted, searched) = (open(haystack.keys, haystack.rows, ctx.stream)?, open(needles, count, ctx.stream)?);
    let mut output = CudaOutput::fixed_width(&row_indices(haystack.rows), count, ctx)?;
    let out = output.open(ctx.stream)?;
    let arguments = SearchSorted {
        haystack: in_table(&sorted.columns)?,
        rows: Rows::new(haystack.rows),
        needles: in_table(&searched.columns)?,
        count: needles.len() as i32,
        descending: bits(|key| key.descending),
        nulls_first: bits(|key| key.nulls_first),
        upper: i32::from(bound == Bound::Upper),
        out: out.desc(),
    };
    searched.run(&kernel, Grid::Blocks(kernel.blocks(count)), &arguments, ctx.stream)?;
    drop((sorted, out));
    output.finish(ctx.stream)
}

fn open<'k>(keys: &[KeyColumn<'k>], rows: usize, stream: &Stream) -> Result<SortColumns<'k>> {
    SortColumns::open(keys.iter().map(|key| key.view), rows, stream)
}
