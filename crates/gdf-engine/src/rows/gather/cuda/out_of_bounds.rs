//! Finds the first out-of-bounds element of a map, after `gather` or `scatter` has found that the map has such an
//! element. The search for the position is a separate launch, so that the launches for valid maps need not search.

use gdf_core::{ColumnView, DataType, Error, Position, Result};
use gdf_driver::Stream;
use gdf_kernels::generated::copying::GatherCheck;
use gdf_memory::Mailbox;

use crate::cuda::{CudaColumn, Kernel, Out, Rows};

/// Returns the error of the first element of `map` that is not a row of a table of `rows` rows. **Waits** for the
/// device.
pub fn out_of_bounds(map: ColumnView<'_>, rows: usize, stream: &Stream) -> Result<Error> {
    let kernel = Kernel::find(stream)?;
    let column = CudaColumn::open(map, stream)?;
    let mailbox = Mailbox::cleared(stream, 2)?;
    let mailbox_at = Out::of(&mailbox);
    let arguments = GatherCheck { map: column.desc(), rows: Rows::new(rows), mailbox: mailbox_at };
    // SAFETY: The kernel reads a map of integers and writes two words. The callers have checked that the map is a
    // column of integers, and the mailbox has two words. The map and the mailbox are alive until the launch is
    // enqueued.
    unsafe { kernel.launch(stream, kernel.blocks(map.len()), 1, &arguments)? };
    let [row, element, ..] = mailbox.wait()?;
    let unsigned = *map.data_type() == DataType::UInt64;
    let index = if unsigned { i128::from(element) } else { i128::from(element as i64) };
    // The kernel posts the complement of the row.
    Ok(Error::out_of_bounds(index, rows).in_argument("map").at(Position::Row(!row as usize)))
}
