//! Tests that need no GPU.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::deferred::DeferredCpu;
use crate::{
    CopyKind, Counters, DefaultStreamMode, Device, DriverError, Event, Function, Lane, Module, Status, Stream,
    default_mode, memory, set_default_mode, test_hooks,
};

const SIZES: [usize; 9] = [0, 1, 31, 32, 33, 63, 64, 65, 1000];

/// A device that does not exist.
const IMAGINARY: Device = Device::Cuda(77);

#[test]
fn public_types_cross_threads() {
    fn crosses<T: Send + Sync + Clone>() {}
    crosses::<Stream>();
    crosses::<Event>();
    crosses::<Module>();
    crosses::<Function>();
    crosses::<DeferredCpu>();
    crosses::<DriverError>();
}

#[test]
fn without_a_driver_cuda_is_an_error() {
    let Err(error) = Device::Cuda(0).open() else { return };
    let absent = match &error {
        DriverError::NoDriver { reason } => !reason.is_empty() && error.to_string().ends_with("or use the device cpu"),
        DriverError::InvalidDevice { count: 0, .. } | DriverError::DriverTooOld { .. } => true,
        _ => false,
    };
    assert!(absent, "{error:?}");
    if cfg!(not(feature = "cuda")) {
        assert!(matches!(error, DriverError::NoDriver { .. }));
    }
    let device = Device::Cuda(0);
    assert_eq!(device.properties().unwrap_err(), error);
    assert_eq!(device.memory_info().unwrap_err(), error);
    assert_eq!(Stream::new(device).unwrap_err(), error);
    assert_eq!(Stream::default_for(device).unwrap_err(), error);
    assert_eq!(Stream::legacy(device).unwrap_err(), error);
    assert_eq!(Stream::per_thread(device).unwrap_err(), error);
    assert_eq!(Module::load(device, b"x").unwrap_err(), error);
    assert_eq!(memory::alloc(device, 64).unwrap_err(), error);
    assert_eq!(memory::host_alloc(device, 64).unwrap_err(), error);
    assert_eq!(memory::pool_create(device, 0).unwrap_err(), error);
    assert_eq!(device.health(), Ok(()));
}

#[test]
fn the_null_stream_is_refused() {
    // SAFETY: the function refuses a null stream before any use of the stream.
    let stream = unsafe { Stream::from_raw(Device::Cuda(0), std::ptr::null_mut()) };
    assert_eq!(stream.unwrap_err(), DriverError::NullStream { device: Device::Cuda(0) });
}

#[test]
fn cpu_streams_are_not_cuda_streams() {
    let stream = Stream::cpu();
    let mismatch = DriverError::DeviceMismatch { expected: Device::Cuda(0), found: Device::Cpu };
    assert_eq!(stream.scratch().unwrap_err(), mismatch);
    assert_eq!(Stream::legacy(Device::Cpu).unwrap_err(), mismatch);
    assert_eq!(Module::load(Device::Cpu, b"x").unwrap_err(), mismatch);
    assert_eq!(memory::alloc(Device::Cpu, 1).unwrap_err(), mismatch);
    // SAFETY: the stream is of the wrong device, so the address is not used.
    assert_eq!(unsafe { memory::free_async(8, &stream) }, Err(mismatch));
    assert_eq!(stream.raw(), None);
}

#[test]
fn poison_is_per_device() {
    let status = Status::ILLEGAL_ADDRESS;
    // SAFETY: no work is ever enqueued on a device that does not exist.
    unsafe { test_hooks::poison(IMAGINARY, status) };
    // SAFETY: no work is ever enqueued on a device that does not exist.
    unsafe { test_hooks::poison(IMAGINARY, Status(719)) };
    let poisoned = DriverError::Poisoned { device: IMAGINARY, status };
    assert_eq!(IMAGINARY.health(), Err(poisoned.clone()));
    assert_eq!(IMAGINARY.open(), Err(poisoned.clone()));
    assert_eq!(Stream::new(IMAGINARY).unwrap_err(), poisoned);
    assert_eq!(memory::alloc(IMAGINARY, 1).unwrap_err(), poisoned);
    assert!(poisoned.to_string().contains("cuda:77"));
    assert_eq!(Device::Cuda(76).health(), Ok(()));
    // SAFETY: for the CPU the function does nothing.
    unsafe { test_hooks::poison(Device::Cpu, status) };
    assert_eq!(Device::Cpu.health(), Ok(()));
    // SAFETY: no work is ever enqueued on a device that does not exist.
    unsafe { test_hooks::poison(Device::Cuda(u32::MAX), status) };
    assert!(Device::Cuda(u32::MAX).open().is_err());
}

