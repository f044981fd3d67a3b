//! Virtual memory of a device. A program reserves a range of addresses, and maps physical memory to the addresses.
//! gdf-memory uses this module.
#![doc(hidden)]

use crate::context::{self, DeviceState};
use crate::raw::{self, AccessDescription, AllocationProperties};
use crate::{Device, Result, poison, table};

/// A reserved range of addresses of a device. The addresses have no memory until memory is mapped to them. Dropping the
/// value frees the range. At that time, no memory may be mapped to the range.
pub struct AddressRange {
    state: &'static DeviceState,
    base: u64,
    bytes: usize,
}

impl std::fmt::Debug for AddressRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AddressRange({}, {:#x}, {} bytes)", self.state.device, self.base, self.bytes)
    }
}

/// Physical memory of a device. Dropping the value releases the memory. If the memory is still mapped, it stays
/// allocated until the mapping is removed.
pub struct Physical {
    state: &'static DeviceState,
    handle: u64,
    bytes: usize,
}

impl std::fmt::Debug for Physical {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Physical({}, {:#x}, {} bytes)", self.state.device, self.handle, self.bytes)
    }
}

/// Returns the unit of physical memory in bytes. Sizes and addresses must be multiples of this unit.
///
/// # Errors
/// - the device cannot be opened, or does not support virtual memory
pub fn granularity(device: Device) -> Result<usize> {
    let state = context::open(device)?;
    let _entered = state.enter()?;
    let (properties, mut bytes) = (AllocationProperties::on_device(state.ordinal), 0usize);
    let option = raw::GRANULARITY_RECOMMENDED;
    // SAFETY: `bytes` is writable and the properties are those of device memory.
    unsafe { table::cuMemGetAllocationGranularity(&mut bytes, &properties, option) }?.on(device)?;
    Ok(bytes)
}

impl AddressRange {
    /// Reserves `bytes` bytes of addresses. `bytes` must be a multiple of [`granularity`].
    ///
    /// # Errors
    /// - the driver has no free range of this size; the device cannot be opened or is poisoned
    pub fn reserve(device: Device, bytes: usize) -> Result<AddressRange> {
        let state = context::open(device)?;
        let _entered = state.enter()?;
        let mut base = 0u64;
        // SAFETY: `base` is writable. The zeros let the driver choose the alignment and the address.
        unsafe { table::cuMemAddressReserve(&mut base, bytes, 0, 0, 0) }?.on(device)?;
        Ok(AddressRange { state, base, bytes })
    }

    /// Returns the first address.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Maps the whole of `memory` at `offset`. `offset` must be a multiple of [`granularity`]. The device can use the
    /// memory only after a call of [`AddressRange::allow`].
    ///
    /// # Safety
    /// - no memory is mapped at these addresses, and `memory` is unmapped before the range is dropped
    ///
    /// # Errors
    /// - the driver refuses the call; the device is poisoned
    pub unsafe fn map(&self, offset: usize, memory: &Physical) -> Result<()> {
        poison::check(self.state.device)?;
        let _entered = self.state.enter()?;
        let address = self.base + offset as u64;
        // SAFETY: the caller promises that the addresses belong to this range and have no memory. `memory` is alive.
        unsafe { table::cuMemMap(address, memory.bytes, 0, memory.handle, 0) }?.on(self.state.device)
    }

    /// Lets the device read and write the `bytes` bytes from `offset` on. Memory must be mapped at all of these
    /// addresses.
    ///
    /// # Errors
    /// - the driver refuses the call; the device is poisoned
    pub fn allow(&self, offset: usize, bytes: usize) -> Result<()> {
        poison::check(self.state.device)?;
        let _entered = self.state.enter()?;
        let access = AccessDescription::all_of(self.state.ordinal);
        // SAFETY: the pointer to one access description is readable. The driver checks the range.
        unsafe { table::cuMemSetAccess(self.base + offset as u64, bytes, &access, 1) }?.on(self.state.device)
    }

    /// Unmaps the memory of the `bytes` bytes from `offset` on. The range must begin and end at the ends of mappings.
    ///
    /// # Safety
    /// - no work uses these addresses any more
    ///
    /// # Errors
    /// - the driver refuses the call; the device is poisoned
    pub unsafe fn unmap(&self, offset: usize, bytes: usize) -> Result<()> {
        poison::check(self.state.device)?;
        let _entered = self.state.enter()?;
        // SAFETY: the caller promises that no work uses the addresses. The driver checks that the range consists of
        // whole mappings.
        unsafe { table::cuMemUnmap(self.base + offset as u64, bytes) }?.on(self.state.device)
    }
}

impl Drop for AddressRange {
    fn drop(&mut self) {
        let freed = poison::check(self.state.device).and_then(|()| {
            let _entered = self.state.enter()?;
            // SAFETY: the range was reserved with this size and is freed once. The code that mapped memory has
            // unmapped the memory, as `map` requires.
            unsafe { table::cuMemAddressFree(self.base, self.bytes) }?.on(self.state.device)
        });
        if let Err(error) = freed {
            tracing::warn!(device = %self.state.device, %error, "a range of addresses is leaked");
        }
    }
}

impl Physical {
    /// Allocates `bytes` bytes of physical memory. `bytes` must be a multiple of [`granularity`].
    ///
    /// # Errors
    /// - there is not enough memory; the device cannot be opened or is poisoned
    pub fn new(device: Device, bytes: usize) -> Result<Physical> {
        let state = context::open(device)?;
        let _entered = state.enter()?;
        let (properties, mut handle) = (AllocationProperties::on_device(state.ordinal), 0u64);
        // SAFETY: `handle` is writable and the properties are those of device memory.
        unsafe { table::cuMemCreate(&mut handle, bytes, &properties, 0) }?.on(device)?;
        Ok(Physical { state, handle, bytes })
    }
}

impl Drop for Physical {
    fn drop(&mut self) {
        let released = poison::check(self.state.device).and_then(|()| {
            let _entered = self.state.enter()?;
            // SAFETY: this value owns the handle and releases it once. The driver keeps the memory while the memory
            // is mapped.
            unsafe { table::cuMemRelease(self.handle) }?.on(self.state.device)
        });
        if let Err(error) = released {
            tracing::warn!(device = %self.state.device, %error, "physical memory is leaked");
        }
    }
}
