//! The lifetime rule, by random programs on several deferred CPU streams.
//!
//! A program allocates, writes, reads, shares, slices and drops buffers on random streams. Writes and reads are queued
//! and run in any order that the streams and events allow; freed blocks are poisoned in their stream's order and handed
//! out again. Reads that see anything but the last write are violations. Without tracking there must be some.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use gdf_driver::deferred::DeferredCpu;
use gdf_driver::{Device, Stream};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::{
    Buffer, CachingResource, HostResource, MemoryResource, PoolOptions, PoolResource, Properties, Resource, Result,
    testing,
};

const BLOCK: usize = 64;
const POISON: u8 = 0xDD;

/// Hands freed blocks out again: at once on the stream that freed them, elsewhere after waiting for it.
#[derive(Debug, Default)]
struct Recycler {
    upstream: HostResource,
    freed: Mutex<Vec<(usize, Stream)>>,
}

impl Drop for Recycler {
    fn drop(&mut self) {
        let stream = Stream::cpu();
        for (address, _) in self.freed.get_mut().unwrap().drain(..) {
            let ptr = NonNull::new(std::ptr::with_exposed_provenance_mut(address)).unwrap();
            // SAFETY: the block came from the upstream with this size and alignment; the queues have run.
            unsafe { self.upstream.deallocate(ptr, BLOCK, crate::BUFFER_ALIGNMENT, &stream) };
        }
    }
}

// SAFETY: blocks are the upstream's; a freed one is handed out in the order of the stream that freed it.
unsafe impl MemoryResource for Recycler {
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        assert_eq!(bytes, BLOCK);
        let mut freed = self.freed.lock().unwrap();
        let Some(at) = freed.iter().position(|(_, by)| by == stream).or(freed.len().checked_sub(1)) else {
            return self.upstream.allocate_zeroed(bytes, align, stream);
        };
        let (address, by) = freed.remove(at);
        stream.wait_for(&by)?;
        Ok(NonNull::new(std::ptr::with_exposed_provenance_mut(address)).unwrap())
    }

    fn allocate_zeroed(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.allocate(bytes, align, stream)
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, _align: usize, stream: &Stream) {
        let address = ptr.as_ptr().expose_provenance();
        // SAFETY: the block is ours until it is handed out again, which happens after this in the stream's order.
        stream.enqueue(move || unsafe { fill(address, bytes, POISON) }).unwrap();
        self.freed.lock().unwrap().push((address, stream.clone()));
    }

    fn properties(&self) -> Properties {
        self.upstream.properties()
    }

    fn device(&self) -> Device {
        Device::Cpu
    }

    fn name(&self) -> &'static str {
        "recycler"
    }
}

/// # Safety
/// The range is writable and nobody else uses it.
unsafe fn fill(address: usize, len: usize, value: u8) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::with_exposed_provenance_mut::<u8>(address).write_bytes(value, len) };
}

/// # Safety
/// The range is readable and initialized.
unsafe fn holds(address: usize, len: usize, value: u8) -> bool {
    let ptr = std::ptr::with_exposed_provenance::<u8>(address);
    // SAFETY: the caller's promise.
    (0..len).all(|i| unsafe { ptr.add(i).read() } == value)
}

fn write(buffer: &mut Buffer, value: u8, stream: &Stream) -> bool {
    let Ok(access) = buffer.write_on(stream) else { return false };
    let (address, len) = (access.address() as usize, access.len());
    // SAFETY: the access made `stream` the writer, so the range is ours when this runs.
    stream.enqueue(move || unsafe { fill(address, len, value) }).unwrap();
    true
}

fn read(buffer: &Buffer, value: u8, stream: &Stream, violations: &Arc<AtomicUsize>) {
    let access = buffer.read_on(stream).unwrap();
    let (address, len, violations) = (access.address() as usize, access.len(), Arc::clone(violations));
    let check = move || {
        // SAFETY: blocks stay allocated for the whole program, so the range is readable whatever the order.
        if !unsafe { holds(address, len, value) } {
            violations.fetch_add(1, Ordering::Relaxed);
        }
    };
    stream.enqueue(check).unwrap();
}

