//! CPU streams that queue their work and run the work late. The order is random, but respects the order of each stream
//! and the waits between streams.
//!
//! Such streams make missing synchronization visible on a machine without a GPU. Suppose that code frees, reads or
//! overwrites memory, and does not order this access after the enqueued work that uses the memory. If the stream is
//! deferred, the work has often not run yet at the time of the access, so a test can fail.
#![doc(hidden)]

use std::sync::Arc;

use crate::executor::{Executor, Nature};
use crate::stream::Kind;
use crate::{Result, Stream};

/// Creates deferred CPU streams and runs their work. A clone shares the streams.
#[derive(Clone, Debug)]
pub struct DeferredCpu(Arc<Executor>);

impl DeferredCpu {
    /// Creates a set without streams. A random number generator with the seed `seed` chooses the next piece of work. A
    /// program with one thread therefore always runs its work in the same order.
    pub fn new(seed: u64) -> DeferredCpu {
        DeferredCpu(Arc::new(Executor::new(seed)))
    }

    /// Creates a stream, whose device is the CPU.
    ///
    /// When the last stream and the last clone of this value are dropped, the remaining work runs.
    pub fn stream(&self) -> Stream {
        Stream::deferred(Arc::clone(&self.0))
    }

    /// Creates a stream that memory pools treat as a stream of other code, like a stream of [`Stream::from_raw`].
    pub fn foreign_stream(&self) -> Stream {
        Stream::deferred_as(Arc::clone(&self.0), Nature::Foreign)
    }

    /// Creates a stream that only the calling thread may use, like [`Stream::per_thread`].
    pub fn thread_stream(&self) -> Stream {
        Stream::deferred_as(Arc::clone(&self.0), Nature::Thread(std::thread::current().id()))
    }

    /// Makes every later call on `stream` fail, as calls fail on a device after a fatal error.
    ///
    /// The function first runs the work of other streams that `stream` waits for. The work of `stream` itself is
    /// dropped and never runs, and its events complete.
    ///
    /// # Errors
    /// - [`DriverError::Deadlock`](crate::DriverError::Deadlock): the stream waits for work that the calling thread
    ///   is currently running. The stream is not lost in this case.
    pub fn lose(&self, stream: &Stream) -> Result<()> {
        match stream.kind() {
            Kind::Deferred(queue) => queue.lose(),
            _ => Ok(()),
        }
    }

    /// Makes queries of events fail on all threads except [background threads of this
    /// library](crate::enter_background_thread), as the driver does while other code captures a graph in global mode.
    pub fn set_capturing(&self, capturing: bool) {
        self.0.set_capturing(capturing);
    }

    /// Makes every query of an event return an error, as the driver does for events that are part of a capture.
    pub fn set_mute(&self, mute: bool) {
        self.0.set_mute(mute);
    }

    /// Runs work until no work is left on any stream.
    ///
    /// If a closure that runs on a stream calls this function, work that waits for that closure does not run.
    pub fn run_all(&self) {
        self.0.run_all();
    }

    /// Runs the next piece of work of a stream that is chosen at random. Returns `false` if no work can run now.
    pub fn step(&self) -> bool {
        self.0.step()
    }
}
