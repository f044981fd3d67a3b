//! Tests of the caching resource: reuse, content, the limit on kept memory, trimming, the order of streams, and
//! running out of memory.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use gdf_driver::deferred::DeferredCpu;
use gdf_driver::{Device, Stream};

use super::host;
use crate::testing::SpyingResource;
use crate::{Buffer, CachingResource, HostVec, MemoryError, MemoryResource, Resource, Result, current_resource};

fn watched() -> (CachingResource, SpyingResource, Resource) {
    let spy = SpyingResource::new(host());
    let pool = CachingResource::new(Resource::new(spy.clone()));
    (pool.clone(), spy, Resource::new(pool))
}

fn address(buffer: &Buffer, stream: &Stream) -> u64 {
    buffer.read_on(stream).unwrap().address()
}

#[test]
fn what_is_given_back_is_handed_out_again() {
    let (stream, (pool, spy, resource)) = (Stream::cpu(), watched());
    let first = Buffer::from_host(&[7; 1000], &stream, resource.as_ref()).unwrap();
    let place = address(&first, &stream);
    assert_eq!((pool.used_bytes(), pool.kept_bytes()), (1024, 0));
    drop(first);
    assert_eq!((pool.used_bytes(), pool.kept_bytes()), (0, 1024));
    // A request of a similar size gets the same block. A request of another size gets another block.
    let second = Buffer::uninitialized(900, &stream, resource.as_ref()).unwrap();
    assert_eq!(address(&second, &stream), place);
    assert_ne!(address(&Buffer::uninitialized(800, &stream, resource.as_ref()).unwrap(), &stream), place);
    assert_eq!(spy.allocations(), 2);
    drop((second, resource, pool));
    assert_eq!((spy.outstanding(), spy.faults()), (0, Vec::new()));
}

#[test]
fn zeros_are_zeros_and_padding_is_zero() {
    let (stream, (_pool, spy, resource)) = (Stream::cpu(), watched());
    for _ in 0..3 {
        drop(Buffer::from_host(&[255; 1000], &stream, resource.as_ref()).unwrap());
        assert_eq!(Buffer::zeroed(1000, &stream, resource.as_ref()).unwrap().to_host(&stream).unwrap(), [0; 1000]);
        assert!(HostVec::<u64>::zeroed(125, &stream, resource.as_ref()).unwrap().iter().all(|value| *value == 0));
        let dirty = Buffer::from_host(&[255; 1024], &stream, resource.as_ref()).unwrap();
        drop(dirty);
        let buffer = Buffer::uninitialized(1001, &stream, resource.as_ref()).unwrap();
        let access = buffer.read_on(&stream).unwrap();
        for at in 1001..buffer.allocated_bytes() {
            // SAFETY: the padding belongs to the allocation, whose memory is initialized.
            assert_eq!(unsafe { (access.address() as *const u8).add(at).read() }, 0);
        }
    }
    assert_eq!(spy.allocations(), 1);
}

#[test]
fn what_is_kept_is_bounded_by_what_was_in_use() {
    let (stream, (pool, spy, resource)) = (Stream::cpu(), watched());
    let take = |bytes: usize| Buffer::uninitialized(bytes, &stream, resource.as_ref()).unwrap();
    for round in 0..20 {
        // At most 5 MiB are in use at the same time.
        let bytes = (1 << 20) + (1 << 17) * round;
        drop((take(bytes), take(bytes / 3)));
        assert!(pool.kept_bytes() <= 10 << 20, "{} bytes are kept", pool.kept_bytes());
        assert_eq!(spy.outstanding_bytes(), pool.kept_bytes());
    }
    let large = take(16 << 20);
    drop(large);
    drop(take(1 << 20));
    assert!(pool.kept_bytes() <= 32 << 20);
    assert!(resource.trim() >= 16 << 20);
    assert_eq!((pool.kept_bytes(), spy.outstanding()), (0, 0));
    // After a trim, the bound is computed only from the memory that has been in use since the trim.
    drop(take(1 << 20));
    assert_eq!(pool.kept_bytes(), 1 << 20);
}

#[test]
fn another_stream_gets_a_block_once_the_work_is_done() {
    let (executor, (pool, spy, resource)) = (DeferredCpu::new(1), watched());
    let (one, other) = (executor.stream(), executor.stream());
    let first = Buffer::uninitialized(1024, &one, resource.as_ref()).unwrap();
    let place = address(&first, &one);
    drop(first);
    assert!(!one.is_idle().unwrap());
    let elsewhere = Buffer::uninitialized(1024, &other, resource.as_ref()).unwrap();
    assert_ne!(address(&elsewhere, &other), place);
    // The stream that freed the block gets the block again at once.
    let again = Buffer::uninitialized(1024, &one, resource.as_ref()).unwrap();
    assert_eq!(address(&again, &one), place);
    executor.run_all();
    assert_eq!((pool.kept_bytes(), pool.used_bytes()), (0, 2048));
    drop((again, elsewhere));
    assert_eq!(pool.trim(), 2048, "both streams were idle");
    let last = Buffer::uninitialized(1024, &one, resource.as_ref()).unwrap();
    one.enqueue(|| ()).unwrap();
    drop(last);
    assert_eq!(pool.trim(), 0, "a block whose stream is still at work stays");
    assert_eq!(spy.outstanding(), 1);
    executor.run_all();
    assert_eq!((pool.kept_bytes(), spy.outstanding()), (0, 0), "the block is freed when the work is done");
}

