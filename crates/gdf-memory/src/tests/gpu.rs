//! Tests that need a GPU. The tests are skipped unless `GDF_TEST_DEVICE` names a GPU.

use gdf_driver::{Device, Stream};

use super::host;
use crate::testing::SpyingResource;
use crate::{
    Buffer, CachingResource, CudaAsyncOptions, CudaAsyncResource, CudaResource, DeviceVec, ExportHandle,
    FixedSizeResource, ManagedResource, MemoryError, PinnedResource, PoolOptions, PoolResource, Resource,
};

fn gpu() -> Option<Device> {
    let test = std::thread::current();
    gdf_driver::test_hooks::cuda_device(test.name().unwrap_or("a test of gdf-memory"))
}

fn keep_busy(stream: &Stream, buffer: &mut Buffer) {
    let access = buffer.write_on(stream).unwrap();
    for value in 0..100 {
        // SAFETY: the access gives this stream exclusive use of the buffer until the fill has run.
        unsafe { stream.fill(access.address(), value, access.len()) }.unwrap();
    }
}

#[test]
fn memory_of_the_driver_that_nothing_uses_is_free_at_once() {
    const BYTES: usize = 16 << 30;
    let Some(device) = gpu() else { return };
    if device.memory_info().unwrap().free < 3 * BYTES as u64 {
        return println!("skipped: too little memory is free");
    }
    // The default stream is busy. Therefore the test allocates on another stream.
    let (default, own) = (Stream::default_for(device).unwrap(), Stream::new(device).unwrap());
    let plain = Resource::new(CudaResource::new(device).unwrap());
    let mut work = Buffer::uninitialized(1 << 30, &default, plain.as_ref()).unwrap();
    let free = || device.memory_info().unwrap().free;
    let pool = Resource::new(PoolResource::new(plain.clone()));
    for resource in [&plain, &pool, &Resource::new(CudaAsyncResource::new(device).unwrap())] {
        let block = resource.allocate(BYTES, 256, &own).unwrap();
        own.synchronize().unwrap();
        let before = free();
        keep_busy(&default, &mut work);
        // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
        unsafe { resource.deallocate_sync(block, BYTES, 256) };
        resource.trim();
        let freed = free().saturating_sub(before);
        assert!(freed > BYTES as u64 / 2, "{}: {freed} bytes are free after {BYTES} were given back", resource.name());
    }
    for resource in
        [Resource::new(PinnedResource::new(device).unwrap()), Resource::new(ManagedResource::new(device).unwrap())]
    {
        let block = resource.allocate_sync(1 << 20, 256).unwrap();
        // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
        unsafe { resource.deallocate_sync(block, 1 << 20, 256) };
    }
    default.synchronize().unwrap();
}

/// Other tests free memory at the same time, and the driver may then block all callers. Therefore one of 20 attempts
/// must succeed.
#[test]
fn memory_for_every_stream_waits_for_no_work_of_the_default_one() {
    const BYTES: usize = 1 << 20;
    let Some(device) = gpu() else { return };
    let default = Stream::default_for(device).unwrap();
    let plain = Resource::new(CudaResource::new(device).unwrap());
    let mut work = Buffer::uninitialized(1 << 30, &default, plain.as_ref()).unwrap();
    let resources = [
        Resource::new(PoolResource::new(plain.clone())),
        Resource::new(FixedSizeResource::new(plain.clone(), BYTES).unwrap()),
        Resource::new(CachingResource::new(plain.clone())),
        Resource::new(CudaAsyncResource::new(device).unwrap()),
    ];
    for resource in &resources {
        let mut attempt = || {
            // This call may allocate new memory from the driver, and the driver may wait. The call below then reuses
            // the memory.
            let block = resource.allocate_sync(BYTES, 256).unwrap();
            // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
            unsafe { resource.deallocate_sync(block, BYTES, 256) };
            (0..4).for_each(|_| keep_busy(&default, &mut work));
            let block = resource.allocate_sync(BYTES, 256).unwrap();
            let is_at_work = !default.is_idle().unwrap();
            default.synchronize().unwrap();
            // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
            unsafe { resource.deallocate_sync(block, BYTES, 256) };
            is_at_work
        };
        assert!((0..20).any(|_| attempt()), "{}", resource.name());
    }
}

#[test]
fn buffers_of_another_threads_stream_go_back() {
    let Some(device) = gpu() else { return };
    let spy = SpyingResource::new(Resource::new(CudaResource::new(device).unwrap()));
    let pool = PoolResource::new(Resource::new(spy.clone()));
    let pools = [Resource::new(pool.clone()), Resource::new(CudaAsyncResource::new(device).unwrap())];
    for resource in &pools {
        let (sender, receiver) = std::sync::mpsc::channel();
        let (done, wait) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mine = Stream::per_thread(device).unwrap();
                let mut written = Buffer::uninitialized(64 << 20, &mine, resource.as_ref()).unwrap();
                keep_busy(&mine, &mut written);
                let own = Stream::new(device).unwrap();
                let read = Buffer::zeroed(1 << 20, &own, resource.as_ref()).unwrap();
                drop(read.read_on(&mine).unwrap());
                sender.send((written, read)).unwrap();
                wait.recv().unwrap();
                // The thread must not end before its stream is idle; `CudaAsyncResource` documents the reason.
                mine.synchronize().unwrap();
            });
            drop(receiver.recv().unwrap());
            done.send(()).unwrap();
        });
    }
    assert_eq!(pool.used_bytes(), 0);
    // The zeros must be written after the work of the other thread's stream, which wrote other values.
    let stream = Stream::new(device).unwrap();
    assert!(
        Buffer::zeroed(64 << 20, &stream, pools[0].as_ref()).unwrap().to_host(&stream).unwrap().iter().all(|&b| b == 0)
    );
    drop((pools, pool));
    for _ in 0..10_000 {
        if spy.outstanding() == 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert_eq!((spy.outstanding(), spy.faults()), (0, Vec::new()), "the engine must be dropped");
}

