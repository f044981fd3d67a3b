//! The second launch of a partitioning into few partitions.

use gdf_core::{Column, ColumnView, DataType, Result, Table, TableView};
use gdf_driver::Stream;
use gdf_engine::cuda::{CudaColumn, Grid, In, Kernel, Out, Rows};
use gdf_engine::keys::{order_column, row_indices};
use gdf_engine::layout::{RowKind, byte_len};
use gdf_engine::rows::RowPlan;
use gdf_engine::rows::cuda::{LaunchBatch, RowOutputs, SizePlaces};
use gdf_kernels::TABLE_COLUMNS;
use gdf_kernels::generated::partitioning::{PartitionBits, PartitionMove};
use gdf_memory::Buffer;

use crate::Ctx;
use crate::partitioning::plan::{is_short, joined, split, width};
use crate::vouch::gather_trusted;

/// The number of bytes of shared memory per row of a tile.
const STAGED: usize = 8;

/// Returns whether the launch writes all data of the column's rows to the partitions directly.
pub(super) fn is_direct(column: &ColumnView<'_>) -> bool {
    is_short(column)
        && !column.has_validity()
        && !matches!(column.data_type(), DataType::Boolean | DataType::Dictionary(..))
}

/// Returns the rows of `table`, ordered by partition.
pub(super) fn copy_rows(
    table: &TableView<'_>,
    ids: &Buffer,
    counts: &Buffer,
    partitions: i32,
    ctx: Ctx<'_>,
) -> Result<Table> {
    let rows = table.num_rows();
    let staged = |column: &ColumnView<'_>| is_short(column) || *column.data_type() == DataType::Boolean;
    let is_staged: Vec<_> = table.columns().iter().map(staged).collect();
    let [these, others] = split(table, &is_staged)?;
    let plan = RowPlan::new("partition", &these)?;
    let leaves = plan.leaves();
    let is_bits = |at: usize| leaves[at].kind == RowKind::Bits;
    let (values, bits): (Vec<_>, Vec<_>) = (
        (0..leaves.len()).filter(|&at| !is_bits(at)).collect(),
        (0..leaves.len()).filter(|&at| is_bits(at) || plan.nullable(at)).collect(),
    );
    let mut outputs = RowOutputs::new(&plan, rows, &[], ctx)?;
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
    for (index, batch) in LaunchBatch::distribute(&plan, values, 0)?.iter().enumerate() {
        let order = Out::of_option(numbers.as_ref().filter(|_| index == 0));
        let columns = batch.columns().min(TABLE_COLUMNS) as i32;
        if columns == 0 && order.is_null() {
            continue;
        }
        let widest = batch.copied().map(|(_, leaf)| width(&leaves[leaf])).max().unwrap_or(0);
        // Shared memory contains a tile of the widest rows, up to `STAGED` bytes per row.
        let shared = tile * if order.is_null() { widest.min(STAGED) } else { STAGED };
        batch.launch(&plan, SizePlaces::default(), Some(&mut outputs), ctx.stream, |open| {
            // The first launch has computed ids and counts with the same number of blocks, because both kernels have
            // the same policy.
            let arguments = PartitionMove {
                ids: In::of(&ids),
                counts: In::of(&counts),
                rows: Rows::new(rows),
                partitions,
                bits: id_bits,
                input: open.input,
                out: open.out,
                copy: open.copy,
                columns,
                order,
                wide,
            };
            open.run(&kernel, Grid::Shared(kernel.blocks(rows), shared as u32), &arguments)
        })?;
    }
    drop((ids, counts, numbers));
    let order = order.map(|order| order_column(order, rows, ctx.stream)).transpose()?;
    if let Some(order) = order.as_ref().filter(|_| !bits.is_empty()) {
        copy_bits(&plan, bits, order, &mut outputs, ctx.stream)?;
    }

    let these = outputs.finish(&plan, rows, ctx)?;
    let others = match order.filter(|_| others.num_columns() > 0) {
        Some(order) => Some(gather_trusted(&others, order.view(), ctx)?),
        None => None,
    };
    joined(&is_staged, rows, these, others)
}

/// Copies the validity masks and the booleans of these leaves.
fn copy_bits(
    plan: &RowPlan<'_>,
    leaves: Vec<usize>,
    order: &Column,
    outputs: &mut RowOutputs,
    stream: &Stream,
) -> Result<()> {
    let kernel = Kernel::find(stream)?;
    let numbers = CudaColumn::open(order.view(), stream)?;
    for batch in LaunchBatch::distribute(plan, leaves, 0)? {
        batch.launch(plan, SizePlaces::default(), Some(outputs), stream, |open| {
            let (input, out, copy) = (open.input, open.out, open.copy);
            let arguments = PartitionBits { input, out, copy, order: numbers.desc() };
            open.run(&kernel, Grid::Columns(kernel.blocks(order.len()), open.columns()), &arguments)
        })?;
    }
    Ok(())
}
