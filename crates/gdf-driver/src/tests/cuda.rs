//! Tests that need a CUDA device.
//!
//! On a machine without a CUDA device, the tests are skipped, and the skips are recorded.

use std::ffi::c_void;
use std::ptr::NonNull;

use crate::raw::{self, Pointer};
use crate::virtual_memory::{AddressRange, Physical};
use crate::{
    CopyKind, Device, DriverError, Lane, LaunchConfig, Module, SCRATCH_BYTES, Status, Stream, context,
    enter_background_thread, memory, table, virtual_memory,
};

/// The device code of the tests.
pub(super) const IMAGE: &str = "
.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 tile[3] = {256, 4, 8};
.visible .entry fill_kernel(.param .u64 to, .param .u32 value, .param .u64 count)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<7>;
    ld.param.u64 %rd1, [to];
    ld.param.u32 %r1, [value];
    ld.param.u64 %rd2, [count];
    cvta.to.global.u64 %rd6, %rd1;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    cvt.u64.u32 %rd3, %r5;
    setp.ge.u64 %p1, %rd3, %rd2;
    @%p1 bra done;
    shl.b64 %rd4, %rd3, 2;
    add.s64 %rd5, %rd6, %rd4;
    st.global.u32 [%rd5], %r1;
done:
    ret;
}
.visible .entry gate_kernel(.param .u64 to, .param .u32 value, .param .u64 gate)
{
    .reg .pred %p<3>;
    .reg .b32 %r<3>;
    .reg .b64 %rd<7>;
    ld.param.u64 %rd1, [to];
    ld.param.u32 %r1, [value];
    ld.param.u64 %rd2, [gate];
    cvta.to.global.u64 %rd3, %rd1;
    cvta.to.global.u64 %rd4, %rd2;
    mov.u64 %rd5, %globaltimer;
    add.s64 %rd5, %rd5, 10000000000;
again:
    ld.volatile.global.u32 %r2, [%rd4];
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra open;
    mov.u64 %rd6, %globaltimer;
    setp.lt.u64 %p2, %rd6, %rd5;
    @%p2 bra again;
open:
    st.global.u32 [%rd3], %r1;
    ret;
}
";

/// Returns the device to test.
pub(super) fn device() -> Option<Device> {
    let asked = std::env::var("GDF_TEST_DEVICE").ok().filter(|name| name.starts_with("cuda"));
    let device: Device = asked.as_deref().unwrap_or("cuda:0").parse().unwrap();
    match device.open() {
        Ok(()) => Some(device),
        Err(error) if asked.is_some() => panic!("the requested device {device} cannot be opened: {error}"),
        Err(error) => {
            crate::test_hooks::skip(&format!("no CUDA device ({error})"));
            None
        }
    }
}

/// Device memory of a test.
pub(super) struct Memory {
    device: Device,
    pub(super) address: u64,
    bytes: usize,
}

impl Memory {
    pub(super) fn new(device: Device, bytes: usize) -> Memory {
        Memory { device, address: memory::alloc(device, bytes).unwrap(), bytes }
    }

    fn read(&self, stream: &Stream) -> Vec<u8> {
        let mut bytes = vec![0u8; self.bytes];
        let target = bytes.as_mut_ptr().expose_provenance() as u64;
        // SAFETY: both ranges are valid for the length, and `bytes` is not used before the stream is synchronized.
        unsafe { stream.copy(target, self.address, self.bytes, CopyKind::DeviceToHost) }.unwrap();
        stream.synchronize().unwrap();
        bytes
    }

    pub(super) fn words(&self, stream: &Stream) -> Vec<u32> {
        self.read(stream).chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the memory came from `alloc`. Tests wait for all work on the memory before they drop the value.
        let _ = unsafe { memory::free(self.device, self.address) };
    }
}

pub(super) fn launch(stream: &Stream, module: &Module, kernel: &str, to: u64, value: u32, last: u64, blocks: u32) {
    let function = module.function(kernel).unwrap();
    let (mut to, mut value, mut last) = (to, value, last);
    let mut params =
        [(&raw mut to).cast::<c_void>(), (&raw mut value).cast::<c_void>(), (&raw mut last).cast::<c_void>()];
    // SAFETY: both kernels have these parameters, and the memory is valid for the values that the kernels store.
    unsafe { stream.launch(&function, LaunchConfig::linear(blocks, 256), &mut params) }.unwrap();
}

