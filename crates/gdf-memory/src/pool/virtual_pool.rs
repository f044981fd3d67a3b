//! The pool that maps memory into its own address space.

use std::sync::Arc;

use gdf_driver::Device;

use super::engine::Engine;
use super::space::{Space, granule_for};
use super::{Handle, PoolOptions};
use crate::{CudaResource, HostResource, MemoryError, Resource, Result};

/// For each byte of memory, the pool reserves this many bytes of addresses. Remapping granules needs unused addresses.
/// Reserved addresses use no memory.
const ADDRESSES_PER_BYTE: usize = 16;
/// The maximum number of granules for which addresses are reserved.
const MAX_GRANULES: usize = 1 << 20;

/// A pool that maps memory into its own address space, granule by granule, with the driver's virtual memory
/// management.
///
/// The pool works like a [`PoolResource`](crate::PoolResource), with two differences:
///
/// * The pool grows in place. New memory can therefore be adjacent to the memory that the pool already holds.
/// * If no free block is large enough, the pool remaps scattered free granules to adjacent addresses. Therefore the
///   pool refuses a request only if the request needs more granules than are free.
///
/// Mapping a granule takes some microseconds, both for growth and for remapping. Remapping also waits for the work that
/// used the granules. With larger granules, growth and remapping are cheaper. With smaller granules, less memory is
/// wasted.
///
/// [`trim`](crate::MemoryResource::trim) frees single granules. On a GPU, alignments above 256 are refused. On Linux,
/// the pool also works on the CPU, for tests, with an in-memory file. The pool on the CPU is slower than other
/// resources.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::{Device, Stream};
/// use gdf::memory::{Buffer, PoolOptions, Resource, VirtualPoolResource};
///
/// let options = PoolOptions::new().granule(4096).maximum(4 * 4096);
/// let pool = VirtualPoolResource::new(Device::Cpu, options)?;
/// let (stream, resource) = (Stream::cpu(), Resource::new(pool.clone()));
/// let take = |bytes| Buffer::uninitialized(bytes, &stream, resource.as_ref());
/// let mut four = vec![take(4096)?, take(4096)?, take(4096)?, take(4096)?];
/// drop((four.remove(2), four.remove(0)));
/// // Two free granules with one in use between them.
/// assert_eq!(take(2 * 4096)?.len(), 2 * 4096);
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Clone)]
pub struct VirtualPoolResource(pub(super) Arc<Handle>);

