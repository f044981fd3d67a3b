//! Tests of accesses: how many accesses are live, and which requests are refused.

use std::sync::{Arc, Mutex};

use gdf_driver::deferred::DeferredCpu;
use gdf_driver::{Device, DriverError, Stream};

use super::host;
use crate::{Buffer, DeviceVec, MemoryError, Resource};

fn buffer(stream: &Stream) -> (Buffer, Resource) {
    let resource = host();
    (Buffer::from_host(&[7; 64], stream, resource.as_ref()).unwrap(), resource)
}

#[test]
fn every_access_counts_while_it_lives() {
    let executor = DeferredCpu::new(1);
    let (own, other) = (executor.stream(), executor.stream());
    let (mut buffer, resource) = buffer(&own);
    assert_eq!(buffer.live_accesses(), 0);
    for stream in [&own, &other, &Stream::cpu()] {
        let access = buffer.read_on(stream).unwrap();
        assert_eq!(buffer.live_accesses(), 1);
        let (again, shared) = (buffer.read_on(stream).unwrap(), buffer.slice(8, 8).unwrap());
        let part = shared.read_on(stream).unwrap();
        assert_eq!(
            (buffer.live_accesses(), shared.live_accesses()),
            (3, 3),
            "all accesses to the allocation are counted"
        );
        drop((access, part, again));
        assert_eq!(buffer.live_accesses(), 0);
    }
    for stream in [&own, &other] {
        let access = buffer.write_on(stream).unwrap();
        assert_eq!(access.allocation_accesses(), 1);
        drop(access);
        assert_eq!(buffer.live_accesses(), 0);
        let access = buffer.make_mut(stream, resource.as_ref()).unwrap();
        assert_eq!(access.allocation_accesses(), 1);
        drop(access);
        assert_eq!(buffer.live_accesses(), 0);
    }
    buffer.rebind(&other).unwrap();
    buffer.deep_copy(&own, resource.as_ref()).unwrap();
    assert_eq!(buffer.live_accesses(), 0, "the accesses end when the work is enqueued");
}

#[test]
fn parts_of_an_access_are_written_side_by_side() {
    let stream = Stream::cpu();
    let (mut buffer, _) = buffer(&stream);
    let mut left = buffer.write_part_on(1, 62, &stream).unwrap();
    assert!(matches!(left.split_off_front(63), Err(MemoryError::OutOfRange { len: 63, size: 62, .. })));
    let parts: Vec<_> = [0, 30, 31].map(|len| left.split_off_front(len).unwrap()).into_iter().collect();
    assert_eq!((left.len(), left.allocation_accesses()), (1, 4));
    drop(left);
    std::thread::scope(|scope| {
        for (value, mut part) in parts.into_iter().enumerate() {
            scope.spawn(move || part.as_mut_slice::<u8>().unwrap().fill(value as u8));
        }
    });
    assert_eq!(buffer.live_accesses(), 0);
    let expected: Vec<u8> = [(7, 1), (1, 30), (2, 31), (7, 2)].iter().flat_map(|&(of, len)| vec![of; len]).collect();
    assert_eq!(buffer.to_host(&stream).unwrap(), expected);
}

#[test]
fn copies_into_an_access_are_checked() {
    let executor = DeferredCpu::new(1);
    let (own, other) = (executor.stream(), executor.stream());
    let (mut target, resource) = buffer(&own);
    let source = Buffer::from_host(&[9; 3], &own, resource.as_ref()).unwrap();
    let mut access = target.write_part_on(62, 2, &own).unwrap();
    let short = source.slice(0, 2).unwrap();
    assert!(matches!(access.copy_from(&source.read_on(&own).unwrap()), Err(MemoryError::OutOfRange { .. })));
    assert!(matches!(access.copy_from(&short.read_on(&other).unwrap()), Err(MemoryError::DeviceMismatch { .. })));
    access.copy_from(&short.read_on(&own).unwrap()).unwrap();
    assert!(matches!(access.copy_from_host(1, &[1, 1]), Err(MemoryError::OutOfRange { offset: 1, len: 2, size: 2 })));
    assert!(matches!(access.copy_from_host(usize::MAX, &[1, 1]), Err(MemoryError::OutOfRange { .. })));
    drop(access);
    assert_eq!(target.to_host(&own).unwrap()[60..], [7, 7, 9, 9]);
}

#[test]
fn what_is_refused_does_not_count() {
    let executor = DeferredCpu::new(1);
    let (own, lost) = (executor.stream(), executor.stream());
    let (mut buffer, _) = buffer(&own);
    executor.lose(&lost).unwrap();
    assert!(buffer.read_on(&lost).is_err() && buffer.write_on(&lost).is_err());
    assert!(buffer.write_part_on(60, 5, &own).is_err());
    assert_eq!(buffer.live_accesses(), 0);
}

