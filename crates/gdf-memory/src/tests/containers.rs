//! Buffers, vectors and scalars on the CPU.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gdf_driver::{Device, Stream};

use super::host;
use crate::testing::{FailingResource, SpyingResource};
use crate::{
    Buffer, CudaAsyncResource, CudaResource, DeviceScalar, DeviceVec, HostVec, Mailbox, MemoryError, PinnedResource,
    Resource, current_resource, set_current_resource,
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
        for at in len..buffer.allocated_bytes() {
            // SAFETY: the padding belongs to the allocation, whose host memory is initialised.
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
    buffer.expose();
    assert_eq!(buffer.write_on(&stream).unwrap_err(), MemoryError::Shared);
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
    // SAFETY: the vector lives as long as its owner and is initialised.
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
    assert!(PinnedResource::new(Device::Cpu).is_err());
    if Device::Cuda(0).open().is_err() {
        assert!(matches!(CudaAsyncResource::new(Device::Cuda(0)), Err(MemoryError::Driver(_))));
        assert!(current_resource(Device::Cuda(0)).is_err());
        assert!(set_current_resource(Device::Cuda(0), host()).is_err());
    }
}
