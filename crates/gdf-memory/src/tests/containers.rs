//! Tests of buffers, vectors and scalars on the CPU.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gdf_driver::{Device, Stream};

use super::host;
use crate::testing::{FailingResource, SpyingResource};
use crate::{
    Buffer, CallbackResource, CudaAsyncResource, CudaResource, DeviceScalar, DeviceVec, HostVec, Mailbox, MemoryError,
    PinnedResource, Properties, Resource, current_pinned_resource, current_resource, set_current_pinned_resource,
    set_current_resource,
};

#[test]
fn buffers_are_padded_and_aligned_and_their_tail_is_zero() {
    let stream = Stream::cpu();
    for len in [0, 1, 31, 32, 33, 63, 64, 65, 1000] {
        let bytes: Vec<u8> = (0..len).map(|i| i as u8 | 1).collect();
        let buffer = Buffer::from_host(&bytes, &stream, host().as_ref()).unwrap();
        assert_eq!(buffer.len(), len);
        assert_eq!(buffer.allocated_bytes() % 64, 0);
        let access = buffer.read_on(&stream).unwrap();
        assert_eq!(access.address() % 256, 0);
        assert_eq!(access.as_slice::<u8>().unwrap(), bytes);
        assert_eq!(buffer.to_host(&stream).unwrap(), bytes);
        assert_eq!(copied_to_host(&buffer, &stream), bytes);
        for at in len..buffer.allocated_bytes() {
            // SAFETY: the padding belongs to the allocation, whose host memory is initialized.
            assert_eq!(unsafe { (access.address() as *const u8).add(at).read() }, 0);
        }
    }
}

#[test]
fn sharing_forbids_writing_until_a_copy_is_made() {
    let stream = Stream::cpu();
    let resource = host();
    let mut buffer = Buffer::from_host(&[1, 2, 3, 4], &stream, resource.as_ref()).unwrap();
    let shared = buffer.clone();
    assert!(!buffer.is_unique());
    assert_eq!(buffer.write_on(&stream).unwrap_err(), MemoryError::Shared);
    buffer.make_mut(&stream, resource.as_ref()).unwrap().as_mut_slice::<u8>().unwrap()[0] = 9;
    assert_eq!(buffer.to_host(&stream).unwrap(), [9, 2, 3, 4]);
    assert_eq!(shared.to_host(&stream).unwrap(), [1, 2, 3, 4]);
    assert!(!buffer.same_allocation(&shared));
    assert!(buffer.is_unique() && !buffer.is_exposed());
    buffer.expose().unwrap();
    assert!(!buffer.is_unique() && buffer.is_exposed());
    assert_eq!(buffer.write_on(&stream).unwrap_err(), MemoryError::Shared);
    buffer.make_mut(&stream, resource.as_ref()).unwrap().as_mut_slice::<u8>().unwrap()[0] = 5;
    assert!(buffer.is_unique() && !buffer.is_exposed(), "the copy has no other owner");
}

#[test]
fn slices_share_and_are_checked() {
    let stream = Stream::cpu();
    let buffer = Buffer::from_host(&[1, 2, 3, 4, 5, 6, 7, 8], &stream, host().as_ref()).unwrap();
    let middle = buffer.slice(2, 4).unwrap().slice(1, 2).unwrap();
    assert_eq!(middle.to_host(&stream).unwrap(), [4, 5]);
    assert!(middle.same_allocation(&buffer));
    for (offset, len) in [(9, 0), (0, 9), (usize::MAX, 2), (8, 1)] {
        assert_eq!(buffer.slice(offset, len).unwrap_err(), MemoryError::OutOfRange { offset, len, size: 8 });
    }
    assert!(matches!(
        buffer.slice(1, 4).unwrap().read_on(&stream).unwrap().as_slice::<u32>(),
        Err(MemoryError::Misaligned { .. })
    ));
    assert!(matches!(
        buffer.slice(0, 7).unwrap().read_on(&stream).unwrap().as_slice::<u32>(),
        Err(MemoryError::Misaligned { .. })
    ));
}

