//! `null_count` on CUDA: one launch and one wait.

use std::ops::Range;

use gdf_core::{Error, Result};
use gdf_driver::Stream;
use gdf_kernels::Arguments;
use gdf_kernels::generated::null_mask::Count;
use gdf_memory::{Buffer, Mailbox};

use crate::cuda::{In, Kernel, Out};

pub(crate) fn null_count(mask: &Buffer, begin: usize, end: usize, stream: &Stream) -> Result<usize> {
    let counts = null_counts(std::iter::once((mask, begin..end)), stream)?;
    counts.first().copied().ok_or_else(|| Error::internal("a count of nulls is missing"))
}

/// Returns the number of zeros in a range of bits of each mask. The function enqueues a launch for each mask and waits
/// once.
pub(super) fn null_counts<'m>(
    masks: impl ExactSizeIterator<Item = (&'m Buffer, Range<usize>)>,
    stream: &Stream,
) -> Result<Vec<usize>> {
    let (kernel, count) = (Kernel::find(stream)?, masks.len());
    let mailbox = Mailbox::new(stream, count)?;
    for (at, (mask, Range { start, end })) in masks.enumerate() {
        let access = mask.read_on(stream)?;
        // The kernel reads vectors of 16 bytes. The first block also reads the bytes before the first whole vector and
        // after the last whole vector.
        let vectors = (end / 8 - start / 8).div_ceil(16).max(1);
        let unset = Out::of(&mailbox).element(at);
        run(&kernel, vectors, &Count { mask: In::of(&access), begin: start as i64, end: end as i64, unset }, stream)?;
    }
    Ok(mailbox.wait()?.iter().take(count).map(|count| *count as usize).collect())
}

/// Enqueues a mask kernel with a grid for `units` words or vectors.
pub fn run<A: Arguments>(kernel: &Kernel<A::Static>, units: usize, arguments: &A, stream: &Stream) -> Result<()> {
    // SAFETY: The kernel reads and writes memory of four kinds. The callers hold an access of `stream` for every
    // address until the launch is enqueued.
    // - An input mask has at least as many bits as the kernel reads. The callers check the number.
    // - The mask and the null count of an output were allocated for the output's number of rows.
    // - A mask that the kernel writes begins at the start of an allocation, which is padded to whole words.
    // - The kernel posts one word, and a mailbox has a word for each launch that gets an address of it.
    unsafe { kernel.launch(stream, kernel.blocks(units), 1, arguments)? };
    Ok(())
}
