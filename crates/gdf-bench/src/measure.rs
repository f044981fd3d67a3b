//! Times one case, by the same method as the programs that time the peers.
//!
//! First, at most three calls run as a warm-up. Then the timed calls run. The clock is read before each call, and again
//! after the call and a wait for the stream. The result is dropped after the second reading. The memory, the launches
//! and the waits of a call are measured during the warm-up, because measuring would slow the timed calls.

use std::any::Any;
use std::time::{Duration, Instant};

use gdf::memory::{Resource, current_resource};
use gdf::{Result, Stream, scope};

use crate::peak::PeakResource;

const WARM_UPS: usize = 3;

/// The call that a case times. The call returns its result, because the result must not be dropped before the clock is
/// read.
pub(crate) type Run = Box<dyn FnMut() -> Result<Box<dyn Any>>>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figures {
    pub(crate) median_ms: f64,
    pub(crate) min_ms: f64,
    /// The largest number of bytes of the current resource that the call held at once, including the result.
    pub(crate) peak_bytes: usize,
    pub(crate) launches: u64,
    /// The number of waits of a call. The wait at the end of a timed call is not included.
    pub(crate) waits: u64,
}

/// Times `run`. After the warm-up, the function makes `repetitions` calls. If the time `limit` is reached earlier, the
/// function makes fewer calls, but at least one.
pub(crate) fn measure(run: &mut Run, stream: &Stream, repetitions: usize, limit: Option<Duration>) -> Result<Figures> {
    let begin = Instant::now();
    let spent = |share: f64| limit.is_some_and(|limit| begin.elapsed() >= limit.mul_f64(share));
    let peak = PeakResource::new(current_resource(stream.device())?);
    let watched = Resource::new(peak.clone());
    let mut calls = stream.counters();
    for done in 0..WARM_UPS {
        if done > 0 && spent(0.3) {
            break;
        }
        let before = stream.counters();
        let result = scope::with_resource(&watched, &mut *run)?;
        calls = stream.counters() - before;
        drop(result);
        stream.synchronize()?;
    }
    let mut times = Vec::with_capacity(repetitions);
    while times.is_empty() || (times.len() < repetitions && !spent(1.0)) {
        let start = Instant::now();
        let result = run()?;
        stream.synchronize()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        drop(result);
    }
    let (median_ms, min_ms) = median_and_min(&mut times);
    Ok(Figures { median_ms, min_ms, peak_bytes: peak.peak(), launches: calls.launches, waits: calls.waits })
}

/// Returns the median and the minimum. If the number of times is even, the median is the mean of the two times in the
/// middle.
fn median_and_min(times: &mut [f64]) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    let (low, high) = (times[(times.len() - 1) / 2], times[times.len() / 2]);
    ((low + high) / 2.0, times[0])
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use gdf::Error;
    use gdf::memory::Buffer;

    use super::*;

    fn counted(calls: &Rc<Cell<usize>>) -> Run {
        let calls = Rc::clone(calls);
        Box::new(move || {
            calls.set(calls.get() + 1);
            Ok(Box::new(()))
        })
    }

    #[test]
    fn calls_are_warm_ups_and_repetitions() {
        let calls = Rc::new(Cell::new(0));
        let figures = measure(&mut counted(&calls), &Stream::cpu(), 9, None).unwrap();
        assert_eq!(calls.get(), WARM_UPS + 9);
        assert!(figures.min_ms <= figures.median_ms);
        assert_eq!((figures.peak_bytes, figures.launches, figures.waits), (0, 0, 0));
    }

    #[test]
    fn without_time_there_is_one_of_each() {
        let calls = Rc::new(Cell::new(0));
        measure(&mut counted(&calls), &Stream::cpu(), 9, Some(Duration::ZERO)).unwrap();
        assert_eq!(calls.get(), 2);
    }

    #[test]
    fn memory_of_a_call_is_seen() {
        let stream = Stream::cpu();
        let inner = stream.clone();
        let mut run: Run = Box::new(move || {
            let scope = scope::Scope::on("test", inner.device())?;
            Ok(Box::new(Buffer::uninitialized(1000, &inner, scope.resources().output)?))
        });
        assert_eq!(measure(&mut run, &stream, 3, None).unwrap().peak_bytes, 1024);
    }

    #[test]
    fn errors_are_passed_on() {
        let mut run: Run = Box::new(|| Err(Error::invalid_argument("this")));
        assert!(measure(&mut run, &Stream::cpu(), 3, None).is_err());
    }

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median_and_min(&mut [3.0]), (3.0, 3.0));
        assert_eq!(median_and_min(&mut [3.0, 1.0]), (2.0, 1.0));
        assert_eq!(median_and_min(&mut [9.0, 1.0, 2.0]), (2.0, 1.0));
    }
}
