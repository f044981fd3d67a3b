//! `is_sorted` on CUDA. The host waits for the result of one launch.

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_kernels::generated::sorting::{IsSorted, TestKeys};
use gdf_memory::Mailbox;

use super::inputs::SortColumns;
use crate::cuda::{Grid, Kernel, Out, Rows};
use crate::sort::{KeyColumn, MAX_KEYS};

/// Returns whether no row is less than the row before. There must be at least two rows. **Waits** for the GPU.
pub fn is_sorted(keys: &[KeyColumn<'_>], rows: usize, stream: &Stream) -> Result<bool> {
    let kernel = Kernel::find(stream)?;
    let inputs = SortColumns::open(keys.iter().map(|key| key.view), rows, stream)?;
    let mut input = TestKeys::default();
    for (index, (key, column)) in keys.iter().zip(&inputs.columns).enumerate().take(MAX_KEYS) {
        input.at[index] = column.desc();
        input.descending |= u64::from(key.descending) << index;
        input.nulls_first |= u64::from(key.nulls_first) << index;
    }
    let mailbox = Mailbox::new(stream, 1)?;
    let arguments = IsSorted {
        input,
        count: inputs.columns.len().min(MAX_KEYS) as i32,
        rows: Rows::new(rows),
        mailbox: Out::of(&mailbox),
    };
    inputs.run(&kernel, Grid::Blocks(kernel.blocks(rows)), &arguments, stream)?;
    let [wrong, ..] = mailbox.wait()?;
    Ok(wrong == 0)
}
