//! Tests spilling, on the CPU or, with `GDF_TEST_DEVICE=cuda:0`, on a GPU.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gdf_driver::deferred::DeferredCpu;
use gdf_driver::test_hooks::test_device as device;
use gdf_driver::{Device, Stream};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::host;
use crate::testing::SpyingResource;
use crate::{
    Buffer, CudaResource, HostResource, LimitingResource, MemoryError, PoolResource, Resource, SpillCompression,
    SpillManager, SpillOptions, SpillStatisticsLevel, StatisticsResource,
};

fn plain() -> Resource {
    match device() {
        Device::Cpu => Resource::new(HostResource::new()),
        device => Resource::new(CudaResource::new(device).unwrap()),
    }
}

fn stream() -> Stream {
    Stream::default_for(device()).unwrap()
}

fn options() -> SpillOptions {
    SpillOptions::new().with_statistics(SpillStatisticsLevel::Exposures)
}

/// Returns bytes that differ between buffers and between positions.
fn content(seed: usize, len: usize) -> Vec<u8> {
    // The low byte alone is used, and differs for the seeds of these tests.
    let seed = (seed ^ (seed >> 8) ^ (seed >> 16)).wrapping_mul(157);
    (0..len).map(|at| (at.wrapping_mul(31) ^ (at >> 8) ^ seed) as u8).collect()
}

fn filled(manager: &SpillManager, seed: usize, len: usize) -> Buffer {
    let buffer = Buffer::from_host(&content(seed, len), &stream(), manager.resource().as_ref()).unwrap();
    assert!(manager.watch(&buffer));
    buffer
}

#[test]
fn bytes_of_every_length_come_back() {
    let (none, lz4) = (SpillCompression::None, SpillCompression::Lz4);
    for (host_limit, compression) in [(usize::MAX, none), (0, none), (0, lz4)] {
        let limits = options().with_host_limit(host_limit).with_compression(compression);
        let manager = SpillManager::new(plain(), limits);
        let lens = [4096, 4097, 65_537, if cfg!(miri) { 5000 } else { (8 << 20) + 1 }];
        let buffers = lens.map(|len| filled(&manager, len, len));
        let resident = manager.allocated_bytes();
        assert_eq!(manager.watched_bytes(), buffers.iter().map(Buffer::allocated_bytes).sum::<usize>());
        assert!(manager.spill(usize::MAX).unwrap() > 0);
        assert_eq!((manager.allocated_bytes(), manager.watched_bytes()), (0, 0));
        let to_disk = device().is_cpu() || host_limit == 0;
        assert_eq!((manager.disk_bytes() > 0, manager.host_bytes() > 0), (to_disk, !to_disk));
        for (buffer, len) in buffers.iter().zip(lens) {
            assert_eq!(buffer.slice(1, len - 1).unwrap().to_host(&stream()).unwrap(), content(len, len)[1..]);
            assert_eq!(buffer.to_host(&stream()).unwrap(), content(len, len));
        }
        assert_eq!(manager.allocated_bytes(), resident);
        let counted = manager.statistics();
        let (out, back) = match to_disk {
            true => (counted.device_to_disk, counted.disk_to_device),
            false => (counted.device_to_host, counted.host_to_device),
        };
        assert_eq!((out.buffers, back.buffers, out.bytes, back.bytes), (4, 4, out.bytes, out.bytes));
        // The copies are kept, so the bytes are spilled again without a transfer.
        manager.spill(usize::MAX).unwrap();
        let again = manager.statistics();
        assert_eq!(
            (again.dropped.buffers, again.device_to_disk, again.device_to_host),
            (4, counted.device_to_disk, counted.device_to_host)
        );
        assert_eq!(buffers[3].to_host(&stream()).unwrap(), content(lens[3], lens[3]));
        drop(buffers);
        assert_eq!((manager.allocated_bytes(), manager.disk_bytes(), manager.host_bytes()), (0, 0, 0));
    }
}

