//! The checks that every resource must pass.

use std::ptr::NonNull;
use std::sync::Barrier;

use gdf_driver::{Device, Stream};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::{Streams, Subject, device, plain, wait_for_reaper};
use crate::{
    Buffer, DeviceVec, Fault, FaultInjectionResource, HostAccessible, LimitingResource, MemoryError, Resource,
    ResourceRef, StreamOrdered,
};

fn largest() -> usize {
    match device() {
        _ if cfg!(miri) => 1 << 17,
        Device::Cpu => 2 << 20,
        Device::Cuda(_) => 64 << 20,
    }
}

fn give(resource: &Resource, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
    // SAFETY: callers pass a block that was allocated with this size and alignment and is freed once. All uses of the
    // block precede the free on `stream`.
    unsafe { resource.deallocate(ptr, bytes, align, stream) };
}

fn address(ptr: NonNull<u8>) -> u64 {
    ptr.as_ptr().expose_provenance() as u64
}

fn fill(ptr: NonNull<u8>, value: u8, bytes: usize, stream: &Stream) {
    // SAFETY: callers pass an allocated block of at least `bytes` bytes. All other uses of the block precede the fill
    // on `stream`.
    unsafe { stream.fill(address(ptr), value, bytes) }.unwrap();
}

pub(super) fn blocks_are_aligned_and_disjoint(subject: &Subject) {
    let Some(made) = subject.made() else { return };
    let (resource, stream) = (&made.resource, Streams::new(1).stream());
    for _ in 0..2 {
        let mut blocks = Vec::new();
        for bytes in [0, 1, 63, 64, 65, 255, 256, 257, 1000, 1 << 16, (1 << 16) + 1, 1 << 20, largest() - 1, largest()]
        {
            for align in [1, 8, 64, 256] {
                let bytes = subject.fit(bytes.min(largest()));
                let ptr = resource.allocate(bytes, align, &stream).unwrap();
                assert_eq!(ptr.as_ptr().addr() % align, 0, "{}: {bytes}", subject.name);
                blocks.push((ptr, bytes, align));
            }
        }
        let some = blocks.iter().filter(|block| block.1 > 0);
        let mut ranges: Vec<_> = some.map(|block| (block.0.as_ptr().addr(), block.1)).collect();
        ranges.sort_unstable();
        assert!(ranges.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0), "{}", subject.name);
        for (ptr, bytes, align) in blocks {
            give(resource, ptr, bytes, align, &stream);
        }
        stream.synchronize().unwrap();
    }
    let ptr = resource.allocate_sync(100, 64).unwrap();
    // SAFETY: the block was allocated above with this size and alignment. No work uses the block.
    unsafe { resource.deallocate_sync(ptr, 100, 64) };
    drop(stream);
    made.end(subject.name);
}

