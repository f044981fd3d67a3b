//! `null_count` on CUDA: one launch and one wait.

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_kernels::Arguments;
use gdf_kernels::generated::null_mask::Count;
use gdf_memory::{Buffer, Mailbox};

use crate::cuda::{In, Kernel, Out};

pub(crate) fn null_count(mask: &Buffer, begin: usize, end: usize, stream: &Stream) -> Result<usize> {
    let kernel = Kernel::find(stream)?;
    let mailbox = Mailbox::new(stream, 1)?;
    let access = mask.read_on(stream)?;
    // The kernel reads vectors of 16 bytes; the loose bytes at both ends are the first block's.
    let vectors = (end / 8 - begin / 8).div_ceil(16).max(1);
    let (mask, begin, end, unset) = (In::of(&access), begin as i64, end as i64, Out::of(&mailbox));
    run(&kernel, vectors, &Count { mask, begin, end, unset }, stream)?;
    drop(access);
    Ok(mailbox.wait()?[0] as usize)
}

/// Enqueues a kernel of masks with a grid for `units`: words that it writes, or vectors that it reads.
pub fn run<A: Arguments>(kernel: &Kernel<A::Static>, units: usize, arguments: &A, stream: &Stream) -> Result<()> {
    // SAFETY: the callers hold accesses of this stream behind every address: masks of as many rows as the output, whose
    // mask and count were made for them; or bits of a mask of at least as many (checked by the callers). Where they are
    // written, the mask begins with an allocation of its own, padded to whole words; a mailbox has a word.
    unsafe { kernel.launch(stream, kernel.blocks(units), 1, arguments)? };
    Ok(())
}