fn current() -> Pointer {
    let mut current: Pointer = std::ptr::null_mut();
    // SAFETY: `current` is writable.
    unsafe { table::cuCtxGetCurrent(&mut current) }.unwrap().anywhere().unwrap();
    current
}

#[test]
fn properties() {
    let Some(device) = device() else { return };
    let properties = device.properties().unwrap();
    println!("{properties:?}");
    assert!(!properties.name.is_empty() && properties.compute_capability >= (7, 5));
    assert!(properties.multiprocessors > 0 && properties.l2_bytes > 0);
    assert!(properties.shared_bytes_per_block >= 48 << 10);
    let info = device.memory_info().unwrap();
    assert!(info.free <= info.total && info.total <= properties.total_bytes);
    let count = Device::cuda_count().unwrap();
    assert_eq!(Device::Cuda(count).open(), Err(DriverError::InvalidDevice { ordinal: count, count }));
}

#[test]
fn the_callers_context_is_kept() {
    let Some(device) = device() else { return };
    // This closure runs on a thread that has not called the driver before.
    let work = move || {
        assert!(current().is_null());
        let stream = Stream::new(device).unwrap();
        let memory = Memory::new(device, 64);
        stream.scratch().unwrap();
        stream.record().unwrap().synchronize().unwrap();
        let module = Module::load(device, IMAGE.as_bytes()).unwrap();
        launch(&stream, &module, "fill_kernel", memory.address, 1, 16, 1);
        memory.read(&stream);
        assert!(current().is_null());
        {
            let state = context::open(device).unwrap();
            let _entered = state.enter().unwrap();
            let before = current();
            assert!(!before.is_null());
            Stream::new(device).unwrap().record().unwrap();
            assert_eq!(current(), before);
        }
        assert!(current().is_null());
    };
    std::thread::spawn(work).join().unwrap();
}

#[test]
fn copies() {
    let Some(device) = device() else { return };
    let stream = Stream::new(device).unwrap();
    for size in [1usize, 31, 32, 33, 63, 64, 65, 1000, 1 << 20] {
        let from: Vec<u8> = (0..size).map(|index| (index * 7) as u8).collect();
        let (first, second) = (Memory::new(device, size), Memory::new(device, size));
        let before = stream.counters();
        let source = from.as_ptr().expose_provenance() as u64;
        // SAFETY: all ranges are valid for `size` bytes, and are used in stream order.
        unsafe { stream.copy(first.address, source, size, CopyKind::HostToDevice) }.unwrap();
        // SAFETY: all ranges are valid for `size` bytes, and are used in stream order.
        unsafe { stream.copy(second.address, first.address, size, CopyKind::DeviceToDevice) }.unwrap();
        assert_eq!(second.read(&stream), from);
        // SAFETY: all ranges are valid for `size` bytes, and are used in stream order.
        unsafe { stream.fill(second.address, 0x5a, size) }.unwrap();
        assert_eq!(second.read(&stream), vec![0x5a; size]);
        let counted = stream.counters() - before;
        let bytes = size as u64;
        assert_eq!((counted.host_to_device_bytes, counted.device_to_device_bytes), (bytes, bytes));
        assert_eq!((counted.device_to_host_bytes, counted.fills, counted.waits), (2 * bytes, 1, 2));
    }
}