#[test]
#[cfg_attr(miri, ignore = "accesses that are forgotten are leaks")]
fn a_forgotten_access_counts_for_good() {
    let (stream, other) = (Stream::cpu(), Stream::cpu());
    let (mut buffer, _) = buffer(&stream);
    std::mem::forget(buffer.read_on(&other).unwrap());
    std::mem::forget(buffer.read_on(&stream).unwrap());
    std::mem::forget(buffer.write_on(&other).unwrap());
    assert_eq!(buffer.live_accesses(), 3);
    // A forgotten access prevents neither further uses of the buffer nor the drop of the buffer.
    buffer.write_on(&stream).unwrap().as_mut_slice::<u8>().unwrap()[0] = 1;
    assert_eq!(buffer.to_host(&stream).unwrap()[..2], [1, 7]);
    assert_eq!(buffer.live_accesses(), 3);
}

#[test]
fn threads_count_together() {
    let stream = Stream::cpu();
    let (buffer, _) = buffer(&stream);
    let held = buffer.read_on(&stream).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let other = Stream::cpu();
                for round in 0..if cfg!(miri) { 10 } else { 1000 } {
                    let access = buffer.read_on(if round % 2 == 0 { &stream } else { &other }).unwrap();
                    // The result is never too small. The result may still include an access that ends during the call.
                    assert!(buffer.live_accesses() >= 2);
                    drop(access);
                }
            });
        }
    });
    assert_eq!(buffer.live_accesses(), 1);
    drop(held);
    assert_eq!(buffer.live_accesses(), 0);
}

/// If a stream is lost, the work that was enqueued on it before must not read the memory after the memory is freed.
#[test]
#[cfg_attr(miri, ignore = "what belongs to a lost stream is never freed")]
fn memory_goes_after_the_work_of_a_lost_stream() {
    let (resource, executor) = (host(), DeferredCpu::new(1));
    let reader = executor.stream();
    let big = Buffer::from_host(&vec![7; 1 << 12], &Stream::cpu(), resource.as_ref()).unwrap();
    let copy = big.deep_copy(&reader, resource.as_ref()).unwrap();
    executor.lose(&reader).unwrap();
    drop(big);
    executor.run_all();
    assert!(copy.to_host(&reader).is_err());
    drop(copy);
}

/// A foreign owner must be dropped after the readers have ended, even if the writer was lost before the drop.
#[test]
fn owners_go_after_readers_when_the_writer_is_lost() {
    for seed in 0..8 {
        let (resource, executor) = (host(), DeferredCpu::new(seed));
        let (writer, reader) = (executor.stream(), executor.stream());
        let mut bytes = vec![7u8; 64];
        let ptr = std::ptr::NonNull::from(&mut bytes[..]).cast();
        // SAFETY: the vector owns the bytes and is dropped as the owner of the buffer. No other code writes the
        // bytes.
        let foreign = unsafe { Buffer::from_foreign(Device::Cpu, ptr, 64, Arc::new(bytes), &writer) };
        let copy = foreign.deep_copy(&reader, resource.as_ref()).unwrap();
        drop(foreign);
        executor.lose(&writer).unwrap();
        assert_eq!(copy.to_host(&reader).unwrap(), [7; 64]);
    }
}

/// While the work that writes the bytes is still queued, an access must not return the bytes.
#[test]
fn bytes_are_not_seen_before_they_are_written() {
    let (resource, executor) = (host(), DeferredCpu::new(1));
    let stream = executor.stream();
    let slot: Arc<Mutex<Option<DeviceVec<u8>>>> = Arc::default();
    let seen: Arc<Mutex<Vec<MemoryError>>> = Arc::default();
    let (own, stale, found) = (stream.clone(), Arc::clone(&slot), Arc::clone(&seen));
    let early = move || {
        let mut vec = stale.lock().unwrap().take().unwrap();
        let read = vec.read_on(&own).unwrap().as_slice::<u8>().map(|_| ()).unwrap_err();
        let written = vec.write_on(&own).unwrap().as_mut_slice::<u8>().map(|_| ()).unwrap_err();
        found.lock().unwrap().extend([read, written]);
    };
    stream.enqueue(early).unwrap();
    *slot.lock().unwrap() = Some(DeviceVec::<u8>::filled(9, 4096, &stream, resource.as_ref()).unwrap());
    executor.run_all();
    let deadlock = MemoryError::Driver(DriverError::Deadlock { device: Device::Cpu });
    assert_eq!(*seen.lock().unwrap(), [deadlock.clone(), deadlock]);
}
