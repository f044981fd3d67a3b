//! The first rows of many on CUDA: those that a sample leaves are taken out in one pass and sorted.

use gdf_core::{Column, Result, TableView};
use gdf_driver::Stream;
use gdf_memory::{Buffer, Mailbox, Resources};

use super::carried::sort_by_key;
use super::measure::{KernelPiece, is_number};
use super::sorted_order::order_column;
use super::{CAPABILITY, middle, small};
use crate::cuda::{CudaColumn, Kernel, args};
use crate::keys::row_indices;
use crate::sorting::key::KeyColumn;
use crate::sorting::plan::Piece;
use crate::sorting::rows::rows_in_order;

/// Rows that are taken out at most: as many as one launch sorts.
const ROOM: usize = middle::MAX_ROWS;
/// `sorting_top::state` of kernels/sorting/top_k.cu.
const STATE_BYTES: usize = 16;

/// Blocks that look for the sample, which would keep one waiting for memory.
const SAMPLE_BLOCKS: u32 = 16;

/// The first `count` values of the only key, in order, if one launch does it all.
pub(in super::super) fn first_values(
    key: &KeyColumn<'_>,
    count: usize,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Option<Column>> {
    let values = TableView::try_new(vec![key.view])?;
    if count == 0 || !small::suits(&[*key], values.num_rows()) || !small::takes_values(&values) {
        return Ok(None);
    }
    Ok(small::sort(&[*key], &values, count, stream, mr)?.into_columns().pop())
}

/// The numbers of the first `count` of the rows, or none if they are to be found by sorting all. **Waits** twice.
pub(in super::super) fn first_rows(
    key: &KeyColumn<'_>,
    rows: usize,
    count: usize,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Option<Column>> {
    let column = CudaColumn::open(key.view, stream)?;
    let few = row_indices(rows) == gdf_core::DataType::UInt32 && count > 0;
    if !few || rows <= ROOM || !is_number(column.desc.data_type) || column.desc.flags != 0 {
        return Ok(None);
    }
    let sample = Kernel::find(stream, CAPABILITY, "top_k_sample_kernel", "top_k_sample")?;
    let collect = Kernel::find(stream, CAPABILITY, "top_k_collect_kernel", "top_k_collect")?;
    let Some(wanted) = of_sample(count, rows, sample.tile()) else { return Ok(None) };
    let piece = Piece { column: 0, part: 0, descending: key.descending, nulls_first: key.nulls_first };
    let piece = KernelPiece::new(&piece, column.desc);
    let mut taken = Buffer::uninitialized(ROOM * 4 + STATE_BYTES, stream, mr.temporary)?;
    let mailbox = Mailbox::new(stream, 1)?;
    {
        let access = taken.write_on(stream)?;
        let (length, scratch, to, room) = (rows as i64, stream.scratch()?, access.address(), ROOM as u32);
        let (state, address) = (to + ROOM as u64 * 4, mailbox.address());
        // SAFETY: the parameters are (piece, int64 rows, int wanted, sample*, state*, scratch*) and (piece, int64 rows,
        // taken*, uint32 room, state*, scratch*, mailbox*), passed in this order and type. The column is open, of a type
        // that both take (`is_number`), and has `rows` rows, more than the sample; `taken` has room for `room` numbers,
        // and before that for the sample, of 64 bits; behind it is the state, which the first launch leaves for the
        // second. Accesses are held until both are enqueued.
        unsafe {
            sample.launch(stream, SAMPLE_BLOCKS, 1, args![piece, length, wanted, to, state, scratch])?;
            collect.launch(stream, collect.blocks(rows), 1, args![piece, length, to, room, state, scratch, address])?;
        }
    }
    let [found, ..] = mailbox.wait()?;
    let found = usize::try_from(found).unwrap_or(usize::MAX);
    if found < count || found > ROOM {
        return Ok(None);
    }
    // Rows of equal values follow each other by their numbers.
    let taken = order_column(taken, found, stream)?;
    let scratch = mr.scratch();
    let values = rows_in_order(&TableView::try_new(vec![key.view])?, &taken, stream, scratch)?;
    let numbers = TableView::try_new(vec![taken.view()])?;
    let by_number = KeyColumn { view: taken.view(), descending: false, nulls_first: false };
    let keys = [KeyColumn { view: values.view().column(0)?, ..*key }, by_number];
    let sorted = sort_by_key(&numbers, &keys, stream, mr)?;
    sorted.into_columns().pop().map(|column| column.slice(0, count)).transpose()
}

/// How many of a sample of `size` rows stand for somewhat more than `count` of all rows; none if those may be too many.
fn of_sample(count: usize, rows: usize, size: usize) -> Option<i32> {
    let expected = count as f64 * size as f64 / rows as f64;
    // Five standard deviations more: hardly ever too few.
    let wanted = (expected + 5.0 * expected.sqrt() + 5.0).ceil();
    let taken = (wanted + 5.0 * wanted.sqrt()) * rows as f64 / size as f64;
    (taken <= ROOM as f64).then_some(wanted as i32)
}
