//! What the driver knows of an address: which device and kind of memory is behind it.

use std::ffi::{c_int, c_void};

use crate::raw;
use crate::{Device, Result, context, table};

/// What kind of memory is behind an address that the driver knows.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryKind {
    /// Memory of a CUDA device.
    Device,
    /// Pinned memory of the CPU: allocated or registered by the driver.
    PinnedHost,
    /// Managed memory, which the driver moves between CPU and device.
    Managed,
}

/// What the driver knows of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PointerInfo {
    /// The kind of memory.
    pub kind: MemoryKind,
    /// The CUDA device that it was allocated on, or registered with.
    pub device: Device,
    /// Where kernels of that device find it; zero where they cannot.
    pub device_address: u64,
    /// Where the CPU finds it; zero where it cannot.
    pub host_address: u64,
    /// The first address of the allocation that it lies in.
    pub range_start: u64,
    /// Bytes of that allocation.
    pub range_bytes: usize,
    /// Whether the allocation can be opened by other processes through a handle of 64 bytes: memory of `cuMemAlloc` can,
    /// that of the driver's pools and of virtual memory cannot.
    pub is_ipc_capable: bool,
}

impl PointerInfo {
    /// What the driver knows of `address`; `None` for addresses that it does not know, such as ordinary memory of the CPU.
    /// Any number may be asked about. Does not wait.
    ///
    /// ```
    /// use gdf_driver::{DriverError, PointerInfo};
    /// let value = 5;
    /// match PointerInfo::of((&raw const value).addr() as u64) {
    ///     Ok(info) => assert_eq!(info, None),
    ///     Err(error) => assert!(matches!(error, DriverError::NoDriver { .. })),
    /// }
    /// ```
    ///
    /// # Errors
    /// - no driver, or one that is too old
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
        ];
        // Each answer has at most 8 bytes; shorter ones leave the rest zero, and all machines with CUDA are little-endian.
        let mut answers = [0u64; 7];
        let mut targets: [*mut c_void; 7] = std::array::from_fn(|_| std::ptr::null_mut());
        for (target, answer) in targets.iter_mut().zip(&mut answers) {
            *target = (&raw mut *answer).cast::<c_void>();
        }
        ask(&mut attributes, &mut targets, address)?;
        let [kind, ordinal, managed, host_address, range_start, range_bytes, ipc] = answers;
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
        }))
    }
}

/// Where kernels of `device` find pinned or managed memory; zero where they do not. The answer is the current context's.
fn device_address_of(address: u64, device: Device) -> Result<u64> {
    let state = context::open(device)?;
    let _entered = state.enter()?;
    let mut found = 0u64;
    ask(&mut [raw::POINTER_DEVICE_POINTER], &mut [(&raw mut found).cast::<c_void>()], address)?;
    Ok(found)
}

/// Asks for attributes of at most 8 bytes, each to its target of 8 bytes.
fn ask<const N: usize>(attributes: &mut [c_int; N], targets: &mut [*mut c_void; N], address: u64) -> Result<()> {
    // SAFETY: both have `N` entries, each target is writable for 8 bytes, the most that the attributes asked for here have,
    // and any address may be asked about. No context need be current.
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
            // Without a driver the question is an error, never an answer.
            assert!(!matches!(PointerInfo::of(address), Ok(Some(_))), "{address:#x}");
        }
    }
}
