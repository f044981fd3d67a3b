//! Maps that a launch of gather or scatter has refused: which element it was, found by a launch of its own, so that maps
//! within bounds need no bookkeeping.

use gdf_core::{ColumnView, DataType, Error, Result};
use gdf_driver::Stream;
use gdf_kernels::generated::copying::GatherCheck;
use gdf_memory::Mailbox;

use crate::cuda::{CudaColumn, Kernel, Out, Rows};

/// The error of the first element of `map` that is no row of a table of `rows` rows. Waits.
pub fn out_of_bounds(map: ColumnView<'_>, rows: usize, stream: &Stream) -> Result<Error> {
    let kernel = Kernel::find(stream)?;
    let column = CudaColumn::open(map, stream)?;
    let mailbox = Mailbox::cleared(stream, 2)?;
    let mailbox_at = Out::of(&mailbox);
    let arguments = GatherCheck { map: column.desc(), rows: Rows::new(rows), mailbox: mailbox_at };
    // SAFETY: the map is of integers (checked by the caller), and the mailbox has two words.
    unsafe { kernel.launch(stream, kernel.blocks(map.len()), 1, &arguments)? };
    let [_, element, ..] = mailbox.wait()?;
    let unsigned = *map.data_type() == DataType::UInt64;
    let index = if unsigned { i128::from(element) } else { i128::from(element as i64) };
    Ok(Error::out_of_bounds(index, rows).in_argument("map"))
}