#[test]
fn a_pool_ends_after_the_last_work() {
    let (executor, (pool, spy, resource)) = (DeferredCpu::new(2), watched());
    let stream = executor.stream();
    let buffer = Buffer::uninitialized(1024, &stream, resource.as_ref()).unwrap();
    stream.enqueue(|| ()).unwrap();
    drop((buffer, pool, resource));
    assert_eq!(spy.outstanding(), 1, "the stream's work is still to come");
    drop((stream, executor));
    assert_eq!((spy.outstanding(), spy.faults()), (0, Vec::new()));
}

/// A resource with a limited capacity in bytes.
#[derive(Debug)]
struct Small {
    upstream: Resource,
    capacity: AtomicUsize,
}

// SAFETY: the upstream allocates and frees every block and upholds the rules.
unsafe impl MemoryResource for Small {
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.allocate_zeroed(bytes, align, stream)
    }

    fn allocate_zeroed(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        let rest = |capacity: usize| capacity.checked_sub(bytes);
        if self.capacity.fetch_update(Ordering::SeqCst, Ordering::SeqCst, rest).is_err() {
            return Err(MemoryError::OutOfMemory { requested: bytes, free: None, resource: "small" });
        }
        self.upstream.allocate_zeroed(bytes, align, stream)
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
        self.capacity.fetch_add(bytes, Ordering::SeqCst);
        // SAFETY: the arguments are passed on unchanged, and the upstream allocated the block. The caller upholds the
        // other preconditions.
        unsafe { self.upstream.deallocate(ptr, bytes, align, stream) }
    }

    crate::delegate!(upstream: properties, device);

    fn name(&self) -> &'static str {
        "small"
    }
}

#[test]
fn what_is_kept_goes_before_memory_runs_out() {
    let stream = Stream::cpu();
    let pool = CachingResource::new(Resource::new(Small { upstream: host(), capacity: AtomicUsize::new(11_000) }));
    let resource = Resource::new(pool.clone());
    drop(Buffer::uninitialized(7000, &stream, resource.as_ref()).unwrap());
    assert_eq!(pool.kept_bytes(), 7168);
    let buffer = Buffer::uninitialized(9000, &stream, resource.as_ref()).unwrap();
    assert_eq!((pool.kept_bytes(), pool.used_bytes()), (0, 10_240));
    let error = Buffer::zeroed(2000, &stream, resource.as_ref()).unwrap_err();
    assert!(error.is_out_of_memory(), "{error}");
    assert_eq!((pool.kept_bytes(), pool.used_bytes()), (0, 10_240));
    drop(buffer);
    Buffer::zeroed(2000, &stream, resource.as_ref()).unwrap();
}

#[test]
fn threads_never_share_a_block() {
    let (pool, spy, resource) = watched();
    let threads = if cfg!(miri) { 2 } else { 8 };
    let start = Arc::new(Barrier::new(threads));
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (start, resource) = (Arc::clone(&start), &resource);
            scope.spawn(move || {
                let stream = Stream::cpu();
                start.wait();
                for round in 0..if cfg!(miri) { 10 } else { 500 } {
                    let mine = [thread as u8 + 1; 600];
                    let buffers: Vec<Buffer> = (0..1 + round % 3)
                        .map(|_| Buffer::from_host(&mine, &stream, resource.as_ref()).unwrap())
                        .collect();
                    assert!(buffers.iter().all(|buffer| buffer.to_host(&stream).unwrap() == mine));
                }
            });
        }
    });
    assert_eq!(pool.used_bytes(), 0);
    assert!(spy.allocations() <= threads * 30, "{} blocks for so few buffers", spy.allocations());
    drop((pool, resource));
    assert_eq!((spy.outstanding(), spy.faults()), (0, Vec::new()));
}

#[test]
fn the_cpu_keeps_blocks() {
    assert_eq!(current_resource(Device::Cpu).unwrap().name(), "caching");
}

#[test]
fn it_is_shown_in_one_short_line() {
    let (stream, resource) = (Stream::cpu(), Resource::new(CachingResource::new(host())));
    let buffer = Buffer::zeroed(1000, &stream, resource.as_ref()).unwrap();
    assert_eq!(format!("{resource:?}"), "CachingResource { upstream: HostResource, used_bytes: 1024, kept_bytes: 0 }");
    drop(buffer);
    assert_eq!(format!("{resource:?}"), "CachingResource { upstream: HostResource, used_bytes: 0, kept_bytes: 1024 }");
}
