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
    // The kernel reads vectors of 16 bytes. The first block also reads the bytes before the first whole vector and
    // after the last whole vector.
    let vectors = (end / 8 - begin / 8).div_ceil(16).max(1);
    let (mask, begin, end, unset) = (In::of(&access), begin as i64, end as i64, Out::of(&mailbox));
    run(&kernel, vectors, &Count { mask, begin, end, unset }, stream)?;
    drop(access);
    Ok(mailbox.wait()?[0] as usize)
}

/// Enqueues a mask kernel with a grid for `units` words or vectors. A kernel that writes a mask has a thread per word,
/// and a kernel that only reads a mask has a thread per vector.
pub fn run<A: Arguments>(kernel: &Kernel<A::Static>, units: usize, arguments: &A, stream: &Stream) -> Result<()> {
    // SAFETY: The kernel reads and writes memory of four kinds. The callers hold an access of `stream` for every
    // address until the launch is enqueued.
    // - An input mask has at least as many bits as the kernel reads. The callers check the number.
    // - The mask and the null count of an output were allocated for the output's number of rows.
    // - A mask that the kernel writes begins at the start of an allocation, which is padded to whole words.
    // - A mailbox has one word, and the kernel posts one word.
    unsafe { kernel.launch(stream, kernel.blocks(units), 1, arguments)? };
    Ok(())
}
