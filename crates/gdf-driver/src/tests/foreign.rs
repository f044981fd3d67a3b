//! Tests of objects of other libraries, and of functions that other libraries need: events, the current context, and
//! addresses.

use super::cuda::device;
use crate::raw::Pointer;
use crate::{CopyKind, Device, DriverError, MemoryKind, PointerInfo, Stream, context, memory, raw, table};

#[test]
fn events_of_others_order_streams() {
    let Some(device) = device() else { return };
    let (writer, reader) = (Stream::new(device).unwrap(), Stream::new(device).unwrap());
    let bytes = 64 << 20;
    let (from, to) = (memory::alloc(device, bytes).unwrap(), memory::alloc(device, bytes).unwrap());
    let mut event: Pointer = std::ptr::null_mut();
    let state = context::open(device).unwrap();
    let entered = state.enter().unwrap();
    // SAFETY: `event` is writable and the device's context is current.
    unsafe { table::cuEventCreate(&mut event, raw::EVENT_DISABLE_TIMING) }.unwrap().on(device).unwrap();
    drop(entered);
    let mut last = [0u8; 1];
    let target = last.as_mut_ptr().expose_provenance() as u64;
    // SAFETY: `event` is an event of this device and alive. The memory is alive until it is freed at the end, and each
    // stream waits for the work that writes the data that the stream reads.
    unsafe {
        for value in 1..=20 {
            writer.fill(from, value, bytes).unwrap();
        }
        writer.copy_between(device, to, device, from, bytes).unwrap();
        writer.record_raw(event).unwrap();
        reader.wait_raw(event).unwrap();
        reader.copy(target, to + bytes as u64 - 1, 1, CopyKind::DeviceToHost).unwrap();
    }
    reader.synchronize().unwrap();
    assert_eq!(last, [20]);
    // SAFETY: `event` is an event of this device and alive. The memory is alive until it is freed at the end, and each
    // stream waits for the work that writes the data that the stream reads.
    unsafe {
        writer.fill(from, 1, bytes).unwrap();
        writer.record_raw(event).unwrap();
        Stream::cpu().wait_raw(event).unwrap();
        assert!(writer.is_idle().unwrap());
        assert!(matches!(Stream::cpu().record_raw(event), Err(DriverError::DeviceMismatch { .. })));
        let wrong = writer.copy_between(Device::Cpu, to, device, from, bytes);
        assert!(matches!(wrong, Err(DriverError::DeviceMismatch { .. })));
        assert!(matches!(
            Stream::cpu().copy_between(device, to, device, from, 1),
            Err(DriverError::DeviceMismatch { .. })
        ));
        table::cuEventDestroy_v2(event).unwrap().on(device).unwrap();
        memory::free(device, from).unwrap();
        memory::free(device, to).unwrap();
    }
}

#[test]
fn a_context_is_current_only_while_it_is_lent() {
    let Some(device) = device() else { return };
    assert_eq!(Device::current().unwrap(), None);
    let inside = device.with_current(|| {
        let mut current: Pointer = std::ptr::null_mut();
        // SAFETY: `current` is writable and the driver is initialized.
        unsafe { table::cuCtxGetCurrent(&mut current) }.unwrap().anywhere().unwrap();
        (Device::current().unwrap(), current)
    });
    assert_eq!(inside.unwrap(), (Some(device), device.raw_context().unwrap()));
    assert_eq!(Device::current().unwrap(), None);
    assert!(matches!(Device::Cpu.raw_context(), Err(DriverError::DeviceMismatch { .. })));
}

#[test]
fn addresses_are_known_until_they_are_freed() {
    let Some(device) = device() else { return };
    let address = memory::alloc(device, 5000).unwrap();
    let info = PointerInfo::of(address + 4999).unwrap().unwrap();
    assert_eq!((info.kind, info.device, info.range_start, info.host_address), (MemoryKind::Device, device, address, 0));
    assert!(info.range_bytes >= 5000 && info.is_ipc_capable && info.device_address == address + 4999);
    // SAFETY: no work uses the memory.
    unsafe { memory::free(device, address) }.unwrap();
}
