//! `is_sorted` on CUDA: one launch, whose verdict the host waits for.

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_kernels::generated::sorting::{IsSorted, TestKeys};
use gdf_memory::Mailbox;

use crate::cuda::{CudaColumn, Kernel, Out, Scratch};
use crate::engine::sort::{KeyColumn, MAX_KEYS};

/// Whether no row, of at least two, is less than the one before it.
pub(crate) fn is_sorted(keys: &[KeyColumn<'_>], rows: usize, stream: &Stream) -> Result<bool> {
    let kernel = Kernel::find(stream)?;
    let columns = keys.iter().map(|key| CudaColumn::open(key.view, stream)).collect::<Result<Vec<_>>>()?;
    let mut input = TestKeys::default();
    for (index, (key, column)) in keys.iter().zip(&columns).enumerate().take(MAX_KEYS) {
        input.at[index] = column.desc;
        input.descending |= u64::from(key.descending) << index;
        input.nulls_first |= u64::from(key.nulls_first) << index;
    }
    let mailbox = Mailbox::new(stream, 1)?;
    let arguments = IsSorted {
        input,
        count: columns.len() as i32,
        rows: rows as i64,
        scratch: Scratch::of(stream)?,
        mailbox: Out::of(&mailbox),
    };
    // SAFETY: the columns, at most 64 (checked with the keys), are of sortable types and have `rows` > 1 rows; the
    // mailbox has a word.
    unsafe { kernel.launch(stream, kernel.blocks(rows), 1, &arguments)? };
    let [wrong, ..] = mailbox.wait()?;
    Ok(wrong == 0)
}
