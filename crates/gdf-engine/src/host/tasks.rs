//! Parts of results that threads write independently, and the integers of offset buffers.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;
use gdf_core::for_each_index;
pub use gdf_core::map_indices;

fn lock<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work(index, task)` for each task on all threads. If there is one task, only the calling thread works.
pub fn for_each_task<T: Send>(tasks: Vec<T>, work: impl Fn(usize, T) + Sync) {
    run_tasks(tasks, &work);
}

/// `work` is a `dyn` reference, so that the compiler makes only one copy of it. With a generic parameter, the compiler
/// would make one copy for the case of one task and one for the case of many tasks.
fn run_tasks<T: Send>(tasks: Vec<T>, work: &(dyn Fn(usize, T) + Sync)) {
    if tasks.len() <= 1 {
        return tasks.into_iter().for_each(|task| work(0, task));
    }
    let tasks: Vec<_> = tasks.into_iter().map(|task| Mutex::new(Some(task))).collect();
    for_each_index(tasks.len(), &|index| {
        let task = lock(&tasks[index]).take();
        if let Some(task) = task {
            work(index, task);
        }
    });
}

/// Runs `work(index, task)` for each task on all threads, and returns the results in the order of the tasks. If there
/// is one task, only the calling thread works.
pub fn map_tasks<T: Send, R: Send>(tasks: Vec<T>, work: &(dyn Fn(usize, T) -> R + Sync)) -> Vec<R> {
    let mut results: Vec<Option<R>> = tasks.iter().map(|_| None).collect();
    let tasks = tasks.into_iter().zip(&mut results).collect();
    for_each_task(tasks, |index, (task, result)| *result = Some(work(index, task)));
    results.into_iter().flatten().collect()
}

/// Divides a slice into adjacent pieces. If the slice is too short, the last pieces are shorter or empty.
pub fn split_mut<T>(mut slice: &mut [T], lengths: impl IntoIterator<Item = usize>) -> Vec<&mut [T]> {
    let piece = |length: usize| {
        let length = length.min(slice.len());
        let (piece, rest) = std::mem::take(&mut slice).split_at_mut(length);
        slice = rest;
        piece
    };
    lengths.into_iter().map(piece).collect()
}

/// The integer type of an offset buffer.
pub trait Offset: Pod + Eq + Send + Sync {
    /// Whether the type belongs to a large type, such as `LargeUtf8`.
    const LARGE: bool;
    /// Returns the offset as a position. A negative offset becomes a position beyond the end of any buffer.
    fn position(self) -> usize;
    /// Returns the low bits of a position.
    fn new(position: usize) -> Self;
    /// Returns the difference from another offset, with wraparound.
    fn since(self, other: Self) -> Self;
}

impl Offset for i32 {
    const LARGE: bool = false;
    fn position(self) -> usize {
        self as usize
    }
    fn new(position: usize) -> Self {
        position as i32
    }
    fn since(self, other: Self) -> Self {
        self.wrapping_sub(other)
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
    fn since(self, other: Self) -> Self {
        self.wrapping_sub(other)
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