#[test]
fn eager_streams_run_at_once() {
    let stream = Stream::cpu();
    let ran = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&ran);
    stream.enqueue(move || seen.store(1, Ordering::Relaxed)).unwrap();
    assert_eq!(ran.load(Ordering::Relaxed), 1);
    assert!(stream.is_idle().unwrap());
    let event = stream.record().unwrap();
    assert!(event.is_complete().unwrap());
    assert_eq!(event.device(), Device::Cpu);
    Stream::cpu().wait(&event).unwrap();
    stream.settle().unwrap();
    stream.synchronize().unwrap();
    assert_eq!(stream.counters(), Counters::default());
}

#[test]
fn ids_are_never_reused() {
    let mut seen = std::collections::HashSet::new();
    for _ in 0..100 {
        assert!(seen.insert(Stream::cpu().id()));
        assert!(seen.insert(DeferredCpu::new(1).stream().id()));
    }
    let stream = Stream::cpu();
    assert_eq!(stream, stream.clone());
    assert_ne!(stream, Stream::cpu());
}

#[test]
fn copies_and_fills_in_order() {
    let deferred = DeferredCpu::new(3);
    for stream in [Stream::cpu(), deferred.stream()] {
        for size in SIZES {
            let from: Vec<u8> = (0..size).map(|index| index as u8).collect();
            let mut to = vec![7u8; size];
            let before = stream.counters();
            let (target, source) = (to.as_mut_ptr().expose_provenance(), from.as_ptr().expose_provenance());
            // SAFETY: `to` is valid for `size` bytes and not used before the stream has settled.
            unsafe { stream.fill(target as u64, 1, size) }.unwrap();
            // SAFETY: `to` and `from` are valid for `size` bytes. No code uses `to` before the stream has settled, and
            // no code writes to `from`.
            unsafe { stream.copy(target as u64, source as u64, size, CopyKind::HostToDevice) }.unwrap();
            stream.settle().unwrap();
            assert_eq!(to, from);
            let counted = stream.counters() - before;
            assert_eq!(counted.host_to_device_bytes, size as u64);
            assert_eq!(counted.fills, u64::from(size > 0));
        }
    }
}

#[test]
fn deferred_work_waits_for_someone_to_run_it() {
    let executor = DeferredCpu::new(5);
    let stream = executor.stream();
    let log = Arc::new(Mutex::new(Vec::new()));
    for index in 0..10 {
        let log = Arc::clone(&log);
        stream.enqueue(move || log.lock().unwrap().push(index)).unwrap();
    }
    let event = stream.record().unwrap();
    assert!(log.lock().unwrap().is_empty());
    assert!(!event.is_complete().unwrap() && !stream.is_idle().unwrap());
    assert!(executor.step());
    assert_eq!(*log.lock().unwrap(), [0]);
    Stream::cpu().wait(&event).unwrap();
    assert_eq!(*log.lock().unwrap(), (0..10).collect::<Vec<_>>());
    assert!(event.is_complete().unwrap() && stream.is_idle().unwrap());
    assert!(!executor.step());
}

#[test]
fn waiting_for_an_own_event_is_nothing() {
    let stream = DeferredCpu::new(5).stream();
    let event = stream.record().unwrap();
    stream.wait(&event).unwrap();
    stream.settle().unwrap();
    assert!(event.is_complete().unwrap());
}

