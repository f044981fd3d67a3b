//! Tests of the virtual-memory pool: fragmentation never makes a request fail.

use gdf_driver::deferred::DeferredCpu;
use gdf_driver::{Device, Stream};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::host;
use crate::testing::traces::full;
use crate::{Buffer, LimitingResource, MemoryResource, PoolOptions, PoolResource, Resource, VirtualPoolResource};

/// Returns the device under test, and a size of a granule that the device can map.
fn device() -> (Device, usize) {
    match gdf_driver::test_hooks::test_device() {
        Device::Cpu => (Device::Cpu, 1 << 16),
        device => (device, 2 << 20),
    }
}

fn pool(granules: usize) -> (VirtualPoolResource, Resource, usize) {
    let (device, granule) = device();
    let options = PoolOptions::new().granule(granule).maximum(granules * granule);
    let pool = VirtualPoolResource::new(device, options).unwrap();
    (pool.clone(), Resource::new(pool), granule)
}

fn filled(bytes: usize, value: u8, stream: &Stream, resource: &Resource) -> Buffer {
    let mut buffer = Buffer::uninitialized(bytes, stream, resource.as_ref()).unwrap();
    let access = buffer.write_on(stream).unwrap();
    // SAFETY: the access gives this stream exclusive use of the buffer until the fill has run.
    unsafe { stream.fill(access.address(), value, bytes) }.unwrap();
    drop(access);
    buffer
}

fn holds(buffer: &Buffer, value: u8, stream: &Stream) -> bool {
    buffer.to_host(stream).unwrap().iter().all(|&byte| byte == value)
}

#[test]
fn scattered_granules_serve_one_block() {
    let (pool, resource, granule) = pool(16);
    let stream = Stream::new(device().0).unwrap();
    let mut all: Vec<Option<Buffer>> = (0..16).map(|at| Some(filled(granule, at as u8, &stream, &resource))).collect();
    assert!(Buffer::uninitialized(1, &stream, resource.as_ref()).unwrap_err().is_out_of_memory());
    all.iter_mut().step_by(2).for_each(|buffer| *buffer = None);
    assert_eq!(pool.free().bytes as usize, 8 * granule);
    let large = filled(8 * granule, 200, &stream, &resource);
    assert!(holds(&large, 200, &stream));
    for (at, buffer) in all.iter().enumerate().filter_map(|(at, buffer)| Some((at, buffer.as_ref()?))) {
        assert!(holds(buffer, at as u8, &stream), "{at}");
    }
    assert_eq!((pool.free().bytes, pool.reserved_bytes()), (0, 16 * granule));
    drop((large, all));
    assert!(holds(&filled(16 * granule, 3, &stream, &resource), 3, &stream));
    stream.synchronize().unwrap();
    assert_eq!(pool.trim(), 16 * granule);
    assert_eq!((pool.reserved_bytes(), pool.used_bytes()), (0, 0));
    assert!(holds(&filled(5 * granule, 4, &stream, &resource), 4, &stream));
}

#[test]
fn granules_of_several_streams_serve_one_block() {
    let (granule, streams) = (device().1, 4);
    for seed in 0..20 {
        let executor = DeferredCpu::new(seed);
        let (pool, resource, _) = pool(8);
        let on_cpu = device().0.is_cpu();
        let stream = || if on_cpu { executor.stream() } else { Stream::new(device().0).unwrap() };
        let all: Vec<Stream> = (0..streams).map(|_| stream()).collect();
        let buffers: Vec<Buffer> = (0..8).map(|at| filled(granule, at as u8, &all[at % streams], &resource)).collect();
        // The writes of all buffers are still queued.
        let kept: Vec<Buffer> = buffers.into_iter().enumerate().filter(|(at, _)| at % 3 == 1).map(|(_, b)| b).collect();
        let last = stream();
        let large = filled(5 * granule, 99, &last, &resource);
        executor.run_all();
        assert!(holds(&large, 99, &last), "seed {seed}");
        for (buffer, value) in kept.iter().zip([1, 4, 7]) {
            assert!(holds(buffer, value, &last), "seed {seed}: {value}");
        }
        assert_eq!(pool.used_bytes(), 8 * granule);
    }
}

/// Runs a program that needs remapping.
#[test]
fn fragmentation_does_not_end_a_program() {
    let (granule, granules) = (device().1, 32);
    let run = |resource: &Resource| -> usize {
        let stream = Stream::new(resource.device()).unwrap();
        let (mut rng, mut live, mut refused) = (SmallRng::seed_from_u64(9), Vec::<Buffer>::new(), 0);
        for _ in 0..3000 {
            let held: usize = live.iter().map(|buffer| buffer.len() / granule).sum();
            let requested = rng.random_range(1..12_usize);
            if held + requested <= granules * 9 / 10 {
                match Buffer::uninitialized(requested * granule, &stream, resource.as_ref()) {
                    Ok(buffer) => live.push(buffer),
                    Err(error) => {
                        assert!(error.is_out_of_memory());
                        refused += 1;
                    }
                }
            } else {
                live.swap_remove(rng.random_range(0..live.len()));
            }
        }
        refused
    };
    let (_pool, resource, _) = pool(granules);
    assert_eq!(run(&resource), 0);
    let fixed = PoolOptions::new().granule(granule).maximum(granules * granule).initial(granules * granule);
    let fixed = PoolResource::with_options(host(), fixed).unwrap();
    assert!(run(&Resource::new(fixed)) > 0, "the program is too easy");
}

#[test]
fn it_is_a_resource_like_others() {
    let (pool, resource, granule) = pool(4);
    let limited = Resource::new(LimitingResource::new(resource, 3 * granule));
    let stream = Stream::new(device().0).unwrap();
    let buffer = filled(2 * granule, 1, &stream, &limited);
    assert!(Buffer::uninitialized(2 * granule, &stream, limited.as_ref()).is_err());
    assert!(format!("{pool:?}").contains("used: ") && format!("{pool:#?}").len() < 5000);
    assert!(holds(&buffer, 1, &stream));
    let large = Buffer::uninitialized(5 * granule, &stream, Resource::new(pool).as_ref()).unwrap_err();
    assert!(large.is_out_of_memory());
    assert!(VirtualPoolResource::new(device().0, PoolOptions::new().granule(5000)).is_err());
}

#[test]
fn nearly_all_memory_can_be_filled_with_blocks_of_all_sizes() {
    let (device, granule) = device();
    let capacity = 512 * granule;
    let streams: Vec<Stream> = (0..4).map(|_| Stream::new(device).unwrap()).collect();
    let options = PoolOptions::new().granule(granule).maximum(capacity);
    let refused = |resource: Resource, percent| {
        full(&resource, &streams, 10_000, capacity, percent, 32 * granule as u32).unwrap().1
    };
    let virtual_pool = || Resource::new(VirtualPoolResource::new(device, options).unwrap());
    assert_eq!(refused(virtual_pool(), 90), 0);
    if device.is_cpu() {
        assert_eq!(refused(virtual_pool(), 95), 0);
        let fixed = PoolResource::with_options(host(), options.initial(capacity)).unwrap();
        assert!(refused(Resource::new(fixed), 95) > 0, "the program is too easy");
    }
}
