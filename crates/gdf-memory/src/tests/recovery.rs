//! Tests of retrying and of halving the input after memory ran out.

use std::sync::{Arc, Mutex};

use gdf_driver::{Device, DriverError, Stream};

use super::host;
use crate::{
    Buffer, CachingResource, Fault, FaultInjectionResource, LimitingResource, MemoryError, Resource, SplitBounds,
    retry, set_spill_hook, split,
};

/// The whole process shares the spill hooks.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn with_hook<T>(hook: impl Fn(usize) -> usize + Send + Sync + 'static, run: impl FnOnce() -> T) -> T {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    assert!(set_spill_hook(Device::Cpu, Some(Arc::new(hook))).is_none());
    let outcome = run();
    assert!(set_spill_hook(Device::Cpu, None).is_some());
    outcome
}

#[test]
fn what_is_kept_is_given_back_first() {
    let limited = Resource::new(LimitingResource::new(host(), 10_000));
    let caching = Resource::new(CachingResource::new(limited.clone()));
    let stream = Stream::cpu();
    drop(Buffer::zeroed(6000, &stream, caching.as_ref()).unwrap());
    // The allocation uses the limited resource directly.
    let take = || Buffer::zeroed(6000, &stream, limited.as_ref());
    assert!(take().unwrap_err().is_out_of_memory());
    with_hook(|_| 0, || assert!(retry(&caching, 2, take).is_ok()));
}

#[test]
fn spilling_goes_on_while_it_frees_something() {
    let limited = Resource::new(LimitingResource::new(host(), 4096));
    let stream = Stream::cpu();
    let block = || Buffer::zeroed(1024, &stream, limited.as_ref()).unwrap();
    let kept = Arc::new(Mutex::new(vec![block(), block(), block(), block()]));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (cache, seen) = (Arc::clone(&kept), Arc::clone(&asked));
    let hook = move |bytes: usize| {
        seen.lock().unwrap().push(bytes);
        cache.lock().unwrap().pop().map_or(0, |buffer| buffer.len())
    };
    with_hook(hook, || {
        let take = || Buffer::zeroed(3000, &stream, limited.as_ref());
        assert!(retry(&limited, 2, take).is_err(), "two attempts are not enough");
        assert_eq!(kept.lock().unwrap().len(), 3);
        assert!(retry(&limited, 10, take).is_ok());
        assert_eq!((kept.lock().unwrap().len(), asked.lock().unwrap().len()), (1, 3));
        assert!(asked.lock().unwrap().iter().all(|&bytes| bytes == 3000));
        // The request exceeds the limit.
        let mut runs = 0;
        let refused = retry(&limited, 1000, || {
            runs += 1;
            Buffer::zeroed(5000, &stream, limited.as_ref())
        });
        assert!(refused.unwrap_err().is_out_of_memory() && runs < 5, "{runs}");
    });
}

#[test]
fn nothing_is_tried_again_before_memory_is_freed() {
    let limited = Resource::new(LimitingResource::new(host(), 4096));
    let mut runs = 0;
    let refused = with_hook(
        |_| 0,
        || {
            retry(&limited, 10, || {
                runs += 1;
                Buffer::zeroed(5000, &Stream::cpu(), limited.as_ref())
            })
        },
    );
    assert!(refused.unwrap_err().is_out_of_memory());
    assert_eq!(runs, 1);
}

#[test]
fn other_errors_are_not_tried_again() {
    let mut runs = 0;
    let outcome: Result<(), MemoryError> = retry(&host(), 5, || {
        runs += 1;
        Err(MemoryError::Driver(DriverError::NoDriver { reason: String::new() }))
    });
    assert!(outcome.is_err() && runs == 1);
}

#[test]
fn halves_cover_all_rows_once_and_in_order() {
    for (rows, limit, min) in [(0, 4096, 1), (1, 4096, 1), (10_000, 1024, 1), (10_001, 768, 100), (4096, 1 << 20, 1)] {
        let limited = Resource::new(LimitingResource::new(host(), limit));
        let stream = Stream::cpu();
        let bounds = SplitBounds { attempts: 1, least_rows: min };
        let pieces = split(&limited, rows, bounds, |piece| {
            Buffer::zeroed(piece.len(), &stream, limited.as_ref()).map(|_| piece)
        });
        let pieces = pieces.unwrap();
        assert_eq!((pieces[0].start, pieces.last().unwrap().end), (0, rows));
        assert!(pieces.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert!(pieces.len() <= rows.div_ceil(limit) * 2 + 1, "{rows} {limit}: {} pieces", pieces.len());
    }
    let limited = Resource::new(LimitingResource::new(host(), 1024));
    let bounds = SplitBounds { attempts: 1, least_rows: 2000 };
    let refused =
        split(&limited, 10_000, bounds, |piece| Buffer::zeroed(piece.len(), &Stream::cpu(), limited.as_ref()));
    assert!(refused.unwrap_err().is_out_of_memory());
}

#[test]
fn random_failures_are_survived() {
    let faults = [Fault::Random { probability: 0.5, seed: 3 }];
    let failing = Resource::new(FaultInjectionResource::new(host(), faults));
    let stream = Stream::cpu();
    with_hook(
        |_| 1,
        || {
            for _ in 0..if cfg!(miri) { 5 } else { 100 } {
                let take = || Buffer::zeroed(100, &stream, failing.as_ref());
                assert!(retry(&failing, 64, take).is_ok());
            }
        },
    );
}