#[test]
fn another_executors_event_is_run_first() {
    let (first, second) = (DeferredCpu::new(1).stream(), DeferredCpu::new(2).stream());
    let ran = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&ran);
    first.enqueue(move || seen.store(1, Ordering::Relaxed)).unwrap();
    second.wait_for(&first).unwrap();
    assert_eq!(ran.load(Ordering::Relaxed), 1);
}

#[test]
fn work_left_behind_runs_at_the_end() {
    let ran = Arc::new(AtomicUsize::new(0));
    {
        let executor = DeferredCpu::new(9);
        let (first, second) = (executor.stream(), executor.stream());
        for stream in [&first, &second] {
            let ran = Arc::clone(&ran);
            stream.enqueue(move || _ = ran.fetch_add(1, Ordering::Relaxed)).unwrap();
        }
        second.wait_for(&first).unwrap();
        drop(first);
        assert_eq!(ran.load(Ordering::Relaxed), 0);
    }
    assert_eq!(ran.load(Ordering::Relaxed), 2);
}

#[test]
fn a_panic_in_work_leaves_the_stream_usable() {
    let executor = DeferredCpu::new(9);
    let stream = executor.stream();
    stream.enqueue(|| panic!("expected by this test")).unwrap();
    let stepped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| executor.step()));
    assert!(stepped.is_err());
    let ran = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&ran);
    stream.enqueue(move || seen.store(1, Ordering::Relaxed)).unwrap();
    stream.settle().unwrap();
    assert_eq!(ran.load(Ordering::Relaxed), 1);
}

#[test]
fn work_may_enqueue_work() {
    let executor = DeferredCpu::new(4);
    let (stream, other) = (executor.stream(), executor.stream());
    let ran = Arc::new(AtomicU32::new(0));
    let (target, seen) = (other.clone(), Arc::clone(&ran));
    stream
        .enqueue(move || {
            let seen = Arc::clone(&seen);
            target.enqueue(move || seen.store(1, Ordering::Relaxed)).unwrap();
        })
        .unwrap();
    executor.run_all();
    assert_eq!(ran.load(Ordering::Relaxed), 1);
    assert!(other.is_idle().unwrap());
}

/// A random program over several streams.
struct Program {
    log: Arc<Mutex<Vec<usize>>>,
    before: Vec<Vec<bool>>,
}

impl Program {
    fn run(seed: u64, pieces: usize) -> Program {
        let mut random = SmallRng::seed_from_u64(seed);
        let executor = DeferredCpu::new(seed);
        let mut streams: Vec<Stream> = (0..random.random_range(1..6)).map(|_| executor.stream()).collect();
        streams.push(Stream::cpu());
        let eager = streams.len() - 1;
        let mut known: Vec<Vec<bool>> = vec![vec![false; pieces]; streams.len()];
        let mut events: Vec<(Event, Vec<bool>)> = Vec::new();
        let mut program = Program { log: Arc::default(), before: Vec::new() };
        // For each stream, `known` tells which pieces must have run before the next piece of the stream.
        while program.before.len() < pieces {
            let at = random.random_range(0..streams.len());
            match random.random_range(0..10) {
                0..5 => {
                    let piece = program.before.len();
                    let log = Arc::clone(&program.log);
                    streams[at].enqueue(move || log.lock().unwrap().push(piece)).unwrap();
                    program.before.push(known[at].clone());
                    known[at][piece] = true;
                }
                5 => events.push((streams[at].record().unwrap(), known[at].clone())),
                6 if !events.is_empty() => {
                    let (event, past) = &events[random.random_range(0..events.len())];
                    streams[at].wait(event).unwrap();
                    known[at].iter_mut().zip(past).for_each(|(known, past)| *known |= past);
                    if at == eager {
                        assert!(event.is_complete().unwrap());
                    }
                }
                7 => {
                    let other = random.random_range(0..streams.len());
                    streams[at].wait_for(&streams[other]).unwrap();
                    let past = known[other].clone();
                    known[at].iter_mut().zip(past).for_each(|(known, past)| *known |= past);
                }
                8 => drop(executor.step()),
                _ if random.random_range(0..8) == 0 && at != eager => {
                    streams[at].synchronize().unwrap();
                    assert!(streams[at].is_idle().unwrap());
                    program.check(&known[at]);
                }
                _ => {}
            }
        }
        executor.run_all();
        program
    }

