//! Runs the work of deferred CPU streams in a random order that respects each stream's order and events.
//!
//! There are no threads here: work runs on whatever thread waits for it or steps the executor, never under the lock.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::ThreadId;

use crate::context::lock;
use crate::own_threads::is_own_thread;
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
    /// The thread that runs this queue's head now.
    running: Option<ThreadId>,
    /// Nobody can enqueue any more.
    closed: bool,
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
    /// A xorshift generator: reproducible from the seed on every machine.
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

/// The queues of a set of deferred streams.
pub(crate) struct Executor {
    state: Mutex<State>,
    changed: Condvar,
    /// Questions for events are refused.
    mute: AtomicBool,
    /// The same on threads that are not our own.
    capturing: AtomicBool,
}

impl Executor {
    pub(crate) fn new(seed: u64) -> Executor {
        // The generator never leaves zero.
        let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xd1b5_4a32_d192_ed03;
        let random = if random == 0 { 1 } else { random };
        Executor {
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

    /// What `call` says of an event, before it looks: the error of a driver that does not answer now.
    pub(crate) fn answer(&self, call: &'static str) -> Result<(), DriverError> {
        let captured = self.capturing.load(Ordering::Relaxed) && !is_own_thread();
        if !captured && !self.mute.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(DriverError::Call { call, status: Status(900), device: Some(Device::Cpu) })
    }

    /// Runs the head of one queue chosen at random. `false` if none can run now.
    pub(crate) fn step(&self) -> bool {
        self.advance(lock(&self.state)).is_ok()
    }

    /// Runs until every queue is empty.
    pub(crate) fn run_all(&self) {
        self.run_until(|state| state.queues.values().all(|queue| queue.items.is_empty() && queue.running.is_none()));
    }

    /// Runs until the event of this flag is complete.
    pub(crate) fn run_until_done(&self, done: &AtomicBool) {
        self.run_until(|_| done.load(Ordering::Acquire));
    }

    fn run_until(&self, satisfied: impl Fn(&State) -> bool) {
        let thread = std::thread::current().id();
        loop {
            let state = lock(&self.state);
            if satisfied(&state) {
                return;
            }
            let Err(state) = self.advance(state) else { continue };
            let elsewhere = |queue: &Queue| queue.running.is_some_and(|running| running != thread);
            if !state.queues.values().any(elsewhere) {
                // Only work that this thread is in the middle of stands in the way.
                return;
            }
            drop(self.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner()));
        }
    }

    /// Runs one item, or gives the lock back if none can run.
    fn advance<'a>(&'a self, mut state: MutexGuard<'a, State>) -> Result<(), MutexGuard<'a, State>> {
        let Some(id) = state.pick() else { return Err(state) };
        let Some(queue) = state.queues.get_mut(&id) else { return Err(state) };
        match queue.items.pop_front() {
            Some(Item::Run(work)) => {
                queue.running = Some(std::thread::current().id());
                drop(state);
                let _running = Running { executor: self, id };
                work();
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

/// The head of a queue is running; also when it panics, the queue goes on after it.
struct Running<'a> {
    executor: &'a Executor,
    id: u64,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        lock(&self.executor.state).finish(self.id);
        self.executor.changed.notify_all();
    }
}

impl Drop for Executor {
    /// Runs what is left: memory is released by enqueued work.
    fn drop(&mut self) {
        while catch_unwind(AssertUnwindSafe(|| self.step())).unwrap_or(true) {}
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Executor")
    }
}

/// What a deferred stream stands for in a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// A stream of ours.
    Own,
    /// One that somebody else owns.
    Foreign,
    /// The per-thread constant, as this thread has it.
    Thread(ThreadId),
}

/// A stream's queue; closed when dropped.
pub(crate) struct QueueHandle {
    executor: Arc<Executor>,
    id: u64,
    nature: Nature,
    /// Its device is as good as poisoned.
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

    pub(crate) fn lose(&self) {
        self.lost.store(true, Ordering::Relaxed);
    }

    /// `Ok` if the stream may be used from this thread.
    pub(crate) fn check(&self) -> Result<(), DriverError> {
        if self.lost.load(Ordering::Relaxed) {
            return Err(DriverError::Poisoned { device: Device::Cpu, status: Status::ILLEGAL_ADDRESS });
        }
        if self.is_here() { Ok(()) } else { Err(DriverError::WrongThread { device: Device::Cpu }) }
    }

    pub(crate) fn executor(&self) -> &Arc<Executor> {
        &self.executor
    }

    pub(crate) fn push_run(&self, work: Work) {
        self.push(Item::Run(work));
    }

    pub(crate) fn push_wait(&self, done: Arc<AtomicBool>) {
        self.push(Item::Wait(done));
    }

    pub(crate) fn push_record(&self) -> Arc<AtomicBool> {
        let done = Arc::new(AtomicBool::new(false));
        self.push(Item::Record(Arc::clone(&done)));
        done
    }

    fn push(&self, item: Item) {
        if let Some(queue) = lock(&self.executor.state).queues.get_mut(&self.id) {
            queue.items.push_back(item);
            queue.enqueued += 1;
        }
        self.executor.changed.notify_all();
    }

    pub(crate) fn is_idle(&self) -> bool {
        let state = lock(&self.executor.state);
        state.queues.get(&self.id).is_none_or(|queue| queue.finished == queue.enqueued)
    }

    /// Runs everything enqueued on this queue so far.
    pub(crate) fn settle(&self) {
        let target = lock(&self.executor.state).queues.get(&self.id).map_or(0, |queue| queue.enqueued);
        self.executor.run_until(|state| state.queues.get(&self.id).is_none_or(|queue| queue.finished >= target));
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