#[derive(Debug)]
struct Counted(Vec<u64>, Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.1.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn foreign_owners_are_dropped_once_after_the_last_reference() {
    let stream = Stream::cpu();
    let dropped = Arc::new(AtomicUsize::new(0));
    let owner = Arc::new(Counted(vec![5, 6, 7], Arc::clone(&dropped)));
    let ptr = std::ptr::NonNull::from(owner.0.as_slice()).cast();
    // SAFETY: the owner holds the vector, so the bytes live as long as the owner. The bytes are initialized and never
    // written.
    let buffer = unsafe { Buffer::from_foreign(Device::Cpu, ptr, 24, owner, &stream) };
    let mut slice = buffer.slice(8, 8).unwrap();
    drop(buffer);
    assert_eq!(slice.read_on(&stream).unwrap().as_slice::<u64>().unwrap(), [6]);
    assert_eq!(slice.write_on(&stream).unwrap_err(), MemoryError::Shared);
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    drop(slice);
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[test]
fn typed_vectors_and_scalars() {
    let (stream, resource) = (Stream::cpu(), host());
    let vec = DeviceVec::from_slice(&[1_i64, -2, 3], &stream, resource.as_ref()).unwrap();
    assert_eq!((vec.len(), vec.element(1, &stream).unwrap()), (3, -2));
    assert!(matches!(vec.element(3, &stream), Err(MemoryError::OutOfRange { .. })));
    assert_eq!(vec.to_vec(&stream).unwrap(), [1, -2, 3]);
    assert_eq!(DeviceVec::<u16>::zeroed(5, &stream, resource.as_ref()).unwrap().to_vec(&stream).unwrap(), [0; 5]);
    assert!(
        DeviceVec::<u64>::uninitialized(usize::MAX / 2, &stream, resource.as_ref()).unwrap_err().is_out_of_memory()
    );
    assert_eq!(DeviceScalar::new(2.5_f32, &stream, resource.as_ref()).unwrap().value(&stream).unwrap(), 2.5);

    let mut grown = HostVec::new(&stream, resource.as_ref());
    for value in 0..1000_u32 {
        grown.try_push(value).unwrap();
    }
    assert_eq!(grown.iter().sum::<u32>(), 499_500);
    let buffer = grown.into_buffer().unwrap();
    assert_eq!(buffer.len(), 4000);
    assert_eq!(HostVec::<u8>::new(&stream, resource.as_ref()).into_buffer().unwrap().len(), 0);
}

#[test]
fn failing_and_spying_resources_do_what_they_say() {
    let stream = Stream::cpu();
    let spy = SpyingResource::new(host());
    let failing = FailingResource::new(Resource::new(spy.clone()), 2);
    let resource = Resource::new(failing.clone());
    let first = Buffer::zeroed(100, &stream, resource.as_ref()).unwrap();
    assert!(Buffer::zeroed(100, &stream, resource.as_ref()).unwrap_err().is_out_of_memory());
    assert!(failing.has_failed());
    let third = Buffer::uninitialized(1, &stream, resource.as_ref()).unwrap();
    assert_eq!((spy.allocations(), spy.outstanding(), spy.outstanding_bytes()), (2, 2, 192));
    drop((first, third));
    assert_eq!((spy.outstanding(), spy.faults(), spy.streams()), (0, Vec::new(), vec![stream.id()]));
}

#[test]
fn what_needs_a_gpu_says_so() {
    let stream = Stream::cpu();
    assert!(matches!(Mailbox::new(&stream, 1), Err(MemoryError::NotHostAccessible { .. })));
    assert!(CudaResource::new(Device::Cpu).is_err());
    assert!(PinnedResource::new(Device::Cpu).is_err() && current_pinned_resource(Device::Cpu).is_err());
    assert!(set_current_pinned_resource(Device::Cpu, host()).is_err());
    if Device::Cuda(0).open().is_err() {
        assert!(matches!(CudaAsyncResource::new(Device::Cuda(0)), Err(MemoryError::Driver(_))));
        assert!(current_resource(Device::Cuda(0)).is_err());
        assert!(set_current_resource(Device::Cuda(0), host()).is_err());
    }
}

#[test]
fn vectors_grow_shrink_and_keep_their_values() {
    let (stream, resource) = (Stream::cpu(), Resource::new(SpyingResource::new(host())));
    let mr = resource.as_ref();
    let mut values = DeviceVec::from_slice(&[1_u32, 2, 3], &stream, mr).unwrap();
    assert_eq!((values.len(), values.capacity()), (3, 16));
    values.resize(16, &stream, mr).unwrap();
    values.resize(3, &stream, mr).unwrap();
    values.resize_zeroed(20, &stream, mr).unwrap();
    let mut expected = vec![1, 2, 3];
    expected.resize(20, 0);
    assert_eq!(values.to_vec(&stream).unwrap(), expected);
    values.reserve(1000, &stream, mr).unwrap();
    assert_eq!((values.len(), values.capacity()), (20, 1008));
    values.set_element(19, 7, &stream).unwrap();
    values.set_element(0, 0, &stream).unwrap();
    values.shrink_to_fit(&stream, mr).unwrap();
    assert_eq!((values.len(), values.capacity(), values.front(&stream).unwrap()), (20, 32, Some(0)));
    assert_eq!((values.element(1, &stream).unwrap(), values.back(&stream).unwrap()), (2, Some(7)));
    assert!(matches!(values.set_element(20, 1, &stream), Err(MemoryError::OutOfRange { .. })));
    values.resize(0, &stream, mr).unwrap();
    values.shrink_to_fit(&stream, mr).unwrap();
    assert_eq!((values.capacity(), values.front(&stream).unwrap(), values.back(&stream).unwrap()), (0, None, None));
    assert!(values.resize(usize::MAX / 2, &stream, mr).unwrap_err().is_out_of_memory());
    assert_eq!(values.len(), 0);
    for (value, len) in [(0_u64, 5), (0x0101_0101_0101_0101, 3), (77, 4), (1, 0)] {
        assert_eq!(DeviceVec::filled(value, len, &stream, mr).unwrap().to_vec(&stream).unwrap(), vec![value; len]);
    }
    let mut scalar = DeviceScalar::new(5_i16, &stream, mr).unwrap();
    scalar.set_value(-3, &stream).unwrap();
    assert_eq!(scalar.try_clone(&stream, mr).unwrap().value(&stream).unwrap(), -3);
    scalar.set_zero(&stream).unwrap();
    assert_eq!(scalar.value(&stream).unwrap(), 0);
}

/// A resource of the CPU.
fn device_only() -> Resource {
    let (from, to) = (host(), host());
    let take = move |bytes, align, stream: &Stream| from.allocate_zeroed(bytes, align, stream);
    // SAFETY: the arguments are passed on unchanged, and host resources are equal, so `to` may free the block.
    let give = move |ptr, bytes, align, stream: &Stream| unsafe { to.deallocate(ptr, bytes, align, stream) };
    let properties = Properties { device_accessible: true, host_accessible: false };
    // SAFETY: the closures pass all arguments to host resources, which are equal and uphold the rules.
    Resource::new(unsafe { CallbackResource::new(Device::Cpu, properties, take, give) })
}

#[test]
fn the_cpu_touches_no_memory_that_it_cannot_access() {
    let (stream, resource) = (Stream::cpu(), device_only());
    let mr = resource.as_ref();
    let refused = MemoryError::NotHostAccessible { device: Device::Cpu };
    let mut values = DeviceVec::<u32>::uninitialized(16, &stream, mr).unwrap();
    assert_eq!(values.set_element(0, 1, &stream).unwrap_err(), refused);
    assert_eq!(values.set_element(0, 0, &stream).unwrap_err(), refused);
    assert_eq!(values.resize_zeroed(3, &stream, mr).unwrap_err(), refused);
    assert_eq!(values.reserve(100, &stream, host().as_ref()).unwrap_err(), refused);
    assert_eq!(values.try_clone(&stream, mr).unwrap_err(), refused);
    assert_eq!(DeviceVec::filled(0_u8, 10, &stream, mr).unwrap_err(), refused);
    let mut on_cpu = DeviceVec::<u32>::zeroed(16, &stream, host().as_ref()).unwrap();
    assert_eq!(on_cpu.reserve(100, &stream, mr).unwrap_err(), refused);
    assert_eq!(DeviceScalar::<u32>::uninitialized(&stream, mr).unwrap().set_zero(&stream).unwrap_err(), refused);
    assert_eq!(Buffer::zeroed(100, &stream, mr).unwrap_err(), refused);
    assert_eq!(resource.allocate_initialized(100, 64, &stream).unwrap_err(), refused);
    assert!(Buffer::zeroed(0, &stream, mr).is_ok());
}

#[test]
fn failing_to_grow_leaves_the_vector_as_it_was() {
    let stream = Stream::cpu();
    let resource = Resource::new(FailingResource::new(host(), 2));
    let mut values = DeviceVec::from_slice(&[1_u8, 2], &stream, resource.as_ref()).unwrap();
    assert!(values.resize(1000, &stream, resource.as_ref()).unwrap_err().is_out_of_memory());
    assert_eq!(values.to_vec(&stream).unwrap(), [1, 2]);
}

#[test]
fn a_vector_given_to_another_stream_goes_back_there() {
    let executor = gdf_driver::deferred::DeferredCpu::new(5);
    let (first, second) = (executor.stream(), executor.stream());
    let spy = SpyingResource::new(host());
    let resource = Resource::new(spy.clone());
    let mut values = DeviceVec::<u8>::zeroed(10, &first, resource.as_ref()).unwrap();
    assert_eq!(values.stream(), first);
    values.rebind(&second).unwrap();
    assert_eq!(values.stream(), second);
    drop(values);
    assert_eq!(spy.streams(), vec![first.id(), second.id()]);
    executor.run_all();
}

#[test]
fn the_same_on_a_gpu() {
    let Some(device) = gdf_driver::test_hooks::cuda_device("containers on a GPU") else { return };
    let (stream, resource) = (Stream::new(device).unwrap(), current_resource(device).unwrap());
    let pinned = current_pinned_resource(device).unwrap();
    assert!(matches!(
        set_current_pinned_resource(device, resource.clone()),
        Err(MemoryError::NotHostAccessible { .. })
    ));
    let mr = resource.as_ref();
    let mut values = DeviceVec::from_slice(&[1_u32, 2, 3], &stream, mr).unwrap();
    values.resize_zeroed(100_000, &stream, mr).unwrap();
    values.set_element(99_999, 7, &stream).unwrap();
    let waits = stream.counters().waits;
    let copy = values.try_clone(&stream, pinned.as_ref()).unwrap();
    assert_eq!(stream.counters().waits, waits, "a copy to pinned memory does not wait");
    let access = copy.read_on(&Stream::cpu()).unwrap();
    let slice = access.as_slice::<u32>().unwrap();
    assert_eq!((slice.len(), &slice[..4], slice[99_999]), (100_000, &[1, 2, 3, 0][..], 7));
    assert_eq!(values.to_vec(&stream).unwrap(), slice);
    let other = Stream::new(device).unwrap();
    values.rebind(&other).unwrap();
    values.shrink_to_fit(&other, mr).unwrap();
    assert_eq!((values.element(2, &other).unwrap(), values.back(&other).unwrap()), (3, Some(7)));
    // The transfer has more chunks than there are threads, and the last chunk is shorter.
    let bytes: Vec<u8> = (0..(70_usize << 20) + 5).map(|i| ((i / 7) ^ (i >> 21)) as u8).collect();
    let long = Buffer::from_host(&bytes, &stream, mr).unwrap();
    assert!(long.to_host(&other).unwrap() == bytes);
    assert!(copied_to_host(&long.slice(3, 5 << 20).unwrap(), &other) == bytes[3..3 + (5 << 20)]);
    assert!(long.copy_to(&Stream::cpu(), host().as_ref()).unwrap().to_host(&Stream::cpu()).unwrap() == bytes);
}

fn copied_to_host(buffer: &Buffer, stream: &Stream) -> Vec<u8> {
    let mut bytes = vec![1; buffer.len()];
    buffer.read_into(&mut bytes, stream).unwrap();
    bytes
}