#[test]
fn what_foreign_streams_gave_back_is_waited_for() {
    let Some(device) = gpu() else { return };
    let options = PoolOptions::new().initial(256 << 20).maximum(256 << 20);
    let plain = Resource::new(CudaResource::new(device).unwrap());
    let resource = Resource::new(PoolResource::with_options(plain, options).unwrap());
    let (owner, own) = (Stream::new(device).unwrap(), Stream::new(device).unwrap());
    // SAFETY: `owner` outlives the foreign stream and all work on the foreign stream.
    let foreign = unsafe { Stream::from_raw(device, owner.raw().unwrap()) }.unwrap();
    for _ in 0..10 {
        let mut all = Buffer::uninitialized(256 << 20, &foreign, resource.as_ref()).unwrap();
        keep_busy(&foreign, &mut all);
        drop(all);
        let next = Buffer::zeroed(256 << 20, &own, resource.as_ref()).unwrap();
        assert!(next.slice(0, 1 << 20).unwrap().to_host(&own).unwrap().iter().all(|&byte| byte == 0));
    }
    own.synchronize().unwrap();
}

#[test]
fn vectors_of_the_cpu_refuse_streams_of_a_gpu() {
    let Some(device) = gpu() else { return };
    let (cpu, gpu, memory) = (Stream::cpu(), Stream::new(device).unwrap(), host());
    let plain = Resource::new(CudaResource::new(device).unwrap());
    let mut values = DeviceVec::from_slice(&[1_u32, 2, 3, 4], &cpu, memory.as_ref()).unwrap();
    let refused = MemoryError::DeviceMismatch { expected: Device::Cpu, found: device };
    assert_eq!(values.resize(2, &gpu, memory.as_ref()).unwrap_err(), refused);
    assert_eq!(values.resize(1000, &gpu, plain.as_ref()).unwrap_err(), refused);
    assert_eq!(values.resize_zeroed(5, &gpu, memory.as_ref()).unwrap_err(), refused);
    assert_eq!(values.reserve(1000, &gpu, plain.as_ref()).unwrap_err(), refused);
    assert_eq!(values.to_vec(&cpu).unwrap(), [1, 2, 3, 4]);
    values.resize(2, &cpu, memory.as_ref()).unwrap();
    values.resize(4, &cpu, memory.as_ref()).unwrap();
    assert_eq!(values.to_vec(&cpu).unwrap(), [1, 2, 0, 0]);
    // Pinned memory belongs to the GPU, but the CPU can access it.
    let pinned = Resource::new(PinnedResource::new(device).unwrap());
    let mut values = DeviceVec::from_slice(&[1_u32, 2, 3, 4], &gpu, pinned.as_ref()).unwrap();
    values.resize(1, &gpu, pinned.as_ref()).unwrap();
    values.resize(4, &gpu, pinned.as_ref()).unwrap();
    assert_eq!(values.to_vec(&gpu).unwrap(), [1, 0, 0, 0]);
}

#[test]
fn pools_of_the_driver_that_others_own_and_that_can_be_shared() {
    let Some(device) = gpu() else { return };
    let options = CudaAsyncOptions::new().initial(1 << 20).export_handle(ExportHandle::PosixFileDescriptor);
    let owner = CudaAsyncResource::with_options(device, options).unwrap();
    // SAFETY: `owner` keeps the pool alive until the end of the test.
    let view = unsafe { CudaAsyncResource::view(device, owner.pool_handle()) }.unwrap();
    let stream = Stream::new(device).unwrap();
    let buffer = Buffer::from_host(&[7; 1000], &stream, Resource::new(view.clone()).as_ref()).unwrap();
    assert!(owner.used_bytes().unwrap() >= 1000 && owner.used_bytes() == view.used_bytes());
    assert_eq!(buffer.to_host(&stream).unwrap(), [7; 1000]);
    assert_eq!(buffer.prefetch(&stream), Ok(false));
    drop((buffer, view));
    // The pool has freed its initial block on the default stream.
    stream.synchronize().unwrap();
    Stream::default_for(device).unwrap().synchronize().unwrap();
    assert_eq!(owner.used_bytes().unwrap(), 0);
    let managed = Resource::new(ManagedResource::new(device).unwrap());
    let buffer = Buffer::from_host(&[9; 1000], &stream, managed.as_ref()).unwrap();
    assert_eq!(buffer.prefetch(&stream), Ok(true));
    assert_eq!(buffer.to_host(&stream).unwrap(), [9; 1000]);
}
