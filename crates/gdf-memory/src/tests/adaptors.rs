//! Tests of the functions that adaptors add to their upstream.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use gdf_driver::Stream;

use super::host;
use crate::{
    AlignedResource, BinningResource, Buffer, FailureCallbackResource, Fault, FaultInjectionResource, LOG_HEADER,
    LimitingResource, LoggingResource, MemoryError, MemoryResource, PoolOptions, PoolResource, Resource,
    StatisticsResource, TrackingResource,
};

fn take(resource: &Resource, bytes: usize) -> crate::Result<Buffer> {
    Buffer::uninitialized(bytes, &Stream::cpu(), resource.as_ref())
}

#[test]
fn a_limit_is_exact_and_what_goes_back_counts() {
    let limiting = LimitingResource::new(host(), 1024);
    let resource = Resource::new(limiting.clone());
    let first = take(&resource, 512).unwrap();
    let second = take(&resource, 200).unwrap();
    assert_eq!((limiting.allocated_bytes(), limiting.allocation_limit()), (768, 1024));
    let error = take(&resource, 257).unwrap_err();
    let MemoryError::OutOfMemory { requested: 257, free: Some(free), resource: "limiting" } = error else {
        panic!("{error:?}")
    };
    assert_eq!((free.bytes, error.to_string().contains("256 bytes are free")), (256, true));
    let third = take(&resource, 256).unwrap();
    drop((first, second));
    assert_eq!(limiting.allocated_bytes(), 256);
    drop(third);
    // A request that the upstream refuses is not added to the allocated bytes.
    let failing = Resource::new(FaultInjectionResource::new(host(), [Fault::Nth(1)]));
    let limiting = LimitingResource::new(failing, 1024);
    assert!(take(&Resource::new(limiting.clone()), 100).is_err());
    assert_eq!(limiting.allocated_bytes(), 0);
}

#[test]
fn what_a_hook_that_panics_did_not_give_does_not_count() {
    let (failing, calls) = (Resource::new(FaultInjectionResource::new(host(), [Fault::Nth(1)])), AtomicBool::new(true));
    let hook =
        move |_, _| if calls.swap(false, Ordering::SeqCst) { panic!("a user's hook, on purpose") } else { false };
    let limiting = LimitingResource::new(Resource::new(FailureCallbackResource::new(failing, hook)), 1 << 20);
    let options = PoolOptions::new().granule(4096);
    let pool = PoolResource::with_options(Resource::new(limiting.clone()), options).unwrap();
    let resource = Resource::new(pool.clone());
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| take(&resource, 1 << 10)));
    assert!(outcome.is_err());
    assert_eq!((limiting.allocated_bytes(), pool.reserved_bytes()), (0, 0));
    assert!(take(&Resource::new(limiting), 1 << 20).is_ok());
}

#[test]
fn statistics_nest() {
    let counted = StatisticsResource::new(host());
    let resource = Resource::new(counted.clone());
    let outer = take(&resource, 1024).unwrap();
    counted.push();
    let inner = take(&resource, 64).unwrap();
    drop(take(&resource, 128).unwrap());
    drop(outer);
    let seen = counted.statistics();
    assert_eq!((seen.bytes.current, seen.bytes.peak, seen.bytes.total), (64 - 1024, 192, 192));
    assert_eq!((seen.allocations.current, seen.allocations.peak, seen.allocations.total), (0, 2, 2));
    assert_eq!(counted.pop(), Some(seen));
    assert_eq!(counted.pop(), None);
    let all = counted.statistics();
    assert_eq!((all.bytes.current, all.bytes.peak, all.bytes.total), (64, 1216, 1216));
    drop(inner);
    assert_eq!(counted.statistics().allocations.current, 0);
}

#[test]
fn tracking_knows_what_is_outstanding() {
    let tracking = TrackingResource::new(host(), true);
    let resource = Resource::new(tracking.clone());
    let (first, second) = (take(&resource, 100).unwrap(), take(&resource, 200).unwrap());
    drop(first);
    let left = tracking.outstanding();
    assert_eq!((left.len(), left[0].bytes, left[0].number, tracking.outstanding_bytes()), (1, 256, 1, 256));
    assert!(left[0].backtrace.is_some() && left[0].to_string().contains("256 bytes"), "{}", left[0]);
    drop(second);
    assert_eq!((tracking.outstanding().len(), tracking.faults()), (0, 0));
    let stream = Stream::cpu();
    let foreign = TrackingResource::new(host(), false);
    let block = host().allocate(64, 64, &stream).unwrap();
    // SAFETY: all host resources are equal, so the adaptor may free the block. The adaptor has not allocated the block,
    // and must report the free as an error.
    unsafe { foreign.deallocate(block, 64, 64, &stream) };
    assert_eq!(foreign.faults(), 1);
}

