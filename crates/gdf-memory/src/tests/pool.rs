//! Tests of the pool: splitting and coalescing, streams and their heaps, growth, the maximum, trimming, running out
//! of memory, and the end of the pool.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex};

use gdf_driver::Stream;
use gdf_driver::deferred::DeferredCpu;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::host;
use crate::testing::SpyingResource;
use crate::{ArenaResource, Buffer, MemoryError, MemoryResource, PoolOptions, PoolResource, Resource};

const GRANULE: usize = 4096;

fn options() -> PoolOptions {
    PoolOptions::new().granule(GRANULE)
}

fn watched(options: PoolOptions) -> (PoolResource, SpyingResource, Resource) {
    let spy = SpyingResource::new(host());
    let pool = PoolResource::with_options(Resource::new(spy.clone()), options).unwrap();
    (pool.clone(), spy, Resource::new(pool))
}

fn address(buffer: &Buffer, stream: &Stream) -> u64 {
    buffer.read_on(stream).unwrap().address()
}

#[test]
fn neighbors_are_joined() {
    let (stream, (pool, spy, resource)) = (Stream::cpu(), watched(options().initial(16 * GRANULE)));
    let quarter = 4 * GRANULE;
    let take = |bytes: usize| Buffer::uninitialized(bytes, &stream, resource.as_ref());
    let mut four: Vec<Buffer> = (0..4).map(|_| take(quarter).unwrap()).collect();
    assert_eq!((pool.used_bytes(), pool.free().bytes), (16 * GRANULE, 0));
    let places: Vec<u64> = four.iter().map(|buffer| address(buffer, &stream)).collect();
    four.swap(1, 2);
    four.truncate(2);
    assert_eq!(pool.free().largest_block, Some(quarter as u64));
    drop(four.remove(0));
    assert_eq!(pool.free().largest_block, Some(2 * quarter as u64), "{pool:#?}");
    drop(four);
    let whole = take(16 * GRANULE).unwrap();
    assert_eq!(address(&whole, &stream), places[0].min(places[1]).min(places[2]).min(places[3]));
    assert_eq!((spy.allocations(), pool.reserved_bytes()), (1, 16 * GRANULE));
    drop((whole, resource, pool));
    assert_eq!((spy.outstanding(), spy.faults()), (0, Vec::new()));
}

#[test]
fn another_stream_gets_a_block_in_order() {
    for seed in 0..if cfg!(miri) { 3 } else { 50 } {
        let only = options().initial(GRANULE).maximum(GRANULE);
        let (executor, (pool, spy, resource)) = (DeferredCpu::new(seed), watched(only));
        let (one, other) = (executor.stream(), executor.stream());
        let first = Buffer::uninitialized(GRANULE, &one, resource.as_ref()).unwrap();
        let place = address(&first, &one);
        let (done, seen) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(None)));
        let flag = Arc::clone(&done);
        one.enqueue(move || flag.store(true, Ordering::SeqCst)).unwrap();
        drop(first);
        let second = Buffer::uninitialized(GRANULE, &other, resource.as_ref()).unwrap();
        assert_eq!(address(&second, &other), place);
        let (flag, slot) = (Arc::clone(&done), Arc::clone(&seen));
        other.enqueue(move || *slot.lock().unwrap() = Some(flag.load(Ordering::SeqCst))).unwrap();
        drop(second);
        executor.run_all();
        assert_eq!(*seen.lock().unwrap(), Some(true));
        assert_eq!(pool.trim(), GRANULE);
        assert_eq!((spy.outstanding(), spy.faults()), (0, Vec::new()));
    }
}

#[test]
fn a_block_given_back_elsewhere_waits_for_that_stream() {
    let (executor, (pool, spy, resource)) = (DeferredCpu::new(3), watched(options().maximum(64 * GRANULE)));
    let (one, other) = (executor.stream(), executor.stream());
    let block = resource.allocate(1000, 256, &one).unwrap();
    let neighbor = resource.allocate(1000, 256, &one).unwrap();
    other.enqueue(|| ()).unwrap();
    // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
    unsafe { resource.deallocate(block, 1000, 256, &other) };
    assert_eq!(pool.used_bytes(), 1024);
    let next = resource.allocate(1000, 256, &one).unwrap();
    assert_ne!(next, block, "the block still waits for the other stream");
    executor.run_all();
    for ptr in [next, neighbor] {
        // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
        unsafe { resource.deallocate(ptr, 1000, 256, &one) };
    }
    assert!(pool.trim() > 0);
    assert_eq!((pool.reserved_bytes(), spy.outstanding(), spy.faults()), (0, 0, Vec::new()));
}

