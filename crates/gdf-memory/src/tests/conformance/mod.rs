//! One test suite for every resource and every adaptor.
//!
//! A subject makes a resource over an upstream. Subjects that allocate from the system or the driver ignore the
//! upstream. On the CPU, the suite uses deferred streams to test the order of streams.

mod checks;

use std::sync::Mutex;

use gdf_driver::deferred::DeferredCpu;
use gdf_driver::test_hooks::test_device as device;
use gdf_driver::{Device, Stream};

use crate::testing::{FailingResource, SpyingResource};
use crate::{
    AlignedResource, ArenaResource, BinningResource, CachingResource, CallbackResource, CudaAsyncResource,
    CudaResource, FailureCallbackResource, Fault, FaultInjectionResource, FixedSizeResource, HostResource,
    LimitingResource, LoggingResource, ManagedResource, MemoryResource, PinnedResource, PoolOptions, PoolResource,
    PrefetchResource, Resource, SpillManager, SpillOptions, StatisticsResource, TrackingResource, VirtualPoolResource,
};

fn plain(device: Device) -> Resource {
    match device {
        Device::Cpu => Resource::new(HostResource::new()),
        Device::Cuda(_) => Resource::new(CudaResource::new(device).unwrap()),
    }
}

struct Subject {
    name: &'static str,
    /// Makes the resource over an upstream.
    make: fn(Resource) -> Option<Resource>,
    /// Whether the resource allocates from the upstream.
    stands_on_upstream: bool,
    /// Whether the resource frees memory through closures.
    calls_back: bool,
    /// The size of the largest block that the resource gives.
    largest: usize,
}

struct Made {
    resource: Resource,
    spy: SpyingResource,
}

/// The size of the blocks of the fixed-size resource.
const FIXED: usize = 1 << 16;

impl Subject {
    /// Returns `bytes`, or the size of the largest block if that is less.
    fn fit(&self, bytes: usize) -> usize {
        bytes.min(self.largest)
    }

    fn made(&self) -> Option<Made> {
        self.made_over(plain(device()))
    }

    fn made_over(&self, upstream: Resource) -> Option<Made> {
        let spy = SpyingResource::new(upstream);
        match (self.make)(Resource::new(spy.clone())) {
            Some(resource) => Some(Made { resource, spy }),
            None => {
                println!("{} skipped: it does not exist on {}", self.name, device());
                None
            }
        }
    }
}

impl Made {
    fn end(self, name: &str) {
        let Self { resource, spy } = self;
        drop(resource);
        wait_for_reaper(&spy);
        assert_eq!((spy.outstanding(), spy.faults()), (0, Vec::new()), "{name}");
    }
}

