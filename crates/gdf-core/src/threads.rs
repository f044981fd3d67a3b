//! The threads that work on the CPU spreads over, in a process that does not have them.
//!
//! Of its parent's threads a child of `fork` has the one that forked. What is given to rayon there waits for ever for a
//! thread to take it. So the process that first spreads work is remembered, and in another one each thread becomes a pool of
//! one thread, its own, before it gives rayon anything: the work is then done where it is asked for, with the same result,
//! since no result depends on how many threads there are.
//!
//! Neither an error nor new threads: the callers who fork, as Python's `multiprocessing`, have a process for each core
//! already, and what would start threads in such a child may itself wait for a lock that a thread of the parent held.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::ThreadPoolBuilder;

/// Has this thread's work done by threads that this process has. Called before work is given to rayon; next to nothing on
/// rayon's own threads, a call of the system elsewhere.
///
/// What is asked for within rayon's work while the process forks stays with the parent's threads: that is not noticed.
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

/// How many threads work that begins on this one spreads over. Asking is enough to start them, so that this belongs to
/// their process, too.
#[doc(hidden)]
pub fn thread_count() -> usize {
    prepare_threads();
    rayon::current_num_threads()
}

#[cold]
fn become_a_pool() {
    tracing::debug!("forked: work on this thread spreads over no other");
    match ThreadPoolBuilder::new().num_threads(1).use_current_thread().build() {
        // The thread stays its worker, also after this call.
        Ok(pool) => std::mem::forget(pool),
        Err(error) => tracing::error!(%error, "this thread's work waits for threads of another process"),
    }
}