#[test]
fn the_buffer_that_was_not_used_for_the_longest_time_goes_first() {
    let manager = SpillManager::new(plain(), options().with_hard_limit(3 * 8192));
    let buffers: Vec<Buffer> = (0..3).map(|seed| filled(&manager, seed, 8192)).collect();
    drop(buffers[0].read_on(&stream()).unwrap());
    let further = filled(&manager, 3, 8192);
    assert_eq!(manager.allocated_bytes(), 3 * 8192);
    // Buffer 1 is spilled. Bringing buffer 1 back spills buffer 2.
    assert_eq!(buffers[1].to_host(&stream()).unwrap(), content(1, 8192));
    assert_eq!(buffers[0].to_host(&stream()).unwrap(), content(0, 8192));
    assert_eq!(further.to_host(&stream()).unwrap(), content(3, 8192));
    let counted = manager.statistics();
    assert_eq!(counted.device_to_disk.buffers + counted.device_to_host.buffers, 2, "{counted}");
    assert!(manager.peak_bytes() <= 3 * 8192);
}

/// If pinned memory is full, copies whose bytes are also on the device are dropped to make space for other copies.
#[test]
fn copies_that_are_not_needed_are_dropped_for_others() {
    if device().is_cpu() {
        return;
    }
    let manager = SpillManager::new(plain(), options().with_host_limit(20_000));
    let buffers = [0, 1].map(|seed| filled(&manager, seed, 12_000));
    for round in 0..6 {
        let buffer = &buffers[round % 2];
        drop(buffer.read_on(&stream()).unwrap());
        drop(buffers[1 - round % 2].read_on(&stream()).unwrap());
        assert!(manager.spill(1).unwrap() >= 12_000);
        assert!(manager.host_bytes() <= 20_000 && manager.disk_bytes() == 0, "round {round}: {manager:?}");
        assert_eq!(buffer.to_host(&stream()).unwrap(), content(round % 2, 12_000));
    }
    assert!(manager.statistics().device_to_host.buffers >= 6);
}

#[test]
fn what_is_in_use_or_known_elsewhere_stays() {
    let manager = SpillManager::new(plain(), options());
    let (used, exposed, mut written) =
        (filled(&manager, 1, 5000), filled(&manager, 2, 5000), filled(&manager, 3, 5000));
    let access = used.read_on(&stream()).unwrap();
    exposed.expose().unwrap();
    written.write_on(&stream()).unwrap().fill(0..1, 77).unwrap();
    assert_eq!(manager.spill(usize::MAX), Ok(0));
    drop(access);
    assert!(manager.spill(usize::MAX).unwrap() > 0, "only the access kept the buffer");
    let mut expected = content(3, 5000);
    expected[0] = 77;
    assert_eq!(written.to_host(&stream()).unwrap(), expected);
    // If a spilled buffer is exposed, its bytes are brought back, and are not spilled again.
    used.expose().unwrap();
    assert_eq!(manager.spill(usize::MAX), Ok(0));
    let exposures = manager.statistics().exposures;
    assert_eq!(exposures.values().map(|(count, _)| count).sum::<u64>(), 2, "{exposures:?}");
    // A buffer that `keep_resident` has brought back can be watched and written again.
    let mut kept = filled(&manager, 5, 5000);
    manager.spill(usize::MAX).unwrap();
    kept.keep_resident().unwrap();
    assert_eq!((manager.spill(usize::MAX), manager.watch(&kept)), (Ok(0), true));
    assert!(manager.spill(usize::MAX).unwrap() > 0 && kept.is_unique());
    assert_eq!(kept.to_host(&stream()).unwrap(), content(5, 5000));
    // A buffer is not watched if it is too small or exposed, or if this manager or another manager already watches it.
    let (resource, stream) = (manager.resource(), stream());
    assert!(!manager.watch(&Buffer::zeroed(4000, &stream, resource.as_ref()).unwrap()));
    assert!(!manager.watch(&used) && !manager.watch(&exposed));
    let other = filled(&manager, 4, 4096);
    assert!(!manager.watch(&other) && !manager.watch(&other.clone()));
    assert!(!SpillManager::new(plain(), options()).watch(&other), "a buffer has one manager");
}

/// A thread that copies the bytes of a buffer is one of its owners.
#[test]
fn a_resident_buffer_can_be_written_even_if_it_was_being_spilled() {
    if device().is_cuda() {
        return;
    }
    let (executor, manager) = (DeferredCpu::new(1), SpillManager::new(plain(), options()));
    let own = executor.stream();
    let mut buffer = Buffer::zeroed(5000, &own, manager.resource().as_ref()).unwrap();
    assert!(manager.watch(&buffer));
    // The thread that copies the bytes runs this work before it reads them.
    let (inside, may_go_on) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
    let (begun, go_on) = (inside.clone(), may_go_on.clone());
    let work = move || {
        begun.store(true, Ordering::SeqCst);
        while !go_on.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
    };
    own.enqueue(work).unwrap();
    std::thread::scope(|scope| {
        let spiller = scope.spawn(|| manager.spill(usize::MAX));
        while !inside.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            may_go_on.store(true, Ordering::SeqCst);
        });
        buffer.keep_resident().unwrap();
        assert!(buffer.is_unique() && buffer.write_on(&own).is_ok());
        assert_eq!(spiller.join().unwrap(), Ok(0), "the bytes stay");
    });
}

