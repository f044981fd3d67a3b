//! Bin sort: up to a few hundred thousand rows, partitioned by the upper bits of their keys and compared within bins. One
//! cooperative launch, which posts whether it has sorted: bins may hold too many rows.

use gdf_core::{Column, PhysicalType, Result, Table, TableView, physical_type};
use gdf_driver::Stream;
use gdf_kernels::generated::sorting::{MIDDLE_MAX_BINS, MiddleMemory, Pieces, SortMiddle, SortRows};
use gdf_memory::{Buffer, Mailbox};

use super::block_sort::{GatheredColumns, MAX_COLUMNS, takes_values};
use super::key_stats::{kernel_pieces, pieces};
use crate::Ctx;
use crate::copying::rows_in_order;
use crate::cuda::{CudaColumn, CudaOutput, Kernel, Out, Scratch};
use crate::engine::keys::order_column;
use crate::engine::rows::byte_len;
use crate::engine::sort::KeyColumn;
use crate::limits::cuda as limits;

/// Rows up to which comparing within bins is quicker than passes.
pub(super) const MAX_ROWS: usize = limits::SORT_BIN_ROWS;
/// What the kernel posts when it has sorted.
const SORTED: u64 = 1;

/// Whether the launch takes these keys.
pub(super) fn supports(keys: &[KeyColumn<'_>], rows: usize) -> bool {
    let wide =
        |key: &KeyColumn<'_>| matches!(physical_type(key.view.data_type()), PhysicalType::I128 | PhysicalType::I256);
    rows <= MAX_ROWS && keys.len() <= MAX_COLUMNS && !keys.iter().any(wide)
}

/// What came of the launch: sorted, or what was to hold the result, for another strategy to use.
pub(super) enum Attempt<T, R> {
    Sorted(T),
    Left(R),
}

/// The rows in order, unless too many have almost the same key. **Waits.**
pub(super) fn sorted_order(keys: &[KeyColumn<'_>], rows: usize, ctx: Ctx<'_>) -> Result<Attempt<Column, Buffer>> {
    let mut order = Buffer::uninitialized(byte_len(rows, 4, ctx.mr)?, ctx.stream, ctx.mr.output)?;
    let sorted = {
        let access = order.write_on(ctx.stream)?;
        // SAFETY: the order has room for `rows` numbers of 32 bits and is held until the launch is enqueued; no columns
        // move.
        unsafe { launch(keys, rows, Out::of(&access), &GatheredColumns::default(), ctx) }?
    };
    Ok(if sorted { Attempt::Sorted(order_column(order, rows, ctx.stream)?) } else { Attempt::Left(order) })
}

/// The rows of `values`, which it `moves`, in order, unless too many have almost the same key. **Waits.**
pub(super) fn sort(
    keys: &[KeyColumn<'_>],
    values: &TableView<'_>,
    ctx: Ctx<'_>,
) -> Result<Attempt<Table, Vec<CudaOutput>>> {
    let rows = values.num_rows();
    let mut outputs = outputs(values, ctx)?;
    let columns =
        values.columns().iter().map(|&view| CudaColumn::open(view, ctx.stream)).collect::<Result<Vec<_>>>()?;
    let open = outputs.iter_mut().map(|output| output.open(ctx.stream)).collect::<Result<Vec<_>>>()?;
    let gathered = GatheredColumns::new(&columns, &open);
    // SAFETY: the values, of widths that the kernel moves (`moves`, asked by the caller), have `rows` rows as do the keys
    // (checked by the caller) and the outputs of the same types; all are held until the launch is enqueued.
    let sorted = unsafe { launch(keys, rows, Out::NULL, &gathered, ctx) }?;
    drop((open, columns));
    Ok(if sorted { Attempt::Sorted(finish(outputs, rows, ctx.stream)?) } else { Attempt::Left(outputs) })
}

/// Outputs for the rows of `values`, of fixed width.
pub(super) fn outputs(values: &TableView<'_>, ctx: Ctx<'_>) -> Result<Vec<CudaOutput>> {
    let rows = values.num_rows();
    let output = |column: &gdf_core::ColumnView<'_>| {
        CudaOutput::fixed_width(column.data_type(), rows, column.has_validity(), ctx)
    };
    values.columns().iter().map(output).collect()
}

/// The table of written outputs.
pub(super) fn finish(outputs: Vec<CudaOutput>, rows: usize, stream: &Stream) -> Result<Table> {
    let columns = outputs.into_iter().map(|output| output.finish(stream)).collect::<Result<Vec<_>>>()?;
    Table::try_with_rows(columns, rows)
}

/// The rows of `values`, which the launch `moves`, that `order`, which this capability has made of as many rows, names:
/// into `outputs` of `sort` if there are any.
pub(super) fn rows_into(
    values: &TableView<'_>,
    order: &Column,
    outputs: Option<Vec<CudaOutput>>,
    ctx: Ctx<'_>,
) -> Result<Table> {
    let Some(mut outputs) = outputs else { return rows_in_order(values, order, ctx) };
    let rows = values.num_rows();
    let columns =
        values.columns().iter().map(|&view| CudaColumn::open(view, ctx.stream)).collect::<Result<Vec<_>>>()?;
    let order = CudaColumn::open(order.view(), ctx.stream)?;
    let open = outputs.iter_mut().map(|output| output.open(ctx.stream)).collect::<Result<Vec<_>>>()?;
    let GatheredColumns { values, out, columns: count } = GatheredColumns::new(&columns, &open);
    let kernel = Kernel::find(ctx.stream)?;
    let arguments = SortRows {
        values,
        out,
        order: order.desc.data.cast(),
        rows: rows as i32,
        columns: count,
        scratch: Scratch::of(ctx.stream)?,
    };
    // SAFETY: the columns, at most 16 of fixed width or boolean (`moves`), have `rows` rows, of which the order, of
    // 32-bit numbers from its buffer's beginning on, names each; the outputs have the same types and as many rows.
    unsafe { kernel.launch(ctx.stream, kernel.blocks(rows), 1, &arguments)? };
    drop((open, columns, order));
    finish(outputs, rows, ctx.stream)
}

/// Whether `sort` moves the rows of this table.
pub(super) fn moves(values: &TableView<'_>) -> bool {
    takes_values(values)
}

/// Sorts keys that `supports` has allowed; whether it has. **Waits.**
///
/// # Safety
/// `order` has room for `rows` numbers, or is null. Columns that are moved and where they go have `rows` rows and the
/// same types, boolean or of 1, 2, 4, 8, 16 or 32 bytes. All stay good on `stream` until this returns.
unsafe fn launch(
    keys: &[KeyColumn<'_>],
    rows: usize,
    order: Out<u32>,
    gathered: &GatheredColumns,
    ctx: Ctx<'_>,
) -> Result<bool> {
    let columns = keys.iter().map(|key| CudaColumn::open(key.view, ctx.stream)).collect::<Result<Vec<_>>>()?;
    let pieces = pieces(keys);
    let kernel = Kernel::find(ctx.stream)?;
    let bytes = byte_len(rows, 28, ctx.mr)?.saturating_add(MIDDLE_MAX_BINS * 4);
    let mut memory = Buffer::uninitialized(bytes, ctx.stream, ctx.mr.temporary)?;
    let access = memory.write_on(ctx.stream)?;
    let base = Out::<u8>::of(&access);
    let after = |words: usize| rows * words * 4;
    let mailbox = Mailbox::new(ctx.stream, 1)?;
    let arguments = SortMiddle {
        input: Pieces { at: kernel_pieces(&pieces, &columns) },
        count: pieces.len() as i32,
        rows: rows as i32,
        at: MiddleMemory {
            keys: base.cast(),
            bin_keys: base.at(after(2)),
            slots: base.at(after(4)),
            bin_rows: base.at(after(5)),
            order: if order.is_null() { base.at(after(6)) } else { order },
            bins: base.at(after(7)),
        },
        values: gathered.values,
        out: gathered.out,
        columns: gathered.columns,
        scratch: Scratch::of(ctx.stream)?,
        mailbox: Out::of(&mailbox),
    };
    // SAFETY: `supports` has held: the keys make at most 16 pieces, none of 128 bits or more. The memory has two words of
    // 64 and three of 32 bits per row, the 64-bit ones first, and the bins. The rest is the caller's promise.
    unsafe { kernel.launch_cooperative(ctx.stream, kernel.blocks(rows), 1, &arguments)? };
    drop((access, columns));
    let [verdict, ..] = mailbox.wait()?;
    Ok(verdict == SORTED)
}
