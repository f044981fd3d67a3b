//! Queries of the driver about an address.

use std::ffi::{c_int, c_void};

use crate::raw;
use crate::{Device, Result, context, table};

/// The kind of memory at an address that the driver knows.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryKind {
    /// Memory of a CUDA device.
    Device,
    /// Pinned memory of the CPU. The driver has allocated or registered the memory.
    PinnedHost,
    /// Managed memory. The driver moves its pages between the CPU and the device.
    Managed,
}

/// The properties of the memory at an address, as the driver reports them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PointerInfo {
    /// The kind of memory.
    pub kind: MemoryKind,
    /// The CUDA device on which the memory was allocated, or with which the memory was registered.
    pub device: Device,
    /// The address by which kernels of that device access the memory. Zero if the kernels cannot access the memory.
    pub device_address: u64,
    /// The address by which the CPU accesses the memory. Zero if the CPU cannot access the memory.
    pub host_address: u64,
    /// The first address of the allocation that contains the address. For virtual memory, the first address of the
    /// reserved range.
    pub range_start: u64,
    /// The number of bytes of the allocation. For virtual memory, the number of bytes of the reserved range of
    /// addresses.
    pub range_bytes: usize,
    /// Whether other processes can open the allocation through a handle of 64 bytes. That is possible for memory of
    /// `cuMemAlloc`, and impossible for virtual memory and for memory of the driver's pools.
    pub is_ipc_capable: bool,
    /// Whether the allocation came from a memory pool of the driver.
    pub is_pooled: bool,
}

impl PointerInfo {
    /// Returns the properties that the driver reports for the memory at `address`. The function does not wait.
    ///
    /// The result is `None` if the driver does not know the address. For example, the driver does not know ordinary
    /// memory of the CPU. `address` may be any number.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
    /// use gdf::{DriverError, driver::PointerInfo};
    /// let value = 5;
    /// match PointerInfo::of((&raw const value).addr() as u64) {
    ///     Ok(info) => assert_eq!(info, None),
    ///     Err(error) => assert!(matches!(error, DriverError::NoDriver { .. })),
    /// }
    /// ```
    ///
    /// # Errors
    /// - there is no driver, or the driver is too old
    pub fn of(address: u64) -> Result<Option<PointerInfo>> {
        let driver = context::driver()?;
        if driver.devices == 0 || address == 0 {
            return Ok(None);
        }
        let mut attributes = [
            raw::POINTER_MEMORY_TYPE,
            raw::POINTER_DEVICE_ORDINAL,
            raw::POINTER_IS_MANAGED,
            raw::POINTER_HOST_POINTER,
            raw::POINTER_RANGE_START,
            raw::POINTER_RANGE_SIZE,
            raw::POINTER_IS_IPC_CAPABLE,
            raw::POINTER_MEMPOOL_HANDLE,
        ];
        // Each attribute has at most 8 bytes. If an attribute is shorter, the remaining bytes stay zero.
        let mut answers = [0u64; 8];
        let mut targets: [*mut c_void; 8] = std::array::from_fn(|_| std::ptr::null_mut());
        for (target, answer) in targets.iter_mut().zip(&mut answers) {
            *target = (&raw mut *answer).cast::<c_void>();
        }
        ask(&mut attributes, &mut targets, address)?;
        let [kind, ordinal, managed, host_address, range_start, range_bytes, ipc, pool] = answers;
        let ordinal = ordinal as u32 as i32;
        let kind = match kind {
            _ if managed & 0xff != 0 => MemoryKind::Managed,
            raw::MEMORY_TYPE_DEVICE => MemoryKind::Device,
            raw::MEMORY_TYPE_HOST => MemoryKind::PinnedHost,
            _ => return Ok(None),
        };
        let Ok(ordinal) = u32::try_from(ordinal) else { return Ok(None) };
        let device = Device::Cuda(ordinal);
        let device_address = match kind {
            MemoryKind::Device => address,
            _ => device_address_of(address, device)?,
        };
        Ok(Some(PointerInfo {
            kind,
            device,
            device_address,
            host_address,
            range_start,
            range_bytes: range_bytes as usize,
            is_ipc_capable: ipc & 0xff != 0,
            is_pooled: pool != 0,
        }))
    }

    /// Returns the number of bytes from `address` to the end of the allocation that contains `address`.
    ///
    /// The result is `None` if the range that the driver reports may not be a single allocation. For virtual memory,
    /// the driver reports the reserved range of addresses, and parts of that range may have no memory.
    pub fn bytes_from(&self, address: u64) -> Option<usize> {
        let is_one_allocation = self.is_ipc_capable || self.is_pooled || self.kind == MemoryKind::Managed;
        let before = usize::try_from(address.checked_sub(self.range_start)?).ok()?;
        self.range_bytes.checked_sub(before).filter(|_| is_one_allocation)
    }
}

/// Returns the address by which kernels of `device` access pinned or managed memory.
fn device_address_of(address: u64, device: Device) -> Result<u64> {
    let state = context::open(device)?;
    let _entered = state.enter()?;
    let mut found = 0u64;
    ask(&mut [raw::POINTER_DEVICE_POINTER], &mut [(&raw mut found).cast::<c_void>()], address)?;
    Ok(found)
}

/// Queries attributes of at most 8 bytes each.
fn ask<const N: usize>(attributes: &mut [c_int; N], targets: &mut [*mut c_void; N], address: u64) -> Result<()> {
    // SAFETY: both arrays have `N` entries. Each target is writable for 8 bytes, and no attribute that this file
    // queries is longer. Any address may be queried, and no context needs to be current.
    unsafe { table::cuPointerGetAttributes(N as u32, attributes.as_mut_ptr(), targets.as_mut_ptr(), address) }?
        .anywhere()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_memory_is_unknown() {
        let value = 1u32;
        for address in [0, 1, (&raw const value).addr() as u64, u64::MAX] {
            // Without a driver, the query returns an error and never a value.
            assert!(!matches!(PointerInfo::of(address), Ok(Some(_))), "{address:#x}");
        }
    }

    #[test]
    fn ranges_are_believed_where_they_are_allocations() {
        let plain = PointerInfo {
            kind: MemoryKind::Device,
            device: Device::Cuda(0),
            device_address: 0x1100,
            host_address: 0,
            range_start: 0x1000,
            range_bytes: 0x400,
            is_ipc_capable: true,
            is_pooled: false,
        };
        assert_eq!([0x1100, 0x1400, 0x1401, 0xfff].map(|at| plain.bytes_from(at)), [Some(0x300), Some(0), None, None]);
        let pooled = PointerInfo { is_ipc_capable: false, is_pooled: true, ..plain };
        let managed = PointerInfo { is_ipc_capable: false, kind: MemoryKind::Managed, ..plain };
        // These values describe a reserved range of a terabyte in which one granule is mapped, or several adjacent
        // granules.
        let mapped = PointerInfo { is_ipc_capable: false, range_bytes: 1 << 40, ..plain };
        let pinned = PointerInfo { kind: MemoryKind::PinnedHost, ..mapped };
        let seen = [pooled, managed, mapped, pinned].map(|info| info.bytes_from(0x1100));
        assert_eq!(seen, [Some(0x300), Some(0x300), None, None]);
    }
}
