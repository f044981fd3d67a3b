//! Parts of results that threads write independently, and the offsets in them.

use bytemuck::Pod;

/// Runs `work(index, task)` on all threads; on this one alone when there is one task.
pub(crate) fn for_each_task<T: Send>(tasks: Vec<T>, work: impl Fn(usize, T) + Sync) {
    use rayon::prelude::*;
    if tasks.len() <= 1 {
        tasks.into_iter().enumerate().for_each(|(index, task)| work(index, task));
    } else {
        tasks.into_par_iter().enumerate().for_each(|(index, task)| work(index, task));
    }
}

/// Neighboring pieces of a slice; those that it is too short for are short or empty.
pub(crate) fn split_mut<T>(mut slice: &mut [T], lengths: impl IntoIterator<Item = usize>) -> Vec<&mut [T]> {
    let piece = |length: usize| {
        let length = length.min(slice.len());
        let (piece, rest) = std::mem::take(&mut slice).split_at_mut(length);
        slice = rest;
        piece
    };
    lengths.into_iter().map(piece).collect()
}

/// The integer of an offsets buffer.
pub(crate) trait Offset: Pod + Send + Sync {
    /// Whether it is that of a Large type.
    const LARGE: bool;
    /// What is negative becomes more than any buffer has bytes.
    fn position(self) -> usize;
    /// The low bits.
    fn new(position: usize) -> Self;
}

impl Offset for i32 {
    const LARGE: bool = false;
    fn position(self) -> usize {
        self as usize
    }
    fn new(position: usize) -> Self {
        position as i32
    }
}

impl Offset for i64 {
    const LARGE: bool = true;
    fn position(self) -> usize {
        self as usize
    }
    fn new(position: usize) -> Self {
        position as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_slice_and_no_more() {
        let mut values = [1, 2, 3, 4, 5];
        let pieces = split_mut(&mut values, [2, 0, 2, 7, 1]);
        assert_eq!(pieces, [&[1, 2][..], &[], &[3, 4], &[5], &[]]);
    }
}
