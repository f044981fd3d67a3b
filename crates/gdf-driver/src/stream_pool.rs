//! Pools of streams for parallel work (RMM's `cuda_stream_pool`, libcudf's `fork_streams` and `join_streams`).

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Device, DriverError, Result, Stream};

/// A fixed number of streams of one device. The pool returns one stream after the other, and then begins again with the
/// first. Threads can share a pool.
///
/// ```
/// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
/// use gdf::{Device, Stream, driver::StreamPool, driver::join};
///
/// let (pool, stream) = (StreamPool::new(Device::Cpu, 4)?, Stream::cpu());
/// let forked = pool.fork(&stream, 2)?;
/// forked[0].enqueue(|| println!("one half"))?;
/// forked[1].enqueue(|| println!("the other"))?;
/// join(&forked, &stream)?;
/// # Ok::<(), gdf_driver::DriverError>(())
/// ```
#[derive(Debug)]
pub struct StreamPool {
    streams: Box<[Stream]>,
    next: AtomicUsize,
}

impl StreamPool {
    /// The default number of streams. RMM has the same default.
    pub const DEFAULT_SIZE: usize = 16;

    /// The largest number of streams in a pool, and the largest number that one call of [`StreamPool::fork`] can
    /// request.
    pub const MOST: usize = 1 << 16;

    fn check(asked: usize) -> Result<()> {
        if asked <= Self::MOST { Ok(()) } else { Err(DriverError::TooManyStreams { asked, most: Self::MOST }) }
    }

    /// Returns a pool of `size` streams of `device`.
    ///
    /// # Errors
    /// - the errors of [`Stream::new`]
    /// - [`DriverError::TooManyStreams`]: `size` is above [`StreamPool::MOST`]
    /// - [`DriverError::NoStreams`]: `size` is 0
    pub fn new(device: Device, size: usize) -> Result<StreamPool> {
        Self::check(size)?;
        if size == 0 {
            return Err(DriverError::NoStreams);
        }
        let streams = (0..size).map(|_| Stream::new(device)).collect::<Result<_>>()?;
        Ok(StreamPool { streams, next: AtomicUsize::new(0) })
    }

    /// Returns the number of streams in the pool.
    pub fn size(&self) -> usize {
        self.streams.len()
    }

    /// Returns the next stream.
    pub fn get(&self) -> &Stream {
        self.at(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns the stream whose index is `number` modulo the size of the pool.
    pub fn at(&self, number: usize) -> &Stream {
        &self.streams[number % self.streams.len()]
    }

    /// Returns the next `count` streams, and makes them wait for all work that is enqueued on `stream` so far.
    ///
    /// If `count` is above the size of the pool, the result contains some streams several times.
    ///
    /// # Errors
    /// - the errors of [`fork`]; [`DriverError::TooManyStreams`] if `count` is above [`StreamPool::MOST`]
    pub fn fork(&self, stream: &Stream, count: usize) -> Result<Vec<Stream>> {
        Self::check(count)?;
        let streams: Vec<Stream> = (0..count).map(|_| self.get().clone()).collect();
        fork(stream, &streams)?;
        Ok(streams)
    }
}

/// Makes each of `streams` wait for all work that is enqueued on `stream` so far.
///
/// # Errors
/// - the errors of [`Stream::record_from_anywhere`] and [`Stream::wait`]
pub fn fork(stream: &Stream, streams: &[Stream]) -> Result<()> {
    let event = stream.record_from_anywhere()?;
    streams.iter().try_for_each(|forked| forked.wait(&event))
}

/// Makes `stream` wait for all work that is enqueued on `streams` so far.
///
/// # Errors
/// - the errors of [`Stream::record_from_anywhere`] and [`Stream::wait`]
pub fn join(streams: &[Stream], stream: &Stream) -> Result<()> {
    streams.iter().try_for_each(|forked| stream.wait_for(forked))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deferred::DeferredCpu;
    use std::sync::{Arc, Mutex};

    #[test]
    fn streams_come_in_turn() {
        let pool = StreamPool::new(Device::Cpu, 3).unwrap();
        let ids: Vec<u64> = (0..6).map(|_| pool.get().id()).collect();
        assert_eq!(ids[..3], ids[3..]);
        assert_eq!((pool.at(4), pool.size()), (pool.at(1), 3));
        assert_eq!(StreamPool::new(Device::Cpu, 0).unwrap_err(), DriverError::NoStreams);
    }

    #[test]
    fn more_streams_than_there_can_be_are_refused() {
        let pool = StreamPool::new(Device::Cpu, 2).unwrap();
        let stream = Stream::cpu();
        for asked in [StreamPool::MOST + 1, usize::MAX] {
            let refused = DriverError::TooManyStreams { asked, most: StreamPool::MOST };
            assert_eq!(pool.fork(&stream, asked).unwrap_err(), refused);
            assert_eq!(StreamPool::new(Device::Cpu, asked).unwrap_err(), refused);
        }
        assert_eq!(pool.fork(&stream, 5).unwrap().len(), 5);
    }

    #[test]
    fn forked_work_runs_between_what_was_before_and_what_is_after() {
        for seed in 0..50 {
            let executor = DeferredCpu::new(seed);
            let (stream, forked) = (executor.stream(), [executor.stream(), executor.stream()]);
            let seen = Arc::new(Mutex::new(Vec::new()));
            let note = |stream: &Stream, what: u32| {
                let seen = Arc::clone(&seen);
                stream.enqueue(move || seen.lock().unwrap().push(what)).unwrap();
            };
            note(&stream, 0);
            fork(&stream, &forked).unwrap();
            note(&forked[0], 1);
            note(&forked[1], 1);
            join(&forked, &stream).unwrap();
            note(&stream, 2);
            executor.run_all();
            assert_eq!(*seen.lock().unwrap(), [0, 1, 1, 2]);
        }
    }
}
