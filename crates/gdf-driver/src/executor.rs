//! The executor of deferred CPU streams. The executor runs the work of the streams in a random order.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::ThreadId;

use crate::background_threads::is_background_thread;
use crate::lock::lock;
use crate::{Device, DriverError, Status};

pub(crate) type Work = Box<dyn FnOnce() + Send>;

enum Item {
    Run(Work),
    Record(Arc<AtomicBool>),
    Wait(Arc<AtomicBool>),
}

#[derive(Default)]
struct Queue {
    items: VecDeque<Item>,
    enqueued: u64,
    finished: u64,
    /// The thread that currently runs an item of this queue. The item was already removed from `items`.
    running: Option<ThreadId>,
    /// Whether the last clone of the stream was dropped, so that no more work can be enqueued.
    closed: bool,
    /// Whether the executor drops each piece of work instead of running it.
    dropping: bool,
}

impl Queue {
    fn is_runnable(&self) -> bool {
        self.running.is_none()
            && match self.items.front() {
                Some(Item::Wait(done)) => done.load(Ordering::Acquire),
                Some(_) => true,
                None => false,
            }
    }
}

struct State {
    queues: BTreeMap<u64, Queue>,
    random: u64,
}

impl State {
    /// Returns a random number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % bound.max(1) as u64) as usize
    }

    fn pick(&mut self) -> Option<u64> {
        let runnable: Vec<u64> =
            self.queues.iter().filter(|(_, queue)| queue.is_runnable()).map(|(&id, _)| id).collect();
        let index = self.below(runnable.len());
        runnable.get(index).copied()
    }

    fn finish(&mut self, id: u64) {
        if let Some(queue) = self.queues.get_mut(&id) {
            queue.running = None;
            queue.finished += 1;
        }
        self.remove_if_over(id);
    }

    fn remove_if_over(&mut self, id: u64) {
        let over = |queue: &Queue| queue.closed && queue.items.is_empty() && queue.running.is_none();
        if self.queues.get(&id).is_some_and(over) {
            self.queues.remove(&id);
        }
    }
}

/// The executor, shared by the deferred streams and by `DeferredCpu`.
pub(crate) struct Executor(Arc<Queues>);

impl Executor {
    pub(crate) fn new(seed: u64) -> Executor {
        Executor(Arc::new(Queues::new(seed)))
    }

    /// Returns the queues.
    pub(crate) fn queues(&self) -> &Arc<Queues> {
        &self.0
    }
}

impl Deref for Executor {
    type Target = Queues;

    fn deref(&self) -> &Queues {
        &self.0
    }
}

impl Drop for Executor {
    /// Runs the remaining work.
    fn drop(&mut self) {
        while catch_unwind(AssertUnwindSafe(|| self.run_all())).is_err() {}
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Executor")
    }
}

pub(crate) struct Queues {
    state: Mutex<State>,
    changed: Condvar,
    /// Whether queries of events and waits for events return an error on every thread.
    mute: AtomicBool,
    /// Whether queries of events and waits for events return an error on threads that are not background threads of
    /// this library.
    capturing: AtomicBool,
}

impl Queues {
    fn new(seed: u64) -> Queues {
        // The state of a xorshift generator must not be zero, because the generator would then return zero forever.
        let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xd1b5_4a32_d192_ed03;
        let random = if random == 0 { 1 } else { random };
        Queues {
            state: Mutex::new(State { queues: BTreeMap::new(), random }),
            changed: Condvar::new(),
            mute: AtomicBool::new(false),
            capturing: AtomicBool::new(false),
        }
    }

    pub(crate) fn set_mute(&self, mute: bool) {
        self.mute.store(mute, Ordering::Relaxed);
    }

    pub(crate) fn set_capturing(&self, capturing: bool) {
        self.capturing.store(capturing, Ordering::Relaxed);
    }

    /// Returns the error with which the driver refuses `call`, a query of an event or a wait for an event, if
    /// `set_mute` or `set_capturing` has requested that error.
    pub(crate) fn answer(&self, call: &'static str) -> Result<(), DriverError> {
        let captured = self.capturing.load(Ordering::Relaxed) && !is_background_thread();
        if !captured && !self.mute.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(DriverError::Call { call, status: Status(900), device: Some(Device::Cpu) })
    }

    /// Chooses a queue at random and runs its first item. Returns `false` if no item can run now.
    pub(crate) fn step(&self) -> bool {
        self.advance(lock(&self.state)).is_ok()
    }

    /// Runs work until every queue is empty.
    pub(crate) fn run_all(&self) {
        _ = self
            .run_until(|state| state.queues.values().all(|queue| queue.items.is_empty() && queue.running.is_none()));
    }

    pub(crate) fn run_until_done(&self, done: &AtomicBool) -> Result<(), DriverError> {
        self.run_until(|_| done.load(Ordering::Acquire))
    }

