//! Tests of the lifetime rule with random programs on several deferred CPU streams.
//!
//! A program allocates, writes, reads, shares, slices and drops buffers on random streams. If a read sees other bytes
//! than the last write, the lifetime rule is violated. When the tests turn the rule off, some programs must have
//! violations.

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

/// A resource that reuses freed blocks. The stream that freed a block gets the block at once. Another stream first
/// waits for that stream.
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
            // SAFETY: the upstream allocated the block with this size and alignment. All queued work has run.
            unsafe { self.upstream.deallocate(ptr, BLOCK, crate::BUFFER_ALIGNMENT, &stream) };
        }
    }
}

// SAFETY: the upstream allocates the blocks. A freed block is reused only after the earlier work of the stream that
// freed the block.
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
        // SAFETY: the block stays allocated until the resource is dropped. With the lifetime rule, no other work uses
        // the block before the block is reused, which comes after this fill. Without the rule, one thread runs all
        // work.
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

/// Sets the bytes of a range to `value`.
///
/// # Safety
/// The range is valid for writes, and no other thread uses the range.
unsafe fn fill(address: usize, len: usize, value: u8) {
    // SAFETY: the caller guarantees that the range is valid for writes.
    unsafe { std::ptr::with_exposed_provenance_mut::<u8>(address).write_bytes(value, len) };
}

/// Returns whether all bytes of a range are `value`.
///
/// # Safety
/// The range is valid for reads and initialized, and no other thread writes the range.
unsafe fn holds(address: usize, len: usize, value: u8) -> bool {
    let ptr = std::ptr::with_exposed_provenance::<u8>(address);
    // SAFETY: the caller guarantees that the range is valid for reads and initialized.
    (0..len).all(|i| unsafe { ptr.add(i).read() } == value)
}

fn write(buffer: &mut Buffer, value: u8, stream: &Stream) -> bool {
    let Ok(access) = buffer.write_on(stream) else { return false };
    let (address, len) = (access.address() as usize, access.len());
    // SAFETY: blocks stay allocated during the whole program, and one thread runs all work, so the range is valid in
    // any order of the work.
    stream.enqueue(move || unsafe { fill(address, len, value) }).unwrap();
    true
}

fn read(buffer: &Buffer, value: u8, stream: &Stream, violations: &Arc<AtomicUsize>) {
    let access = buffer.read_on(stream).unwrap();
    let (address, len, violations) = (access.address() as usize, access.len(), Arc::clone(violations));
    let check = move || {
        // SAFETY: blocks stay allocated and initialized during the whole program, and one thread runs all work, so
        // the range is valid in any order of the work.
        if !unsafe { holds(address, len, value) } {
            violations.fetch_add(1, Ordering::Relaxed);
        }
    };
    stream.enqueue(check).unwrap();
}

/// Runs one random program.
fn program(seed: u64, steps: usize, tracking: bool) -> usize {
    program_on(&Resource::new(Recycler::default()), seed, steps, tracking)
}

fn program_on(recycler: &Resource, seed: u64, steps: usize, tracking: bool) -> usize {
    let mut rng = SmallRng::seed_from_u64(seed);
    let executor = DeferredCpu::new(seed);
    let streams: Vec<Stream> = (0..4).map(|_| executor.stream()).collect();
    let violations = Arc::new(AtomicUsize::new(0));
    let mut live: Vec<(Buffer, u8)> = Vec::new();
    // SAFETY: every block stays allocated until all queued work has run, and one thread runs the work. A broken order
    // therefore causes wrong values and no undefined behavior.
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
    // SAFETY: turning the lifetime rule on has no precondition.
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
    assert!(broken > 150, "only {broken} of 200 programs had violations without the lifetime rule");
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
