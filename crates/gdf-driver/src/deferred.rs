//! CPU streams that queue their work and run it late, in a random order within the rules.
//!
//! They make mistakes visible on a machine without a GPU: whoever frees, reads or overwrites memory without ordering it
//! after the work that uses it, meets that work still waiting.
#![doc(hidden)]

use std::sync::Arc;

use crate::executor::{Executor, Nature};
use crate::stream::Kind;
use crate::{Result, Stream};

/// Makes deferred CPU streams and runs their work. Cloning shares it.
#[derive(Clone, Debug)]
pub struct DeferredCpu(Arc<Executor>);

impl DeferredCpu {
    /// Work is chosen by a generator started with `seed`: the same program on one thread runs in the same order.
    pub fn new(seed: u64) -> DeferredCpu {
        DeferredCpu(Arc::new(Executor::new(seed)))
    }

    /// A new stream. Its device is the CPU. Work that is left when everything else is gone runs then.
    pub fn stream(&self) -> Stream {
        Stream::deferred(Arc::clone(&self.0))
    }

    /// A new stream that the pools see as one that somebody else owns, as those of [`Stream::from_raw`].
    pub fn foreign_stream(&self) -> Stream {
        Stream::deferred_as(Arc::clone(&self.0), Nature::Foreign)
    }

    /// A new stream that only the calling thread may use, as [`Stream::per_thread`].
    pub fn thread_stream(&self) -> Stream {
        Stream::deferred_as(Arc::clone(&self.0), Nature::Thread(std::thread::current().id()))
    }

    /// Makes every later call on `stream` fail, as those of a device after a fatal error. What is enqueued on it is
    /// dropped and never runs, after what it waits for on other streams has run; its events complete.
    ///
    /// # Errors
    /// - [`DriverError::Deadlock`](crate::DriverError::Deadlock): the stream waits for work that the calling thread is in
    ///   the middle of. It is not lost.
    pub fn lose(&self, stream: &Stream) -> Result<()> {
        match stream.kind() {
            Kind::Deferred(queue) => queue.lose(),
            _ => Ok(()),
        }
    }

    /// Has questions for events refused on all threads but [our own](crate::enter_background_thread), as the driver does while one
    /// captures a graph in global mode.
    pub fn set_capturing(&self, capturing: bool) {
        self.0.set_capturing(capturing);
    }

    /// Has every question for an event refused, as the driver does for events that are part of a capture.
    pub fn set_mute(&self, mute: bool) {
        self.0.set_mute(mute);
    }

    /// Runs until no work is left on any stream; within work, what does not wait for that work.
    pub fn run_all(&self) {
        self.0.run_all();
    }

    /// Runs the next piece of work of one stream chosen at random; `false` if none can run.
    pub fn step(&self) -> bool {
        self.0.step()
    }
}