    fn check(&self, must_have_run: &[bool]) {
        let log = self.log.lock().unwrap();
        let missing = (0..must_have_run.len()).filter(|piece| must_have_run[*piece] && !log.contains(piece)).count();
        assert_eq!(missing, 0);
    }
}

#[test]
fn random_programs_respect_streams_and_events() {
    let pieces = if cfg!(miri) { 20 } else { 120 };
    for seed in 0..if cfg!(miri) { 5 } else { 300 } {
        let program = Program::run(seed, pieces);
        let log = program.log.lock().unwrap();
        assert_eq!(log.len(), pieces);
        let mut place = vec![0; pieces];
        log.iter().enumerate().for_each(|(at, &piece)| place[piece] = at);
        for (piece, before) in program.before.iter().enumerate() {
            for earlier in (0..pieces).filter(|&earlier| before[earlier]) {
                assert!(place[earlier] < place[piece], "seed {seed}: {earlier} after {piece}");
            }
        }
    }
}

#[test]
fn deferred_order_is_random_and_reproducible() {
    let order = |seed| Program::run(seed, 60).log.lock().unwrap().clone();
    assert_eq!(order(11), order(11));
    let sorted: Vec<usize> = (0..60).collect();
    assert!((0..20).any(|seed| order(seed) != sorted));
}

#[test]
fn many_threads_drive_one_executor() {
    let executor = DeferredCpu::new(21);
    let streams: Vec<Stream> = (0..4).map(|_| executor.stream()).collect();
    let (per_thread, threads) = (if cfg!(miri) { 10 } else { 500 }, 4);
    let running: Vec<AtomicU32> = (0..4).map(|_| AtomicU32::new(0)).collect();
    let (running, total) = (Arc::new(running), Arc::new(AtomicUsize::new(0)));
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (streams, running, total, executor) = (&streams, &running, &total, &executor);
            scope.spawn(move || {
                for round in 0..per_thread {
                    let at = (thread + round) % streams.len();
                    let (running, total) = (Arc::clone(running), Arc::clone(total));
                    streams[at]
                        .enqueue(move || {
                            assert_eq!(running[at].fetch_add(1, Ordering::SeqCst), 0, "two at once on one stream");
                            running[at].fetch_sub(1, Ordering::SeqCst);
                            total.fetch_add(1, Ordering::Relaxed);
                        })
                        .unwrap();
                    match round % 5 {
                        0 => streams[(at + 1) % 4].wait_for(&streams[at]).unwrap(),
                        1 => streams[at].settle().unwrap(),
                        2 => streams[at].record().unwrap().synchronize().unwrap(),
                        3 => drop(executor.step()),
                        _ => {}
                    }
                }
            });
        }
    });
    executor.run_all();
    assert_eq!(total.load(Ordering::Relaxed), per_thread * threads);
}

#[test]
fn default_streams() {
    let _mode = crate::lock::lock(&super::DEFAULT_MODE);
    assert_eq!(default_mode(), DefaultStreamMode::PerThread);
    let here = Stream::default_for(Device::Cpu).unwrap();
    assert_eq!(here, Stream::default_for(Device::Cpu).unwrap());
    let there = std::thread::spawn(|| Stream::default_for(Device::Cpu).unwrap()).join().unwrap();
    assert_ne!(here, there);

    set_default_mode(DefaultStreamMode::PerDevice);
    let shared = Stream::default_for(Device::Cpu).unwrap();
    let elsewhere = std::thread::spawn(|| Stream::default_for(Device::Cpu).unwrap()).join().unwrap();
    set_default_mode(DefaultStreamMode::PerThread);
    assert_eq!(shared, elsewhere);
    assert_ne!(shared, here);
    assert_eq!(here, Stream::default_for(Device::Cpu).unwrap());
}