#[test]
fn all_free_memory_is_within_reach_of_every_stream() {
    // Each stream keeps every second block.
    let (executor, (pool, _spy, resource)) = (DeferredCpu::new(7), watched(options().maximum(64 * GRANULE)));
    let streams: Vec<Stream> = (0..4).map(|_| executor.stream()).collect();
    let mut kept = Vec::new();
    let mut gone = Vec::new();
    for at in 0..64 {
        let buffer = Buffer::uninitialized(GRANULE / 2, &streams[at % 4], resource.as_ref()).unwrap();
        if at / 4 % 2 == 0 { kept.push(buffer) } else { gone.push(buffer) }
    }
    let used = pool.used_bytes();
    drop(gone);
    let fifth = executor.stream();
    let mut more = Vec::new();
    while let Ok(buffer) = Buffer::uninitialized(GRANULE / 2, &fifth, resource.as_ref()) {
        more.push(buffer);
    }
    assert_eq!(pool.free().bytes, 0, "{pool:#?}");
    assert_eq!(pool.used_bytes(), 64 * GRANULE);
    assert!(more.len() >= 32 && used == 32 * GRANULE);
    drop((kept, more));
    executor.run_all();
    assert_eq!(pool.used_bytes(), 0);
    let whole = Buffer::uninitialized(64 * GRANULE, &fifth, resource.as_ref());
    assert!(whole.is_ok() || pool.free().largest_block < Some(64 * GRANULE as u64), "{pool:#?}");
}

#[test]
fn free_granules_of_several_streams_are_one_block() {
    let (executor, (pool, _spy, resource)) =
        (DeferredCpu::new(1), watched(options().initial(16 * GRANULE).maximum(16 * GRANULE)));
    let (one, other) = (executor.stream(), executor.stream());
    let halves: Vec<Buffer> = [&one, &other]
        .iter()
        .map(|stream| Buffer::uninitialized(8 * GRANULE, stream, resource.as_ref()).unwrap())
        .collect();
    assert_eq!(pool.reserved_bytes(), 16 * GRANULE);
    drop(halves);
    let whole = Buffer::uninitialized(16 * GRANULE, &one, resource.as_ref()).unwrap();
    assert_eq!((whole.len(), pool.reserved_bytes()), (16 * GRANULE, 16 * GRANULE), "{pool:#?}");
}

#[test]
fn out_of_memory_is_reported_with_what_is_free() {
    let (stream, (pool, spy, resource)) = (Stream::cpu(), watched(options().maximum(8 * GRANULE)));
    let kept = Buffer::uninitialized(3 * GRANULE, &stream, resource.as_ref()).unwrap();
    let error = Buffer::uninitialized(6 * GRANULE, &stream, resource.as_ref()).unwrap_err();
    let MemoryError::OutOfMemory { requested, free: Some(free), resource: name } = error else { panic!("{error}") };
    assert_eq!((requested, name), (6 * GRANULE, "pool"));
    assert_eq!(free.bytes, (pool.reserved_bytes() - 3 * GRANULE) as u64);
    assert!(free.largest_block.unwrap() <= free.bytes);
    assert_eq!(pool.used_bytes(), 3 * GRANULE);
    drop(kept);
    // The pool must free unused regions to the upstream before it can allocate a larger region.
    assert_eq!(Buffer::uninitialized(8 * GRANULE, &stream, resource.as_ref()).unwrap().len(), 8 * GRANULE);
    assert_eq!(spy.faults(), Vec::<String>::new());
    assert!(PoolResource::with_options(host(), options().initial(2 * GRANULE).maximum(GRANULE)).is_err());
    assert!(PoolResource::with_options(host(), options().granule(5000)).is_err());
}

#[test]
fn a_pool_ends_after_the_last_work() {
    let (executor, (pool, spy, resource)) = (DeferredCpu::new(2), watched(options()));
    let stream = executor.stream();
    let mut buffer = Buffer::uninitialized(1024, &stream, resource.as_ref()).unwrap();
    let place = buffer.write_on(&stream).unwrap().address() as usize;
    let last = move || {
        let ptr = std::ptr::with_exposed_provenance_mut::<u8>(place);
        // SAFETY: the buffer existed when this work was enqueued on the stream of the buffer, so the memory stays
        // allocated until the work has run.
        unsafe { ptr.write_bytes(9, 1024) };
    };
    stream.enqueue(last).unwrap();
    drop((buffer, pool, resource));
    // The pool freed its memory in the order of a stream. That stream still has work.
    assert!(!stream.is_idle().unwrap());
    drop((stream, executor));
    assert_eq!((spy.outstanding(), spy.faults()), (0, Vec::new()));
}

#[test]
fn large_alignments_pass_through() {
    let (stream, (pool, spy, resource)) = (Stream::cpu(), watched(options()));
    let ptr = resource.allocate(100, 1024, &stream).unwrap();
    assert_eq!((ptr.as_ptr() as usize % 1024, pool.used_bytes(), spy.outstanding()), (0, 0, 1));
    // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
    unsafe { resource.deallocate(ptr, 100, 1024, &stream) };
    assert_eq!(spy.outstanding(), 0);
}

