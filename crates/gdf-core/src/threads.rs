//! Distribution of work on the CPU over threads.
//!
//! A job calls a closure once for each index of a range. The range is divided into one share for each thread. The
//! calling thread asks rayon's threads to help. Each thread begins with a share of its own, and then takes indices from
//! the other shares.
//!
//! # After `fork`
//!
//! A child of `fork` has only the thread that called `fork`. If the child gave work to the parent's rayon pool, the
//! work would wait forever, because the threads of the pool do not exist in the child. Therefore the module stores the
//! id of the process that first distributes work. In any other process, each thread first becomes a rayon pool of one
//! thread. The work of the thread then runs on the thread itself. The results are the same, because no result depends
//! on the number of threads.
//!
//! The child gets no error and starts no new threads, for two reasons. Programs that fork, such as Python's
//! `multiprocessing`, already have a process for each core. A new thread in the child could also wait forever for a
//! lock that a thread of the parent held during the fork.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use rayon::ThreadPoolBuilder;

/// Makes sure that rayon runs this thread's work on threads of this process.
///
/// Every function that gives work to rayon calls this function first. The call is cheap on rayon's own threads, and
/// costs one system call on other threads.
///
/// The function does not detect a fork within a closure that runs on rayon.
#[doc(hidden)]
pub fn prepare_threads() {
    static FIRST: AtomicU32 = AtomicU32::new(0);
    if rayon::current_thread_index().is_some() {
        return;
    }
    let this = std::process::id();
    let first = FIRST.compare_exchange(0, this, Ordering::Relaxed, Ordering::Relaxed);
    if first.is_err_and(|first| first != this) {
        become_a_pool();
    }
}

/// Returns the number of threads over which work of the calling thread can be distributed.
///
/// The function starts rayon's threads if they do not run yet.
#[doc(hidden)]
pub fn thread_count() -> usize {
    if IS_ALONE.get() {
        return 1;
    }
    prepare_threads();
    rayon::current_num_threads()
}

