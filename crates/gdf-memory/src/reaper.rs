//! One thread that lets go of things once GPU work no longer uses them.
//!
//! Freeing host-accessible memory and releasing foreign owners must wait until recorded events have *completed*, and
//! neither a drop nor a driver callback may block. So such endings are handed to this thread.
//!
//! At the end of the process the driver takes itself down, and what a GPU holds goes with it. The thread is stopped before.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use gdf_driver::{Event, at_exit, process_is_exiting};

type Ending = (Vec<Event>, Box<dyn FnOnce() + Send>);

static QUEUE: OnceLock<Option<Sender<Ending>>> = OnceLock::new();

/// Held by the thread while it may call the driver.
static WORKING: Mutex<()> = Mutex::new(());

/// How long the end of the process waits for an ending that has begun; endings may run code of others.
const PATIENCE: Duration = Duration::from_secs(2);

fn queue() -> Option<&'static Sender<Ending>> {
    QUEUE
        .get_or_init(|| {
            let (sender, receiver) = channel();
            at_exit(stop);
            std::thread::Builder::new().name("gdf-reaper".into()).spawn(move || run(&receiver)).ok().map(|_| sender)
        })
        .as_ref()
}

/// Waits until the thread is not at work any more; it begins nothing new, as [`process_is_exiting`] says so.
fn stop() {
    let begin = Instant::now();
    while matches!(WORKING.try_lock(), Err(TryLockError::WouldBlock)) && begin.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Runs `work`, unless the process is ending: then this thread stays here until it ends with it.
fn working<T>(work: impl FnOnce() -> T) -> T {
    let held = WORKING.lock().unwrap_or_else(PoisonError::into_inner);
    if process_is_exiting() {
        drop(held);
        loop {
            std::thread::park();
        }
    }
    work()
}

fn run(receiver: &Receiver<Ending>) {
    while let Ok((events, ending)) = receiver.recv() {
        for event in &events {
            // An event that cannot be queried belongs to a poisoned device, on which nothing runs any more.
            while matches!(working(|| event.is_complete()), Ok(false)) {
                std::thread::sleep(Duration::from_micros(50));
            }
        }
        let ended = working(|| {
            drop(events);
            catch_unwind(AssertUnwindSafe(ending))
        });
        if ended.is_err() {
            // An owner's drop: the others' endings are still to come.
            tracing::error!("letting go of memory panicked on the reaper thread");
        }
    }
}

/// Runs `ending` once all `events` have completed: now if they have, else on the reaper thread.
#[doc(hidden)]
pub fn when_complete(events: Vec<Event>, ending: impl FnOnce() + Send + 'static) {
    if process_is_exiting() {
        std::mem::forget((events, ending));
        return;
    }
    if events.iter().all(|event| !matches!(event.is_complete(), Ok(false))) {
        return ending();
    }
    let Some(queue) = queue() else {
        tracing::warn!("no reaper thread could be started; memory in use by a GPU is leaked");
        std::mem::forget(ending);
        return;
    };
    if let Err(unsent) = queue.send((events, Box::new(ending))) {
        std::mem::forget(unsent);
    }
}

/// Not under Miri, which takes a thread that lives as long as the process for a leak.
#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use gdf_driver::deferred::DeferredCpu;
    use std::sync::mpsc;

    #[test]
    fn an_ending_runs_after_its_events_and_a_panic_ends_nothing_else() {
        let executor = DeferredCpu::new(1);
        let stream = executor.stream();
        let (sender, receiver) = mpsc::channel();
        let event = || {
            stream.enqueue(|| ()).unwrap();
            stream.record().unwrap()
        };
        let (panics, first, now) = (sender.clone(), sender.clone(), sender);
        when_complete(vec![event()], move || {
            panics.send(0).unwrap();
            panic!("an owner's drop panics, on purpose");
        });
        when_complete(vec![event(), event()], move || first.send(1).unwrap());
        when_complete(Vec::new(), move || now.send(2).unwrap());
        assert_eq!(receiver.try_recv(), Ok(2));
        assert!(receiver.try_recv().is_err());
        executor.run_all();
        assert_eq!((receiver.recv(), receiver.recv()), (Ok(0), Ok(1)));
    }
}
