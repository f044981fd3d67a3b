//! `is_sorted` on CUDA: one launch, whose verdict the host waits for.

use bytemuck::{Pod, Zeroable};
use gdf_core::Result;
use gdf_driver::Stream;
use gdf_kernels::ColumnIn;
use gdf_memory::{Mailbox, Resources};

use super::CAPABILITY;
use crate::cuda::{CudaColumn, Kernel, args};
use crate::sorting::key::{KeyColumn, MAX_KEYS};

/// `sorting_test::keys` of kernels/sorting/is_sorted.cu.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct KernelKeys {
    at: [ColumnIn; MAX_KEYS],
    descending: u64,
    nulls_first: u64,
}

/// Whether no row, of at least two, is less than the one before it.
pub(in super::super) fn is_sorted(
    keys: &[KeyColumn<'_>],
    rows: usize,
    stream: &Stream,
    _mr: Resources<'_>,
) -> Result<bool> {
    let kernel = Kernel::find(stream, CAPABILITY, "is_sorted_kernel", "is_sorted")?;
    let columns = keys.iter().map(|key| CudaColumn::open(key.view, stream)).collect::<Result<Vec<_>>>()?;
    let mut all = KernelKeys { at: [ColumnIn::default(); MAX_KEYS], descending: 0, nulls_first: 0 };
    for (index, (key, column)) in keys.iter().zip(&columns).enumerate().take(MAX_KEYS) {
        all.at[index] = column.desc;
        all.descending |= u64::from(key.descending) << index;
        all.nulls_first |= u64::from(key.nulls_first) << index;
    }
    let mailbox = Mailbox::new(stream, 1)?;
    let (count, length, scratch, address) = (columns.len() as i32, rows as i64, stream.scratch()?, mailbox.address());
    // SAFETY: the parameters are (keys, int count, int64 rows, scratch*, mailbox*), passed in this order and type. The
    // columns, at most 64 (checked with the keys), are open, of sortable types and have `rows` > 1 rows; the mailbox
    // has a word. Accesses are held until the launch is enqueued on their stream.
    unsafe {
        kernel.launch(stream, kernel.blocks(rows), 1, args![all, count, length, scratch, address])?;
    }
    let [wrong, ..] = mailbox.wait()?;
    Ok(wrong == 0)
}