#[test]
fn spilled_buffers_are_written_in_place_and_copied_on_write() {
    let manager = SpillManager::new(plain(), options());
    let (resource, stream) = (manager.resource(), stream());
    let mut sole = filled(&manager, 1, 6000);
    let mut shared = filled(&manager, 2, 6000);
    let other = shared.clone();
    manager.spill(usize::MAX).unwrap();
    assert!(sole.is_unique() && !shared.is_unique());
    sole.write_on(&stream).unwrap().fill(10..20, 5).unwrap();
    assert_eq!(shared.write_on(&stream).unwrap_err(), MemoryError::Shared);
    shared.make_mut(&stream, resource.as_ref()).unwrap().fill(0..6000, 9).unwrap();
    assert_eq!(sole.to_host(&stream).unwrap()[10..20], [5; 10]);
    assert_eq!(sole.to_host(&stream).unwrap()[20..], content(1, 6000)[20..]);
    assert_eq!(shared.to_host(&stream).unwrap(), [9; 6000]);
    assert_eq!(other.to_host(&stream).unwrap(), content(2, 6000));
    // `is_unique` ends the watch of a buffer. The buffer can then be watched again.
    assert!(manager.watch(&sole) && sole.is_unique() && manager.watch(&sole) && !manager.watch(&sole));
    assert!(manager.spill(usize::MAX).unwrap() > 0);
    assert_eq!(sole.to_host(&stream).unwrap()[..10], content(1, 6000)[..10]);
}

#[test]
fn limits_are_kept_or_soft() {
    let hard = SpillManager::new(plain(), options().with_hard_limit(20_000));
    let (resource, stream) = (hard.resource(), stream());
    let unwatched = Buffer::zeroed(10_000, &stream, resource.as_ref()).unwrap();
    let error = Buffer::zeroed(12_000, &stream, resource.as_ref()).unwrap_err();
    assert!(error.is_out_of_memory(), "{error}");
    assert!(Buffer::zeroed(20_001, &stream, resource.as_ref()).unwrap_err().is_out_of_memory());
    drop(unwatched);
    assert!(Buffer::zeroed(12_000, &stream, resource.as_ref()).is_ok());
    let soft = SpillManager::new(plain(), options().with_device_limit(20_000));
    let resource = soft.resource();
    let watched = filled(&soft, 1, 10_000);
    let further: Vec<Buffer> = (0..4).map(|_| Buffer::zeroed(9000, &stream, resource.as_ref()).unwrap()).collect();
    assert!(soft.allocated_bytes() > 20_000 && soft.watched_bytes() == 0, "the limit is soft");
    drop(further);
    assert_eq!(watched.to_host(&stream).unwrap(), content(1, 10_000));
    // The upstream has a limit, and the manager has none.
    for on_demand in [true, false] {
        let limited = Resource::new(LimitingResource::new(plain(), 20_000));
        let manager = SpillManager::new(limited, options().with_on_demand(on_demand));
        let first = filled(&manager, 1, 10_000);
        let second = Buffer::zeroed(12_000, &stream, manager.resource().as_ref());
        assert_eq!(second.is_ok(), on_demand);
        drop(second);
        assert_eq!(first.to_host(&stream).unwrap(), content(1, 10_000));
    }
}

#[test]
fn a_manager_is_found_below_adaptors() {
    let manager = SpillManager::new(plain(), options());
    let counted = Resource::new(StatisticsResource::new(manager.resource()));
    assert_eq!(SpillManager::of(&counted), Some(manager.clone()));
    assert_eq!(SpillManager::of(&manager.resource()), Some(manager.clone()));
    assert_eq!(SpillManager::of(&plain()), None);
    assert!(manager.options().device_limit().is_none() && format!("{manager:?}").contains("resident"));
}