/// Runs one program; returns the number of reads that saw something else than the last write.
fn program(seed: u64, steps: usize, tracking: bool) -> usize {
    program_on(&Resource::new(Recycler::default()), seed, steps, tracking)
}

fn program_on(recycler: &Resource, seed: u64, steps: usize, tracking: bool) -> usize {
    let mut rng = SmallRng::seed_from_u64(seed);
    let executor = DeferredCpu::new(seed);
    let streams: Vec<Stream> = (0..4).map(|_| executor.stream()).collect();
    let violations = Arc::new(AtomicUsize::new(0));
    let mut live: Vec<(Buffer, u8)> = Vec::new();
    // SAFETY: every block stays allocated until the queues have run, so that broken order is seen, not undefined.
    unsafe { testing::set_tracking(tracking) };
    for step in 0..steps {
        let stream = &streams[rng.random_range(0..streams.len())];
        let value = (step % 200) as u8;
        let choice = rng.random_range(0..10);
        if live.is_empty() || (choice < 2 && live.len() < 12) {
            let mut buffer = Buffer::uninitialized(BLOCK, stream, recycler.as_ref()).unwrap();
            assert!(write(&mut buffer, value, stream));
            live.push((buffer, value));
            continue;
        }
        let at = rng.random_range(0..live.len());
        match choice {
            2..=5 => read(&live[at].0, live[at].1, stream, &violations),
            6 => {
                let (buffer, held) = &mut live[at];
                if write(buffer, value, stream) {
                    *held = value;
                }
            }
            7 => {
                let (shared, held) = (live[at].0.slice(8, 32).unwrap(), live[at].1);
                read(&shared, held, stream, &violations);
                if live.len() < 12 && shared.len() == 32 {
                    let whole = live[at].0.clone();
                    live.push((whole, held));
                }
            }
            8 => drop(live.swap_remove(at)),
            _ => {
                executor.step();
            }
        }
    }
    live.clear();
    executor.run_all();
    // SAFETY: back to the rule.
    unsafe { testing::set_tracking(true) };
    violations.load(Ordering::Relaxed)
}

#[test]
fn random_programs_keep_the_rule() {
    let programs = if cfg!(miri) { 3 } else { 3000 };
    for seed in 0..programs {
        let found = program(seed, if cfg!(miri) { 60 } else { 200 }, true);
        assert_eq!(found, 0, "program {seed}");
    }
}

#[test]
fn pools_keep_the_order_of_streams() {
    for seed in 0..if cfg!(miri) { 1 } else { 2000 } {
        let pool = PoolResource::with_options(super::host(), PoolOptions::new().granule(4096).maximum(8192)).unwrap();
        let found = program_on(&Resource::new(pool.clone()), seed, if cfg!(miri) { 60 } else { 200 }, true);
        assert_eq!((found, pool.used_bytes()), (0, 0), "program {seed}");
    }
}

#[test]
fn kept_blocks_keep_the_order_of_streams() {
    let mut kept = 0;
    for seed in 0..if cfg!(miri) { 1 } else { 2000 } {
        let pool = CachingResource::new(super::host());
        let found = program_on(&Resource::new(pool.clone()), seed, if cfg!(miri) { 60 } else { 200 }, true);
        assert_eq!(found, 0, "program {seed}");
        assert_eq!(pool.used_bytes(), 0, "program {seed}");
        kept += pool.kept_bytes();
    }
    assert!(kept > 0, "no block was ever kept");
}

#[test]
fn the_same_programs_fail_without_tracking() {
    if cfg!(miri) {
        return;
    }
    let broken = (0..200).filter(|&seed| program(seed, 200, false) > 0).count();
    assert!(broken > 150, "only {broken} of 200 programs noticed that nothing was tracked");
}

#[test]
fn many_readers_are_forgotten_once_idle() {
    let resource = super::host();
    let stream = Stream::cpu();
    let buffer = Buffer::from_host(&[7; 64], &stream, resource.as_ref()).unwrap();
    for _ in 0..if cfg!(miri) { 50 } else { 1000 } {
        drop(buffer.read_on(&Stream::cpu()).unwrap());
    }
    assert!(format!("{buffer:?}").len() < 20_000, "the set of readers grows without bound");
}
