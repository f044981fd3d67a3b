//! Maps that a launch of gather or scatter has refused: which element it was, found by a launch of its own, so that maps
//! within bounds need no bookkeeping.

use gdf_core::{ColumnView, DataType, Error, Result};
use gdf_driver::Stream;
use gdf_memory::Mailbox;

use crate::cuda::{CudaColumn, Kernel, args};

/// The error of the first element of `map` that is no row of a table of `rows` rows. Waits.
pub(super) fn out_of_bounds(map: ColumnView<'_>, rows: usize, stream: &Stream) -> Result<Error> {
    let kernel = Kernel::find(stream, "copying", "gather_check_kernel", "gather_check")?;
    let column = CudaColumn::open(map, stream)?;
    let mailbox = Mailbox::cleared(stream, 2)?;
    let (rows_in, scratch, address) = (rows as i64, stream.scratch()?, mailbox.address());
    // SAFETY: the parameters are (column_in map, int64 rows, scratch*, mailbox*), passed in this order and type. The map is
    // of integers, and open for reading until the launch is enqueued; the mailbox has two words.
    unsafe { kernel.launch(stream, kernel.blocks(map.len()), 1, args![column.desc, rows_in, scratch, address])? };
    let [_, element, ..] = mailbox.wait()?;
    let unsigned = *map.data_type() == DataType::UInt64;
    let index = if unsigned { i128::from(element) } else { i128::from(element as i64) };
    Ok(Error::OutOfBounds { index, len: rows })
}