#[test]
fn launches() {
    let Some(device) = device() else { return };
    let stream = Stream::new(device).unwrap();
    let module = Module::load(device, IMAGE.as_bytes()).unwrap();
    assert_eq!(module.function("missing").unwrap_err(), DriverError::FunctionMissing("missing".to_owned()));
    assert_eq!(module.function("a\0b").unwrap_err(), DriverError::FunctionMissing("a\0b".to_owned()));
    let refused = Module::load(device, b"no image").unwrap_err();
    assert!(matches!(refused, DriverError::Call { call: "cuModuleLoadData", .. }), "{refused}");

    let mut tile = [0u8; 12];
    module.read_global("tile", &mut tile).unwrap();
    let tile: Vec<u32> = tile.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap())).collect();
    assert_eq!(tile, [256, 4, 8]);
    assert!(module.read_global("tile", &mut [0u8; 13]).is_err());
    assert_eq!(module.read_global("none", &mut []), Err(DriverError::FunctionMissing("none".to_owned())));

    let function = module.function("fill_kernel").unwrap();
    assert_eq!(function.name(), "fill_kernel");
    assert!(function.registers().unwrap() > 0);
    assert_eq!(function.static_shared_bytes(), Ok(0));
    assert_eq!(function.max_threads_per_block(), Ok(1024));
    assert!(function.max_active_blocks(256, 0).unwrap() >= 4);
    function.set_max_dynamic_shared(49 << 10).unwrap();
    assert!(function.set_max_dynamic_shared(u32::MAX).is_err());
    assert_eq!(device.health(), Ok(()));

    for count in [1usize, 31, 32, 33, 255, 256, 257, 1000] {
        let memory = Memory::new(device, count * 4);
        let before = stream.counters();
        launch(&stream, &module, "fill_kernel", memory.address, 0xabcd, count as u64, count.div_ceil(256) as u32);
        launch(&stream, &module, "fill_kernel", memory.address, 1, count as u64, 0);
        assert_eq!(memory.words(&stream), vec![0xabcd; count]);
        assert_eq!((stream.counters() - before).launches, 1);
    }
    // SAFETY: the stream is of the wrong device, so nothing is launched.
    let elsewhere = unsafe { Stream::cpu().launch(&function, LaunchConfig::linear(1, 1), &mut []) };
    assert_eq!(elsewhere, Err(DriverError::DeviceMismatch { expected: device, found: Device::Cpu }));
    // SAFETY: the shape is refused, so nothing is launched.
    let shape = unsafe { stream.launch(&function, LaunchConfig::linear(1, 1025), &mut []) };
    assert!(matches!(shape, Err(DriverError::InvalidLaunch(_))));
    drop(function);
    // SAFETY: the stream was synchronized after the last launch.
    assert_eq!(unsafe { module.unload() }, Ok(true));
}

#[test]
fn streams_are_recycled_with_their_scratch() {
    let Some(device) = device() else { return };
    // Other tests take and return streams at the same time. Therefore the test may not get the same stream again.
    let stream = Stream::new(device).unwrap();
    let (id, raw, scratch) = (stream.id(), stream.raw(), stream.scratch().unwrap());
    assert_eq!(stream.scratch(), Ok(scratch));
    let view = Memory { device, address: scratch, bytes: SCRATCH_BYTES };
    assert!(view.read(&stream).iter().all(|byte| *byte == 0));
    std::mem::forget(view);
    drop(stream);
    let many: Vec<Stream> = (0..200).map(|_| Stream::new(device).unwrap()).collect();
    if let Some(again) = many.iter().find(|stream| stream.raw() == raw) {
        assert_eq!(again.scratch(), Ok(scratch));
        assert_ne!(again.id(), id);
        assert_eq!(again.counters(), crate::Counters::default());
    }
}

#[test]
fn default_streams_of_threads() {
    let _mode = crate::lock::lock(&super::DEFAULT_MODE);
    let Some(device) = device() else { return };
    let raw = |stream: &Stream| stream.raw().unwrap().addr();
    let here = Stream::default_for(device).unwrap();
    let there = std::thread::spawn(move || {
        let stream = Stream::default_for(device).unwrap();
        stream.record().unwrap().synchronize().unwrap();
        raw(&stream)
    });
    assert_ne!(raw(&here), there.join().unwrap());
    assert!(raw(&here) > 2);
}

