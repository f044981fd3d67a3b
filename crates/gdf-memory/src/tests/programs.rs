//! Random programs of several threads on several streams. A program allocates buffers, writes a pattern, verifies the
//! pattern, and shares and frees buffers. If a read sees other values than the last write, the lifetime rule is
//! violated. When the tests turn the rule off, some programs have violations.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use gdf_driver::deferred::DeferredCpu;
use gdf_driver::{Device, Function, LaunchConfig, Module, Stream};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::{
    Buffer, CachingResource, CudaAsyncResource, CudaResource, DeviceScalar, HostResource, PoolOptions, PoolResource,
    Resource, VirtualPoolResource, testing,
};

/// The PTX code of two kernels. `use_kernel` waits for `delay` nanoseconds, and then writes or verifies its words.
/// `gate_kernel` waits until a word of CPU memory is not 0, but at most ten seconds.
pub(super) const IMAGE: &str = "
.version 8.0
.target sm_75
.address_size 64
.visible .entry use_kernel(.param .u64 at, .param .u32 count, .param .u32 value, .param .u32 writes, .param .u64 delay,
    .param .u64 faults)
{
    .reg .pred %p<5>;
    .reg .b32 %r<10>;
    .reg .b64 %rd<10>;
    ld.param.u64 %rd1, [at];
    ld.param.u32 %r1, [count];
    ld.param.u32 %r2, [value];
    ld.param.u32 %r3, [writes];
    ld.param.u64 %rd2, [delay];
    ld.param.u64 %rd3, [faults];
    cvta.to.global.u64 %rd1, %rd1;
    cvta.to.global.u64 %rd3, %rd3;
    mov.u64 %rd4, %globaltimer;
    add.s64 %rd4, %rd4, %rd2;
again:
    mov.u64 %rd5, %globaltimer;
    setp.lt.u64 %p1, %rd5, %rd4;
    @%p1 bra again;
    mov.u32 %r4, %ctaid.x;
    mov.u32 %r5, %ntid.x;
    mov.u32 %r6, %tid.x;
    mad.lo.s32 %r7, %r4, %r5, %r6;
    setp.ge.u32 %p2, %r7, %r1;
    @%p2 bra done;
    mul.wide.u32 %rd6, %r7, 4;
    add.s64 %rd7, %rd1, %rd6;
    setp.eq.u32 %p3, %r3, 0;
    @%p3 bra verify;
    st.global.u32 [%rd7], %r2;
    bra done;
verify:
    ld.global.u32 %r8, [%rd7];
    setp.eq.u32 %p4, %r8, %r2;
    @%p4 bra done;
    red.global.add.u32 [%rd3], 1;
done:
    ret;
}
.visible .entry gate_kernel(.param .u64 gate)
{
    .reg .pred %p<3>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [gate];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u64 %rd3, %globaltimer;
    add.s64 %rd3, %rd3, 10000000000;
again:
    ld.volatile.global.u32 %r1, [%rd2];
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra open;
    mov.u64 %rd4, %globaltimer;
    setp.lt.u64 %p2, %rd4, %rd3;
    @%p2 bra again;
open:
    ret;
}
";

pub(super) enum Place {
    Cpu { executor: DeferredCpu, faults: Arc<AtomicUsize> },
    Gpu { device: Device, kernel: Function, faults: DeviceScalar<u32>, address: u64 },
}

pub(super) use gdf_driver::test_hooks::test_device as device;

/// Sets the words of a range to `value`.
///
/// # Safety
/// The range is valid for writes, and no other thread uses the range.
unsafe fn fill(address: usize, words: usize, value: u32) {
    for at in 0..words {
        // SAFETY: the caller guarantees that the range is valid for writes.
        unsafe { std::ptr::with_exposed_provenance_mut::<u32>(address).add(at).write(value) };
    }
}

/// Returns whether a word of a range is not `value`.
///
/// # Safety
/// The range is valid for reads and initialized, and no other thread writes the range.
unsafe fn differs(address: usize, words: usize, value: u32) -> bool {
    let ptr = std::ptr::with_exposed_provenance::<u32>(address);
    // SAFETY: the caller guarantees that the range is valid for reads and initialized.
    (0..words).any(|at| unsafe { ptr.add(at).read() } != value)
}

impl Place {
    pub(super) fn new(seed: u64) -> Self {
        let device = device();
        if device.is_cpu() {
            return Self::Cpu { executor: DeferredCpu::new(seed), faults: Arc::default() };
        }
        let stream = Stream::new(device).unwrap();
        let plain = Resource::new(CudaResource::new(device).unwrap());
        let mut faults = DeviceScalar::new(0_u32, &stream, plain.as_ref()).unwrap();
        let address = faults.write_on(&stream).unwrap().address();
        stream.synchronize().unwrap();
        let image = [IMAGE.as_bytes(), b"\0"].concat();
        let kernel = Module::load(device, &image).unwrap().function("use_kernel").unwrap();
        Self::Gpu { device, kernel, faults, address }
    }

