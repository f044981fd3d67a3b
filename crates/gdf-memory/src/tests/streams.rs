//! Tests of pools with unusual streams: streams of other owners, streams of other threads, streams of lost devices, and
//! very many streams. The module also tests threads that search for memory at the same time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use gdf_driver::Stream;
use gdf_driver::deferred::DeferredCpu;

use super::host;
use crate::testing::SpyingResource;
use crate::{Buffer, CachingResource, LimitingResource, MemoryResource, PoolOptions, PoolResource, Resource};

const GRANULE: usize = 4096;

fn watched(options: PoolOptions) -> (PoolResource, SpyingResource, Resource) {
    let spy = SpyingResource::new(host());
    let pool = PoolResource::with_options(Resource::new(spy.clone()), options.granule(GRANULE)).unwrap();
    (pool.clone(), spy, Resource::new(pool))
}

fn flag(stream: &Stream) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    stream.enqueue(move || set.store(true, Ordering::SeqCst)).unwrap();
    flag
}

/// Enqueues work that reads `flag`, and returns the cell to which the work writes the value.
fn seen(flag: &Arc<AtomicBool>, stream: &Stream) -> Arc<Mutex<Option<bool>>> {
    let (flag, seen) = (Arc::clone(flag), Arc::new(Mutex::new(None)));
    let slot = Arc::clone(&seen);
    stream.enqueue(move || *slot.lock().unwrap() = Some(flag.load(Ordering::SeqCst))).unwrap();
    seen
}

#[test]
fn what_a_foreign_stream_gave_back_is_waited_for_before_memory_is_out() {
    for seed in 0..if cfg!(miri) { 2 } else { 30 } {
        let (executor, (pool, spy, resource)) =
            (DeferredCpu::new(seed), watched(PoolOptions::new().maximum(8 * GRANULE)));
        let (foreign, own, at_once) = (executor.foreign_stream(), executor.stream(), Stream::cpu());
        for (round, next) in [&own, &foreign, &at_once, &own].into_iter().enumerate() {
            let all = Buffer::uninitialized(8 * GRANULE, &foreign, resource.as_ref()).unwrap();
            let done = flag(&foreign);
            drop(all);
            assert!(!done.load(Ordering::SeqCst) && pool.used_bytes() == 0);
            let taken = Buffer::uninitialized(8 * GRANULE, next, resource.as_ref()).unwrap();
            let order = seen(&done, next);
            drop(taken);
            executor.run_all();
            assert_eq!(*order.lock().unwrap(), Some(true), "seed {seed}, round {round}");
        }
        // A trim only frees memory whose work has completed before the trim.
        foreign.enqueue(|| ()).unwrap();
        drop(Buffer::uninitialized(100, &foreign, resource.as_ref()).unwrap());
        executor.run_all();
        assert_eq!(pool.trim(), 8 * GRANULE);
        assert_eq!((pool.reserved_bytes(), spy.outstanding(), spy.faults()), (0, 0, Vec::new()));
    }
}

#[test]
fn an_event_that_cannot_be_asked_now_is_waited_for() {
    for seed in 0..4 {
        let (executor, (_pool, _spy, resource)) =
            (DeferredCpu::new(seed), watched(PoolOptions::new().maximum(GRANULE)));
        let (foreign, own) = (executor.foreign_stream(), executor.stream());
        let all = Buffer::uninitialized(GRANULE, &foreign, resource.as_ref()).unwrap();
        let done = flag(&foreign);
        executor.set_mute(true);
        drop(all);
        assert!(
            Buffer::uninitialized(GRANULE, &own, resource.as_ref()).is_err(),
            "the events of the stream cannot be queried"
        );
        executor.set_mute(false);
        let taken = Buffer::uninitialized(GRANULE, &own, resource.as_ref()).unwrap();
        let order = seen(&done, &own);
        drop(taken);
        executor.run_all();
        assert_eq!(*order.lock().unwrap(), Some(true), "seed {seed}");
    }
}