#[test]
fn pools_and_pinned_memory() {
    let Some(device) = device() else { return };
    let stream = Stream::new(device).unwrap();
    let pool = memory::pool_create(device, 0).unwrap();
    let address = memory::pool_alloc(&pool, 1 << 20, &stream).unwrap();
    assert!(memory::pool_used(&pool).unwrap() >= 1 << 20);
    assert!(memory::pool_reserved(&pool).unwrap() >= memory::pool_used(&pool).unwrap());
    // SAFETY: this test allocated the memory, and uses and frees the memory in stream order.
    unsafe { stream.fill(address, 1, 1 << 20) }.unwrap();
    // SAFETY: this test allocated the memory, and uses and frees the memory in stream order.
    unsafe { memory::free_async(address, &stream) }.unwrap();
    stream.synchronize().unwrap();
    assert_eq!(memory::pool_used(&pool), Ok(0));
    assert!(memory::pool_used_high(&pool).unwrap() >= 1 << 20);
    memory::pool_trim(&pool, 0).unwrap();
    assert_eq!(memory::pool_reserved(&pool), Ok(0));
    let error = memory::pool_alloc(&pool, 1 << 50, &stream).unwrap_err();
    assert!(error.is_out_of_memory(), "{error}");
    assert!(memory::alloc(device, 1 << 50).unwrap_err().is_out_of_memory());
    assert_eq!(device.health(), Ok(()));
    assert_eq!(
        memory::pool_alloc(&pool, 1, &Stream::cpu()).unwrap_err(),
        DriverError::DeviceMismatch { expected: device, found: Device::Cpu }
    );

    let host: NonNull<u8> = memory::host_alloc(device, 4096).unwrap();
    let mapped = memory::host_device_pointer(device, host).unwrap();
    let module = Module::load(device, IMAGE.as_bytes()).unwrap();
    launch(&stream, &module, "fill_kernel", mapped, 0x0102_0304, 1024, 4);
    stream.synchronize().unwrap();
    for index in 0..1024 {
        // SAFETY: the pinned memory has 1024 words, and the kernel that wrote them has completed.
        assert_eq!(unsafe { host.cast::<u32>().add(index).read() }, 0x0102_0304);
    }
    // SAFETY: this test allocated the memory, and the only kernel that used the memory has completed.
    unsafe { memory::host_free(device, host) }.unwrap();
}

/// The test captures a graph in a child process.
#[test]
fn background_threads_and_captures_leave_each_other_alone() {
    const CHILD: &str = "GDF_DRIVER_TEST_CAPTURE";
    let Some(device) = device() else { return };
    if std::env::var_os(CHILD).is_none() {
        let status = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "tests::cuda::background_threads_and_captures_leave_each_other_alone"])
            .env(CHILD, "1")
            .status();
        assert!(status.unwrap().success());
        return;
    }
    let (captured, other) = (Stream::new(device).unwrap(), Stream::new(device).unwrap());
    let (raw, event) = (captured.raw().unwrap(), other.record().unwrap());
    let capture = |during: &(dyn Fn() -> crate::Result<()> + Sync)| {
        let _entered = context::open(device).unwrap().enter().unwrap();
        // SAFETY: the stream is alive, and its kind can be captured.
        unsafe { table::cuStreamBeginCapture_v2(raw, raw::CAPTURE_MODE_GLOBAL) }.unwrap().on(device).unwrap();
        let outcome = std::thread::scope(|scope| scope.spawn(during).join().unwrap());
        let mut graph: Pointer = std::ptr::null_mut();
        // SAFETY: this thread is capturing the stream, and `graph` is writable.
        let ended = unsafe { table::cuStreamEndCapture(raw, &mut graph) }.unwrap();
        if ended.status.is_success() {
            // SAFETY: the graph was created just above, and no other code uses the graph.
            unsafe { table::cuGraphDestroy(graph) }.unwrap().on(device).unwrap();
        }
        (outcome.is_ok(), ended.status)
    };
    let works = || {
        enter_background_thread();
        assert!(event.is_complete()?);
        let block = memory::alloc(device, 1000)?;
        // SAFETY: nothing uses the memory.
        unsafe { memory::free(device, block) }
    };
    other.synchronize().unwrap();
    assert_eq!(capture(&works), (true, Status::SUCCESS));
    assert_eq!(capture(&|| event.is_complete().map(drop)), (false, Status(901)));
}