    pub(super) fn stream(&self) -> Stream {
        match self {
            Self::Cpu { executor, .. } => executor.stream(),
            Self::Gpu { device, .. } => Stream::new(*device).unwrap(),
        }
    }

    /// Enqueues work that writes or verifies a buffer.
    pub(super) fn enqueue(&self, address: u64, bytes: usize, value: u32, writes: bool, delay: u64, stream: &Stream) {
        let words = bytes / 4;
        match self {
            Self::Cpu { faults, .. } => {
                let faults = Arc::clone(faults);
                let work = move || {
                    let address = address as usize;
                    if writes {
                        // SAFETY: pools keep their memory during the program, and one thread runs all work. So the
                        // range is valid even if a test breaks the order on purpose.
                        return unsafe { fill(address, words, value) };
                    }
                    // SAFETY: pools keep their memory during the program, and one thread runs all work. So the range
                    // is valid and initialized even if a test breaks the order on purpose.
                    if unsafe { differs(address, words, value) } {
                        faults.fetch_add(1, Ordering::Relaxed);
                    }
                };
                stream.enqueue(work).unwrap();
            }
            Self::Gpu { kernel, address: faults, .. } => {
                let (mut at, mut count, mut value) = (address, words as u32, value);
                let (mut writes, mut delay, mut faults) = (u32::from(writes), delay, *faults);
                let mut params = [
                    (&raw mut at).cast::<c_void>(),
                    (&raw mut count).cast(),
                    (&raw mut value).cast(),
                    (&raw mut writes).cast(),
                    (&raw mut delay).cast(),
                    (&raw mut faults).cast(),
                ];
                let config = LaunchConfig::linear(count.div_ceil(128), 128);
                // SAFETY: `params` has one value per parameter, each of the type of the parameter. Pools keep their
                // memory during the program, so all addresses are valid until the kernel has run.
                unsafe { stream.launch(kernel, config, &mut params) }.unwrap();
            }
        }
    }

    fn step(&self) -> bool {
        match self {
            Self::Cpu { executor, .. } => executor.step(),
            Self::Gpu { .. } => false,
        }
    }

    pub(super) fn finish(&self, streams: &[Stream]) -> usize {
        match self {
            Self::Cpu { executor, faults } => {
                executor.run_all();
                faults.load(Ordering::Relaxed)
            }
            Self::Gpu { device, faults, .. } => {
                streams.iter().for_each(|stream| stream.synchronize().unwrap());
                faults.value(&Stream::new(*device).unwrap()).unwrap() as usize
            }
        }
    }
}

struct SharedProgram<'a> {
    place: &'a Place,
    resource: &'a Resource,
    streams: &'a [Stream],
    live: Mutex<Vec<(Buffer, u32)>>,
    refused: AtomicUsize,
}

fn thread(shared: &SharedProgram<'_>, seed: u64, steps: usize, tracking: bool) {
    let SharedProgram { place, resource, streams, live, refused } = shared;
    // SAFETY: the pool keeps the memory until all work has run. A broken order therefore causes wrong values and no
    // undefined behavior.
    unsafe { testing::set_tracking(tracking) };
    let mut rng = SmallRng::seed_from_u64(seed);
    for step in 0..steps {
        let stream = &streams[rng.random_range(0..streams.len())];
        let value = (seed as u32) << 20 | step as u32;
        let delay = if rng.random_bool(0.1) { rng.random_range(0..20_000) } else { 0 };
        match rng.random_range(0..10) {
            0..=2 => {
                let bytes = 4 << rng.random_range(0..if cfg!(miri) { 7 } else { 12 });
                match Buffer::uninitialized(bytes, stream, resource.as_ref()) {
                    Ok(mut buffer) => {
                        let access = buffer.write_on(stream).unwrap();
                        place.enqueue(access.address(), bytes, value, true, delay, stream);
                        drop(access);
                        live.lock().unwrap().push((buffer, value));
                    }
                    Err(error) => {
                        assert!(error.is_out_of_memory(), "{error}");
                        refused.fetch_add(1, Ordering::Relaxed);
                        let mut live = live.lock().unwrap();
                        let half = live.len() / 2;
                        live.truncate(half);
                    }
                }
            }
            3..=5 => {
                let mut live = live.lock().unwrap();
                if live.is_empty() {
                    continue;
                }
                let at = rng.random_range(0..live.len());
                let (buffer, held) = &live[at];
                let access = buffer.read_on(stream).unwrap();
                place.enqueue(access.address(), access.len(), *held, false, delay, stream);
                drop(access);
                if live.len() < 64 && rng.random_bool(0.2) {
                    let clone = (live[at].0.clone(), live[at].1);
                    live.push(clone);
                }
            }
            6 => {
                let mut live = live.lock().unwrap();
                if live.is_empty() {
                    continue;
                }
                let at = rng.random_range(0..live.len());
                let (buffer, held) = &mut live[at];
                if let Ok(access) = buffer.write_on(stream) {
                    place.enqueue(access.address(), access.len(), value, true, delay, stream);
                    *held = value;
                }
            }
            _ => {
                let mut live = live.lock().unwrap();
                if live.len() > 24 || (!live.is_empty() && rng.random_bool(0.5)) {
                    let at = rng.random_range(0..live.len());
                    let gone = live.swap_remove(at);
                    drop(live);
                    drop(gone);
                }
            }
        }
    }
}