pub(super) fn refusals_are_typed_and_leave_nothing_behind(subject: &Subject) {
    let Some(made) = subject.made() else { return };
    let (resource, stream) = (&made.resource, Streams::new(1).stream());
    for align in [0, 3, 1 << 62] {
        let error = resource.allocate(8, align, &stream).unwrap_err();
        let fits = error == MemoryError::BadAlignment { align } || (align == 1 << 62 && error.is_out_of_memory());
        assert!(fits, "{}: {error}", subject.name);
    }
    let sizes = [
        1 << 52,
        1 << 61,
        isize::MAX as usize - 4096,
        isize::MAX as usize + 1,
        usize::MAX - 100,
        usize::MAX - 63,
        usize::MAX - 62,
        usize::MAX,
    ];
    for bytes in if cfg!(miri) { &sizes[3..] } else { &sizes[..] } {
        // If the system's allocator refuses a request, Miri aborts the program.
        if cfg!(miri) && !subject.stands_on_upstream {
            break;
        }
        let refused = resource.allocate(*bytes, 64, &stream).unwrap_err();
        assert!(refused.is_out_of_memory(), "{}: {bytes}: {refused}", subject.name);
        let no_memory = |outcome: crate::Result<NonNull<u8>>| {
            let refused = outcome.unwrap_err();
            assert!(refused.is_out_of_memory(), "{}: {bytes}: {refused}", subject.name);
        };
        no_memory(resource.allocate_zeroed(*bytes, 64, &stream));
        no_memory(resource.allocate_initialized(*bytes, 256, &stream));
        no_memory(resource.allocate_sync(*bytes, 1));
        let refused = Buffer::uninitialized(*bytes, &stream, resource.as_ref()).unwrap_err();
        let asked = matches!(refused, MemoryError::OutOfMemory { requested, .. } if requested == *bytes);
        assert!(asked, "{}: {bytes}: {refused}", subject.name);
        for _ in 0..2 {
            let values = DeviceVec::<u64>::zeroed(*bytes, &stream, resource.as_ref());
            assert!(values.unwrap_err().is_out_of_memory(), "{}: {bytes}", subject.name);
        }
    }
    drop(stream);
    made.end(subject.name);
    if !subject.stands_on_upstream {
        return;
    }
    let limited = Resource::new(LimitingResource::new(plain(device()), 4 << 20));
    let Some(made) = subject.made_over(limited) else { return };
    let (resource, stream) = (&made.resource, Streams::new(1).stream());
    for _ in 0..3 {
        let kept = Buffer::uninitialized(subject.fit(1 << 20), &stream, resource.as_ref()).unwrap();
        let refused = Buffer::uninitialized(largest().max(5 << 20), &stream, resource.as_ref()).unwrap_err();
        assert!(refused.is_out_of_memory(), "{}: {refused}", subject.name);
        // The check allocates small blocks until memory runs out. After all blocks are freed, memory must be available
        // again.
        let mut many = Vec::new();
        let refused = loop {
            match Buffer::uninitialized(subject.fit(150_000), &stream, resource.as_ref()) {
                Ok(buffer) => many.push(buffer),
                Err(error) => break error,
            }
        };
        assert!(refused.is_out_of_memory() && many.len() >= 8, "{}: {} {refused}", subject.name, many.len());
        drop((many, kept));
        stream.synchronize().unwrap();
        resource.trim();
    }
    let whole = Buffer::uninitialized(subject.fit(3 << 20), &stream, resource.as_ref());
    assert!(whole.is_ok(), "{}: {whole:?} {resource:?}", subject.name);
    drop((whole, stream));
    made.end(subject.name);
}

pub(super) fn every_failure_of_the_upstream_is_passed_on(subject: &Subject) {
    if !subject.stands_on_upstream {
        return;
    }
    let run = |resource: &Resource, stream: &Stream| -> crate::Result<()> {
        let first = Buffer::uninitialized(1000, stream, resource.as_ref())?;
        let second = Buffer::zeroed(subject.fit(1 << 17), stream, resource.as_ref())?;
        drop(first);
        let third = Buffer::from_host(&[7; 5000], stream, resource.as_ref())?;
        assert_eq!(third.to_host(stream)?, [7; 5000]);
        drop((second, third));
        Ok(())
    };
    for nth in 1.. {
        let failing = FaultInjectionResource::new(plain(device()), [Fault::Nth(nth)]);
        let Some(made) = subject.made_over(Resource::new(failing.clone())) else { return };
        let stream = Streams::new(nth).stream();
        let outcome = run(&made.resource, &stream);
        let struck = failing.refused() > 0;
        if let Err(error) = &outcome {
            assert!(struck && error.is_out_of_memory(), "{}: {error}", subject.name);
        }
        if struck {
            run(&made.resource, &stream).unwrap();
        }
        drop(stream);
        made.end(subject.name);
        if !struck {
            return;
        }
    }
}

pub(super) fn content_is_as_promised(subject: &Subject) {
    let Some(made) = subject.made() else { return };
    let (resource, stream) = (&made.resource, Streams::new(2).stream());
    for bytes in [1, 100, 256, 5000, subject.fit(1 << 17)] {
        let dirty = resource.allocate(bytes, 256, &stream).unwrap();
        fill(dirty, 0xEE, bytes, &stream);
        give(resource, dirty, bytes, 256, &stream);
        let buffer = Buffer::zeroed(bytes, &stream, resource.as_ref()).unwrap();
        if resource.device().is_cuda() && resource.properties().host_accessible {
            stream.synchronize().unwrap();
        }
        assert!(buffer.to_host(&stream).unwrap().iter().all(|&byte| byte == 0), "{}: {bytes}", subject.name);
    }
    drop(stream);
    made.end(subject.name);
}