impl VirtualPoolResource {
    /// Makes a pool in the memory of `device`.
    ///
    /// # Errors
    /// * [`OutOfMemory`](MemoryError::OutOfMemory) when the addresses or the initial size are refused.
    /// * [`BadAlignment`](MemoryError::BadAlignment) for a granule that is not a power of two, is below 4096 or is
    ///   above 2^40. The pool rounds a valid granule up to a multiple of the mapping granularity of the device.
    /// * [`DeviceMismatch`](MemoryError::DeviceMismatch) for the CPU on other systems than Linux.
    /// * The errors of opening `device`.
    pub fn new(device: Device, options: PoolOptions) -> Result<Self> {
        if !options.granule.is_power_of_two() || !(4096..=super::MAX_GRANULE).contains(&options.granule) {
            return Err(MemoryError::BadAlignment { align: options.granule });
        }
        let granule = granule_for(device, options.granule)?;
        let options = options.granule(granule);
        let most = options.maximum.map_or(device.properties()?.total_bytes as usize, |most| most.max(granule));
        let granules = (most / granule + 1).saturating_mul(ADDRESSES_PER_BYTE).min(MAX_GRANULES);
        let upstream = match device {
            Device::Cpu => Resource::new(HostResource::new()),
            Device::Cuda(_) => Resource::new(CudaResource::new(device)?),
        };
        let space = Space::new(device, granules * granule, granule)?;
        let engine = Engine::over_space("virtual_pool", upstream, options, space);
        if options.initial > 0 {
            engine.reserve_at_once(options.initial)?;
        }
        Ok(Self::of(engine))
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    use gdf_driver::Stream;
    use gdf_driver::deferred::DeferredCpu;

    use super::*;
    use crate::{Buffer, MemoryResource, reaper};

    const GRANULE: usize = 1 << 16;

    #[test]
    fn what_the_driver_does_not_unmap_is_counted_and_tried_again() {
        let pool =
            VirtualPoolResource::new(Device::Cpu, PoolOptions::new().granule(GRANULE).maximum(8 * GRANULE)).unwrap();
        let (stream, resource) = (Stream::cpu(), Resource::new(pool.clone()));
        let take = |bytes| Buffer::uninitialized(bytes, &stream, resource.as_ref());
        let refuse = |calls| pool.engine().space.as_ref().unwrap().refusals.store(calls, Ordering::Relaxed);
        drop(take(8 * GRANULE).unwrap());
        refuse(3);
        assert_eq!(pool.trim(), 5 * GRANULE, "three granules stay");
        assert_eq!((pool.reserved_bytes(), pool.free().bytes), (3 * GRANULE, 0));
        // The stuck granules count as held memory, whose maximum is eight granules.
        let five = take(5 * GRANULE).unwrap();
        refuse(100);
        assert!(take(GRANULE).unwrap_err().is_out_of_memory());
        assert_eq!(pool.reserved_bytes(), 8 * GRANULE);
        refuse(0);
        // The driver now unmaps the stuck granules, and all addresses are usable again.
        let more = take(3 * GRANULE).unwrap();
        drop((five, more));
        refuse(2);
        drop(take(8 * GRANULE).unwrap());
        for _ in 0..3 {
            pool.trim();
        }
        assert_eq!((pool.reserved_bytes(), pool.used_bytes()), (0, 0));
        assert!(take(8 * GRANULE).is_ok());
    }

    #[test]
    fn what_the_reaper_holds_is_had_before_memory_is_out() {
        let pool = VirtualPoolResource::new(Device::Cpu, PoolOptions::new().granule(GRANULE)).unwrap();
        let space = pool.engine().space.as_ref().unwrap();
        space.is_short.store(true, Ordering::Relaxed);
        let grow = || space.grow(3 * GRANULE).map_err(|failure| (failure.error.is_out_of_memory(), failure.stuck));
        assert_eq!(grow(), Err((true, 0)));
        let (executor, is_short) = (DeferredCpu::new(1), Arc::clone(&space.is_short));
        let stream = executor.stream();
        stream.enqueue(|| ()).unwrap();
        reaper::when_complete(vec![stream.record().unwrap()], move || {
            std::thread::sleep(Duration::from_millis(20));
            is_short.store(false, Ordering::Relaxed);
        });
        executor.run_all();
        assert!(grow().is_ok());
    }

    #[test]
    fn a_refusal_while_mapping_anew_loses_no_memory() {
        for refusals in 1..6 {
            let pool = VirtualPoolResource::new(Device::Cpu, PoolOptions::new().granule(GRANULE).maximum(8 * GRANULE))
                .unwrap();
            let (stream, resource) = (Stream::cpu(), Resource::new(pool.clone()));
            let take = |bytes| Buffer::uninitialized(bytes, &stream, resource.as_ref());
            let mut all: Vec<Option<Buffer>> = (0..8).map(|_| take(GRANULE).ok()).collect();
            all.iter_mut().step_by(2).for_each(|buffer| *buffer = None);
            pool.engine().space.as_ref().unwrap().refusals.store(refusals, Ordering::Relaxed);
            let four = take(4 * GRANULE);
            assert!(four.as_ref().map_or_else(|error| error.is_out_of_memory(), |_| true), "{four:?}");
            pool.engine().space.as_ref().unwrap().refusals.store(0, Ordering::Relaxed);
            drop(four);
            let four = take(4 * GRANULE).unwrap();
            assert_eq!((pool.reserved_bytes(), pool.used_bytes()), (8 * GRANULE, 8 * GRANULE), "{refusals}");
            drop((four, all));
            assert_eq!(pool.trim(), 8 * GRANULE);
        }
    }
}