    fn run_until(&self, satisfied: impl Fn(&State) -> bool) -> Result<(), DriverError> {
        let thread = std::thread::current().id();
        loop {
            let state = lock(&self.state);
            if satisfied(&state) {
                return Ok(());
            }
            let Err(state) = self.advance(state) else { continue };
            let elsewhere = |queue: &Queue| queue.running.is_some_and(|running| running != thread);
            if !state.queues.values().any(elsewhere) {
                // All remaining items wait for a closure that this thread is currently running.
                return Err(DriverError::Deadlock { device: Device::Cpu });
            }
            drop(self.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner()));
        }
    }

    /// Runs one item.
    fn advance<'a>(&'a self, mut state: MutexGuard<'a, State>) -> Result<(), MutexGuard<'a, State>> {
        let Some(id) = state.pick() else { return Err(state) };
        let Some(queue) = state.queues.get_mut(&id) else { return Err(state) };
        match queue.items.pop_front() {
            Some(Item::Run(work)) => {
                queue.running = Some(std::thread::current().id());
                let dropping = queue.dropping;
                drop(state);
                let _running = Running { queues: self, id };
                if dropping {
                    drop(work);
                } else {
                    work();
                }
            }
            Some(Item::Record(done)) => {
                done.store(true, Ordering::Release);
                state.finish(id);
                self.changed.notify_all();
            }
            Some(Item::Wait(_)) => {
                state.finish(id);
                self.changed.notify_all();
            }
            None => return Err(state),
        }
        Ok(())
    }
}

/// A guard for an item that is running. When the guard is dropped, the item counts as finished, even if the item has
/// panicked.
struct Running<'a> {
    queues: &'a Queues,
    id: u64,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        lock(&self.queues.state).finish(self.id);
        self.queues.changed.notify_all();
    }
}

/// The kind of CUDA stream that a deferred stream imitates in a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    Own,
    Foreign,
    Thread(ThreadId),
}

/// The queue of a stream.
pub(crate) struct QueueHandle {
    executor: Arc<Executor>,
    id: u64,
    nature: Nature,
    /// Whether calls on the stream fail as if its device were poisoned.
    lost: AtomicBool,
}

impl QueueHandle {
    pub(crate) fn new(executor: Arc<Executor>, id: u64, nature: Nature) -> QueueHandle {
        lock(&executor.state).queues.insert(id, Queue::default());
        QueueHandle { executor, id, nature, lost: AtomicBool::new(false) }
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.nature == Nature::Own
    }

    pub(crate) fn is_thread_bound(&self) -> bool {
        matches!(self.nature, Nature::Thread(_))
    }

    pub(crate) fn is_here(&self) -> bool {
        !matches!(self.nature, Nature::Thread(thread) if thread != std::thread::current().id())
    }

    /// Makes calls on the stream fail as if its device were poisoned.
    pub(crate) fn lose(&self) -> Result<(), DriverError> {
        self.set_dropping(true);
        let outcome = self.executor.run_until(|state| {
            let over = state.queues.get(&self.id).is_none_or(|queue| queue.items.is_empty() && queue.running.is_none());
            // The flag is set while the lock is held, so that no thread enqueues work between the test and the change.
            over && {
                self.lost.store(true, Ordering::Relaxed);
                true
            }
        });
        self.set_dropping(false);
        outcome
    }

    fn set_dropping(&self, dropping: bool) {
        if let Some(queue) = lock(&self.executor.state).queues.get_mut(&self.id) {
            queue.dropping = dropping;
        }
    }

    pub(crate) fn check(&self) -> Result<(), DriverError> {
        self.check_lost()?;
        if self.is_here() { Ok(()) } else { Err(DriverError::WrongThread { device: Device::Cpu }) }
    }

    fn check_lost(&self) -> Result<(), DriverError> {
        let status = Status::ILLEGAL_ADDRESS;
        let lost = self.lost.load(Ordering::Relaxed);
        if lost { Err(DriverError::Poisoned { device: Device::Cpu, status }) } else { Ok(()) }
    }

    pub(crate) fn executor(&self) -> &Arc<Executor> {
        &self.executor
    }

    pub(crate) fn push_run(&self, work: Work) -> Result<(), DriverError> {
        self.push(Item::Run(work))
    }

    pub(crate) fn push_wait(&self, done: Arc<AtomicBool>) -> Result<(), DriverError> {
        self.push(Item::Wait(done))
    }

    pub(crate) fn push_record(&self) -> Result<Arc<AtomicBool>, DriverError> {
        let done = Arc::new(AtomicBool::new(false));
        self.push(Item::Record(Arc::clone(&done)))?;
        Ok(done)
    }

    fn push(&self, item: Item) -> Result<(), DriverError> {
        let mut state = lock(&self.executor.state);
        self.check_lost()?;
        if let Some(queue) = state.queues.get_mut(&self.id) {
            queue.items.push_back(item);
            queue.enqueued += 1;
        }
        drop(state);
        self.executor.changed.notify_all();
        Ok(())
    }

    pub(crate) fn is_idle(&self) -> bool {
        let state = lock(&self.executor.state);
        state.queues.get(&self.id).is_none_or(|queue| queue.finished == queue.enqueued)
    }

    pub(crate) fn settle(&self) -> Result<(), DriverError> {
        let target = lock(&self.executor.state).queues.get(&self.id).map_or(0, |queue| queue.enqueued);
        self.executor.run_until(|state| state.queues.get(&self.id).is_none_or(|queue| queue.finished >= target))
    }
}

impl Drop for QueueHandle {
    fn drop(&mut self) {
        let mut state = lock(&self.executor.state);
        if let Some(queue) = state.queues.get_mut(&self.id) {
            queue.closed = true;
        }
        state.remove_if_over(self.id);
    }
}
