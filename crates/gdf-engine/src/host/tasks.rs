//! Parts of results that threads write independently, and the offsets in them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;
use gdf_core::for_each_index;
pub use gdf_core::map_indices;

fn lock<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work(index, task)` on all threads; on this one alone when there is one task.
pub fn for_each_task<T: Send>(tasks: Vec<T>, work: impl Fn(usize, T) + Sync) {
    run_tasks(tasks, &work);
}

/// Behind a pointer, `work` is compiled once, and not once for one task and once for many: these are the largest loops.
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

/// `work(index, task)` of all tasks on all threads, results in the order of the tasks; on this thread alone when there is
/// one task.
pub fn map_tasks<T: Send, R: Send>(tasks: Vec<T>, work: &(dyn Fn(usize, T) -> R + Sync)) -> Vec<R> {
    let mut results: Vec<Option<R>> = tasks.iter().map(|_| None).collect();
    let tasks = tasks.into_iter().zip(&mut results).collect();
    for_each_task(tasks, |index, (task, result)| *result = Some(work(index, task)));
    results.into_iter().flatten().collect()
}

/// Neighboring pieces of a slice; those that it is too short for are short or empty.
pub fn split_mut<T>(mut slice: &mut [T], lengths: impl IntoIterator<Item = usize>) -> Vec<&mut [T]> {
    let piece = |length: usize| {
        let length = length.min(slice.len());
        let (piece, rest) = std::mem::take(&mut slice).split_at_mut(length);
        slice = rest;
        piece
    };
    lengths.into_iter().map(piece).collect()
}

/// The integer of an offsets buffer.
pub trait Offset: Pod + Eq + Send + Sync {
    /// Whether it is that of a Large type.
    const LARGE: bool;
    /// What is negative becomes more than any buffer has bytes.
    fn position(self) -> usize;
    /// The low bits.
    fn new(position: usize) -> Self;
    /// The distance from another one, around the ends.
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
