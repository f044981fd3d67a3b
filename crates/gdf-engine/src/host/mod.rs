//! Common parts of the CPU code: typed reads of columns, words of bits, outputs, and the division of rows among
//! threads.

mod bits;
mod input;
mod numbers;
mod output;
pub mod simd;
mod strings;
mod tasks;
mod utf8;
mod values;
mod view_rows;

pub use bits::Bits;
pub use input::HostColumn;
pub use numbers::{FromNumber, NUMBER_BLOCK, Number, NumberReader};
pub use output::{HostMask, HostOutput, column, mask_from_chunks, mask_from_words};
pub use simd::{compact, ends_of, extract, test_word, vectorized};
pub use strings::{BLOCK, StringRows, TextPart, block_of, memory_for_offsets, strings_by_row, write_strings};
pub use tasks::{Offset, for_each_task, map_indices, map_tasks, split_mut};
pub use utf8::{
    Utf8Piece, ascii_bytes, character_count, character_place, character_place_or_end, continuations_in, pieces,
};
pub use values::HostValues;
pub use view_rows::ViewRows;

/// Returns the number of rows of a task, which is a multiple of 64.
#[inline]
pub fn task_rows() -> usize {
    crate::limits::HostLimits::current().task_rows
}

/// Runs `work(first_row, chunk)` for chunks of `rows` on all threads. If there is one chunk, only the calling thread
/// works.
pub fn for_each_chunk<T: Send>(rows: &mut [T], work: impl Fn(usize, &mut [T]) + Sync) {
    fn run<T: Send>(rows: &mut [T], work: &(dyn Fn(usize, &mut [T]) + Sync)) {
        let task = task_rows();
        if rows.len() <= task {
            return work(0, rows);
        }
        for_each_task(rows.chunks_mut(task).collect(), |index, chunk| work(index * task, chunk));
    }
    run(rows, &work);
}

/// Runs `work(range)` for chunks of `0..len` on all threads. The results have the order of the chunks.
pub fn map_chunks<R: Send>(len: usize, work: impl Fn(std::ops::Range<usize>) -> R + Sync) -> Vec<R> {
    fn run<R: Send>(len: usize, work: &(dyn Fn(std::ops::Range<usize>) -> R + Sync)) -> Vec<R> {
        let task = task_rows();
        match len.div_ceil(task) {
            0 => Vec::new(),
            1 => vec![work(0..len)],
            chunks => map_indices(chunks, &|index| work(index * task..((index + 1) * task).min(len))),
        }
    }
    run(len, &work)
}
