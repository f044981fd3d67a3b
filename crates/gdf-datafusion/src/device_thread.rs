//! Threads on which islands run.
//!
//! A query on a GPU often takes less time than the system needs to wake a thread that sleeps. A thread that has ended an
//! island of a GPU therefore looks for the next island of the same GPU for a while before it sleeps.

use std::any::Any;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use datafusion::error::{DataFusionError, Result};
use gdf_driver::Device;
use tokio::sync::oneshot;

use crate::error::IslandError;

/// How long a thread of a GPU looks for work before it sleeps. A wake-up takes about 50 µs.
const SPIN: Duration = Duration::from_micros(200);
/// How long a thread without work sleeps before it ends.
const IDLE: Duration = Duration::from_secs(10);

type Work = Box<dyn FnOnce() + Send>;

/// A thread that waits for work.
struct Idle {
    number: u64,
    device: Device,
    sender: Sender<Work>,
}

/// The threads that wait for work. The thread that has waited for the shortest time is at the end.
struct Threads {
    idle: Vec<Idle>,
    /// The number of threads so far.
    started: u64,
}

static THREADS: Mutex<Threads> = Mutex::new(Threads { idle: Vec::new(), started: 0 });

fn threads() -> MutexGuard<'static, Threads> {
    // The list is consistent after each statement.
    THREADS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` on a thread that has worked for the device before, or on a new thread. `work` runs to its end even if
/// the returned future is dropped.
///
/// # Errors
/// * The future returns an error if the system has no further thread, or if `work` panicked.
pub(crate) async fn run_on_thread<T: Send + 'static>(
    device: Device,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let (sender, receiver) = oneshot::channel();
    give(
        device,
        Box::new(move || {
            // Nobody waits for the result if the query was dropped.
            let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
        }),
    )?;
    match receiver.await {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(panic)) => Err(IslandError::Internal(format!("the work panicked: {}", message(&*panic))).into()),
        Err(_) => Err(IslandError::Internal("the thread has ended before its work".to_owned()).into()),
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a value that is no text")
}

fn give(device: Device, mut work: Work) -> Result<()> {
    let mut threads = threads();
    while let Some(at) = threads.idle.iter().rposition(|idle| idle.device == device) {
        match threads.idle.remove(at).sender.send(work) {
            Ok(()) => return Ok(()),
            // The thread has ended.
            Err(unsent) => work = unsent.0,
        }
    }
    threads.started += 1;
    let number = threads.started;
    drop(threads);
    let thread = Builder::new().name(format!("gdf-{device}"));
    let run = move || {
        work();
        wait_for_work(number, device);
    };
    thread.spawn(run).map(|_| ()).map_err(|error| DataFusionError::from(std::io::Error::from(error)))
}

/// Runs work of the device until there is none for a while.
fn wait_for_work(number: u64, device: Device) {
    let (sender, receiver) = channel();
    loop {
        threads().idle.push(Idle { number, device, sender: sender.clone() });
        let Some(work) = next(&receiver, device).or_else(|| last(&receiver, number)) else { return };
        work();
    }
}

/// Ends the wait of a thread. Returns work that was given to the thread in the meantime.
fn last(receiver: &Receiver<Work>, number: u64) -> Option<Work> {
    let mut threads = threads();
    if let Some(at) = threads.idle.iter().position(|idle| idle.number == number) {
        threads.idle.remove(at);
        return None;
    }
    drop(threads);
    receiver.recv().ok()
}

fn next(receiver: &Receiver<Work>, device: Device) -> Option<Work> {
    if device.is_cuda() {
        let started = Instant::now();
        while started.elapsed() < SPIN {
            match receiver.try_recv() {
                Ok(work) => return Some(work),
                Err(TryRecvError::Empty) => spin_loop(),
                Err(TryRecvError::Disconnected) => return None,
            }
        }
    }
    match receiver.recv_timeout(IDLE) {
        Ok(work) => Some(work),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    // No other test has work for these devices.
    const ONE: Device = Device::Cuda(1001);
    const OTHER: Device = Device::Cuda(1002);

    #[tokio::test]
    async fn a_thread_works_again_for_its_device_only() {
        let thread = |device| run_on_thread(device, || std::thread::current().id());
        let first = thread(ONE).await.unwrap();
        let other = thread(OTHER).await.unwrap();
        assert_ne!(first, other);
        let waits = |device| threads().idle.iter().any(|idle| idle.device == device);
        for _ in 0..3 {
            while !waits(ONE) {
                std::thread::yield_now();
            }
            assert_eq!(thread(ONE).await.unwrap(), first);
        }
    }

    #[tokio::test]
    async fn many_works_run_at_the_same_time() {
        const COUNT: usize = 8;
        let begun = Arc::new(AtomicUsize::new(0));
        let works: Vec<_> = (0..COUNT)
            .map(|number| {
                let begun = begun.clone();
                run_on_thread(Device::Cpu, move || {
                    begun.fetch_add(1, Ordering::SeqCst);
                    while begun.load(Ordering::SeqCst) < COUNT {
                        std::thread::yield_now();
                    }
                    number
                })
            })
            .collect();
        let found = futures::future::join_all(works).await;
        assert_eq!(found.into_iter().map(Result::unwrap).collect::<Vec<_>>(), (0..COUNT).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_panic_is_an_error() {
        let error = run_on_thread(Device::Cpu, || panic!("bad work")).await.map(|(): ()| ()).unwrap_err();
        assert!(error.to_string().contains("bad work"), "{error}");
        assert_eq!(run_on_thread(Device::Cpu, || 1).await.unwrap(), 1);
    }
}