#[test]
fn memory_that_a_stream_still_uses_goes_back_for_a_larger_piece() {
    let options = PoolOptions::new().initial(8 * GRANULE).maximum(16 * GRANULE);
    let (executor, (pool, spy, resource)) = (DeferredCpu::new(1), watched(options));
    let (one, other) = (executor.stream(), executor.stream());
    let take = |bytes, stream| Buffer::uninitialized(bytes, stream, resource.as_ref());
    let halves = [take(8 * GRANULE, &one).unwrap(), take(8 * GRANULE, &one).unwrap()];
    let done = flag(&one);
    drop(halves);
    assert_eq!((pool.trim(), done.load(Ordering::SeqCst)), (0, false), "a trim does not wait");
    // To allocate one larger region, the pool must first free two regions to the upstream.
    assert_eq!(take(16 * GRANULE, &other).unwrap().len(), 16 * GRANULE);
    assert!(done.load(Ordering::SeqCst));
    drop((pool, resource));
    executor.run_all();
    assert_eq!((spy.outstanding(), spy.faults()), (0, Vec::new()));
}

/// The test needs the reaper thread.
#[cfg(not(miri))]
#[test]
fn a_pool_ends_after_the_work_of_foreign_streams() {
    let (executor, (pool, spy, resource)) = (DeferredCpu::new(1), watched(PoolOptions::new()));
    let foreign = executor.foreign_stream();
    let buffer = Buffer::uninitialized(100, &foreign, resource.as_ref()).unwrap();
    foreign.enqueue(|| ()).unwrap();
    drop((buffer, pool, resource));
    assert_eq!(spy.outstanding(), 1, "the stream is still at work");
    executor.run_all();
    while spy.outstanding() > 0 {
        std::thread::yield_now();
    }
    assert_eq!(spy.faults(), Vec::<String>::new());
}

#[cfg(not(miri))]
#[test]
fn what_is_done_with_and_not_back_yet_is_had_before_memory_is_out() {
    let limited = Resource::new(LimitingResource::new(host(), 16 * GRANULE));
    let options = PoolOptions::new().granule(GRANULE);
    let whole = PoolResource::with_options(limited.clone(), options.initial(16 * GRANULE)).unwrap();
    let executor = DeferredCpu::new(1);
    let (foreign, resource) = (executor.foreign_stream(), Resource::new(whole));
    let buffer = Buffer::uninitialized(100, &foreign, resource.as_ref()).unwrap();
    foreign.enqueue(|| ()).unwrap();
    // This ending occupies the reaper thread for a while.
    crate::when_complete(vec![foreign.record().unwrap()], || {
        std::thread::sleep(std::time::Duration::from_millis(20));
    });
    drop((buffer, resource));
    executor.run_all();
    let next = Resource::new(PoolResource::with_options(limited, options).unwrap());
    assert_eq!(Buffer::uninitialized(16 * GRANULE, &Stream::cpu(), next.as_ref()).unwrap().len(), 16 * GRANULE);
}

#[test]
fn a_buffer_of_another_threads_stream_goes_back_too() {
    let (executor, (pool, spy, resource)) = (DeferredCpu::new(5), watched(PoolOptions::new()));
    let (mine, own) = (executor.thread_stream(), executor.stream());
    let written = Buffer::from_host(&[7; 1000], &mine, resource.as_ref()).unwrap();
    let read = Buffer::from_host(&[8; 1000], &own, resource.as_ref()).unwrap();
    drop(read.read_on(&mine).unwrap());
    let done = flag(&mine);
    std::thread::scope(|scope| scope.spawn(move || drop((written, read))).join().unwrap());
    executor.run_all();
    assert!(done.load(Ordering::SeqCst));
    assert_eq!(pool.used_bytes(), 0);
    let block = resource.allocate(500, 256, &mine).unwrap();
    std::thread::scope(|scope| {
        let (block, mine, resource) = (block.as_ptr().expose_provenance(), &mine, &resource);
        let give = move || {
            let block = std::ptr::NonNull::new(std::ptr::with_exposed_provenance_mut(block)).unwrap();
            // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
            unsafe { resource.deallocate(block, 500, 256, mine) };
        };
        scope.spawn(give).join().unwrap();
    });
    executor.run_all();
    drop((pool, resource));
    assert_eq!((spy.outstanding(), spy.faults()), (0, Vec::new()), "the engine must be dropped");
}

