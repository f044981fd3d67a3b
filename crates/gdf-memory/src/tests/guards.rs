//! Tests of the guards of `SpyingResource`. The guards must detect every write around a block, and must not disturb
//! other code.

use std::ptr::NonNull;

use gdf_driver::Stream;
use gdf_driver::deferred::DeferredCpu;

use super::host;
use crate::testing::{GUARD_BYTES, Overrun, SpyingResource, is_padding_zero};
use crate::{Buffer, PoolResource, Resource};

/// Writes one byte at offset `at` from the start of a block.
fn write_at(ptr: NonNull<u8>, at: isize, stream: &Stream) {
    let address = ptr.as_ptr().expose_provenance().wrapping_add_signed(at);
    // SAFETY: the byte belongs to the block or to its guards. The block is freed only after this work in the order of
    // the stream.
    let write = move || unsafe { std::ptr::with_exposed_provenance_mut::<u8>(address).write(7) };
    stream.enqueue(write).unwrap();
}

#[test]
fn writes_around_a_block_are_seen() {
    let executor = DeferredCpu::new(1);
    let (guard, end) = (GUARD_BYTES as isize, 100);
    for stream in [Stream::cpu(), executor.stream()] {
        let upstream = SpyingResource::new(Resource::new(PoolResource::new(host())));
        let spy = SpyingResource::guarded(Resource::new(upstream.clone()));
        let resource = Resource::new(spy.clone());
        for align in [1, 64, 256, 512] {
            for at in [-guard, -1, 0, end - 1, end, end + guard - 1] {
                let ptr = resource.allocate(100, align, &stream).unwrap();
                assert_eq!(ptr.as_ptr().addr() % align, 0);
                write_at(ptr, at, &stream);
                // SAFETY: the block was allocated above with this size and alignment. The write precedes the free on
                // the stream.
                unsafe { resource.deallocate(ptr, 100, align, &stream) };
                let inside = (0..end).contains(&at);
                let expected = (!inside).then_some(Overrun { block: 100, first: at, bytes: 1 });
                assert_eq!(spy.overruns(), Ok(expected.into_iter().collect()), "{at}");
            }
        }
        assert_eq!(spy.overruns(), Ok(vec![]), "each overrun is reported once");
        let ptr = resource.allocate_sync(100, 64).unwrap();
        write_at(ptr, -1, &Stream::cpu());
        // SAFETY: the block was allocated above with this size and alignment. The write has run, because the CPU
        // stream is eager.
        unsafe { resource.deallocate_sync(ptr, 100, 64) };
        assert_eq!(spy.overruns(), Ok(vec![Overrun { block: 100, first: -1, bytes: 1 }]));
        assert_eq!((spy.outstanding(), spy.faults(), upstream.outstanding()), (0, vec![], 0));
    }
}

#[test]
fn fresh_memory_is_poisoned_and_zeros_are_zeros() {
    let stream = Stream::cpu();
    let (spy, upstream) = {
        let upstream = SpyingResource::new(host());
        (SpyingResource::guarded(Resource::new(upstream.clone())), upstream)
    };
    let resource = Resource::new(spy.clone());
    let (anything, zeros, nothing) = (
        Buffer::uninitialized(100, &stream, resource.as_ref()).unwrap(),
        Buffer::zeroed(100, &stream, resource.as_ref()).unwrap(),
        Buffer::zeroed(0, &stream, resource.as_ref()).unwrap(),
    );
    assert_eq!(anything.to_host(&stream).unwrap(), [0xA5; 100]);
    assert_eq!(zeros.to_host(&stream).unwrap(), [0; 100]);
    assert_eq!((spy.allocations(), spy.outstanding_bytes()), (2, 256), "guards are not counted");
    assert!([&anything, &zeros, &nothing].iter().all(|buffer| is_padding_zero(buffer, &stream).unwrap()));
    let address =
        NonNull::new(std::ptr::with_exposed_provenance_mut(anything.read_on(&stream).unwrap().address() as usize));
    write_at(address.unwrap(), 127, &stream);
    assert_eq!(is_padding_zero(&anything, &stream), Ok(false));
    drop((anything, zeros, nothing));
    assert_eq!((spy.outstanding(), upstream.outstanding()), (0, 2), "freed blocks are kept until `overruns` is called");
    drop((spy, resource));
    assert_eq!(upstream.outstanding(), 0, "the last clone frees the kept blocks");
}
