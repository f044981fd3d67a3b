//! Tests of the lifetime rule, each with the rule on and with the rule off. On a GPU, a gate blocks one stream. If the
//! rule is off, the gate opens after the other stream has done all its work. If the rule is on, the gate opens after the
//! program is enqueued, and no violation may occur.

use gdf_driver::{Device, LaunchConfig, Module, Stream, memory};

use super::programs::{IMAGE, Place, device, upstream};
use crate::{Buffer, PoolOptions, PoolResource, Resource, testing};

const BYTES: usize = if cfg!(miri) { 64 } else { 1 << 12 };

enum Gate {
    Cpu,
    Gpu { word: std::ptr::NonNull<u8>, module: Module },
}

impl Gate {
    fn new() -> Self {
        let device = device();
        if device.is_cpu() {
            return Self::Cpu;
        }
        let word = memory::host_alloc(device, 4).unwrap();
        let image = [IMAGE.as_bytes(), b"\0"].concat();
        let gate = Self::Gpu { word, module: Module::load(device, &image).unwrap() };
        // The first launch may load the kernel, and loading may wait for the device.
        gate.set(1);
        let stream = Stream::new(device).unwrap();
        gate.hold(&stream);
        stream.synchronize().unwrap();
        gate.set(0);
        gate
    }

    fn set(&self, value: u32) {
        if let Self::Gpu { word, .. } = self {
            // SAFETY: the word is pinned memory that the gate owns and never frees. Kernels read the word as a whole,
            // so the volatile write is not torn.
            unsafe { word.cast::<u32>().as_ptr().write_volatile(value) };
        }
    }

    fn hold(&self, stream: &Stream) {
        let Self::Gpu { word, module } = self else { return };
        let mut address = memory::host_device_pointer(stream.device(), *word).unwrap();
        let mut params = [(&raw mut address).cast()];
        let kernel = module.function("gate_kernel").unwrap();
        // SAFETY: the kernel has one parameter, the address of a word that is never freed.
        unsafe { stream.launch(&kernel, LaunchConfig::linear(1, 1), &mut params) }.unwrap();
    }
}

/// Opens the gate. If a test fails, no kernel keeps waiting.
impl Drop for Gate {
    fn drop(&mut self) {
        self.set(1);
    }
}

struct Stage {
    place: Place,
    gate: Gate,
    resource: Resource,
    /// `late` is the stream that the gate blocks. `other` is a second stream.
    late: Stream,
    other: Stream,
}

impl Stage {
    /// Returns a buffer with the content `value`. The stream `other` has written the buffer, and the write has
    /// completed.
    fn written(&self, value: u32) -> Buffer {
        let mut buffer = Buffer::uninitialized(BYTES, &self.other, self.resource.as_ref()).unwrap();
        self.write(&mut buffer, value, &self.other);
        self.other.synchronize().unwrap();
        buffer
    }

    fn write(&self, buffer: &mut Buffer, value: u32, stream: &Stream) {
        let access = buffer.write_on(stream).unwrap();
        self.place.enqueue(access.address(), BYTES, value, true, 0, stream);
    }

    fn verify(&self, buffer: &Buffer, value: u32, stream: &Stream) {
        let access = buffer.read_on(stream).unwrap();
        self.place.enqueue(access.address(), BYTES, value, false, 0, stream);
    }
}

/// Tests that a read on another stream makes the reading stream wait for the writer.
fn read_after_write(stage: &Stage) {
    let mut buffer = stage.written(1);
    stage.gate.hold(&stage.late);
    stage.write(&mut buffer, 2, &stage.late);
    stage.verify(&buffer, 2, &stage.other);
}

/// Tests that the writing stream waits for all readers.
fn write_after_read(stage: &Stage) {
    let mut buffer = stage.written(1);
    stage.gate.hold(&stage.late);
    stage.verify(&buffer, 1, &stage.late);
    stage.write(&mut buffer, 2, &stage.other);
}

/// Tests that the writing stream waits for the writer.
fn write_after_write(stage: &Stage) {
    let mut buffer = stage.written(1);
    stage.gate.hold(&stage.late);
    stage.write(&mut buffer, 2, &stage.late);
    stage.write(&mut buffer, 3, &stage.other);
    stage.verify(&buffer, 3, &stage.other);
    // The values that the blocked stream writes must differ from the final values.
    stage.verify(&buffer, 3, &stage.late);
}

/// Tests that the writer waits for the readers when the last reference is dropped.
fn reuse_after_read(stage: &Stage) {
    let buffer = stage.written(1);
    stage.gate.hold(&stage.late);
    stage.verify(&buffer, 1, &stage.late);
    let place = buffer.read_on(&stage.other).unwrap().address();
    drop(buffer);
    let mut next = Buffer::uninitialized(BYTES, &stage.other, stage.resource.as_ref()).unwrap();
    assert_eq!(next.write_on(&stage.other).unwrap().address(), place, "the pool must reuse the block");
    stage.write(&mut next, 2, &stage.other);
}

/// Runs a program.
fn violations(program: fn(&Stage), seed: u64, tracking: bool) -> usize {
    let (place, gate) = (Place::new(seed), Gate::new());
    let options = PoolOptions::new().granule(1 << 12).initial(1 << 16);
    let resource = Resource::new(PoolResource::with_options(upstream(), options).unwrap());
    let (late, other) = (place.stream(), place.stream());
    let stage = Stage { place, gate, resource, late, other };
    drop(stage.written(0));
    // SAFETY: the pool keeps its memory until all work has run. A broken order therefore causes wrong values and no
    // undefined behavior.
    unsafe { testing::set_tracking(tracking) };
    program(&stage);
    // SAFETY: turning the lifetime rule on has no precondition.
    unsafe { testing::set_tracking(true) };
    if !tracking {
        // If the rule is off, the stream `other` waits for no other stream and completes.
        stage.other.synchronize().unwrap();
    }
    stage.gate.set(1);
    stage.place.finish(&[stage.late.clone(), stage.other.clone()])
}

fn check(name: &str, program: fn(&Stage)) {
    const CHILD: &str = "GDF_MEMORY_TEST_ALONE";
    // On a GPU, the test runs in a separate process. In a shared process, driver calls of other tests could wait for
    // the kernel, while the kernel waits for the CPU.
    if device() != Device::Cpu && std::env::var_os(CHILD).is_none() {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        let status = child.args(["--exact", &format!("tests::rule::{name}")]).env(CHILD, "1").status();
        return assert!(status.unwrap().success());
    }
    let seeds = if cfg!(miri) { 1 } else { 3 };
    let found = |tracking| (0..seeds).map(move |seed| violations(program, seed, tracking));
    assert_eq!(found(true).sum::<usize>(), 0, "{name}: the rule was broken");
    let seen = found(false).filter(|&violations| violations > 0).count();
    // On the CPU, the number of violations depends only on the seed. On a GPU, every program has a violation.
    let min = if device().is_cuda() { seeds } else { u64::from(!cfg!(miri)) };
    assert!(seen as u64 >= min, "{name}: without the rule only {seen} of {seeds} programs had violations");
}

#[test]
fn reading_waits_for_the_writer() {
    check("reading_waits_for_the_writer", read_after_write);
}

#[test]
fn writing_waits_for_readers() {
    check("writing_waits_for_readers", write_after_read);
}

#[test]
fn writing_waits_for_the_writer() {
    check("writing_waits_for_the_writer", write_after_write);
}

#[test]
fn giving_back_waits_for_readers() {
    check("giving_back_waits_for_readers", reuse_after_read);
}