/// A value that requests a default stream when its thread ends.
struct Late(mpsc::Sender<bool>);

impl Drop for Late {
    fn drop(&mut self) {
        let _ = self.0.send(Stream::default_for(Device::Cpu).is_ok());
    }
}

thread_local! {
    static LATE: std::cell::RefCell<Option<Late>> = const { std::cell::RefCell::new(None) };
}

#[test]
fn default_streams_survive_thread_exit() {
    let _mode = crate::lock::lock(&super::DEFAULT_MODE);
    let (sender, receiver) = mpsc::channel();
    let ids: Vec<u64> = (0..20)
        .map(|_| {
            let sender = sender.clone();
            let thread = std::thread::spawn(move || {
                LATE.with(|late| *late.borrow_mut() = Some(Late(sender)));
                Stream::default_for(Device::Cpu).unwrap().id()
            });
            thread.join().unwrap()
        })
        .collect();
    drop(sender);
    let distinct: std::collections::HashSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len());
    assert_eq!(receiver.iter().filter(|ok| *ok).count(), 20);
}

#[test]
fn an_event_that_cannot_be_asked_is_not_over() {
    let executor = DeferredCpu::new(3);
    let stream = executor.stream();
    stream.enqueue(|| ()).unwrap();
    let event = stream.record().unwrap();
    executor.set_mute(true);
    assert!(matches!(event.is_complete(), Err(error) if !error.is_fatal()));
    assert!(!event.is_over() && event.synchronize().is_err());
    executor.set_mute(false);
    assert!(!event.is_over());
    executor.run_all();
    assert!(event.is_over());
}

#[test]
fn streams_of_others_and_of_threads() {
    let executor = DeferredCpu::new(3);
    let (own, foreign, mine) = (executor.stream(), executor.foreign_stream(), executor.thread_stream());
    assert_eq!((foreign.lane(), mine.lane()), (Lane::Foreign, Lane::Foreign));
    assert!(foreign.alias().is_none() && own.alias().is_some() && mine.is_usable_here());
    mine.enqueue(|| ()).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let wrong = DriverError::WrongThread { device: Device::Cpu };
            assert!(!mine.is_usable_here() && foreign.is_usable_here());
            assert_eq!(mine.record().unwrap_err(), wrong);
            assert_eq!(mine.enqueue(|| ()), Err(wrong));
            let event = mine.record_from_anywhere().unwrap();
            assert_eq!(event.is_complete(), Ok(false));
            own.wait(&event).unwrap();
            own.wait_for(&mine).unwrap();
            crate::fork(&mine, std::slice::from_ref(&foreign)).unwrap();
            assert_eq!((own.is_idle(), foreign.is_idle()), (Ok(false), Ok(false)));
        });
    });
    executor.run_all();
    assert_eq!((mine.is_idle(), own.is_idle(), foreign.is_idle()), (Ok(true), Ok(true), Ok(true)));
    assert_eq!((mine.is_thread_bound(), foreign.is_thread_bound(), own.is_thread_bound()), (true, false, false));
    executor.lose(&own).unwrap();
    let lost = |outcome: Result<(), DriverError>| matches!(outcome, Err(DriverError::Poisoned { .. }));
    assert!(lost(own.record().map(|_| ())) && lost(own.is_idle().map(|_| ())) && lost(own.wait_for(&foreign)));
    assert!(lost(own.synchronize()) && lost(own.settle()) && lost(foreign.wait_for(&own)));
}

#[test]
fn captures_refuse_threads_that_are_not_our_own() {
    let executor = DeferredCpu::new(3);
    let event = executor.stream().record().unwrap();
    executor.run_all();
    executor.set_capturing(true);
    assert!(!event.is_over());
    let own = || {
        crate::enter_background_thread();
        event.is_over()
    };
    assert!(std::thread::scope(|scope| scope.spawn(own).join().unwrap()));
    executor.set_capturing(false);
    assert!(event.is_over());
}