/// A fatal error makes the device unusable for the whole process.
#[test]
fn a_fatal_error_makes_the_device_unusable() {
    const CHILD: &str = "GDF_DRIVER_TEST_FATAL";
    let Some(device) = device() else { return };
    if std::env::var_os(CHILD).is_none() {
        let status = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "tests::cuda::a_fatal_error_makes_the_device_unusable"])
            .env(CHILD, "1")
            .status();
        assert!(status.unwrap().success());
        return;
    }
    let stream = Stream::new(device).unwrap();
    let event = stream.record().unwrap();
    let module = Module::load(device, IMAGE.as_bytes()).unwrap();
    launch(&stream, &module, "fill_kernel", 64, 1, 1, 1);
    let first = stream.synchronize().unwrap_err();
    let status = Status::ILLEGAL_ADDRESS;
    assert_eq!(first, DriverError::Call { call: "cuStreamSynchronize", status, device: Some(device) });
    let poisoned = DriverError::Poisoned { device, status };
    assert_eq!(device.health(), Err(poisoned.clone()));
    assert_eq!(stream.synchronize(), Err(poisoned.clone()));
    assert_eq!(stream.record().unwrap_err(), poisoned);
    assert_eq!(event.is_complete(), Err(poisoned.clone()));
    assert_eq!(Stream::new(device).unwrap_err(), poisoned);
    assert_eq!(memory::alloc(device, 64).unwrap_err(), poisoned);
    assert_eq!(module.function("fill_kernel").unwrap_err(), poisoned);
    drop((event, stream, module));
    Stream::cpu().enqueue(|| ()).unwrap();
}

#[test]
fn a_lane_outlives_its_stream() {
    let Some(device) = device() else { return };
    let stream = Stream::new(device).unwrap();
    let (lane, alias) = (stream.lane(), stream.alias().unwrap());
    assert!(matches!(lane, Lane::Queue(_)) && alias.lane() == lane && alias != stream);
    assert_ne!(Stream::new(device).unwrap().lane(), lane, "the stream still owns the handle");
    drop(stream);
    // The handle is recycled.
    let mut taken = Vec::new();
    while taken.last().is_none_or(|last: &Stream| last.lane() != lane) {
        assert!(taken.len() < 10_000, "no new stream reused the handle");
        taken.push(Stream::new(device).unwrap());
    }
    let memory = Memory::new(device, 4);
    let last = taken.pop().unwrap();
    // SAFETY: the memory is four bytes long and lives until the fill has run.
    unsafe { last.fill(memory.address, 7, 4) }.unwrap();
    alias.record().unwrap().synchronize().unwrap();
    assert_eq!(memory.read(&last), [7; 4]);
    assert_eq!(Stream::legacy(device).unwrap().lane(), Lane::Foreign);
    assert!(Stream::legacy(device).unwrap().alias().is_none());
}

#[test]
fn virtual_memory_is_copied_across_mappings() {
    let Some(device) = device() else { return };
    let granule = virtual_memory::granularity(device).unwrap();
    let range = AddressRange::reserve(device, 4 * granule).unwrap();
    let pieces: Vec<Physical> = (0..3).map(|_| Physical::new(device, granule).unwrap()).collect();
    for (at, piece) in pieces.iter().enumerate() {
        // SAFETY: no memory is mapped there, and the memory is unmapped below.
        unsafe { range.map(at * granule, piece) }.unwrap();
    }
    range.allow(0, 3 * granule).unwrap();
    let stream = Stream::new(device).unwrap();
    let (plain, bytes) = (Memory::new(device, 3 * granule), 3 * granule - 100);
    // SAFETY: all addresses are mapped or allocated, and used on this stream only.
    unsafe {
        stream.fill(range.base(), 5, 3 * granule).unwrap();
        stream.copy(plain.address, range.base() + 50, bytes, CopyKind::DeviceToDevice).unwrap();
        stream.fill(plain.address, 6, 10).unwrap();
        stream.copy(range.base(), plain.address, bytes, CopyKind::DeviceToDevice).unwrap();
        stream.copy(plain.address, range.base(), bytes, CopyKind::DeviceToDevice).unwrap();
    }
    let seen = plain.read(&stream);
    assert!(seen[..10].iter().all(|&byte| byte == 6) && seen[10..bytes].iter().all(|&byte| byte == 5));
    // SAFETY: the read above waited for the stream, so no work uses the addresses.
    unsafe { range.unmap(0, 3 * granule) }.unwrap();
}