/// Waits until all memory is freed.
fn wait_for_reaper(spy: &SpyingResource) {
    for _ in 0..if device().is_cuda() { 20_000 } else { 0 } {
        if spy.outstanding() == 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Makes streams of the device. On the CPU, the executor in this value runs the work of the streams.
struct Streams(Option<DeferredCpu>);

impl Streams {
    fn new(seed: u64) -> Self {
        Self(device().is_cpu().then(|| DeferredCpu::new(seed)))
    }

    fn stream(&self) -> Stream {
        self.0.as_ref().map_or_else(|| Stream::new(device()).unwrap(), DeferredCpu::stream)
    }

    fn finish(&self, streams: &[&Stream]) {
        if let Some(executor) = &self.0 {
            executor.run_all();
        }
        for stream in streams {
            stream.synchronize().unwrap();
        }
    }
}

fn small_pool(upstream: Resource) -> Resource {
    Resource::new(PoolResource::with_options(upstream, PoolOptions::new().granule(1 << 16)).unwrap())
}

/// Makes a virtual-memory pool.
fn virtual_pool() -> Option<Resource> {
    let options = PoolOptions::new().granule(1 << 16);
    (!cfg!(miri)).then(|| Resource::new(VirtualPoolResource::new(device(), options).unwrap()))
}

/// Makes an arena.
fn arena(upstream: Resource) -> Option<Resource> {
    let bytes = if device().is_cpu() { 32 << 20 } else { 1 << 30 };
    ArenaResource::new(upstream, Some(bytes), None).ok().map(Resource::new)
}

fn callback(upstream: Resource) -> Resource {
    let (device, properties) = (upstream.device(), upstream.properties());
    let other = upstream.clone();
    // SAFETY: the closures pass all arguments to one resource, which upholds the rules.
    let made = unsafe {
        CallbackResource::new(
            device,
            properties,
            move |bytes, align, stream| upstream.allocate(bytes, align, stream),
            move |ptr, bytes, align, stream| other.deallocate(ptr, bytes, align, stream),
        )
    };
    Resource::new(made)
}

fn stack(upstream: Resource) -> Resource {
    let limiting = Resource::new(LimitingResource::new(small_pool(upstream), 1 << 40));
    let statistics = Resource::new(StatisticsResource::new(limiting));
    let tracking = Resource::new(TrackingResource::new(statistics, false));
    let logging = Resource::new(LoggingResource::new(tracking, std::io::sink()).unwrap());
    let faults = Resource::new(FaultInjectionResource::new(logging, [Fault::Above(1 << 40)]));
    let retried = Resource::new(FailureCallbackResource::new(faults, |_, _| false));
    Resource::new(AlignedResource::new(retried, 4096, 1 << 16).unwrap())
}

/// Returns a stack in which pools and adaptors alternate.
fn deep_stack(upstream: Resource) -> Resource {
    let faults = Resource::new(FaultInjectionResource::new(upstream, [Fault::Above(1 << 40)]));
    let logging = Resource::new(LoggingResource::new(faults, std::io::sink()).unwrap());
    let pool = Resource::new(PoolResource::new(logging));
    let aligned = Resource::new(AlignedResource::new(pool, 1 << 9, 1).unwrap());
    let tracking = Resource::new(TrackingResource::new(aligned, false));
    let upper = small_pool(tracking);
    let limiting = Resource::new(LimitingResource::new(upper, 1 << 40));
    let binning = Resource::new(BinningResource::with_exponents(limiting, 9, 12).unwrap());
    let prefetch = Resource::new(PrefetchResource::new(binning));
    Resource::new(StatisticsResource::new(Resource::new(FailureCallbackResource::new(prefetch, |_, _| false))))
}

/// Returns a stack that contains each adaptor twice, with a caching resource in the middle.
fn every_adaptor_twice(upstream: Resource) -> Resource {
    let once = |resource| {
        let limiting = Resource::new(LimitingResource::new(resource, 1 << 41));
        let statistics = Resource::new(StatisticsResource::new(limiting));
        let aligned = Resource::new(AlignedResource::new(statistics, 1 << 10, 1 << 12).unwrap());
        let tracking = Resource::new(TrackingResource::new(aligned, false));
        let logging = Resource::new(LoggingResource::new(tracking, std::io::sink()).unwrap());
        let retried = Resource::new(FailureCallbackResource::new(logging, |_, _| false));
        let spying = Resource::new(SpyingResource::new(retried));
        Resource::new(FailingResource::new(Resource::new(PrefetchResource::new(spying)), 0))
    };
    once(Resource::new(CachingResource::new(once(upstream))))
}

/// Makes a resource of the driver.
fn on_gpu<R: MemoryResource + 'static>(make: fn(Device) -> crate::Result<R>) -> Option<Resource> {
    device().is_cuda().then(|| Resource::new(make(device()).unwrap()))
}

static LOGS: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Shared;

impl std::io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LOGS.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

macro_rules! conform {
    ($($name:ident, $stands_on_upstream:literal: $make:expr;)*) => {$(
        mod $name {
            use super::*;

            const SUBJECT: Subject = Subject {
                name: stringify!($name),
                make: $make,
                stands_on_upstream: $stands_on_upstream,
                calls_back: matches!(stringify!($name).as_bytes(), b"callbacks"),
                largest: if matches!(stringify!($name).as_bytes(), b"fixed_size") { FIXED } else { usize::MAX },
            };

            #[test]
            fn blocks_are_aligned_and_disjoint() {
                checks::blocks_are_aligned_and_disjoint(&SUBJECT);
            }

            #[test]
            fn refusals_are_typed_and_leave_nothing_behind() {
                checks::refusals_are_typed_and_leave_nothing_behind(&SUBJECT);
            }

            #[test]
            fn every_failure_of_the_upstream_is_passed_on() {
                checks::every_failure_of_the_upstream_is_passed_on(&SUBJECT);
            }

            #[test]
            fn content_is_as_promised() {
                checks::content_is_as_promised(&SUBJECT);
            }

            #[test]
            fn blocks_are_handed_over_in_order() {
                checks::blocks_are_handed_over_in_order(&SUBJECT);
            }

            #[test]
            fn blocks_come_back_on_other_streams() {
                checks::blocks_come_back_on_other_streams(&SUBJECT);
            }

            #[test]
            fn buffers_outlive_handles() {
                checks::buffers_outlive_handles(&SUBJECT);
            }

            #[test]
            fn many_threads_share_it() {
                checks::many_threads_share_it(&SUBJECT);
            }

            #[test]
            fn what_is_given_back_at_once_is_free_at_once() {
                checks::what_is_given_back_at_once_is_free_at_once(&SUBJECT);
            }

            #[test]
            fn hundreds_of_streams_share_it() {
                checks::hundreds_of_streams_share_it(&SUBJECT);
            }

            #[test]
            fn it_says_what_it_is() {
                checks::it_says_what_it_is(&SUBJECT);
            }
        }
    )*};
}

conform! {
    host, false: |upstream| upstream.device().is_cpu().then(|| Resource::new(HostResource::new()));
    cuda, false: |_| on_gpu(CudaResource::new);
    cuda_async, false: |_| on_gpu(CudaAsyncResource::new);
    pinned, false: |_| on_gpu(PinnedResource::new);
    caching, true: |upstream| Some(Resource::new(CachingResource::new(upstream)));
    pool, true: |upstream| Some(small_pool(upstream));
    pool_of_large_granules, true: |upstream| Some(Resource::new(PoolResource::new(upstream)));
    arena_over_pool, true: |upstream| arena(Resource::new(PoolResource::new(upstream)));
    pool_over_pool, true: |upstream| Some(small_pool(Resource::new(PoolResource::new(upstream))));
    managed, false: |_| on_gpu(ManagedResource::new);
    cuda_async_default_pool, false: |_| on_gpu(CudaAsyncResource::default_pool);
    pinned_pool, false: |_| on_gpu(PinnedResource::new).map(small_pool);
    managed_pool, false: |_| on_gpu(ManagedResource::new).map(small_pool);
    prefetched_managed_pool, false:
        |_| Some(Resource::new(PrefetchResource::new(on_gpu(ManagedResource::new).map(small_pool)?)));
    binning, true: |upstream| Some(Resource::new(BinningResource::with_exponents(small_pool(upstream), 8, 14).unwrap()));
    binning_of_bins, true: |upstream| {
        let small = Resource::new(CachingResource::new(upstream.clone()));
        let bins = BinningResource::new(upstream).bin(1000, small.clone()).unwrap().bin(100, small).unwrap();
        Some(Resource::new(bins))
    };
    fixed_size, true: |upstream| Some(Resource::new(FixedSizeResource::new(upstream, FIXED).unwrap()));
    prefetch, true: |upstream| Some(Resource::new(PrefetchResource::new(upstream)));
    virtual_pool, false: |_| virtual_pool();
    limiting, true: |upstream| Some(Resource::new(LimitingResource::new(upstream, 1 << 40)));
    statistics, true: |upstream| Some(Resource::new(StatisticsResource::new(upstream)));
    tracking, true: |upstream| Some(Resource::new(TrackingResource::new(upstream, cfg!(not(miri)))));
    logging, true: |upstream| Some(Resource::new(LoggingResource::new(upstream, Shared).unwrap()));
    aligned, true: |upstream| Some(Resource::new(AlignedResource::new(upstream, 1 << 12, 1000).unwrap()));
    callbacks, true: |upstream| Some(callback(upstream));
    failure_callback, true: |upstream| Some(Resource::new(FailureCallbackResource::new(upstream, |_, _| false)));
    fault_injection, true: |upstream| Some(Resource::new(FaultInjectionResource::new(upstream, [Fault::Above(1 << 40)])));
    failing, true: |upstream| Some(Resource::new(FailingResource::new(upstream, 0)));
    spilling, true: |upstream| Some(SpillManager::new(upstream, SpillOptions::new()).resource());
    spilling_below_a_limit, true: |upstream| {
        Some(SpillManager::new(upstream, SpillOptions::new().with_hard_limit(1 << 40)).resource())
    };
    spying, true: |upstream| Some(Resource::new(SpyingResource::new(upstream)));
    all_adaptors_over_a_pool, true: |upstream| Some(stack(upstream));
    pools_and_adaptors_by_turns, true: |upstream| Some(deep_stack(upstream));
    every_adaptor_twice, true: |upstream| Some(every_adaptor_twice(upstream));
    arena_over_adaptors, true: |upstream| {
        let limiting = Resource::new(LimitingResource::new(upstream, 1 << 40));
        arena(Resource::new(StatisticsResource::new(Resource::new(CachingResource::new(limiting)))))
    };
}
