//! Tests the lifetime rule of memory on a GPU by random programs. The programs use several streams, and slow kernels
//! that write and check patterns.

use gdf_driver::{Device, Stream};
use gdf_memory::{Buffer, CudaAsyncResource, DeviceScalar, Resource, testing};
use gdf_test::device::cuda_device;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::pattern_kernels::{BLOCK, Kernels};

fn write(kernels: &Kernels, buffer: &mut Buffer, value: u8, nanoseconds: i64, stream: &Stream) -> bool {
    let Ok(access) = buffer.write_on(stream) else { return false };
    kernels.write(access.address(), value, nanoseconds, stream);
    true
}

fn check(kernels: &Kernels, buffer: &Buffer, value: u8, nanoseconds: i64, stream: &Stream, violations: u64) {
    let access = buffer.read_on(stream).unwrap();
    kernels.check(access.address(), value, nanoseconds, stream, violations);
}

/// Runs one program, and returns the number of bytes that lack the last written value.
fn program(kernels: &Kernels, resource: &Resource, device: Device, seed: u64, tracking: bool) -> u64 {
    let mut rng = SmallRng::seed_from_u64(seed);
    let streams: Vec<Stream> = (0..4).map(|_| Stream::new(device).unwrap()).collect();
    let count = DeviceScalar::new(0_u64, &streams[0], resource.as_ref()).unwrap();
    streams[0].synchronize().unwrap();
    let violations = count.read_on(&streams[0]).unwrap().address();
    let mut live: Vec<(Buffer, u8)> = Vec::new();
    // SAFETY: the pool keeps freed memory mapped, so no access faults. The test counts wrong bytes, and no other code
    // relies on the bytes.
    unsafe { testing::set_tracking(tracking) };
    for step in 0..150_usize {
        let stream = &streams[rng.random_range(0..streams.len())];
        let spin = if rng.random_bool(0.2) { rng.random_range(5_000..40_000) } else { 0 };
        let value = (step % 200) as u8;
        let choice = rng.random_range(0..9);
        if live.is_empty() || (choice < 3 && live.len() < 8) {
            let mut buffer = Buffer::uninitialized(BLOCK, stream, resource.as_ref()).unwrap();
            assert!(write(kernels, &mut buffer, value, spin, stream));
            live.push((buffer, value));
            continue;
        }
        let at = rng.random_range(0..live.len());
        match choice {
            3..=5 => check(kernels, &live[at].0, live[at].1, spin, stream, violations),
            6 => {
                let (buffer, held) = &mut live[at];
                if write(kernels, buffer, value, spin, stream) {
                    *held = value;
                }
            }
            7 => {
                let shared = live[at].clone();
                live.push(shared);
            }
            _ => drop(live.swap_remove(at)),
        }
    }
    live.clear();
    // SAFETY: the call enables the tracking again, which is the default.
    unsafe { testing::set_tracking(true) };
    for stream in &streams {
        stream.synchronize().unwrap();
    }
    count.value(&streams[0]).unwrap()
}

#[test]
fn random_programs_keep_the_rule_and_fail_without_it() {
    let Some(device) = cuda_device("the lifetime rule on a GPU") else { return };
    let kernels = Kernels::load(device);
    let resource = Resource::new(CudaAsyncResource::new(device).unwrap());
    for seed in 0..400 {
        assert_eq!(program(&kernels, &resource, device, seed, true), 0, "program {seed}");
    }
    let broken = (0..40).filter(|&seed| program(&kernels, &resource, device, seed, false) > 0).count();
    assert!(broken > 10, "only {broken} of 40 programs had violations without the lifetime rule");
}
