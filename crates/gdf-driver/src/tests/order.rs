//! Tests of the order of CUDA streams, with events and with streams that other code owns.

use std::ptr::NonNull;

use super::cuda::{IMAGE, Memory, device, launch};
use crate::{CopyKind, Device, DriverError, Module, Stream, memory};

/// Runs a test in a process of its own. Returns `true` in that process, and `false` in the process that has started it.
fn alone(test: &str) -> bool {
    const CHILD: &str = "GDF_DRIVER_TEST_ALONE";
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let status = child.args(["--exact", &format!("tests::order::{test}")]).env(CHILD, "1").status();
    assert!(status.unwrap().success());
    false
}

/// A word of pinned memory for which kernels wait.
struct Gate {
    device: Device,
    host: NonNull<u8>,
}

// SAFETY: the word is only written by volatile stores, and lives until the gate is dropped.
unsafe impl Sync for Gate {}

impl Gate {
    fn new(device: Device) -> Gate {
        let gate = Gate { device, host: memory::host_alloc(device, 4).unwrap() };
        gate.set(0);
        gate
    }

    fn set(&self, value: u32) {
        // SAFETY: the gate owns the word, and kernels read the whole word with one access.
        unsafe { self.host.cast::<u32>().as_ptr().write_volatile(value) };
    }

    fn address(&self) -> u64 {
        memory::host_device_pointer(self.device, self.host).unwrap()
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        // The word is not freed.
        self.set(1);
    }
}

#[test]
fn streams_wait_for_events() {
    let Some(device) = device().filter(|_| alone("streams_wait_for_events")) else { return };
    let module = Module::load(device, IMAGE.as_bytes()).unwrap();
    let (memory, copy, gate) = (Memory::new(device, 4), Memory::new(device, 4), Gate::new(device));
    let (slow, other) = (Stream::new(device).unwrap(), Stream::new(device).unwrap());
    // The first launch may load the kernel, and loading waits for the device.
    gate.set(1);
    launch(&slow, &module, "gate_kernel", memory.address, 99, gate.address(), 1);
    assert_eq!(memory.words(&slow), [99]);
    for round in 0..10u32 {
        gate.set(0);
        launch(&slow, &module, "gate_kernel", memory.address, round, gate.address(), 1);
        let event = slow.record().unwrap();
        if round == 5 {
            other.wait(&event).unwrap();
        } else {
            other.wait_for(&slow).unwrap();
        }
        // SAFETY: both allocations are four bytes long and live until the streams have been waited for.
        unsafe { other.copy(copy.address, memory.address, 4, CopyKind::DeviceToDevice) }.unwrap();
        assert!(!event.is_complete().unwrap() && !slow.is_idle().unwrap() && !other.is_idle().unwrap());
        gate.set(1);
        assert_eq!(copy.words(&other), [round]);
        assert!(slow.is_idle().unwrap() && event.is_complete().unwrap());
    }
    // If a CPU stream waits for a CUDA stream, the calling thread waits.
    gate.set(0);
    launch(&slow, &module, "gate_kernel", memory.address, 77, gate.address(), 1);
    let before = slow.counters();
    std::thread::scope(|scope| {
        scope.spawn(|| gate.set(1));
        Stream::cpu().wait_for(&slow).unwrap();
    });
    assert!(slow.is_idle().unwrap());
    assert_eq!((slow.counters() - before).waits, 1);
    slow.wait_for(&Stream::cpu()).unwrap();
    let deferred = crate::deferred::DeferredCpu::new(1).stream();
    deferred.enqueue(|| ()).unwrap();
    slow.wait_for(&deferred).unwrap();
    assert!(deferred.is_idle().unwrap());
}

#[test]
fn foreign_streams() {
    let Some(device) = device().filter(|_| alone("foreign_streams")) else { return };
    let legacy = Stream::legacy(device).unwrap();
    assert_eq!(legacy, Stream::legacy(device).unwrap());
    let mine = Stream::per_thread(device).unwrap();
    let module = Module::load(device, IMAGE.as_bytes()).unwrap();
    let memory = Memory::new(device, 4);
    for (value, stream) in [&legacy, &mine].into_iter().enumerate() {
        launch(stream, &module, "fill_kernel", memory.address, value as u32, 1, 1);
        assert_eq!(memory.words(stream), [value as u32]);
    }
    let gate = Gate::new(device);
    gate.set(1);
    launch(&mine, &module, "gate_kernel", memory.address, 5, gate.address(), 1);
    mine.synchronize().unwrap();
    gate.set(0);
    launch(&mine, &module, "gate_kernel", memory.address, 6, gate.address(), 1);
    assert!(mine.is_usable_here());
    let elsewhere = std::thread::spawn(move || {
        let usable = mine.is_usable_here();
        (mine.record().map(|_| ()), usable, mine.record_from_anywhere().unwrap())
    });
    let (recorded, usable, event) = elsewhere.join().unwrap();
    assert_eq!((recorded, usable), (Err(DriverError::WrongThread { device }), false));
    assert!(!event.is_complete().unwrap(), "the other thread's work is still to come");
    gate.set(1);
    event.synchronize().unwrap();
    let stream = Stream::new(device).unwrap();
    assert_eq!(memory.words(&stream), [6]);

    let own = Stream::new(device).unwrap();
    let raw = own.raw().unwrap();
    // SAFETY: `own` is a stream of this device and outlives `foreign`.
    let foreign = unsafe { Stream::from_raw(device, raw) }.unwrap();
    assert_ne!(foreign, own);
    foreign.scratch().unwrap();
    foreign.synchronize().unwrap();
    drop(foreign);
    // SAFETY: `own` is a stream of this device and outlives `again`.
    let again = unsafe { Stream::from_raw(device, raw) }.unwrap();
    again.scratch().unwrap();
    again.synchronize().unwrap();
}

#[test]
fn blocking_streams_wait_for_the_legacy_stream() {
    let Some(device) = device().filter(|_| alone("blocking_streams_wait_for_the_legacy_stream")) else { return };
    let module = Module::load(device, IMAGE.as_bytes()).unwrap();
    let (memory, gate, legacy) = (Memory::new(device, 4), Gate::new(device), Stream::legacy(device).unwrap());
    gate.set(1);
    launch(&legacy, &module, "gate_kernel", memory.address, 1, gate.address(), 1);
    legacy.synchronize().unwrap();
    let (blocking, independent) = (Stream::blocking(device).unwrap(), Stream::new(device).unwrap());
    let (raw, copy) = (blocking.raw(), Memory::new(device, 8));
    gate.set(0);
    launch(&legacy, &module, "gate_kernel", memory.address, 2, gate.address(), 1);
    for (at, stream) in [&blocking, &independent].into_iter().enumerate() {
        // SAFETY: both allocations are long enough and live until the streams have been waited for.
        unsafe { stream.copy(copy.address + 4 * at as u64, memory.address, 4, CopyKind::DeviceToDevice) }.unwrap();
    }
    independent.synchronize().unwrap();
    assert!(!blocking.is_idle().unwrap());
    gate.set(1);
    blocking.synchronize().unwrap();
    assert_eq!(copy.words(&independent), [2, 1]);
    drop(blocking);
    assert_ne!(Stream::new(device).unwrap().raw(), raw);
    assert_eq!(Stream::blocking(device).unwrap().raw(), raw, "the blocking stream must be recycled");
}
