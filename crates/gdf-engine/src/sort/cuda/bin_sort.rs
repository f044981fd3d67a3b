//! Bin sort, for up to a few hundred thousand rows. The kernel partitions rows into bins by the highest bits of their
//! keys, and sorts the rows of each bin by comparison. Parts of a bin with too many rows for a block are merged. One
//! cooperative launch does all the work. If a thread would compare too many bytes of text, the kernel gives up.

use gdf_core::{Column, PhysicalType, Result, Table, TableView, physical_type};
use gdf_kernels::generated::sorting::{
    MAX_PIECES, MIDDLE_MAX_BINS, MIDDLE_SORTED, MiddleMemory, Pieces, SortMiddle, SortRows,
};
use gdf_memory::{Buffer, Mailbox};

use super::inputs::{GatheredColumns, SortColumns, finish, outputs};
use super::key_stats::{kernel_pieces, pieces};
use crate::Ctx;
use crate::cuda::{CudaOutput, Grid, Kernel, Memory, Out, Rows32, require};
use crate::keys::order_column;
use crate::layout::byte_len;
use crate::limits::cuda as limits;
use crate::rows::gather_trusted;
use crate::sort::KeyColumn;

/// Up to this number of rows, comparisons within bins are faster than radix passes.
pub(super) const MAX_ROWS: usize = limits::SORT_BIN_ROWS;
const SORTED: u64 = MIDDLE_SORTED;

pub(super) fn supports(keys: &[KeyColumn<'_>], rows: usize) -> bool {
    let wide =
        |key: &KeyColumn<'_>| matches!(physical_type(key.view.data_type()), PhysicalType::I128 | PhysicalType::I256);
    rows <= MAX_ROWS && keys.len() <= MAX_PIECES && !keys.iter().any(wide)
}

/// The result of a bin sort: the sorted rows, or the allocated outputs if the kernel gave up.
pub(super) enum Attempt<T, R> {
    Sorted(T),
    Left(R),
}

/// Returns the row numbers in sorted order. **Waits** for the GPU.
pub(super) fn sorted_order(keys: &[KeyColumn<'_>], rows: usize, ctx: Ctx<'_>) -> Result<Attempt<Column, Buffer>> {
    let mut order = Buffer::uninitialized(byte_len(rows, 4, ctx.mr)?, ctx.stream, ctx.mr.output)?;
    let sorted = {
        let access = order.write_on(ctx.stream)?;
        launch(keys, rows, Some(Memory::of(&access)), &GatheredColumns::default(), ctx)?
    };
    Ok(if sorted { Attempt::Sorted(order_column(order, rows, ctx.stream)?) } else { Attempt::Left(order) })
}

/// Sorts the rows of `values`. The kernel must support the types of the columns of `values`. **Waits** for the GPU.
pub(super) fn sort(
    keys: &[KeyColumn<'_>],
    values: &TableView<'_>,
    ctx: Ctx<'_>,
) -> Result<Attempt<Table, Vec<CudaOutput>>> {
    let rows = values.num_rows();
    let mut outputs = outputs(values, rows, ctx)?;
    let open = outputs.iter_mut().map(|output| output.open(ctx.stream)).collect::<Result<Vec<_>>>()?;
    let sorted = launch(keys, rows, None, &GatheredColumns::new(values, &open, rows, ctx.stream)?, ctx)?;
    drop(open);
    Ok(if sorted { Attempt::Sorted(finish(outputs, rows, ctx.stream)?) } else { Attempt::Left(outputs) })
}

/// Gathers the rows of `values` in the order `order`.
pub(super) fn rows_into(
    values: &TableView<'_>,
    order: &Column,
    outputs: Option<Vec<CudaOutput>>,
    ctx: Ctx<'_>,
) -> Result<Table> {
    let Some(mut outputs) = outputs else { return gather_trusted(values, order.view(), ctx) };
    let rows = values.num_rows();
    let order = SortColumns::open([order.view()], rows, ctx.stream)?;
    let open = outputs.iter_mut().map(|output| output.open(ctx.stream)).collect::<Result<Vec<_>>>()?;
    let gathered = GatheredColumns::new(values, &open, rows, ctx.stream)?;
    let kernel = Kernel::find(ctx.stream)?;
    let arguments = SortRows {
        values: gathered.values(),
        out: gathered.out(),
        order: order.columns[0].values(4).array(0, rows)?,
        rows: Rows32::new(rows),
        columns: gathered.count(),
    };
    order.run(&kernel, Grid::Blocks(kernel.blocks(rows)), &arguments, ctx.stream)?;
    drop(gathered);
    drop((open, order));
    finish(outputs, rows, ctx.stream)
}

/// Sorts keys for which `supports` returns true.
fn launch(
    keys: &[KeyColumn<'_>],
    rows: usize,
    order: Option<Memory<'_>>,
    gathered: &GatheredColumns<'_>,
    ctx: Ctx<'_>,
) -> Result<bool> {
    require(supports(keys, rows), "a bin sort was called for unsupported keys or too many rows")?;
    let inputs = SortColumns::open(keys.iter().map(|key| key.view), rows, ctx.stream)?;
    let pieces = pieces(keys);
    let kernel = Kernel::find(ctx.stream)?;
    let bytes = byte_len(rows, 28, ctx.mr)?.saturating_add(MIDDLE_MAX_BINS * 4);
    let mut memory = Buffer::uninitialized(bytes, ctx.stream, ctx.mr.temporary)?;
    let access = memory.write_on(ctx.stream)?;
    let scratch = Memory::of(&access);
    let after = |words: usize| rows * words * 4;
    let mailbox = Mailbox::new(ctx.stream, 1)?;
    let arguments = SortMiddle {
        input: Pieces { at: kernel_pieces(&pieces, &inputs.columns) },
        count: pieces.len() as i32,
        rows: Rows32::new(rows),
        at: MiddleMemory {
            keys: scratch.array(0, rows)?,
            bin_keys: scratch.array(after(2), rows)?,
            slots: scratch.array(after(4), rows)?,
            bin_rows: scratch.array(after(5), rows)?,
            order: order.map_or(scratch.array(after(6), rows), |order| order.array(0, rows))?,
            bins: scratch.array(after(7), MIDDLE_MAX_BINS)?,
        },
        values: gathered.values(),
        out: gathered.out(),
        columns: gathered.count(),
        mailbox: Out::of(&mailbox),
    };
    inputs.run(&kernel, Grid::Cooperative(kernel.blocks(rows), 1), &arguments, ctx.stream)?;
    drop((access, inputs));
    let [verdict, ..] = mailbox.wait()?;
    Ok(verdict == SORTED)
}