#[derive(Clone, Default)]
struct Text(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Text {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_log_has_a_line_for_everything() {
    let text = Text::default();
    let failing = Resource::new(FaultInjectionResource::new(host(), [Fault::Nth(2)]));
    let logging = LoggingResource::new(failing, text.clone()).unwrap();
    let (stream, resource) = (Stream::cpu(), Resource::new(logging.clone()));
    let buffer = Buffer::uninitialized(100, &stream, resource.as_ref()).unwrap();
    assert!(Buffer::uninitialized(64, &stream, resource.as_ref()).is_err());
    drop(buffer);
    logging.flush().unwrap();
    let text = String::from_utf8(text.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0].join(","), LOG_HEADER);
    let actions: Vec<(&str, &str)> = lines[1..].iter().map(|line| (line[2], line[4])).collect();
    assert_eq!(actions, [("allocate", "128"), ("allocate failure", "64"), ("free", "128")]);
    assert!(lines.iter().all(|line| line.len() == 6));
    assert!(lines[1][3] == lines[3][3] && lines[1][3].starts_with("0x"));
    assert_eq!(lines[1][5], format!("{:#x}", stream.id()));
    assert_eq!(lines[1][1].len(), "12:34:56.123456".len());
}

#[test]
fn alignment_from_a_size_on() {
    let aligned = AlignedResource::new(host(), 1 << 14, 1000).unwrap();
    let stream = Stream::cpu();
    let mut seen_small = false;
    let mut blocks = Vec::new();
    for bytes in [1, 999, 1000, 1001, 5000, 1000, 999] {
        let ptr = aligned.allocate(bytes, 64, &stream).unwrap();
        if bytes >= 1000 {
            assert_eq!(ptr.as_ptr().addr() % (1 << 14), 0);
        } else {
            seen_small |= ptr.as_ptr().addr() % (1 << 14) != 0;
        }
        blocks.push((ptr, bytes));
    }
    assert!(seen_small);
    for (ptr, bytes) in blocks {
        // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
        unsafe { aligned.deallocate(ptr, bytes, 64, &stream) };
    }
    // The adaptor requests the alignment 256.
    let aligned = AlignedResource::new(host(), 256, 300).unwrap();
    let blocks: Vec<_> = (0..20).map(|_| aligned.allocate(300, 16, &stream).unwrap()).collect();
    assert!(blocks.iter().all(|ptr| ptr.as_ptr().addr() % 256 == 0));
    for ptr in blocks {
        // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
        unsafe { aligned.deallocate(ptr, 300, 16, &stream) };
    }
    assert!(AlignedResource::new(host(), 128, 0).is_err() && AlignedResource::new(host(), 3000, 0).is_err());
}

#[test]
fn a_callback_is_asked_until_it_gives_up() {
    let calls = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&calls);
    let failing = Resource::new(FaultInjectionResource::new(host(), [Fault::Nth(1), Fault::Nth(2), Fault::From(5)]));
    let callback = move |bytes: usize, failures: usize| {
        assert_eq!(bytes, 128);
        seen.fetch_add(1, Ordering::SeqCst);
        failures < 3
    };
    let resource = Resource::new(FailureCallbackResource::new(failing, callback));
    assert!(take(&resource, 100).is_ok());
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    assert!(take(&resource, 100).is_ok());
    assert!(take(&resource, 100).unwrap_err().is_out_of_memory());
    assert_eq!(calls.load(Ordering::SeqCst), 5);
}

#[test]
fn faults_strike_where_they_say() {
    let run = |faults: &[Fault], sizes: &[usize]| -> Vec<bool> {
        let resource = Resource::new(FaultInjectionResource::new(host(), faults.iter().copied()));
        sizes
            .iter()
            .map(|&bytes| resource.allocate_sync(bytes, 64))
            .zip(sizes)
            .map(|(outcome, &bytes)| {
                // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
                outcome.map(|ptr| unsafe { resource.deallocate_sync(ptr, bytes, 64) }).is_err()
            })
            .collect()
    };
    assert_eq!(run(&[Fault::Nth(2)], &[1, 1, 1]), [false, true, false]);
    assert_eq!(run(&[Fault::From(2)], &[1, 1, 1]), [false, true, true]);
    assert_eq!(run(&[Fault::Above(10), Fault::Nth(1)], &[1, 10, 11]), [true, false, true]);
    assert_eq!(run(&[Fault::Nth(1)], &[0, 1]), [false, true], "zero bytes are not counted");
    let most = if cfg!(miri) { 60 } else { 1000 };
    let random = |probability, seed| run(&[Fault::Random { probability, seed }], &[8; 1000][..most]);
    let struck = random(0.25, 7).iter().filter(|&&struck| struck).count();
    assert!(cfg!(miri) || (180..320).contains(&struck), "{struck}");
    assert_eq!(random(0.25, 7), random(0.25, 7));
    assert_ne!(random(0.25, 7), random(0.25, 8));
    assert!(random(0.0, 1).iter().all(|&struck| !struck) && random(1.0, 1).iter().all(|&struck| struck));
}

