//! The reaper thread. The thread frees memory and drops owners of memory after GPU work no longer uses the memory.
//!
//! Memory that the CPU can access must not be freed before the events of its users have *completed*. Therefore a
//! closure that frees memory or drops an owner waits for these events. Such a closure is called an *ending*.
//!
//! The thread calls [`enter_background_thread`], so that its driver calls and the graph captures of other threads do
//! not affect each other.
//!
//! When the process ends, the driver shuts down. The reaper thread stops before that.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use gdf_driver::{Event, at_exit, enter_background_thread, process_is_exiting};

type Ending = (Vec<Event>, Box<dyn FnOnce() + Send>);

enum Message {
    End(Ending),
    /// A request for an answer. The thread first runs all endings whose events have completed, and then answers.
    Flush(Sender<()>),
}

static QUEUE: OnceLock<Option<Sender<Message>>> = OnceLock::new();

/// `HANDED` is the number of endings that were given to the thread. `OVER` is the number of endings that have run.
static HANDED: AtomicUsize = AtomicUsize::new(0);
static OVER: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static IS_REAPER: Cell<bool> = const { Cell::new(false) };
}

/// The thread holds this lock whenever it may call the driver.
static WORKING: Mutex<()> = Mutex::new(());

/// When the process ends, it waits at most this long for an ending that is running. The limit is needed because an
/// ending may run user code.
const PATIENCE: Duration = Duration::from_secs(2);

/// A flush waits at most this long. The limit is needed because an ending may wait for a lock that the flushing thread
/// holds.
const FLUSH_PATIENCE: Duration = Duration::from_secs(1);

fn queue() -> Option<&'static Sender<Message>> {
    QUEUE
        .get_or_init(|| {
            let (sender, receiver) = channel();
            at_exit(stop);
            std::thread::Builder::new().name("gdf-reaper".into()).spawn(move || run(&receiver)).ok().map(|_| sender)
        })
        .as_ref()
}

