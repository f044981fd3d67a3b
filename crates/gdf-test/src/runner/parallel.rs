//! Runs entries in parallel.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Calls `work` once for each item and its position. The calls run on half of the threads of the machine, but on at
/// most 8 threads.
pub fn on_threads<T: Sync, S: Send>(
    items: &[T],
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize, &T) + Sync,
) -> Vec<S> {
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get() / 2).clamp(1, 8);
    let next = AtomicUsize::new(0);
    let run = || {
        let mut state = start();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            match items.get(index) {
                Some(item) => work(&mut state, index, item),
                None => return state,
            }
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.min(items.len()).max(1)).map(|_| scope.spawn(run)).collect();
        workers.into_iter().map(|worker| worker.join().expect("an item panicked")).collect()
    })
}
