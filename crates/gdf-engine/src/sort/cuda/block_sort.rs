//! Block sort: one block sorts few rows in shared memory, in one launch.

use gdf_core::{Column, Result, Table, TableView, physical_type};
use gdf_driver::Stream;
use gdf_kernels::generated::sorting::{MAX_PIECES, Pieces, SortSmall, SortSmallKernel};
use gdf_memory::Buffer;

use super::inputs::{GatheredColumns, SortColumns, finish, outputs};
use super::key_stats::{kernel_pieces, pieces};
use crate::Ctx;
use crate::cuda::{Grid, Kernel, Memory, Rows32, require};
use crate::keys::order_column;
use crate::layout::byte_len;
use crate::limits::cuda as limits;
use crate::sort::KeyColumn;

/// The maximum number of rows of the larger of the two kernels.
const MAX_ROWS: usize = limits::SORT_BLOCK_ROWS;
/// The maximum number of rows of the smaller of the two kernels.
const FEW_ROWS: usize = limits::SORT_FEW_ROWS;
/// The maximum number of bytes of text. Even if all texts have long common prefixes, a block compares this many bytes
/// in less time than a wait of the host would take.
const TEXT_BYTES: usize = limits::SORT_BLOCK_TEXT_BYTES;

pub(super) fn supports(keys: &[KeyColumn<'_>], rows: usize) -> bool {
    // The bytes of the whole character buffer are counted. The rows of a slice may use fewer bytes, but the host does
    // not know how many without a wait.
    let bytes = |key: &KeyColumn<'_>| match key.view.buffers() {
        [_, bytes] if physical_type(key.view.data_type()).has_byte_offsets() => bytes.len(),
        _ => 0,
    };
    rows <= MAX_ROWS
        && keys.iter().map(bytes).fold(0, usize::saturating_add) <= TEXT_BYTES
        && pieces(keys).len() <= MAX_PIECES
}

pub(super) fn sorted_order(keys: &[KeyColumn<'_>], rows: usize, count: usize, ctx: Ctx<'_>) -> Result<Column> {
    let mut order = Buffer::uninitialized(byte_len(count, 4, ctx.mr)?, ctx.stream, ctx.mr.output)?;
    let access = order.write_on(ctx.stream)?;
    launch(keys, rows, count, Some(Memory::of(&access)), &GatheredColumns::default(), ctx.stream)?;
    drop(access);
    order_column(order, count, ctx.stream)
}

pub(super) fn sort(keys: &[KeyColumn<'_>], values: &TableView<'_>, count: usize, ctx: Ctx<'_>) -> Result<Table> {
    let rows = values.num_rows();
    let mut outputs = outputs(values, count, ctx)?;
    let open = outputs.iter_mut().map(|output| output.open(ctx.stream)).collect::<Result<Vec<_>>>()?;
    launch(keys, rows, count, None, &GatheredColumns::new(values, &open, count, ctx.stream)?, ctx.stream)?;
    drop(open);
    finish(outputs, count, ctx.stream)
}

/// Sorts keys for which `supports` returns true. The launch writes the first `count` row numbers of the sorted order to
/// `order`. If `order` is `None`, the launch instead moves these rows of `gathered` to their outputs.
fn launch(
    keys: &[KeyColumn<'_>],
    rows: usize,
    count: usize,
    order: Option<Memory<'_>>,
    gathered: &GatheredColumns<'_>,
    stream: &Stream,
) -> Result<()> {
    require(supports(keys, rows) && count <= rows, "a block sort was called for unsupported keys or rows")?;
    let inputs = SortColumns::open(keys.iter().map(|key| key.view), rows, stream)?;
    let pieces = pieces(keys);
    let kernel = if rows <= FEW_ROWS { SortSmallKernel::Rows1k } else { SortSmallKernel::Rows4k };
    let kernel = Kernel::choose(kernel, stream)?;
    let arguments = SortSmall {
        input: Pieces { at: kernel_pieces(&pieces, &inputs.columns) },
        count: pieces.len() as i32,
        rows: Rows32::new(rows),
        order: order.map(|order| order.array(0, count)).transpose()?.unwrap_or_default(),
        requested: count as i32,
        values: gathered.values(),
        out: gathered.out(),
        columns: gathered.count(),
    };
    inputs.run(&kernel, Grid::Blocks(1), &arguments, stream)
}
