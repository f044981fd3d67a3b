//! Few rows on CUDA: one block does everything in one launch.

use gdf_core::{Column, PhysicalType, Result, Table, TableView, physical_type};
use gdf_driver::Stream;
use gdf_kernels::{ColumnIn, ColumnOut};
use gdf_memory::{Buffer, Resources};

use super::CAPABILITY;
use super::measure::{KernelPiece, pieces};
use super::sorted_order::order_column;
use crate::cuda::{CudaColumn, CudaOutput, Kernel, args};
use crate::limits::cuda as limits;
use crate::rows::byte_len;
use crate::sorting::key::{KeyColumn, is_text};

/// Rows of the larger of the two kernels.
const MAX_ROWS: usize = limits::SORT_BLOCK_ROWS;
/// Rows of the smaller one.
const FEW_ROWS: usize = limits::SORT_FEW_ROWS;
/// Pieces of keys, and columns of values, that the kernels take.
pub(super) const MAX_COLUMNS: usize = 16;

/// Whether one block sorts these keys.
pub(super) fn suits(keys: &[KeyColumn<'_>], rows: usize) -> bool {
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
pub(super) fn sorted_order(
    keys: &[KeyColumn<'_>],
    rows: usize,
    count: usize,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Column> {
    let mut order = Buffer::uninitialized(byte_len(count, 4, mr)?, stream, mr.output)?;
    let access = order.write_on(stream)?;
    // SAFETY: `order` has room for `count` numbers of 32 bits and is held until the launch is enqueued; no columns
    // move.
    unsafe { launch(keys, rows, access.address(), count, &[], &[], stream) }?;
    drop(access);
    order_column(order, count, stream)
}

/// The first `count` rows of `values` in order.
pub(super) fn sort(
    keys: &[KeyColumn<'_>],
    values: &TableView<'_>,
    count: usize,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Table> {
    let rows = values.num_rows();
    let output = |column: &gdf_core::ColumnView<'_>| {
        CudaOutput::fixed_width(column.data_type(), count, column.has_validity(), stream, mr)
    };
    let mut outputs = values.columns().iter().map(output).collect::<Result<Vec<_>>>()?;
    let columns = values.columns().iter().map(|&view| CudaColumn::open(view, stream)).collect::<Result<Vec<_>>>()?;
    let open = outputs.iter_mut().map(|output| output.open(stream)).collect::<Result<Vec<_>>>()?;
    let from: Vec<ColumnIn> = columns.iter().map(|column| column.desc).collect();
    let to: Vec<ColumnOut> = open.iter().map(|output| output.desc).collect();
    // SAFETY: there is no order to write; the values, of widths that the kernel moves (`takes_values`), have `rows`
    // rows as do the keys (checked by the caller), at least the `count` that the outputs of the same types have; all are
    // held until the launch is enqueued.
    unsafe { launch(keys, rows, 0, count, &from, &to, stream) }?;
    drop(open);
    let columns = outputs.into_iter().map(|output| output.finish(stream)).collect::<Result<Vec<_>>>()?;
    Table::try_with_rows(columns, count)
}

/// Sorts keys that `suits` has allowed.
///
/// # Safety
/// `order` is 0 or has room for `count` 32-bit numbers, `count` being at most `rows`. `from` and `to` are equally many columns,
/// at most 16, of the same types, boolean or of 1, 2, 4, 8, 16 or 32 bytes; those of `from` have `rows` rows, those of `to`
/// `count`. All stay good on `stream` until this returns.
unsafe fn launch(
    keys: &[KeyColumn<'_>],
    rows: usize,
    order: u64,
    count: usize,
    from: &[ColumnIn],
    to: &[ColumnOut],
    stream: &Stream,
) -> Result<()> {
    let columns = keys.iter().map(|key| CudaColumn::open(key.view, stream)).collect::<Result<Vec<_>>>()?;
    let pieces = pieces(keys);
    let mut at = [KernelPiece::default(); MAX_COLUMNS];
    for (slot, piece) in at.iter_mut().zip(&pieces) {
        *slot = KernelPiece::new(piece, columns[piece.column].desc);
    }
    let (mut sources, mut targets) = ([ColumnIn::default(); MAX_COLUMNS], [ColumnOut::default(); MAX_COLUMNS]);
    for (slot, column) in sources.iter_mut().zip(from) {
        *slot = *column;
    }
    for (slot, column) in targets.iter_mut().zip(to) {
        *slot = *column;
    }
    let size = if rows <= FEW_ROWS { "sort_small_1k" } else { "sort_small_4k" };
    let kernel = Kernel::find(stream, CAPABILITY, &format!("{size}_kernel"), size)?;
    let (piece_count, length, wanted) = (pieces.len() as i32, rows as i32, count as i32);
    let moved = from.len().min(to.len()) as i32;
    // SAFETY: the parameters are (pieces, int count, int rows, order*, int wanted, table_in<16>, table_out<16>, int
    // columns), passed in this order and type, both tables being arrays of 16 descriptors. `suits` has held: the keys
    // are not text, make at most 16 pieces and have 1 to 4096 rows, or to 1024 for the smaller kernel; their accesses
    // are held until the launch is enqueued. The rest is the caller's promise.
    unsafe { kernel.launch(stream, 1, 1, args![at, piece_count, length, order, wanted, sources, targets, moved]) }
}
