//! Tests of deferred streams whose work cannot run: lost streams, work that waits for itself, and executors that are
//! dropped.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use crate::deferred::DeferredCpu;
use crate::{CopyKind, Device, DriverError};

const DEADLOCK: DriverError = DriverError::Deadlock { device: Device::Cpu };

#[test]
fn the_work_of_a_lost_stream_is_dropped_in_its_turn() {
    for seed in 0..20 {
        let executor = DeferredCpu::new(seed);
        let (lost, other) = (executor.stream(), executor.stream());
        let log: Arc<Mutex<Vec<&str>>> = Arc::default();
        let note = |what| {
            let log = Arc::clone(&log);
            move || log.lock().unwrap().push(what)
        };
        other.enqueue(note("before")).unwrap();
        lost.wait_for(&other).unwrap();
        lost.enqueue(note("lost")).unwrap();
        let event = lost.record().unwrap();
        other.wait(&event).unwrap();
        other.enqueue(note("after")).unwrap();
        executor.lose(&lost).unwrap();
        assert_eq!(log.lock().unwrap().first(), Some(&"before"), "what the lost stream waits for has run");
        assert_eq!(event.is_complete(), Ok(true));
        executor.run_all();
        assert_eq!(*log.lock().unwrap(), ["before", "after"]);
        // Each closure owned a clone of `log`.
        assert_eq!(Arc::strong_count(&log), 1);
        let mut byte = 0u8;
        let address = (&raw mut byte).expose_provenance() as u64;
        // SAFETY: the byte lives until the end of this block, and the call enqueues nothing.
        let copied = unsafe { lost.copy(address, address, 1, CopyKind::DeviceToDevice) };
        // SAFETY: the byte lives until the end of this block, and the call enqueues nothing.
        let filled = unsafe { lost.fill(address, 1, 1) };
        for outcome in [copied, filled, lost.enqueue(|| ()), lost.wait(&other.record().unwrap())] {
            assert!(matches!(outcome, Err(DriverError::Poisoned { .. })));
        }
    }
}

#[test]
fn a_lost_thread_stream_records_no_event_elsewhere() {
    let executor = DeferredCpu::new(1);
    let mine = executor.thread_stream();
    executor.lose(&mine).unwrap();
    let recorded = std::thread::scope(|scope| scope.spawn(|| mine.record_from_anywhere().map(|_| ())).join().unwrap());
    assert!(matches!(recorded, Err(DriverError::Poisoned { .. })));
}

#[test]
fn a_stream_is_not_lost_while_it_waits_for_its_caller() {
    let executor = DeferredCpu::new(3);
    let (stream, other) = (executor.stream(), executor.stream());
    let (outcomes, hook, own) = (Arc::new(Mutex::new(Vec::new())), executor.clone(), other.clone());
    let (target, seen) = (stream.clone(), Arc::clone(&outcomes));
    other.enqueue(move || seen.lock().unwrap().extend([hook.lose(&target), hook.lose(&own)])).unwrap();
    stream.wait_for(&other).unwrap();
    executor.run_all();
    assert_eq!(*outcomes.lock().unwrap(), [Err(DEADLOCK), Err(DEADLOCK)]);
    let ran = Arc::new(AtomicU32::new(0));
    for stream in [&stream, &other] {
        let ran = Arc::clone(&ran);
        stream.enqueue(move || _ = ran.fetch_add(1, Ordering::Relaxed)).unwrap();
    }
    executor.run_all();
    assert_eq!(ran.load(Ordering::Relaxed), 2, "both are as they were");
}

#[test]
fn work_that_waits_for_itself_gets_an_error() {
    let executor = DeferredCpu::new(5);
    let (stream, other) = (executor.stream(), executor.stream());
    let (outcomes, own, free) = (Arc::new(Mutex::new(Vec::new())), stream.clone(), other.clone());
    let seen = Arc::clone(&outcomes);
    let work = move || {
        let behind = own.record().unwrap();
        seen.lock().unwrap().extend([own.settle(), own.synchronize(), behind.synchronize(), free.settle()]);
    };
    stream.enqueue(work).unwrap();
    other.enqueue(|| ()).unwrap();
    executor.run_all();
    assert_eq!(*outcomes.lock().unwrap(), [Err(DEADLOCK), Err(DEADLOCK), Err(DEADLOCK), Ok(())]);
    assert_eq!((stream.settle(), stream.is_idle()), (Ok(()), Ok(true)));
}

#[test]
fn events_are_waited_for_while_their_executor_goes() {
    let done = Arc::new(AtomicBool::new(false));
    let (entered, has_entered) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel();
    let executor = DeferredCpu::new(1);
    let stream = executor.stream();
    stream
        .enqueue(move || {
            entered.send(()).unwrap();
            may_go_on.recv().unwrap();
        })
        .unwrap();
    let last = Arc::clone(&done);
    stream.enqueue(move || last.store(true, Ordering::Release)).unwrap();
    let event = stream.record().unwrap();
    std::thread::scope(|scope| {
        // The thread that drops the last owner of the executor runs the remaining work.
        scope.spawn(move || drop((executor, stream)));
        has_entered.recv().unwrap();
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            go_on.send(()).unwrap();
        });
        assert_eq!(event.synchronize(), Ok(()));
        assert!(done.load(Ordering::Acquire), "the event was taken for complete");
    });
}
