//! Block sort: few rows, which one block sorts in shared memory, in one launch.

use std::array;

use gdf_core::{Column, PhysicalType, Result, Table, TableView, physical_type};
use gdf_driver::Stream;
use gdf_kernels::generated::sorting::{MAX_PIECES, Pieces, SortSmall, SortSmallKernel};
use gdf_kernels::{TableIn, TableOut};
use gdf_memory::Buffer;

use super::key_stats::{kernel_pieces, pieces};
use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Kernel, OpenOutput, Out};
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

/// Columns whose rows a launch moves, and where to; none by default.
#[derive(Default)]
pub(super) struct GatheredColumns {
    pub(super) values: TableIn<MAX_COLUMNS>,
    pub(super) out: TableOut<MAX_COLUMNS>,
    pub(super) columns: i32,
}

impl GatheredColumns {
    pub(super) fn new(columns: &[CudaColumn<'_>], outputs: &[OpenOutput<'_>]) -> Self {
        let values = array::from_fn(|at| columns.get(at).map_or_else(Default::default, |column| column.desc));
        let out = array::from_fn(|at| outputs.get(at).map_or_else(Default::default, |output| output.desc));
        let columns = columns.len().min(outputs.len()) as i32;
        Self { values: TableIn { column: values }, out: TableOut { column: out }, columns }
    }
}

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
    // SAFETY: `order` has room for `count` numbers of 32 bits and is held until the launch is enqueued; no columns
    // move.
    unsafe { launch(keys, rows, Out::of(&access), count, &GatheredColumns::default(), ctx.stream) }?;
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
    let columns =
        values.columns().iter().map(|&view| CudaColumn::open(view, ctx.stream)).collect::<Result<Vec<_>>>()?;
    let open = outputs.iter_mut().map(|output| output.open(ctx.stream)).collect::<Result<Vec<_>>>()?;
    // SAFETY: there is no order to write; the values, of widths that the kernel moves (`takes_values`), have `rows`
    // rows as do the keys (checked by the caller), at least the `count` that the outputs of the same types have; all are
    // held until the launch is enqueued.
    unsafe { launch(keys, rows, Out::NULL, count, &GatheredColumns::new(&columns, &open), ctx.stream) }?;
    drop(open);
    let columns = outputs.into_iter().map(|output| output.finish(ctx.stream)).collect::<Result<Vec<_>>>()?;
    Table::try_with_rows(columns, count)
}

/// Sorts keys that `supports` has allowed.
///
/// # Safety
/// `order` is null or has room for `count` numbers, `count` being at most `rows`. Columns that are moved are boolean or
/// of 1, 2, 4, 8, 16 or 32 bytes and have `rows` rows, where they go has `count` of the same types. All stay good on
/// `stream` until this returns.
unsafe fn launch(
    keys: &[KeyColumn<'_>],
    rows: usize,
    order: Out<u32>,
    count: usize,
    gathered: &GatheredColumns,
    stream: &Stream,
) -> Result<()> {
    let columns = keys.iter().map(|key| CudaColumn::open(key.view, stream)).collect::<Result<Vec<_>>>()?;
    let pieces = pieces(keys);
    let kernel = if rows <= FEW_ROWS { SortSmallKernel::Rows1k } else { SortSmallKernel::Rows4k };
    let kernel = Kernel::choose(kernel, stream)?;
    let arguments = SortSmall {
        input: Pieces { at: kernel_pieces(&pieces, &columns) },
        count: pieces.len() as i32,
        rows: rows as i32,
        order,
        requested: count as i32,
        values: gathered.values,
        out: gathered.out,
        columns: gathered.columns,
    };
    // SAFETY: `supports` has held: the keys are not text, make at most 16 pieces and have 1 to 4096 rows, or to 1024 for
    // the smaller kernel. The rest is the caller's promise.
    unsafe { kernel.launch(stream, 1, 1, &arguments)? };
    Ok(())
}
