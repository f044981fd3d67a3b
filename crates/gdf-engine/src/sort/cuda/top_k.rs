//! The first rows of a sorted order on CUDA, without sorting all rows. A sample yields a bound. One launch collects the
//! rows that come before the bound, and only these rows are sorted.

use gdf_core::{Column, Result, TableView};
use gdf_kernels::generated::sorting::{TopKCollect, TopKSample, TopState};
use gdf_memory::{Buffer, Mailbox};

use super::super::plan::Piece;
use super::inputs::{SortColumns, takes_values};
use super::key_stats::{is_number, kernel_piece};
use super::sort_pairs::sort_by_key;
use super::{bin_sort, block_sort};
use crate::Ctx;
use crate::cuda::{Grid, Kernel, Memory, Out, Rows};
use crate::keys::{order_column, row_indices};
use crate::rows::gather_trusted;
use crate::sort::KeyColumn;

/// The maximum number of rows that are collected. A bin sort then sorts these rows, and cannot sort more rows.
const CAPACITY: usize = bin_sort::MAX_ROWS;
/// The number of blocks that load the sample. With a single block, too few loads would be in flight at a time.
const SAMPLE_BLOCKS: u32 = 16;

/// Returns the first `count` values of the only key in sorted order. The result is `None` if `count` is 0, or if a
/// block sort cannot sort the key.
pub fn first_values(key: &KeyColumn<'_>, count: usize, ctx: Ctx<'_>) -> Result<Option<Column>> {
    let values = TableView::try_new(vec![key.view])?;
    if count == 0 || !block_sort::supports(&[*key], values.num_rows()) || !takes_values(&values) {
        return Ok(None);
    }
    Ok(block_sort::sort(&[*key], &values, count, ctx)?.into_columns().pop())
}

/// Returns the row numbers of the first `count` rows in sorted order. The result is `None` if the kernels do not
/// support the key or the number of rows, or if too few or too many rows come before the bound. Nulls that come first
/// are before the bound. **Waits** twice.
pub fn first_rows(key: &KeyColumn<'_>, rows: usize, count: usize, ctx: Ctx<'_>) -> Result<Option<Column>> {
    let inputs = SortColumns::open([key.view], rows, ctx.stream)?;
    let column = inputs.columns[0].desc();
    let few = row_indices(rows) == gdf_core::DataType::UInt32 && count > 0;
    if !few || rows <= CAPACITY || !is_number(column.data_type) || column.flags != 0 {
        return Ok(None);
    }
    let sample = Kernel::<TopKSample>::find(ctx.stream)?;
    let collect = Kernel::<TopKCollect>::find(ctx.stream)?;
    let Some(requested) = of_sample(count, rows, sample.tile()) else { return Ok(None) };
    let piece = Piece { column: 0, part: 0, descending: key.descending, nulls_first: key.nulls_first };
    let (of, length) = (kernel_piece(&piece, column), Rows::new(rows));
    let mut taken = Buffer::uninitialized(CAPACITY * 4 + size_of::<TopState>(), ctx.stream, ctx.mr.temporary)?;
    let mailbox = Mailbox::new(ctx.stream, 1)?;
    {
        let access = taken.write_on(ctx.stream)?;
        let memory = Memory::of(&access);
        let (shared, mailbox) = (memory.array(CAPACITY * 4, 1)?, Out::of(&mailbox));
        let sampled = TopKSample { of, rows: length, requested, sample: memory.array(0, sample.tile())?, shared };
        let taken = memory.array(0, CAPACITY)?;
        let collected = TopKCollect { of, rows: length, taken, capacity: CAPACITY as u32, shared, mailbox };
        // The first launch writes `shared` for the second launch. Launches on a stream run one after another.
        inputs.run(&sample, Grid::Blocks(SAMPLE_BLOCKS), &sampled, ctx.stream)?;
        inputs.run(&collect, Grid::Blocks(collect.blocks(rows)), &collected, ctx.stream)?;
    }
    let [found, ..] = mailbox.wait()?;
    let found = usize::try_from(found).unwrap_or(usize::MAX);
    if found < count || found > CAPACITY {
        return Ok(None);
    }
    // Rows with equal values are ordered by their row numbers. The row number is therefore the second sort key.
    let taken = order_column(taken, found, ctx.stream)?;
    let scratch = ctx.scratch();
    let values = gather_trusted(&TableView::from(key.view), taken.view(), scratch)?;
    let numbers = TableView::try_new(vec![taken.view()])?;
    let by_number = KeyColumn { view: taken.view(), descending: false, nulls_first: false };
    let keys = [KeyColumn { view: values.view().column(0)?, ..*key }, by_number];
    let sorted = sort_by_key(&numbers, &keys, ctx)?;
    sorted.into_columns().pop().map(|column| column.slice(0, count)).transpose()
}

/// Returns how many rows of a sample of `size` rows correspond to slightly more than `count` of `rows` rows.
fn of_sample(count: usize, rows: usize, size: usize) -> Option<i32> {
    let expected = count as f64 * size as f64 / rows as f64;
    // The sum is five standard deviations above the expected number. It is thus very improbable that too few rows are
    // collected.
    let requested = (expected + 5.0 * expected.sqrt() + 5.0).ceil();
    let taken = (requested + 5.0 * requested.sqrt()) * rows as f64 / size as f64;
    (taken <= CAPACITY as f64).then_some(requested as i32)
}
