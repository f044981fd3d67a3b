//! `null_count` on CUDA: one launch and one wait.

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_memory::{Buffer, Mailbox};

use crate::cuda::{Kernel, args};

pub(in super::super) fn null_count(mask: &Buffer, begin: usize, end: usize, stream: &Stream) -> Result<usize> {
    let kernel = Kernel::find(stream, "null_mask", "null_mask_count_kernel", "null_mask_count")?;
    let scratch = stream.scratch()?;
    let mailbox = Mailbox::new(stream, 1)?;
    let access = mask.read_on(stream)?;
    let (address, unset) = (access.address(), mailbox.address());
    let (first, last) = (begin as i64, end as i64);
    // The kernel reads vectors of 16 bytes; the loose bytes at both ends are the first block's.
    let blocks = kernel.blocks((end / 8 - begin / 8).div_ceil(16).max(1));
    // SAFETY: the parameters are `const uint8_t* mask, int64_t begin, int64_t end, scratch*, unsigned long long* unset`.
    // The mask has bits [begin, end), 0 <= begin < end, as it was checked against the column's rows; the mailbox has a
    // word. Access, scratch and mailbox are this stream's and outlive the enqueueing; the mailbox also the wait.
    unsafe { kernel.launch(stream, blocks, 1, args![address, first, last, scratch, unset])? };
    drop(access);
    Ok(mailbox.wait()?[0] as usize)
}