/// Work on a GPU that takes some time. On the CPU no work is needed, because the executor delays all work.
struct Delay(Option<Buffer>);

impl Delay {
    fn new(stream: &Stream) -> Self {
        let long = || Buffer::uninitialized(256 << 20, stream, plain(device()).as_ref()).unwrap();
        Self(device().is_cuda().then(long))
    }

    fn enqueue(&mut self, stream: &Stream) {
        if let Some(buffer) = &mut self.0 {
            let access = buffer.write_on(stream).unwrap();
            for value in 0..16 {
                // SAFETY: the access gives this stream exclusive use of the buffer until the fill has run.
                unsafe { stream.fill(access.address(), value, access.len()) }.unwrap();
            }
        }
    }
}

/// Checks a block that is freed on one stream and reused on another stream.
pub(super) fn blocks_are_handed_over_in_order(subject: &Subject) {
    const BYTES: usize = 1 << 12;
    for seed in 0..if device().is_cuda() || cfg!(miri) { 3 } else { 20 } {
        // The limit is low, so that the resource must reuse the block.
        let Some(made) = subject.made_over(Resource::new(LimitingResource::new(plain(device()), 2 << 20))) else {
            return;
        };
        let (resource, streams) = (&made.resource, Streams::new(seed));
        let (first, second) = (streams.stream(), streams.stream());
        let mut delay = Delay::new(&first);
        let mut early = Buffer::uninitialized(BYTES, &first, resource.as_ref()).unwrap();
        delay.enqueue(&first);
        {
            let access = early.write_on(&first).unwrap();
            // SAFETY: the access gives this stream exclusive use of the buffer until the fill has run.
            unsafe { first.fill(access.address(), 1, BYTES) }.unwrap();
        }
        drop(early);
        let most = if subject.stands_on_upstream { (2 << 20) / BYTES } else { 4 };
        let mut late: Vec<Buffer> =
            (0..most).map_while(|_| Buffer::uninitialized(BYTES, &second, resource.as_ref()).ok()).collect();
        for buffer in &mut late {
            let access = buffer.write_on(&second).unwrap();
            // SAFETY: the access gives this stream exclusive use of the buffer until the fill has run.
            unsafe { second.fill(access.address(), 2, BYTES) }.unwrap();
        }
        streams.finish(&[&first, &second]);
        for buffer in &late {
            assert_eq!(buffer.to_host(&second).unwrap(), [2; BYTES], "{}", subject.name);
        }
        drop((late, first, second, delay, streams));
        made.end(subject.name);
    }
}

/// Checks a block that is allocated on one stream and freed on another stream.
pub(super) fn blocks_come_back_on_other_streams(subject: &Subject) {
    const BYTES: usize = 1 << 12;
    for seed in 0..if device().is_cuda() || cfg!(miri) { 3 } else { 100 } {
        let Some(made) = subject.made() else { return };
        let (resource, streams) = (&made.resource, Streams::new(seed));
        let (first, second) = (streams.stream(), streams.stream());
        let mut delay = Delay::new(&second);
        for _ in 0..3 {
            let block = resource.allocate(BYTES, 256, &first).unwrap();
            fill(block, 1, BYTES, &first);
            second.wait_for(&first).unwrap();
            delay.enqueue(&second);
            fill(block, 2, BYTES, &second);
            give(resource, block, BYTES, 256, &second);
            let next: Vec<_> = (0..3).map(|_| resource.allocate(BYTES, 256, &first).unwrap()).collect();
            let copies: Vec<Buffer> = next
                .iter()
                .map(|&ptr| {
                    fill(ptr, 3, BYTES, &first);
                    let mut copy = Buffer::uninitialized(BYTES, &first, plain(device()).as_ref()).unwrap();
                    // If the resource broke the order, the late write of the other stream would run between the fill
                    // and the copy.
                    first.wait_for(&second).unwrap();
                    let access = copy.write_on(&first).unwrap();
                    let kind = gdf_driver::CopyKind::DeviceToDevice;
                    // SAFETY: both ranges have `BYTES` bytes and are disjoint. In the order of this stream, no other
                    // work uses the ranges.
                    unsafe { first.copy(access.address(), address(ptr), BYTES, kind) }.unwrap();
                    drop(access);
                    copy
                })
                .collect();
            streams.finish(&[&first, &second]);
            for copy in copies {
                assert_eq!(copy.to_host(&first).unwrap(), [3; BYTES], "{}", subject.name);
            }
            for ptr in next {
                give(resource, ptr, BYTES, 256, &first);
            }
        }
        drop((first, second, delay, streams));
        made.end(subject.name);
    }
}

