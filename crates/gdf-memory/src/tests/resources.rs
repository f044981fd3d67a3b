//! One suite for every resource, on the devices that this machine has.

use std::sync::Barrier;

use gdf_driver::{Device, Stream};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::host;
use crate::testing::{FailingResource, SpyingResource};
use crate::{
    CudaAsyncResource, CudaResource, HostAccessible, MemoryError, PinnedResource, CachingResource, Resource, ResourceRef,
    StreamOrdered,
};

fn resources() -> Vec<Resource> {
    let mut all = vec![
        host(),
        Resource::new(CachingResource::new(host())),
        Resource::new(FailingResource::new(host(), 0)),
        Resource::new(SpyingResource::new(host())),
    ];
    let asked = std::env::var("GDF_TEST_DEVICE").ok().and_then(|name| name.parse::<Device>().ok());
    if let Some(device @ Device::Cuda(_)) = asked {
        all.push(Resource::new(CudaResource::new(device).unwrap()));
        all.push(Resource::new(CudaAsyncResource::new(device).unwrap()));
        all.push(Resource::new(PinnedResource::new(device).unwrap()));
    } else {
        println!("CUDA resources skipped: GDF_TEST_DEVICE names no CUDA device");
    }
    all
}

#[test]
fn blocks_are_aligned_and_disjoint() {
    for resource in resources() {
        let stream = Stream::new(resource.device()).unwrap();
        let mut blocks = Vec::new();
        for bytes in [0, 1, 63, 64, 65, 256, 1000, 1 << 20, (1 << 22) + 1] {
            for align in [1, 8, 64, 256] {
                let ptr = resource.allocate(bytes, align, &stream).unwrap();
                assert_eq!(ptr.as_ptr() as usize % align, 0, "{}", resource.name());
                blocks.push((ptr, bytes, align));
            }
        }
        let mut ranges: Vec<_> =
            blocks.iter().filter(|block| block.1 > 0).map(|block| (block.0.as_ptr() as usize, block.1)).collect();
        ranges.sort_unstable();
        assert!(ranges.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0), "{}", resource.name());
        for (ptr, bytes, align) in blocks {
            // SAFETY: allocated above with the same size and alignment, and not used.
            unsafe { resource.deallocate(ptr, bytes, align, &stream) };
        }
        stream.synchronize().unwrap();
    }
}

#[test]
fn refusals_are_typed() {
    for resource in resources() {
        let stream = Stream::new(resource.device()).unwrap();
        for align in [0, 3, 1 << 40] {
            assert_eq!(
                resource.allocate(8, align, &stream).unwrap_err(),
                MemoryError::BadAlignment { align },
                "{}",
                resource.name()
            );
        }
        if !cfg!(miri) {
            // Miri ends the program where the system's allocator would say no.
            let huge = resource.allocate(isize::MAX as usize - 4096, 64, &stream).unwrap_err();
            assert!(huge.is_out_of_memory(), "{}: {huge}", resource.name());
        }
        let ptr = resource.allocate_sync(100, 64).unwrap();
        // SAFETY: allocated just above.
        unsafe { resource.deallocate_sync(ptr, 100, 64) };
    }
}

#[test]
fn many_threads_share_one_resource() {
    for resource in resources() {
        let threads = if cfg!(miri) { 2 } else { 8 };
        let start = Barrier::new(threads);
        std::thread::scope(|scope| {
            for seed in 0..threads as u64 {
                let (resource, start) = (&resource, &start);
                scope.spawn(move || {
                    let stream = Stream::new(resource.device()).unwrap();
                    let mut rng = SmallRng::seed_from_u64(seed);
                    let mut blocks = Vec::new();
                    start.wait();
                    for _ in 0..if cfg!(miri) { 30 } else { 300 } {
                        if blocks.len() < 10 && rng.random_bool(0.6) {
                            let bytes = rng.random_range(0..4096);
                            let ptr = resource.allocate_zeroed(bytes, 64, &stream).unwrap();
                            if resource.properties().host_accessible {
                                stream.synchronize().unwrap();
                                // SAFETY: the block is ours, `bytes` long, zeroed and reachable by the CPU.
                                let block = unsafe { std::slice::from_raw_parts_mut(ptr.as_ptr(), bytes) };
                                assert!(block.iter().all(|&byte| byte == 0));
                                block.fill(seed as u8 + 1);
                            }
                            blocks.push((ptr, bytes));
                        } else if let Some((ptr, bytes)) = blocks.pop() {
                            if resource.properties().host_accessible {
                                // SAFETY: as above; nobody else has it.
                                let block = unsafe { std::slice::from_raw_parts(ptr.as_ptr(), bytes) };
                                assert!(block.iter().all(|&byte| byte == seed as u8 + 1));
                            }
                            // SAFETY: allocated above with the same size and alignment.
                            unsafe { resource.deallocate(ptr, bytes, 64, &stream) };
                        }
                    }
                    for (ptr, bytes) in blocks {
                        // SAFETY: allocated above with the same size and alignment.
                        unsafe { resource.deallocate(ptr, bytes, 64, &stream) };
                    }
                });
            }
        });
    }
}

#[test]
fn references_promise_what_the_resource_has() {
    for resource in resources() {
        let host = resource.try_as::<HostAccessible, StreamOrdered>();
        assert_eq!(host.is_some(), resource.properties().host_accessible);
        let reference: ResourceRef<'_> = (&resource).into();
        assert_eq!(reference.device(), resource.device());
        assert_eq!(resource.clone(), resource);
    }
}