/// Waits until the thread is not working, for at most [`PATIENCE`]. The thread begins no new work, because
/// [`process_is_exiting`] is true.
fn stop() {
    let begin = Instant::now();
    while matches!(WORKING.try_lock(), Err(TryLockError::WouldBlock)) && begin.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Runs `work` under the lock `WORKING`. If the process is exiting, the thread stops forever instead.
fn working<T>(work: impl FnOnce() -> T) -> T {
    let held = WORKING.lock().unwrap_or_else(PoisonError::into_inner);
    if process_is_exiting() {
        drop(held);
        loop {
            std::thread::park();
        }
    }
    enter_background_thread();
    work()
}

fn run(receiver: &Receiver<Message>) {
    IS_REAPER.set(true);
    let (mut waiting, mut asking): (Vec<Ending>, Vec<Sender<()>>) = (Vec::new(), Vec::new());
    loop {
        let first = if waiting.is_empty() {
            let Ok(first) = receiver.recv() else { return };
            Some(first)
        } else {
            None
        };
        for message in first.into_iter().chain(receiver.try_iter()) {
            match message {
                Message::End(ending) => waiting.push(ending),
                Message::Flush(answer) => asking.push(answer),
            }
        }
        let (before, mut late) = (waiting.len(), Vec::new());
        // Every round checks all endings. A long kernel therefore delays only the endings of memory that the kernel
        // uses.
        waiting = waiting.into_iter().filter_map(|ending| end_if_complete(ending, &mut late)).collect();
        for answer in asking.drain(..) {
            // The send fails if the flushing thread has stopped waiting and has dropped the receiver.
            let _ = answer.send(());
        }
        if waiting.len() == before {
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}

/// Runs an ending if all its events have completed. Events of a stream complete in order, so the later events of a
/// stream in `late` are not queried.
fn end_if_complete((mut events, ending): Ending, late: &mut Vec<u64>) -> Option<Ending> {
    events.retain(|event| {
        let stream = event.stream_id();
        if late.contains(&stream) {
            return true;
        }
        let is_late = !working(|| event.is_over());
        if is_late {
            late.push(stream);
        }
        is_late
    });
    if !events.is_empty() {
        return Some((events, ending));
    }
    if working(|| catch_unwind(AssertUnwindSafe(ending))).is_err() {
        // Dropping an owner may run user code that panics. The thread continues, because other endings still have to
        // run.
        tracing::error!("an owner of memory panicked while the reaper thread dropped the owner");
    }
    OVER.fetch_add(1, Ordering::Release);
    None
}

/// Runs `ending` after all `events` have completed. If the events have already completed, the ending runs in this call.
/// Otherwise the ending runs on the reaper thread. If the process is exiting, the ending is leaked.
#[doc(hidden)]
pub fn when_complete(events: Vec<Event>, ending: impl FnOnce() + Send + 'static) {
    if process_is_exiting() {
        std::mem::forget((events, ending));
        return;
    }
    if events.iter().all(Event::is_over) {
        return ending();
    }
    let Some(queue) = queue() else {
        tracing::warn!("no reaper thread could be started; memory in use by a GPU is leaked");
        std::mem::forget(ending);
        return;
    };
    HANDED.fetch_add(1, Ordering::Relaxed);
    if let Err(unsent) = queue.send(Message::End((events, Box::new(ending)))) {
        std::mem::forget(unsent);
    }
}

/// Makes the reaper thread run the endings whose events have completed, and waits up to [`FLUSH_PATIENCE`] for that.
/// Returns whether any ending has run.
pub(crate) fn flush() -> bool {
    let before = OVER.load(Ordering::Acquire);
    if HANDED.load(Ordering::Relaxed) == before || process_is_exiting() || IS_REAPER.get() {
        return false;
    }
    let Some(Some(queue)) = QUEUE.get() else { return false };
    let (sender, receiver) = channel();
    if queue.send(Message::Flush(sender)).is_ok() {
        // A timeout is not an error. It only means that the memory of the endings is not free yet.
        let _ = receiver.recv_timeout(FLUSH_PATIENCE);
    }
    OVER.load(Ordering::Acquire) != before
}

/// Calls `ask`. If memory ran out, flushes the reaper thread. If an ending has run since then, calls `ask` again.
pub(crate) fn ask_again<T, E>(ask: impl Fn() -> Result<T, E>, is_out_of_memory: impl Fn(&E) -> bool) -> Result<T, E> {
    let before = OVER.load(Ordering::Acquire);
    match ask() {
        Err(error) if is_out_of_memory(&error) => {
            flush();
            if OVER.load(Ordering::Acquire) == before { Err(error) } else { ask() }
        }
        outcome => outcome,
    }
}

/// The tests do not run under Miri, because Miri reports the thread, which lives as long as the process, as a leak.
#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use gdf_driver::deferred::DeferredCpu;
    use std::sync::{Arc, mpsc};

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

    #[test]
    fn an_event_that_cannot_be_asked_now_is_asked_again() {
        let executor = DeferredCpu::new(1);
        let stream = executor.stream();
        let (sender, receiver) = mpsc::channel();
        stream.enqueue(|| ()).unwrap();
        let (before, after) = (stream.record().unwrap(), sender.clone());
        executor.set_mute(true);
        when_complete(vec![before.clone()], move || sender.send("asked in vain").unwrap());
        executor.set_mute(false);
        when_complete(vec![before.clone()], move || after.send("late").unwrap());
        executor.set_mute(true);
        assert!(!before.is_over());
        assert_eq!(receiver.recv_timeout(Duration::from_millis(50)), Err(mpsc::RecvTimeoutError::Timeout));
        executor.run_all();
        assert_eq!(receiver.recv_timeout(Duration::from_millis(50)), Err(mpsc::RecvTimeoutError::Timeout));
        executor.set_mute(false);
        assert!(before.is_over() && receiver.recv().is_ok() && receiver.recv().is_ok());
    }

    #[test]
    fn a_capture_elsewhere_holds_up_nothing() {
        let executor = DeferredCpu::new(1);
        let stream = executor.stream();
        let (sender, receiver) = mpsc::channel();
        stream.enqueue(|| ()).unwrap();
        let event = stream.record().unwrap();
        executor.set_capturing(true);
        when_complete(vec![event.clone()], move || sender.send(event.is_complete()).unwrap());
        executor.run_all();
        assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok(Ok(true)));
    }

    #[test]
    fn what_is_complete_has_ended_after_a_flush() {
        let (executor, slow) = (DeferredCpu::new(1), DeferredCpu::new(2));
        let event = |stream: &gdf_driver::Stream| {
            stream.enqueue(|| ()).unwrap();
            stream.record().unwrap()
        };
        let ((stream, late), ended) = ((executor.stream(), slow.stream()), Arc::new(AtomicUsize::new(0)));
        let hand = |stream| {
            let ended = Arc::clone(&ended);
            when_complete(vec![event(stream)], move || {
                std::thread::sleep(Duration::from_millis(2));
                ended.fetch_add(1, Ordering::SeqCst);
                flush();
            });
        };
        (0..20).for_each(|_| hand(&stream));
        hand(&late);
        let asked = Cell::new(0);
        let ask = || {
            executor.run_all();
            asked.set(asked.get() + 1);
            if ended.load(Ordering::SeqCst) == 20 { Ok(()) } else { Err(()) }
        };
        assert_eq!((ask_again(ask, |()| true), asked.get()), (Ok(()), 2));
        slow.run_all();
        flush();
        assert_eq!(ended.load(Ordering::SeqCst), 21);
    }

    #[test]
    fn work_that_takes_long_holds_up_nothing_else() {
        let (slow, fast) = (DeferredCpu::new(1), DeferredCpu::new(2));
        let (sender, receiver) = mpsc::channel();
        let event = |executor: &DeferredCpu| {
            let stream = executor.stream();
            stream.enqueue(|| ()).unwrap();
            (stream.record().unwrap(), stream)
        };
        let ((first, _slow), (second, _fast)) = (event(&slow), event(&fast));
        let other = sender.clone();
        when_complete(vec![first], move || sender.send("slow").unwrap());
        when_complete(vec![second], move || other.send("fast").unwrap());
        fast.run_all();
        assert_eq!(receiver.recv(), Ok("fast"));
        slow.run_all();
        assert_eq!(receiver.recv(), Ok("slow"));
    }
}