#[test]
fn what_a_stream_of_another_thread_used_is_waited_for() {
    for seed in 0..if cfg!(miri) { 2 } else { 20 } {
        let (executor, resource) = (DeferredCpu::new(seed), host());
        let (mine, own, other) = (executor.thread_stream(), executor.stream(), executor.stream());
        let mut read = Buffer::from_host(&[1; 100], &own, resource.as_ref()).unwrap();
        let written = Buffer::from_host(&[2; 100], &mine, resource.as_ref()).unwrap();
        drop(read.read_on(&mine).unwrap());
        let done = flag(&mine);
        let elsewhere = || {
            drop(read.write_on(&own).unwrap());
            drop(written.read_on(&other).unwrap());
            [seen(&done, &own), seen(&done, &other)]
        };
        let orders = std::thread::scope(|scope| scope.spawn(elsewhere).join().unwrap());
        executor.run_all();
        for order in orders {
            assert_eq!(*order.lock().unwrap(), Some(true), "seed {seed}");
        }
    }
}

#[test]
fn a_lost_device_takes_no_other_ones_memory_along() {
    for lost_holds_free_blocks in [false, true] {
        let (executor, (pool, spy, resource)) = (DeferredCpu::new(2), watched(PoolOptions::new().maximum(8 * GRANULE)));
        let (own, lost) = (executor.stream(), executor.stream());
        let first = if lost_holds_free_blocks { &lost } else { &own };
        let blocks: Vec<_> = (0..8).map(|_| resource.allocate(GRANULE, 256, first).unwrap()).collect();
        lost.enqueue(|| ()).unwrap();
        for (at, block) in blocks.into_iter().enumerate() {
            // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
            unsafe { resource.deallocate(block, GRANULE, 256, if at % 2 == 0 { &lost } else { &own }) };
        }
        executor.lose(&lost).unwrap();
        for bytes in [GRANULE, 8 * GRANULE] {
            let all: Vec<Buffer> = (0..8 * GRANULE / bytes)
                .map(|_| Buffer::uninitialized(bytes, &own, resource.as_ref()).unwrap())
                .collect();
            assert_eq!(pool.used_bytes(), 8 * GRANULE);
            drop(all);
        }
        executor.run_all();
        assert_eq!(pool.trim(), 8 * GRANULE);
        drop((pool, resource));
        assert_eq!((spy.outstanding(), spy.faults()), (0, Vec::new()));
    }
}

#[test]
fn a_reader_on_a_lost_device_does_not_keep_a_buffer() {
    let (executor, (pool, spy, resource)) = (DeferredCpu::new(2), watched(PoolOptions::new()));
    let (own, lost) = (executor.stream(), executor.stream());
    let buffer = Buffer::from_host(&[1; 100], &own, resource.as_ref()).unwrap();
    drop(buffer.read_on(&lost).unwrap());
    executor.lose(&lost).unwrap();
    drop(buffer);
    assert_eq!(pool.used_bytes(), 0);
    executor.run_all();
    drop((pool, resource));
    assert_eq!(spy.outstanding(), 0);
}

#[test]
fn a_drop_does_not_wait_for_a_reader_of_what_the_cpu_wrote() {
    let (executor, (pool, spy, resource)) = (DeferredCpu::new(2), watched(PoolOptions::new().maximum(GRANULE)));
    let (at_once, other, idle) = (Stream::cpu(), executor.stream(), executor.stream());
    for readers in [vec![&other], vec![&idle, &other, &Stream::cpu()], vec![&idle], vec![]] {
        let buffer = Buffer::from_host(&[1; GRANULE], &at_once, resource.as_ref()).unwrap();
        readers.iter().for_each(|reader| drop(buffer.read_on(reader).unwrap()));
        executor.run_all();
        let done = if readers.contains(&&other) { Some(flag(&other)) } else { None };
        drop(buffer);
        assert!(done.as_ref().is_none_or(|done| !done.load(Ordering::SeqCst)), "the drop waited for the reader");
        assert_eq!(pool.used_bytes(), 0);
        // The next allocation must wait for the work.
        drop(Buffer::uninitialized(GRANULE, &at_once, resource.as_ref()).unwrap());
        assert!(done.is_none_or(|done| done.load(Ordering::SeqCst)));
    }
    executor.run_all();
    drop((pool, resource));
    assert_eq!((spy.outstanding(), spy.faults()), (0, Vec::new()));
}

