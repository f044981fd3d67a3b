//! Block sort: few rows, which one block sorts in shared memory, in one launch.

use gdf_core::{Column, PhysicalType, Result, Table, TableView, physical_type};
use gdf_driver::Stream;
use gdf_kernels::generated::sorting::{MAX_PIECES, Pieces, SortSmall, SortSmallKernel};
use gdf_memory::Buffer;

use super::inputs::{GatheredColumns, OpenColumns};
use super::key_stats::{kernel_pieces, pieces};
use crate::context::Ctx;
use crate::cuda::{CudaOutput, Grid, Kernel, Memory, require};
use crate::engine::keys::order_column;
use crate::engine::rows::byte_len;
use crate::engine::sort::{KeyColumn, is_text};
use crate::limits::cuda as limits;

/// Rows of the larger of the two kernels.
const MAX_ROWS: usize = limits::SORT_BLOCK_ROWS;
/// Rows of the smaller one.
const FEW_ROWS: usize = limits::SORT_FEW_ROWS;
/// Pieces of keys, and columns of values, that the kernels take.
pub(super) const MAX_COLUMNS: usize = MAX_PIECES;

/// Whether one block sorts these keys.
pub(super) fn supports(keys: &[KeyColumn<'_>], rows: usize) -> bool {
    rows <= MAX_ROWS
        && !keys.iter().any(|key| is_text(physical_type(key.view.data_type())))
        && pieces(keys).len() <= MAX_COLUMNS
}

/// Whether it also moves the rows of this table.
pub(super) fn takes_values(values: &TableView<'_>) -> bool {
    let fixed = |physical: PhysicalType| match physical {
        PhysicalType::Bool => true,
        PhysicalType::FixedBinary(_) => false,
        other => other.width().is_some(),
    };
    (1..=MAX_COLUMNS).contains(&values.num_columns())
        && values.columns().iter().all(|column| fixed(physical_type(column.data_type())))
}

/// The first `count` rows in order.
pub(super) fn sorted_order(keys: &[KeyColumn<'_>], rows: usize, count: usize, ctx: Ctx<'_>) -> Result<Column> {
    let mut order = Buffer::uninitialized(byte_len(count, 4, ctx.mr)?, ctx.stream, ctx.mr.output)?;
    let access = order.write_on(ctx.stream)?;
    launch(keys, rows, count, Some(Memory::of(&access)), &GatheredColumns::default(), ctx.stream)?;
    drop(access);
    order_column(order, count, ctx.stream)
}

/// The first `count` rows of `values` in order.
pub(super) fn sort(keys: &[KeyColumn<'_>], values: &TableView<'_>, count: usize, ctx: Ctx<'_>) -> Result<Table> {
    let rows = values.num_rows();
    let output = |column: &gdf_core::ColumnView<'_>| {
        CudaOutput::fixed_width(column.data_type(), count, column.has_validity(), ctx)
    };
    let mut outputs = values.columns().iter().map(output).collect::<Result<Vec<_>>>()?;
    let open = outputs.iter_mut().map(|output| output.open(ctx.stream)).collect::<Result<Vec<_>>>()?;
    launch(keys, rows, count, None, &GatheredColumns::new(values, &open, count, ctx.stream)?, ctx.stream)?;
    drop(open);
    let columns = outputs.into_iter().map(|output| output.finish(ctx.stream)).collect::<Result<Vec<_>>>()?;
    Table::try_with_rows(columns, count)
}

/// Sorts keys that `supports` allows: writes the numbers of the first `count` rows to `order`, or moves these rows.
fn launch(
    keys: &[KeyColumn<'_>],
    rows: usize,
    count: usize,
    order: Option<Memory<'_>>,
    gathered: &GatheredColumns<'_>,
    stream: &Stream,
) -> Result<()> {
    require(supports(keys, rows) && count <= rows, "keys that one block does not sort")?;
    let inputs = OpenColumns::open(keys.iter().map(|key| key.view), rows, stream)?;
    let pieces = pieces(keys);
    let kernel = if rows <= FEW_ROWS { SortSmallKernel::Rows1k } else { SortSmallKernel::Rows4k };
    let kernel = Kernel::choose(kernel, stream)?;
    let arguments = SortSmall {
        input: Pieces { at: kernel_pieces(&pieces, &inputs.columns) },
        count: pieces.len() as i32,
        rows: rows as i32,
        order: order.map(|order| order.array(0, count)).transpose()?.unwrap_or_default(),
        requested: count as i32,
        values: gathered.values,
        out: gathered.out,
        columns: gathered.columns,
    };
    inputs.run(&kernel, Grid::Blocks(1), &arguments, stream)
}
