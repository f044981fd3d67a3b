//! CPU streams that queue their work and run it late. The order is random, but respects the order of each stream and
//! the waits between streams.
//!
//! Such streams make missing synchronization visible on a machine without a GPU.
#![doc(hidden)]

use std::sync::Arc;

use crate::executor::{Executor, Nature};
use crate::stream::Kind;
use crate::{Result, Stream};

/// Creates deferred CPU streams and runs their work. A clone shares the streams.
#[derive(Clone, Debug)]
pub struct DeferredCpu(Arc<Executor>);

impl DeferredCpu {
    /// Creates an executor without streams. The executor chooses the next piece of work with a random number generator
    /// that starts from `seed`. If a program has only one thread, the same seed always gives the same order.
    pub fn new(seed: u64) -> DeferredCpu {
        DeferredCpu(Arc::new(Executor::new(seed)))
    }

    /// Creates a stream on the CPU.
    ///
    /// When the last stream and the last clone of this value have been dropped, the remaining work runs.
    pub fn stream(&self) -> Stream {
        Stream::deferred(Arc::clone(&self.0))
    }

    /// Creates a stream that memory pools treat as a stream of other code, as they treat streams of
    /// [`Stream::from_raw`].
    pub fn foreign_stream(&self) -> Stream {
        Stream::deferred_as(Arc::clone(&self.0), Nature::Foreign)
    }

    /// Creates a stream that only the calling thread may use, like [`Stream::per_thread`].
    pub fn thread_stream(&self) -> Stream {
        Stream::deferred_as(Arc::clone(&self.0), Nature::Thread(std::thread::current().id()))
    }

    /// Makes every later call on `stream` fail. On a device, calls fail in the same way after a fatal error.
    ///
    /// The function first runs the work of other streams that `stream` waits for. Then it drops the work of `stream`,
    /// which never runs. The events of the dropped work complete.
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

    /// Sets whether queries of events and waits for events fail on all threads, except on [background threads of this
    /// library](crate::enter_background_thread). The driver behaves in this way while other code captures a graph in
    /// global mode.
    pub fn set_capturing(&self, capturing: bool) {
        self.0.set_capturing(capturing);
    }

    /// Sets whether every query of an event and every wait for an event returns an error. The driver returns such
    /// errors for events that are part of a capture.
    pub fn set_mute(&self, mute: bool) {
        self.0.set_mute(mute);
    }

    /// Runs work until no work is left on any stream.
    ///
    /// A closure that runs on a stream may call this function. Work that waits for that closure then does not run.
    pub fn run_all(&self) {
        self.0.run_all();
    }

    /// Chooses a stream at random and runs its next piece of work. Returns `false` if no work can run now.
    pub fn step(&self) -> bool {
        self.0.step()
    }
}