/// Runs a random program.
fn program(resource: &Resource, seed: u64, steps: usize, tracking: bool) -> (usize, usize) {
    let place = Place::new(seed);
    let streams: Vec<Stream> = (0..5).map(|_| place.stream()).collect();
    let (live, refused) = (Mutex::default(), AtomicUsize::new(0));
    let shared = SharedProgram { place: &place, resource, streams: &streams, live, refused };
    let working = AtomicBool::new(true);
    std::thread::scope(|scope| {
        let runner = scope.spawn(|| {
            // If the lifetime rule is off, no work runs before all work is enqueued.
            while tracking && working.load(Ordering::Acquire) {
                if !place.step() {
                    std::thread::yield_now();
                }
            }
        });
        let threads: Vec<_> = (0..3)
            .map(|number| {
                scope.spawn({
                    let shared = &shared;
                    move || thread(shared, seed * 3 + number, steps, tracking)
                })
            })
            .collect();
        let outcomes: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        working.store(false, Ordering::Release);
        runner.join().unwrap();
        outcomes.into_iter().for_each(|outcome| outcome.unwrap());
    });
    // SAFETY: the pool keeps the memory until all work has run, so a broken order causes no undefined behavior. The
    // rule is turned on again below.
    unsafe { testing::set_tracking(tracking) };
    shared.live.lock().unwrap().clear();
    // SAFETY: turning the lifetime rule on has no precondition.
    unsafe { testing::set_tracking(true) };
    let SharedProgram { refused, .. } = shared;
    (place.finish(&streams), refused.into_inner())
}

pub(super) fn upstream() -> Resource {
    match device() {
        Device::Cpu => Resource::new(HostResource::new()),
        device => Resource::new(CudaResource::new(device).unwrap()),
    }
}

fn pool() -> Resource {
    let options = PoolOptions::new().granule(1 << 13).maximum(1 << 17);
    Resource::new(PoolResource::with_options(upstream(), options).unwrap())
}

/// Returns the number of programs, and the number of steps of each thread.
fn amount() -> (u64, usize) {
    let asked = std::env::var("GDF_TEST_STEPS").ok().map(|steps| steps.parse().unwrap());
    match device() {
        _ if cfg!(miri) => (2, 30),
        Device::Cpu => (300, 150),
        Device::Cuda(_) => asked.map_or((10, 2000), |steps| (2, steps)),
    }
}

fn check(make: impl Fn() -> Resource) -> usize {
    let ((programs, steps), mut refused) = (amount(), 0);
    for seed in 0..programs {
        let resource = make();
        let (found, no) = program(&resource, seed, steps, true);
        assert_eq!(found, 0, "program {seed} on {resource:?}");
        refused += no;
    }
    refused
}

#[test]
fn a_pool_with_too_little_memory() {
    let refused = check(pool);
    assert!(refused > 0 || amount().0 < 10, "no request was refused");
}

#[test]
fn a_pool_that_grows() {
    check(|| Resource::new(PoolResource::new(upstream())));
}

#[test]
fn a_cache() {
    check(|| Resource::new(CachingResource::new(upstream())));
}

#[cfg(not(miri))]
#[test]
fn a_virtual_pool_with_too_little_memory() {
    let granule = if device().is_cpu() { 1 << 13 } else { 2 << 20 };
    let options = PoolOptions::new().granule(granule).maximum(16 * granule);
    check(|| Resource::new(VirtualPoolResource::new(device(), options).unwrap()));
}

#[test]
fn the_drivers_pool() {
    match device() {
        Device::Cpu => gdf_driver::test_hooks::skip("the driver's pool: needs a GPU"),
        device => _ = check(|| Resource::new(CudaAsyncResource::new(device).unwrap())),
    }
}

#[test]
fn without_the_rule_there_are_violations() {
    if cfg!(miri) {
        return;
    }
    let (programs, steps) = amount();
    let resource = pool();
    let broken = (0..programs).filter(|&seed| program(&resource, seed, steps, false).0 > 0).count();
    // On a GPU, the number of violations depends on the run times of the kernels.
    let min = if device().is_cpu() { programs as usize * 3 / 4 } else { 0 };
    println!("{broken} of {programs} programs had violations without the lifetime rule");
    assert!(broken >= min, "only {broken} of {programs} programs had violations without the lifetime rule");
    // On a GPU, another test may still use a recycled stream, so that nothing can be trimmed.
    assert!(resource.trim() > 0 || device().is_cuda());
}