#[test]
fn compressed_bytes_take_less_of_the_file() {
    let len = if cfg!(miri) { 8_192 } else { (8 << 20) + 5 };
    let mut sizes = [SpillCompression::None, SpillCompression::Lz4].map(|compression| {
        let manager = SpillManager::new(plain(), options().with_host_limit(0).with_compression(compression));
        let buffer = Buffer::from_host(&vec![5; len], &stream(), manager.resource().as_ref()).unwrap();
        assert!(manager.watch(&buffer));
        manager.spill(usize::MAX).unwrap();
        let statistics = manager.statistics();
        assert!(statistics.device_to_disk.bytes as usize >= len);
        assert!(statistics.stored_bytes <= manager.disk_bytes());
        assert!(statistics.to_string().contains(&format!("stored in the file: {} bytes", statistics.stored_bytes)));
        assert!(buffer.to_host(&stream()).unwrap() == vec![5; len]);
        (statistics.stored_bytes, manager.disk_bytes())
    });
    sizes.reverse();
    let [lz4, none] = sizes;
    assert!(none.0 as usize >= len && lz4.0 * 20 < none.0 && lz4.1 < none.1, "{lz4:?} {none:?}");
}

#[test]
fn a_request_is_repeated_if_some_of_the_bytes_were_spilled() {
    // The upstream has space for half of the third buffer, but the manager does not know that.
    let limited = Resource::new(LimitingResource::new(plain(), 24_576));
    let manager = SpillManager::new(limited, options().with_host_limit(0).with_disk_limit(8192));
    let buffers = [1, 2].map(|seed| filled(&manager, seed, 8192));
    let resource = manager.resource();
    let third = Buffer::zeroed(16_384, &stream(), resource.as_ref()).unwrap();
    assert_eq!((manager.disk_bytes(), manager.watched_bytes()), (8192, 8192));
    // The disk is full, and nothing else can be spilled.
    let error = Buffer::zeroed(4096, &stream(), resource.as_ref()).unwrap_err();
    assert!(matches!(error, MemoryError::Spill { .. }), "{error}");
    drop(third);
    for (buffer, seed) in buffers.iter().zip(1..) {
        assert_eq!(buffer.to_host(&stream()).unwrap(), content(seed, 8192));
    }
}

#[test]
fn failures_lose_nothing() {
    // The directory does not exist.
    let absent = std::env::temp_dir().join("gdf-absent-directory");
    let manager =
        SpillManager::new(plain(), options().with_hard_limit(20_000).with_directory(&absent).with_host_limit(0));
    let first = filled(&manager, 1, 12_000);
    let error = Buffer::zeroed(12_000, &stream(), manager.resource().as_ref()).unwrap_err();
    assert!(error.to_string().contains("gdf-absent-directory"), "{error}");
    assert_eq!(first.to_host(&stream()).unwrap(), content(1, 12_000));
    // There is no memory for the bytes that are brought back.
    let limited = Resource::new(LimitingResource::new(plain(), 20_000));
    let manager = SpillManager::new(limited.clone(), options());
    let buffer = filled(&manager, 2, 12_000);
    manager.spill(usize::MAX).unwrap();
    let other = Buffer::zeroed(12_000, &stream(), limited.as_ref()).unwrap();
    assert!(buffer.read_on(&stream()).unwrap_err().is_out_of_memory());
    assert!(buffer.expose().unwrap_err().is_out_of_memory() && !buffer.is_exposed());
    drop(other);
    assert_eq!(buffer.to_host(&stream()).unwrap(), content(2, 12_000));
}

#[test]
fn work_that_is_enqueued_runs_before_the_memory_is_freed() {
    if device().is_cuda() {
        return;
    }
    for seed in 0..if cfg!(miri) { 5 } else { 200 } {
        let (executor, spy) = (DeferredCpu::new(seed), SpyingResource::new(host()));
        let manager = SpillManager::new(Resource::new(spy.clone()), options());
        let (own, other) = (executor.stream(), executor.stream());
        let mut buffer = Buffer::zeroed(5000, &own, manager.resource().as_ref()).unwrap();
        buffer.write_on(&own).unwrap().fill(0..5000, 3).unwrap();
        manager.watch(&buffer);
        // The copy on the other stream reads the buffer, and runs late.
        let copy = buffer.deep_copy(&other, host().as_ref()).unwrap();
        assert_eq!(manager.spill(usize::MAX), Ok(buffer.allocated_bytes()));
        executor.run_all();
        assert_eq!(copy.to_host(&other).unwrap(), [3; 5000]);
        assert_eq!(buffer.to_host(&own).unwrap(), [3; 5000]);
        drop((buffer, copy));
        executor.run_all();
        assert_eq!((spy.outstanding(), spy.faults()), (0, Vec::new()));
    }
}

