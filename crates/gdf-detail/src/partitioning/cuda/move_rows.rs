//! The second launch: rows to their places, for few partitions.

use gdf_core::{Column, ColumnParts, DataType, NullCount, Result, Table, TableView};
use gdf_driver::Stream;
use gdf_kernels::TABLE_COLUMNS;
use gdf_kernels::generated::partitioning::{PartitionBits, PartitionMove};
use gdf_memory::Buffer;

use super::super::rows::{is_short, joined, part, rows_in_order, width};
use crate::context::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, In, Kernel, LaunchBatch, Out, Scratch, row_output};
use crate::engine::keys::row_indices;
use crate::rows::{OutputBuffers, RowKind, RowPlan, byte_len};
use crate::vouch;

/// Bytes of shared memory for a row of a tile; wider ones are staged in halves of a tile.
const STAGED: usize = 8;

/// Whether rows of the column are written to their places directly, all of them.
pub(super) fn is_direct(column: &gdf_core::ColumnView<'_>) -> bool {
    is_short(column)
        && !column.has_validity()
        && !matches!(column.data_type(), DataType::Boolean | DataType::Dictionary(..))
}

/// The rows of `table`, which has some, by partition, given what the first launch has left.
pub(super) fn move_rows(
    table: &TableView<'_>,
    ids: &Buffer,
    counts: &Buffer,
    partitions: i32,
    ctx: Ctx<'_>,
) -> Result<Table> {
    let rows = table.num_rows();
    let staged = |column: &gdf_core::ColumnView<'_>| is_short(column) || *column.data_type() == DataType::Boolean;
    let is_staged: Vec<_> = table.columns().iter().map(staged).collect();
    let (these, others) = (part(table, &is_staged, true)?, part(table, &is_staged, false)?);
    let plan = RowPlan::new("partition", &these)?;
    let leaves = plan.leaves();
    let is_bits = |at: usize| leaves[at].kind == RowKind::Bits;
    let (values, bits): (Vec<_>, Vec<_>) = (
        (0..leaves.len()).filter(|&at| !is_bits(at)).collect(),
        (0..leaves.len()).filter(|&at| is_bits(at) || plan.nullable(at)).collect(),
    );
    let output = |at| row_output(&leaves[at], rows, 0, plan.nullable(at), ctx);
    let mut outputs = (0..leaves.len()).map(output).collect::<Result<Vec<Option<CudaOutput>>>>()?;
    let wide = i32::from(row_indices(rows) == DataType::UInt64);
    let mut order = match others.num_columns() + bits.len() {
        0 => None,
        _ => Some(Buffer::uninitialized(
            byte_len(rows, if wide == 1 { 8 } else { 4 }, ctx.mr)?,
            ctx.stream,
            ctx.mr.temporary,
        )?),
    };

    let kernel = Kernel::<PartitionMove>::find(ctx.stream)?;
    let tile = kernel.tile();
    let (ids, counts) = (ids.read_on(ctx.stream)?, counts.read_on(ctx.stream)?);
    let id_bits = (partitions as u32).next_power_of_two().trailing_zeros() as i32;
    let numbers = order.as_mut().map(|order| order.write_on(ctx.stream)).transpose()?;
    for (index, batch) in LaunchBatch::distribute("partition", &plan, values, 0)?.iter().enumerate() {
        let order = Out::of_option(numbers.as_ref().filter(|_| index == 0));
        let columns = batch.columns().min(TABLE_COLUMNS) as i32;
        if columns == 0 && order.is_null() {
            continue;
        }
        let widest = batch.copied().map(|(_, leaf)| width(&leaves[leaf])).max().unwrap_or(0);
        let shared = tile * if order.is_null() { widest.min(STAGED) } else { STAGED };
        let open = batch.open(&plan, &[], 0, ctx.stream)?;
        let out = batch.open_outputs(&mut outputs, ctx.stream)?;
        let arguments = PartitionMove {
            ids: In::of(&ids),
            counts: In::of(&counts),
            rows: rows as i64,
            partitions,
            bits: id_bits,
            input: open.table,
            out: out.table,
            copy: open.copy,
            columns,
            order,
            wide,
        };
        // SAFETY: `ids` and `counts` are those of the launch before, which had as many blocks by the same policy: all ids
        // are below `partitions`, which `id_bits` bits tell apart, and the counts are first positions, so that each row has
        // a position of its own below `rows`. Columns have rows of 1 to 16 bytes, aligned (as columns are), and `rows` of
        // them in input and output; the order has as many numbers. Shared memory holds a tile of the widest, of 8 bytes at
        // most. All are held until the launch is enqueued.
        unsafe { kernel.launch_shared(ctx.stream, kernel.blocks(rows), shared as u32, &arguments)? };
    }
    drop((ids, counts, numbers));
    let order = order.map(|order| numbers_column(order, rows, ctx.stream)).transpose()?;
    if let Some(order) = order.as_ref().filter(|_| !bits.is_empty()) {
        move_bits(&plan, bits, order, &mut outputs, ctx.stream)?;
    }

    let output_buffers = leaves.iter().zip(outputs).map(|(leaf, output)| match output {
        Some(output) => output.into_moved(),
        None => OutputBuffers::empty(leaf, ctx),
    });
    let these = plan.finish(rows, ctx.stream.device(), output_buffers.collect::<Result<Vec<_>>>()?)?;
    let others = match order.filter(|_| others.num_columns() > 0) {
        Some(order) => Some(rows_in_order(&others, &order, ctx)?),
        None => None,
    };
    joined(&is_staged, rows, these, others)
}

/// Masks and booleans of these leaves.
fn move_bits(
    plan: &RowPlan<'_>,
    leaves: Vec<usize>,
    order: &Column,
    outputs: &mut [Option<CudaOutput>],
    stream: &Stream,
) -> Result<()> {
    let kernel = Kernel::find(stream)?;
    let numbers = CudaColumn::open(order.view(), stream)?;
    let scratch = Scratch::of(stream)?;
    for batch in LaunchBatch::distribute("partition", plan, leaves, 0)? {
        let open = batch.open(plan, &[], 0, stream)?;
        let out = batch.open_outputs(outputs, stream)?;
        let (input, copy, order_in) = (open.table, open.copy, numbers.desc);
        let arguments = PartitionBits { input, out: out.table, copy, order: order_in, scratch };
        // SAFETY: the order names each row of the inputs, and inputs and outputs have as many rows. All are held until the
        // launch is enqueued.
        unsafe { kernel.launch(stream, kernel.blocks(order.len()), batch.columns() as u32, &arguments)? };
    }
    Ok(())
}

/// Row numbers as a column.
pub(super) fn numbers_column(numbers: Buffer, rows: usize, stream: &Stream) -> Result<Column> {
    let mut parts = ColumnParts::new(row_indices(rows), stream.device(), rows).buffer(numbers);
    parts.null_count = NullCount::Known(0);
    vouch::result(parts)
}