#[test]
fn a_thread_that_waits_to_read_holds_up_no_other_one() {
    let (executor, resource) = (DeferredCpu::new(2), host());
    let writer = executor.stream();
    let buffer = Buffer::from_host(&[1; 100], &writer, resource.as_ref()).unwrap();
    let (inside, other_is_done) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
    let (begun, done, in_time) = (Arc::clone(&inside), Arc::clone(&other_is_done), Arc::<AtomicBool>::default());
    let seen = Arc::clone(&in_time);
    let late = move || {
        begun.store(true, Ordering::SeqCst);
        let begin = std::time::Instant::now();
        while !done.load(Ordering::SeqCst) && begin.elapsed().as_secs() < 5 {
            std::thread::yield_now();
        }
        seen.store(done.load(Ordering::SeqCst), Ordering::SeqCst);
    };
    writer.enqueue(late).unwrap();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| buffer.to_host(&Stream::cpu()).unwrap());
        while !inside.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        drop(buffer.read_on(&writer).unwrap());
        assert_eq!(buffer.writer(), writer);
        other_is_done.store(true, Ordering::SeqCst);
        assert_eq!(waits.join().unwrap(), [1; 100]);
    });
    assert!(in_time.load(Ordering::SeqCst), "the buffer was locked");
}

/// Tests that no thread is refused memory while memory is free.
fn no_thread_is_refused_what_is_there(resource: &Resource, granule: usize) {
    let (threads, rounds) = if cfg!(miri) { (2, 10) } else { (6, 3000) };
    let (working, executor) = (AtomicBool::new(true), DeferredCpu::new(1));
    // Each thread uses all streams in turn.
    let streams: Vec<Stream> = (0..5).map(|_| executor.stream()).collect();
    std::thread::scope(|scope| {
        let trimming = scope.spawn(|| {
            while working.load(Ordering::Relaxed) {
                resource.trim();
                std::thread::yield_now();
            }
        });
        let all: Vec<_> = (0..threads)
            .map(|thread| {
                let (streams, executor) = (&streams, &executor);
                scope.spawn(move || {
                    for round in 0..rounds {
                        let bytes = granule - 256 * ((thread + round) % 4);
                        let stream = &streams[(thread * 3 + round * 7) % streams.len()];
                        let buffer = Buffer::uninitialized(bytes, stream, resource.as_ref());
                        assert!(buffer.is_ok(), "round {round}: {buffer:?}");
                        drop(buffer);
                        executor.step();
                    }
                })
            })
            .collect();
        let outcomes: Vec<_> = all.into_iter().map(|thread| thread.join()).collect();
        working.store(false, Ordering::Relaxed);
        trimming.join().unwrap();
        outcomes.into_iter().for_each(|outcome| outcome.unwrap());
    });
}

#[test]
fn threads_do_not_refuse_each_other_what_is_there() {
    let threads = if cfg!(miri) { 2 } else { 6 };
    let (pool, spy, resource) = watched(PoolOptions::new().maximum(threads * GRANULE));
    no_thread_is_refused_what_is_there(&resource, GRANULE);
    assert_eq!(pool.used_bytes(), 0);
    drop((pool, resource));
    assert_eq!((spy.outstanding(), spy.faults()), (0, Vec::new()));
}

/// Stops one call until another thread has requested memory and has received an answer.
#[derive(Debug, Default)]
struct Halt {
    armed: AtomicBool,
    inside: AtomicBool,
    answered: AtomicBool,
}

impl Halt {
    fn here(&self) {
        if self.armed.swap(false, Ordering::SeqCst) {
            self.inside.store(true, Ordering::SeqCst);
            let begin = std::time::Instant::now();
            while !self.answered.load(Ordering::SeqCst) && begin.elapsed().as_millis() < 100 {
                std::thread::yield_now();
            }
        }
    }
}

/// Returns an upstream with room for 16 granules, a halt for its allocations, and a halt for its frees.
fn halting() -> (Resource, Arc<Halt>, Arc<Halt>) {
    let (limited, halts) =
        (Resource::new(LimitingResource::new(host(), 16 * GRANULE)), [(); 2].map(|()| Arc::<Halt>::default()));
    let (other, [taking, giving]) = (limited.clone(), halts.clone());
    let take = move |bytes, align, stream: &Stream| {
        let block = limited.allocate_zeroed(bytes, align, stream);
        taking.here();
        block
    };
    let give = move |ptr, bytes, align, stream: &Stream| {
        giving.here();
        // SAFETY: the arguments are passed on unchanged to an equal resource, and the caller upholds the
        // preconditions.
        unsafe { other.deallocate(ptr, bytes, align, stream) }
    };
    // SAFETY: the closures pass all arguments to one limiting resource, which upholds the rules.
    let callback = unsafe { crate::CallbackResource::new(gdf_driver::Device::Cpu, host().properties(), take, give) };
    let [taking, giving] = halts;
    (Resource::new(callback), taking, giving)
}