pub(super) fn buffers_outlive_handles(subject: &Subject) {
    let Some(made) = subject.made() else { return };
    let streams = Streams::new(4);
    let (stream, reader) = (streams.stream(), streams.stream());
    let buffers: Vec<Buffer> = (0..5_u8)
        .map(|value| Buffer::from_host(&vec![value; 1000 << value], &stream, made.resource.as_ref()).unwrap())
        .collect();
    let spy = made.spy.clone();
    drop(made);
    for (value, buffer) in buffers.iter().enumerate() {
        assert!(buffer.to_host(&reader).unwrap().iter().all(|&byte| byte == value as u8), "{}", subject.name);
    }
    drop((buffers, stream));
    streams.finish(&[&reader]);
    drop((reader, streams));
    wait_for_reaper(&spy);
    assert_eq!((spy.outstanding(), spy.faults()), (0, Vec::new()), "{}", subject.name);
}

pub(super) fn many_threads_share_it(subject: &Subject) {
    let Some(made) = subject.made() else { return };
    let resource = &made.resource;
    let threads = if cfg!(miri) { 2 } else { 8 };
    let start = Barrier::new(threads);
    std::thread::scope(|scope| {
        for seed in 0..threads as u64 {
            let start = &start;
            scope.spawn(move || {
                let stream = Stream::new(device()).unwrap();
                let mut rng = SmallRng::seed_from_u64(seed);
                let mut held: Vec<(Buffer, u8)> = Vec::new();
                start.wait();
                for round in 0..if cfg!(miri) { 15 } else { 300 } {
                    if held.len() < 10 && rng.random_bool(0.6) {
                        let bytes = rng.random_range(0..4096) << rng.random_range(0..if cfg!(miri) { 1 } else { 5 });
                        let value = (seed as usize * 31 + round) as u8;
                        let mut buffer = Buffer::zeroed(bytes, &stream, resource.as_ref()).unwrap();
                        if bytes > 0 {
                            let access = buffer.write_on(&stream).unwrap();
                            // SAFETY: the access gives this stream exclusive use of the buffer until the fill has
                            // run.
                            unsafe { stream.fill(access.address(), value, bytes) }.unwrap();
                        }
                        held.push((buffer, value));
                    } else if !held.is_empty() {
                        let (buffer, value) = held.swap_remove(rng.random_range(0..held.len()));
                        if device().is_cpu() || round % 16 == 0 {
                            let bytes = buffer.to_host(&stream).unwrap();
                            assert!(bytes.iter().all(|&byte| byte == value), "{}", subject.name);
                        }
                    }
                }
            });
        }
    });
    made.end(subject.name);
}