#[test]
fn random_blocks_are_disjoint_and_come_together_again() {
    let (stream, (pool, spy, resource)) = (Stream::cpu(), watched(options().maximum(256 * GRANULE)));
    let mut rng = SmallRng::seed_from_u64(5);
    let mut live: Vec<(std::ptr::NonNull<u8>, usize)> = Vec::new();
    let mut refused = 0;
    for _ in 0..if cfg!(miri) { 200 } else { 20_000 } {
        if rng.random_bool(0.55) {
            let bytes = rng.random_range(1..4 * GRANULE);
            match resource.allocate(bytes, 256, &stream) {
                Ok(ptr) => live.push((ptr, bytes)),
                Err(error) => {
                    assert!(error.is_out_of_memory());
                    refused += 1;
                    for (ptr, bytes) in live.drain(..live.len() / 2) {
                        // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
                        unsafe { resource.deallocate(ptr, bytes, 256, &stream) };
                    }
                }
            }
        } else if !live.is_empty() {
            let (ptr, bytes) = live.swap_remove(rng.random_range(0..live.len()));
            // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
            unsafe { resource.deallocate(ptr, bytes, 256, &stream) };
        }
        if live.len().is_multiple_of(64) {
            let mut ranges: Vec<_> = live.iter().map(|(ptr, bytes)| (ptr.as_ptr() as usize, *bytes)).collect();
            ranges.sort_unstable();
            assert!(ranges.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0));
            let used: usize = live.iter().map(|(_, bytes)| bytes.next_multiple_of(256)).sum();
            assert_eq!(pool.used_bytes(), used);
            assert_eq!(pool.free().bytes as usize, pool.reserved_bytes() - used);
        }
    }
    assert!(refused > 0 || cfg!(miri));
    let taken = spy.outstanding_bytes();
    for (ptr, bytes) in live {
        // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
        unsafe { resource.deallocate(ptr, bytes, 256, &stream) };
    }
    assert_eq!((pool.used_bytes(), pool.trim()), (0, taken));
    assert_eq!((pool.reserved_bytes(), spy.outstanding(), spy.faults()), (0, 0, Vec::new()));
}

#[test]
fn threads_with_their_own_streams_and_with_each_others() {
    let threads = if cfg!(miri) { 2 } else { 8 };
    let (pool, spy, resource) = watched(options().maximum(threads * 64 * GRANULE));
    let (start, handed) = (Arc::new(Barrier::new(threads)), Arc::new(Mutex::new(Vec::new())));
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (start, resource, handed) = (Arc::clone(&start), &resource, Arc::clone(&handed));
            scope.spawn(move || {
                let (stream, mut rng) = (Stream::cpu(), SmallRng::seed_from_u64(thread as u64));
                start.wait();
                for _ in 0..if cfg!(miri) { 20 } else { 2000 } {
                    let value = thread as u8 + 1;
                    let bytes = rng.random_range(1..2 * GRANULE);
                    let Ok(mut buffer) = Buffer::uninitialized(bytes, &stream, resource.as_ref()) else { continue };
                    buffer.write_on(&stream).unwrap().as_mut_slice::<u8>().unwrap().fill(value);
                    let mut handed = handed.lock().unwrap();
                    handed.push((buffer, value));
                    if handed.len() > 3 * threads {
                        let at = rng.random_range(0..handed.len());
                        let (buffer, value) = handed.swap_remove(at);
                        assert!(buffer.to_host(&stream).unwrap().iter().all(|&byte| byte == value));
                    }
                }
            });
        }
    });
    handed.lock().unwrap().clear();
    assert_eq!(pool.used_bytes(), 0);
    pool.trim();
    assert_eq!((pool.reserved_bytes(), spy.outstanding(), spy.faults()), (0, 0, Vec::new()));
}

#[test]
fn the_map_shows_what_is_where() {
    let (stream, (pool, _spy, resource)) = (Stream::cpu(), watched(options().initial(64 * GRANULE)));
    let buffers: Vec<Buffer> =
        (0..4).map(|_| Buffer::uninitialized(GRANULE, &stream, resource.as_ref()).unwrap()).collect();
    drop(buffers.into_iter().step_by(2).collect::<Vec<_>>());
    let text = format!("{pool:?}");
    assert!(text.contains("reserved: 262144") && !text.contains('\n'), "{text}");
    let map = format!("{pool:#?}");
    assert!(map.contains('~') && map.contains("heap "), "{map}");
}

#[test]
fn an_arena_writes_its_map_when_memory_is_out() {
    let path = std::env::temp_dir().join(format!("gdf-arena-{}.txt", std::process::id()));
    let arena = ArenaResource::new(host(), Some(4 << 20), Some(path.clone())).unwrap();
    let (stream, resource) = (Stream::cpu(), Resource::new(arena.clone()));
    let kept = Buffer::uninitialized(3 << 20, &stream, resource.as_ref()).unwrap();
    assert!(Buffer::uninitialized(2 << 20, &stream, resource.as_ref()).unwrap_err().is_out_of_memory());
    let map = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(map.starts_with("arena {") && map.contains("used: 3145728") && map.contains('#'), "{map}");
    drop(kept);
    assert_eq!(arena.trim(), 4 << 20);
}