#[test]
fn alignments_beyond_the_bins_go_to_the_upstream() {
    let spy = crate::testing::SpyingResource::new(host());
    let bins = BinningResource::new(Resource::new(spy.clone())).add_bin(1000).unwrap();
    let block = bins.allocate(1000, 64, &Stream::cpu()).unwrap();
    // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
    unsafe { bins.deallocate(block, 1000, 64, &Stream::cpu()) };
    assert!(spy.outstanding_bytes() > 1024, "blocks of the bin are taken several at once");
    let (stream, binning) = (Stream::cpu(), BinningResource::with_exponents(host(), 12, 14).unwrap());
    let resource = Resource::new(binning);
    for bytes in [100, 5000, 1 << 20] {
        for align in [256, 512, 4096] {
            let block = resource.allocate(bytes, align, &stream).unwrap();
            assert_eq!(block.as_ptr().addr() % align, 0);
            // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
            unsafe { resource.deallocate(block, bytes, align, &stream) };
            let block = resource.allocate_sync(bytes, align).unwrap();
            // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
            unsafe { resource.deallocate_sync(block, bytes, align) };
        }
    }
}

/// A writer that misbehaves: it allocates from the resource whose log it writes, or it panics.
struct Odd {
    resource: Arc<Mutex<Option<LoggingResource>>>,
    panics: Arc<AtomicBool>,
    text: Text,
}

impl std::io::Write for Odd {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        assert!(!self.panics.load(Ordering::SeqCst), "on purpose");
        let logging = self.resource.lock().unwrap().clone();
        if let Some(logging) = logging {
            let resource = Resource::new(logging.clone());
            drop(Buffer::zeroed(64, &Stream::cpu(), resource.as_ref()).unwrap());
            assert_eq!(logging.flush().unwrap_err().kind(), std::io::ErrorKind::ResourceBusy);
        }
        self.text.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
#[cfg_attr(miri, ignore = "a writer that panicked is never dropped")]
fn writers_of_logs_may_allocate_and_may_panic() {
    let (itself, panics, text) = (Arc::default(), Arc::<AtomicBool>::default(), Text::default());
    let odd = Odd { resource: Arc::clone(&itself), panics: Arc::clone(&panics), text: text.clone() };
    let logging = LoggingResource::new(host(), odd).unwrap();
    let resource = Resource::new(logging.clone());
    let take = |bytes| drop(Buffer::zeroed(bytes, &Stream::cpu(), resource.as_ref()).unwrap());
    *itself.lock().unwrap() = Some(logging.clone());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..300).for_each(|_| take(128)));
        }
    });
    logging.flush().unwrap();
    *itself.lock().unwrap() = None;
    logging.flush().unwrap();
    let lines = String::from_utf8(text.0.lock().unwrap().clone()).unwrap();
    assert_eq!(lines.lines().filter(|line| line.contains(",128,")).count(), 2400);
    panics.store(true, Ordering::SeqCst);
    take(100);
    assert!(logging.flush().unwrap_err().to_string().contains("panicked"));
    panics.store(false, Ordering::SeqCst);
    take(100);
    assert!(logging.flush().is_err(), "the writer is not called again");
}

#[test]
fn refusals_name_what_was_asked_for() {
    let limited = || Resource::new(LimitingResource::new(host(), 1 << 16));
    let pool = |upstream| Resource::new(crate::PoolResource::new(upstream));
    let resources = [
        limited(),
        pool(limited()),
        Resource::new(crate::CachingResource::new(limited())),
        Resource::new(AlignedResource::new(limited(), 1 << 12, 0).unwrap()),
        Resource::new(crate::FixedSizeResource::new(limited(), 1 << 17).unwrap()),
        Resource::new(BinningResource::with_exponents(limited(), 17, 18).unwrap()),
        Resource::new(StatisticsResource::new(pool(limited()))),
    ];
    for resource in resources {
        for asked in [70_001, 99_999, 1 << 17] {
            let error = Buffer::uninitialized(asked, &Stream::cpu(), resource.as_ref()).unwrap_err();
            let MemoryError::OutOfMemory { requested, free, resource: name } = error else { panic!("{error}") };
            assert_eq!(requested, asked, "{resource:?}");
            assert!(free.is_some_and(|free| free.bytes <= 1 << 16) && !name.is_empty(), "{resource:?}: {free:?}");
            let refused = resource.allocate(asked, 256, &Stream::cpu()).unwrap_err();
            assert!(matches!(refused, MemoryError::OutOfMemory { requested, .. } if requested == asked));
        }
    }
    let refused = host().allocate(usize::MAX - 63, 64, &Stream::cpu()).unwrap_err();
    assert!(
        matches!(refused, MemoryError::OutOfMemory { requested, free: Some(_), resource: "host" } if requested == usize::MAX - 63)
    );
}
