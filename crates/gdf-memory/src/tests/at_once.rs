//! Tests of memory that every stream can use when the allocation returns. The tests check for which work an allocation
//! waits, and for which work it does not wait.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gdf_driver::deferred::DeferredCpu;
use gdf_driver::{Device, Stream};

use super::host;
use crate::testing::SpyingResource;
use crate::{
    Buffer, CachingResource, FixedSizeResource, MemoryResource, PoolOptions, PoolResource, Properties, Resource, Result,
};

const GRANULE: usize = 4096;

#[derive(Debug)]
struct Plain(Resource);

// SAFETY: the upstream allocates and frees every block and upholds the rules.
unsafe impl MemoryResource for Plain {
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.0.allocate(bytes, align, stream)
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
        // SAFETY: the arguments are passed on unchanged, and the caller upholds the preconditions.
        unsafe { self.0.deallocate(ptr, bytes, align, stream) }
    }

    fn properties(&self) -> Properties {
        self.0.properties()
    }

    fn device(&self) -> Device {
        self.0.device()
    }

    fn name(&self) -> &'static str {
        "plain"
    }
}

#[test]
fn the_callers_default_stream_is_left_alone() {
    let spy = SpyingResource::new(host());
    let plain = Plain(Resource::new(spy.clone()));
    let block = plain.allocate_sync(100, 64).unwrap();
    // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
    unsafe { plain.deallocate_sync(block, 100, 64) };
    let default = Stream::default_for(Device::Cpu).unwrap();
    assert_eq!((spy.streams().contains(&default.id()), spy.outstanding(), spy.faults()), (false, 0, Vec::new()));
}

#[test]
fn only_what_used_the_memory_is_waited_for() {
    let options = PoolOptions::new().granule(GRANULE).maximum(2 * GRANULE).initial(2 * GRANULE);
    let pool = |_| Resource::new(PoolResource::with_options(host(), options).unwrap());
    let caching = |_| Resource::new(CachingResource::new(host()));
    let fixed = |block| Resource::new(FixedSizeResource::new(host(), block).unwrap());
    let make: [&dyn Fn(usize) -> Resource; 3] = [&pool, &caching, &fixed];
    for (make, seed) in make.into_iter().zip(1..) {
        let (executor, resource) = (DeferredCpu::new(seed), make(GRANULE));
        let (busy, name) = (executor.stream(), resource.name());
        let used = Buffer::uninitialized(GRANULE, &busy, resource.as_ref()).unwrap();
        let done = Arc::new(AtomicBool::new(false));
        let set = Arc::clone(&done);
        busy.enqueue(move || set.store(true, Ordering::SeqCst)).unwrap();
        drop(used);
        let other = resource.allocate_sync(GRANULE, 256).unwrap();
        assert!(!done.load(Ordering::SeqCst), "{name}: the allocation waited");
        if name == "pool" {
            let last = resource.allocate_sync(GRANULE, 256).unwrap();
            assert!(done.load(Ordering::SeqCst) && last != other, "{name}: the allocation did not wait");
            // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
            unsafe { resource.deallocate_sync(last, GRANULE, 256) };
        }
        // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
        unsafe { resource.deallocate_sync(other, GRANULE, 256) };
        executor.run_all();
    }
}

#[test]
fn what_cannot_be_had_is_refused() {
    let pool = PoolResource::with_options(host(), PoolOptions::new().granule(GRANULE).maximum(4 * GRANULE)).unwrap();
    let fixed = FixedSizeResource::new(host(), GRANULE).unwrap();
    assert_eq!(pool.allocate_sync(0, 512).unwrap().addr().get() % 512, 0);
    assert!(pool.allocate_sync(5 * GRANULE, 64).unwrap_err().is_out_of_memory());
    assert!(fixed.allocate_sync(GRANULE + 1, 64).unwrap_err().is_out_of_memory());
    for align in [0, 3] {
        assert!(pool.allocate_sync(8, align).is_err() && fixed.allocate_sync(8, align).is_err());
    }
}