/// Checks that `deallocate_sync` frees a block at once and uses no stream.
pub(super) fn what_is_given_back_at_once_is_free_at_once(subject: &Subject) {
    let Some(made) = subject.made() else { return };
    let (resource, streams) = (&made.resource, Streams::new(5));
    let stream = streams.stream();
    let sizes = [100, 5000, 1 << 16, subject.fit(largest())];
    let ordered: Vec<_> = sizes.map(|bytes| resource.allocate(bytes, 256, &stream).unwrap()).into();
    let at_once: Vec<_> = sizes.map(|bytes| resource.allocate_sync(bytes, 256).unwrap()).into();
    streams.finish(&[&stream]);
    let seen = made.spy.streams();
    for (ptr, bytes) in ordered.into_iter().chain(at_once).zip(sizes.into_iter().chain(sizes)) {
        // SAFETY: the block was allocated above with this size and alignment. The stream was synchronized, so no work
        // uses the block.
        unsafe { resource.deallocate_sync(ptr, bytes, 256) };
    }
    let before = made.spy.outstanding_bytes();
    let trimmed = resource.trim();
    let gone = before - made.spy.outstanding_bytes();
    // Adaptors below the resource may have allocated slightly more bytes than the resource requested.
    let true_to_size = !subject.stands_on_upstream || trimmed.abs_diff(gone) <= 1 << 16;
    assert!(true_to_size, "{}: `trim` returned {trimmed} bytes, but freed {gone}", subject.name);
    if subject.stands_on_upstream && !subject.calls_back {
        assert_eq!(made.spy.streams(), seen, "{}: a stream was used", subject.name);
    }
    if subject.stands_on_upstream {
        assert_eq!(made.spy.outstanding(), 0, "{}: {resource:#?}", subject.name);
    }
    drop(stream);
    made.end(subject.name);
}

/// Uses more streams than the pool has heaps.
pub(super) fn hundreds_of_streams_share_it(subject: &Subject) {
    const BYTES: usize = 1 << 12;
    let Some(made) = subject.made() else { return };
    let (resource, streams) = (&made.resource, Streams::new(6));
    let all: Vec<Stream> = (0..if cfg!(miri) { 4 } else { 300 }).map(|_| streams.stream()).collect();
    for round in 0..2 {
        let mut held = Vec::new();
        for (at, stream) in all.iter().enumerate() {
            let value = (at * 7 + round) as u8;
            let mut buffer = Buffer::uninitialized(BYTES, stream, resource.as_ref()).unwrap();
            let access = buffer.write_on(stream).unwrap();
            // SAFETY: the access gives this stream exclusive use of the buffer until the fill has run.
            unsafe { stream.fill(access.address(), value, BYTES) }.unwrap();
            drop(access);
            // The next stream reads the buffer. The read runs late.
            drop(buffer.read_on(&all[(at + 1) % all.len()]).unwrap());
            held.push((buffer, value));
        }
        // Every third buffer is dropped while work still uses it.
        let mut kept = Vec::new();
        for (at, entry) in held.into_iter().enumerate() {
            if at % 3 > 0 {
                kept.push(entry);
            }
        }
        let more: Vec<Buffer> =
            all.iter().step_by(5).map(|stream| Buffer::zeroed(BYTES, stream, resource.as_ref()).unwrap()).collect();
        streams.finish(&all.iter().collect::<Vec<_>>());
        for (at, (buffer, value)) in kept.iter().enumerate().step_by(if device().is_cuda() { 17 } else { 1 }) {
            let bytes = buffer.to_host(&all[at]).unwrap();
            assert!(bytes.iter().all(|byte| byte == value), "{}: {at}", subject.name);
        }
        assert!(more[0].to_host(&all[0]).unwrap().iter().all(|&byte| byte == 0), "{}", subject.name);
    }
    streams.finish(&all.iter().collect::<Vec<_>>());
    resource.trim();
    drop((all, streams));
    made.end(subject.name);
}

pub(super) fn it_says_what_it_is(subject: &Subject) {
    fn check<T: Send + Sync>(_: &T) {}
    let Some(made) = subject.made() else { return };
    let resource = &made.resource;
    check(resource);
    assert_eq!(resource.device(), device());
    assert!(!resource.name().is_empty());
    assert!(resource.clone() == *resource);
    let host = resource.try_as::<HostAccessible, StreamOrdered>();
    assert_eq!(host.is_some(), resource.properties().host_accessible);
    let reference: ResourceRef<'_> = resource.into();
    assert_eq!(reference.device(), resource.device());
    let stream = Streams::new(0).stream();
    let buffer = Buffer::zeroed(1000, &stream, reference).unwrap();
    for text in [format!("{resource:?}"), format!("{resource:#?}")] {
        assert!(!text.is_empty() && text.len() < 10_000, "{text}");
    }
    drop(buffer);
    stream.synchronize().unwrap();
    resource.trim();
    drop(stream);
    made.end(subject.name);
}