thread_local! {
    /// Whether the work of this thread stays on this thread.
    static IS_ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, whose own work is not distributed over threads. This is for tasks of which every thread has one: their
/// data then stay in the cache of one core.
#[doc(hidden)]
pub fn on_one_thread<R>(work: impl FnOnce() -> R) -> R {
    struct Restored(bool);
    impl Drop for Restored {
        fn drop(&mut self) {
            IS_ALONE.set(self.0);
        }
    }
    let _restored = Restored(IS_ALONE.replace(true));
    work()
}

/// Returns the results of `work` for each item, in the order of the items. The threads take the items in this order.
///
/// # Panics
/// - As [`for_each_index`].
#[doc(hidden)]
pub fn map_items<T: Send, R: Send>(items: Vec<T>, work: &(dyn Fn(T) -> R + Sync)) -> Vec<R> {
    let threads = thread_count().min(items.len());
    if threads <= 1 {
        return items.into_iter().map(work).collect();
    }
    let locked = |items: &Mutex<std::iter::Enumerate<std::vec::IntoIter<T>>>| {
        items.lock().unwrap_or_else(PoisonError::into_inner).next()
    };
    let count = items.len();
    let items = Mutex::new(items.into_iter().enumerate());
    let results: Mutex<Vec<Option<R>>> = Mutex::new((0..count).map(|_| None).collect());
    for_each_index(threads, &|_| {
        while let Some((index, item)) = locked(&items) {
            let result = work(item);
            results.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(result);
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect()
}

#[cold]
fn become_a_pool() {
    tracing::debug!("this process is a child of `fork`; the work of this thread runs on this thread only");
    match ThreadPoolBuilder::new().num_threads(1).use_current_thread().build() {
        // The calling thread must remain the pool's worker after this call, so the pool is never dropped.
        Ok(pool) => std::mem::forget(pool),
        Err(error) => {
            tracing::error!(%error, "this process is a child of `fork`, and the work of this thread may wait \
                    forever for threads of the parent")
        }
    }
}

/// Runs `work(index)` for each index below `count`.
///
/// # Panics
/// - `work` panics. The call then waits for the indices that are already running, skips the other indices, and panics.
#[doc(hidden)]
pub fn for_each_index(count: usize, work: &(dyn Fn(usize) + Sync)) {
    let threads = if count > 1 { thread_count().min(count) } else { 1 };
    if threads == 1 {
        return (0..count).for_each(work);
    }
    let work: *const (dyn Fn(usize) + Sync + '_) = work;
    // SAFETY: the transmute changes only the lifetime of the pointer. `Job` dereferences the pointer only while this
    // call runs, as the proof in `Job::run` shows.
    let work: Work = unsafe { std::mem::transmute(work) };
    let job = Arc::new(Job {
        work,
        shares: (0..threads)
            .map(|number| Share::new(number * count / threads..(number + 1) * count / threads))
            .collect(),
        left: AtomicUsize::new(count),
        panicked: AtomicBool::new(false),
        panic: Mutex::new(None),
        owner: std::thread::current(),
    });
    job.wake(0);
    job.take(0);
    job.wait();
    let panic = job.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(panic) = panic {
        resume_unwind(panic);
    }
}

/// Returns the results of `work(index)` for each index below `count`, in the order of the indices. The indices run as
/// in [`for_each_index`].
#[doc(hidden)]
pub fn map_indices<R: Send>(count: usize, work: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    let results: Vec<_> = (0..count).map(|_| Mutex::new(None)).collect();
    for_each_index(count, &|index| {
        let result = work(index);
        *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    });
    results.into_iter().filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

type Work = *const (dyn Fn(usize) + Sync + 'static);

/// A range of consecutive indices.
#[repr(align(128))]
struct Share {
    next: AtomicUsize,
    end: usize,
}

impl Share {
    fn new(range: std::ops::Range<usize>) -> Self {
        Self { next: AtomicUsize::new(range.start), end: range.end }
    }

    fn take(&self) -> Option<usize> {
        Some(self.next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < self.end)
    }
}

/// The state that threads share while they run the indices of one call.
struct Job {
    work: Work,
    /// The shares.
    shares: Vec<Share>,
    /// The number of indices that have neither run to the end nor been skipped.
    left: AtomicUsize,
    /// Whether `work` has panicked. The indices that have not begun are then skipped.
    panicked: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    owner: Thread,
}

// SAFETY: `work` points to a closure that is `Sync`, so any thread may call the closure. All other fields are `Send`.
unsafe impl Send for Job {}
// SAFETY: `work` points to a closure that is `Sync`, so several threads may call the closure. All other fields are
// `Sync`.
unsafe impl Sync for Job {}

impl Job {
    fn wake(self: &Arc<Self>, number: usize) {
        for number in [2 * number + 1, 2 * number + 2] {
            if number < self.shares.len() && self.left.load(Ordering::Relaxed) > 0 {
                let job = Arc::clone(self);
                rayon::spawn(move || {
                    job.wake(number);
                    job.take(number);
                });
            }
        }
    }

    /// Runs indices until all indices are taken.
    fn take(&self, number: usize) {
        let (before, from) = self.shares.split_at(number);
        for share in from.iter().chain(before) {
            while let Some(index) = share.take() {
                self.run(index);
            }
        }
    }

    fn run(&self, index: usize) {
        if !self.panicked.load(Ordering::Relaxed) {
            // SAFETY: this thread has taken the index from a share. The last statement decrements `left` for this
            // index, and has not run yet. Therefore `left` is not zero, and the call that lent `work` has not returned.
            let work = unsafe { &*self.work };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(index))) {
                self.panicked.store(true, Ordering::Relaxed);
                self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
            }
        }
        // The ordering ensures that the results of all indices are visible to the owner of the job when the owner reads
        // zero.
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.owner.unpark();
        }
    }

    /// Waits until no index is left.
    fn wait(&self) {
        const AWAKE: Duration = Duration::from_micros(60);
        let mut begin = None;
        while self.left.load(Ordering::Acquire) > 0 {
            if begin.get_or_insert_with(Instant::now).elapsed() < AWAKE {
                std::hint::spin_loop();
            } else {
                std::thread::park();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_runs_once_also_within_tasks() {
        for count in [0, 1, 2, 3, 7, 100, 1000] {
            let runs: Vec<_> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            for_each_index(count, &|outer| {
                for_each_index(count.min(5), &|inner| {
                    runs[(outer + inner) % count].fetch_add(1, Ordering::Relaxed);
                });
            });
            assert!(runs.iter().all(|runs| runs.load(Ordering::Relaxed) == count.min(5)), "{count}");
        }
    }

    #[test]
    fn items_have_their_results_and_tasks_can_stay_on_their_thread() {
        let found = map_items((0..1000).collect(), &|item: u64| {
            let thread = std::thread::current().id();
            let others = on_one_thread(|| map_indices(10, &|_| std::thread::current().id()));
            assert!(others.iter().all(|other| *other == thread));
            item * item
        });
        assert_eq!(found, (0..1000).map(|item| item * item).collect::<Vec<u64>>());
        assert!(map_items(Vec::new(), &|item: u64| item).is_empty());
        let threads = thread_count();
        assert!(catch_unwind(|| on_one_thread(|| panic!("within"))).is_err());
        assert_eq!(thread_count(), threads);
    }

    #[test]
    fn tasks_of_some_length_spread_over_the_threads_of_the_pool() {
        let pool = ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        // The barrier opens when all three threads have arrived.
        let barrier = std::sync::Barrier::new(3);
        pool.install(|| {
            for_each_index(3, &|_| {
                barrier.wait();
            })
        });
    }

    #[test]
    fn a_job_waits_for_no_thread_that_is_busy() {
        let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let (release, held) = std::sync::mpsc::channel::<()>();
        pool.spawn(move || assert!(held.recv().is_err()));
        let ran = AtomicUsize::new(0);
        pool.install(|| {
            for_each_index(50, &|_| {
                ran.fetch_add(1, Ordering::Relaxed);
            })
        });
        assert_eq!(ran.into_inner(), 50);
        drop(release);
    }

    #[test]
    fn a_panic_of_a_task_is_the_callers() {
        let seen = catch_unwind(|| for_each_index(64, &|index| assert_ne!(index, 40, "the fortieth")));
        let panic = seen.unwrap_err();
        assert!(panic.downcast_ref::<String>().is_some_and(|text| text.contains("the fortieth")));
        let ran = AtomicUsize::new(0);
        for_each_index(64, &|_| {
            ran.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(ran.into_inner(), 64);
    }
}