/// Threads read, copy, write and drop buffers. The limit allows a quarter of the buffers.
#[test]
fn threads_share_buffers_while_they_are_spilled() {
    let (count, len, rounds): (usize, usize, usize) = if cfg!(miri) { (4, 4096, 6) } else { (32, 40_000, 300) };
    let limit = 8 * len.next_multiple_of(256) + 4 * count * 256;
    let upstream = SpyingResource::new(Resource::new(PoolResource::new(plain())));
    let options = options().with_statistics(SpillStatisticsLevel::Transfers).with_hard_limit(limit);
    let manager = SpillManager::new(Resource::new(upstream.clone()), options.with_host_limit(4 * len));
    let buffers: Vec<Buffer> = (0..count).map(|seed| filled(&manager, seed, len)).collect();
    let contents: Vec<Vec<u8>> = (0..count).map(|seed| content(seed, len)).collect();
    let contents = &contents;
    let is_over = Arc::new(AtomicBool::new(false));
    std::thread::scope(|scope| {
        let spiller = {
            let (manager, is_over) = (manager.clone(), is_over.clone());
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    manager.spill(len).unwrap();
                    std::thread::yield_now();
                }
            })
        };
        let workers: Vec<_> = (0..3u64)
            .map(|thread| {
                let (mut own, manager) = (buffers.clone(), manager.clone());
                scope.spawn(move || {
                    let (mut random, stream) = (SmallRng::seed_from_u64(thread), stream());
                    for _ in 0..rounds {
                        let at = random.random_range(0..count);
                        match random.random_range(0..8) {
                            0 => {
                                let copy = own[at].deep_copy(&stream, manager.resource().as_ref()).unwrap();
                                manager.watch(&copy);
                                assert!(contents.contains(&copy.to_host(&stream).unwrap()));
                                own[at] = copy;
                            }
                            1 => {
                                let mut access = own[at].make_mut(&stream, manager.resource().as_ref()).unwrap();
                                access.fill(0..0, 0).unwrap();
                                drop(access);
                                manager.watch(&own[at]);
                            }
                            2 => own[at] = own[(at + 1) % count].clone(),
                            _ => {}
                        }
                        if random.random_range(0..8) == 2 {
                            own[at] = filled(&manager, at, len);
                        }
                        let found = own[at].to_host(&stream).unwrap();
                        assert!(contents.contains(&found));
                    }
                })
            })
            .collect();
        let ended: Vec<_> = workers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        is_over.store(true, Ordering::Relaxed);
        spiller.join().unwrap();
        assert!(ended.iter().all(Result::is_ok), "a thread found other bytes");
    });
    for (seed, buffer) in buffers.iter().enumerate() {
        assert_eq!(buffer.to_host(&stream()).unwrap(), content(seed, len));
    }
    assert!(manager.peak_bytes() <= limit, "{} of {limit}", manager.peak_bytes());
    drop(buffers);
    stream().synchronize().unwrap();
    assert_eq!((manager.allocated_bytes(), manager.disk_bytes(), manager.host_bytes()), (0, 0, 0));
    assert_eq!(upstream.faults(), Vec::<String>::new());
}

#[test]
fn frees_and_spills_are_release_events() {
    let manager = SpillManager::new(plain(), options());
    let (kept, dropped) = (filled(&manager, 1, 5000), filled(&manager, 2, 5000));
    let at_once = std::time::Duration::from_millis(1);
    let seen = manager.releases();
    assert!(!manager.wait_for_release(seen, at_once), "an allocation is no release");
    assert!(manager.spill(1).unwrap() > 0);
    assert!(manager.wait_for_release(seen, at_once), "a spilled buffer is one");
    // Another thread waits without a limit, and is woken by the drop.
    let seen = manager.releases();
    let waiting = manager.clone();
    let thread = std::thread::spawn(move || waiting.wait_for_release(seen, std::time::Duration::MAX));
    assert_eq!(kept.to_host(&stream()).unwrap(), content(1, 5000));
    drop(dropped);
    drop(kept);
    assert!(thread.join().unwrap());
}
