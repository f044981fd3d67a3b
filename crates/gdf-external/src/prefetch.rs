//! Computes parts on another thread, ahead of their use.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{Builder, JoinHandle};

use gdf_api::scope::ScopeHandle;
use gdf_core::{Error, Result};

/// The parts of an iterator, each of which another thread computes while the previous part is used. See [`prefetch`].
#[derive(Debug)]
pub struct Prefetch<T> {
    /// `None` after the iterator has ended.
    receiver: Option<Receiver<Result<T>>>,
    thread: Option<JoinHandle<()>>,
}

/// Returns an iterator over the same parts, which another thread computes ahead of their use. The thread has the scope
/// of this thread: its device, streams and resources.
///
/// The thread computes one part ahead, and waits until that part is taken. The iterator ends after an error. A drop of
/// the iterator waits for the part that is being computed.
///
/// ```
/// use gdf::external::prefetch;
///
/// let parts = prefetch((0..3).map(|part| gdf::Column::from_slice(&[part])))?;
/// let rows: gdf::Result<Vec<Option<i32>>> = parts.map(|part| part?.get(0)).collect();
/// assert_eq!(rows?, [Some(0), Some(1), Some(2)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * [`Source`](Error::Source): the system has no further thread.
///
/// # Panics
/// The iterator panics if `parts` has panicked.
pub fn prefetch<T: Send + 'static>(parts: impl Iterator<Item = Result<T>> + Send + 'static) -> Result<Prefetch<T>> {
    // The channel has no room, so that the thread waits with one part.
    let (sender, receiver) = sync_channel(0);
    let scope = ScopeHandle::capture();
    let work = move || {
        scope.run(|| {
            for part in parts {
                let is_last = part.is_err();
                if sender.send(part).is_err() || is_last {
                    break;
                }
            }
        });
    };
    let thread = Builder::new().name("gdf-prefetch".to_owned()).spawn(work).map_err(Error::of_source)?;
    Ok(Prefetch { receiver: Some(receiver), thread: Some(thread) })
}

impl<T> Iterator for Prefetch<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        let part = self.receiver.as_ref()?.recv().ok();
        if part.is_none() {
            self.receiver = None;
            if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
                resume_unwind(panic);
            }
        }
        part
    }
}

impl<T> Drop for Prefetch<T> {
    fn drop(&mut self) {
        // Without a receiver, the thread ends after the part that it is computing.
        self.receiver = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread concerns parts that nobody wants.
            drop(thread.join());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use super::*;

    /// Returns an iterator over the numbers below `count`, with an error in place of 5, and a counter of the computed
    /// items.
    fn counted(count: usize) -> (impl Iterator<Item = Result<usize>> + Send + 'static, Arc<AtomicUsize>) {
        let made = Arc::new(AtomicUsize::new(0));
        let counter = made.clone();
        let number = move |number| {
            counter.fetch_add(1, Ordering::SeqCst);
            if number == 5 { Err(Error::invalid_argument("five")) } else { Ok(number) }
        };
        ((0..count).map(number), made)
    }

    fn until(made: &AtomicUsize, count: usize) {
        let since = Instant::now();
        while made.load(Ordering::SeqCst) < count {
            assert!(since.elapsed() < Duration::from_secs(60));
            std::thread::yield_now();
        }
    }

    #[test]
    fn one_part_is_computed_ahead() {
        let (parts, made) = counted(5);
        let mut parts = prefetch(parts).unwrap();
        until(&made, 1);
        assert_eq!(parts.next().unwrap().unwrap(), 0);
        until(&made, 2);
        // The next part is computed only after this thread has taken the part that waits.
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(made.load(Ordering::SeqCst), 2);
        assert_eq!(parts.map(Result::unwrap).collect::<Vec<_>>(), [1, 2, 3, 4]);
    }

    #[test]
    fn the_iterator_ends_after_an_error_and_may_be_dropped_early() {
        let (parts, made) = counted(100);
        let found: Vec<_> = prefetch(parts).unwrap().collect();
        assert!(found.len() == 6 && found[5].is_err() && made.load(Ordering::SeqCst) == 6);
        let (parts, made) = counted(100);
        let mut parts = prefetch(parts).unwrap();
        parts.next().unwrap().unwrap();
        drop(parts);
        assert!(made.load(Ordering::SeqCst) <= 3);
        assert_eq!(Arc::strong_count(&made), 1, "the thread has ended");
    }

    #[test]
    fn a_panic_is_passed_on() {
        let mut parts =
            prefetch((0..2).map(|part: i32| if part == 1 { panic!("bad part") } else { Ok(part) })).unwrap();
        assert_eq!(parts.next().unwrap().unwrap(), 0);
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| parts.next())).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"bad part"));
    }
}