#[test]
fn who_looks_while_another_thread_grows_or_trims_waits_for_it() {
    for trims in [false, true] {
        let (upstream, taking, giving) = halting();
        let pool = PoolResource::with_options(upstream, PoolOptions::new().granule(GRANULE)).unwrap();
        let resource = Resource::new(pool.clone());
        let take = || Buffer::uninitialized(GRANULE, &Stream::cpu(), resource.as_ref());
        let halt = if trims { &giving } else { &taking };
        if trims {
            drop(take().unwrap());
        }
        halt.armed.store(true, Ordering::SeqCst);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| if trims { pool.trim() } else { take().unwrap().len() });
            while !halt.inside.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            let answer = take();
            halt.answered.store(true, Ordering::SeqCst);
            assert!(answer.is_ok(), "trims {trims}: {answer:?}");
            assert!(other.join().unwrap() > 0);
        });
    }
}

#[test]
fn who_asks_a_cache_while_another_thread_trims_it_waits_for_that() {
    for trims in [false, true] {
        let (upstream, _, giving) = halting();
        let cache = Resource::new(CachingResource::new(upstream));
        let take = |granules| Buffer::uninitialized(granules * GRANULE, &Stream::cpu(), cache.as_ref());
        drop(take(16).unwrap());
        giving.armed.store(true, Ordering::SeqCst);
        std::thread::scope(|scope| {
            // The other thread does one of two things: it trims, or it allocates a smaller block.
            let other = scope.spawn(|| if trims { cache.trim() } else { take(4).unwrap().len() });
            while !giving.inside.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            let answer = take(12);
            giving.answered.store(true, Ordering::SeqCst);
            assert!(answer.is_ok(), "trims {trims}: {answer:?}");
            assert!(other.join().unwrap() > 0);
        });
    }
}

#[cfg(not(miri))]
#[test]
fn threads_do_not_refuse_each_other_what_can_be_mapped() {
    let options = PoolOptions::new().granule(GRANULE).maximum(6 * GRANULE);
    let pool = crate::VirtualPoolResource::new(gdf_driver::Device::Cpu, options).unwrap();
    no_thread_is_refused_what_is_there(&Resource::new(pool.clone()), GRANULE);
    assert_eq!(pool.used_bytes(), 0);
}

#[test]
fn a_cache_waits_for_streams_before_memory_is_out() {
    let executor = DeferredCpu::new(4);
    let limited = Resource::new(LimitingResource::new(host(), 8192));
    let cache = Resource::new(CachingResource::new(limited));
    let (one, other) = (executor.stream(), executor.stream());
    let buffer = Buffer::uninitialized(8192, &one, cache.as_ref()).unwrap();
    let done = flag(&one);
    drop(buffer);
    assert!(!done.load(Ordering::SeqCst));
    let next = Buffer::uninitialized(4096, &other, cache.as_ref()).unwrap();
    assert!(done.load(Ordering::SeqCst), "the block was still in use");
    let refused = Buffer::uninitialized(8000, &other, cache.as_ref()).unwrap_err();
    assert!(refused.is_out_of_memory());
    drop(next);
    executor.run_all();
}

/// The upstream of the pool calls the pool itself.
#[test]
fn a_callback_below_a_pool_may_use_the_pool() {
    let above: Arc<Mutex<Option<PoolResource>>> = Arc::default();
    let kept = Arc::new(Mutex::new(Vec::<Buffer>::new()));
    let (pool, spilled) = (Arc::clone(&above), Arc::clone(&kept));
    let limited = Resource::new(LimitingResource::new(host(), 16 * GRANULE));
    let callback = crate::FailureCallbackResource::new(limited, move |_, _| {
        let any = spilled.lock().unwrap().pop().is_some();
        any && pool.lock().unwrap().as_ref().is_some_and(|pool| pool.trim() > 0)
    });
    let options = PoolOptions::new().granule(GRANULE);
    let pool = PoolResource::with_options(Resource::new(callback), options).unwrap();
    *above.lock().unwrap() = Some(pool.clone());
    let (stream, resource) = (Stream::cpu(), Resource::new(pool));
    let take = |bytes| Buffer::uninitialized(bytes, &stream, resource.as_ref());
    kept.lock().unwrap().push(take(16 * GRANULE).unwrap());
    assert!(take(10 * GRANULE).is_ok() && kept.lock().unwrap().is_empty());
    *above.lock().unwrap() = None;
}
