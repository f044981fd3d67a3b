//! The private data of exported arrays, and the release of exported arrays.

use std::ffi::c_void;

use gdf_driver::{Device, Event};
use gdf_memory::Buffer;
use smallvec::SmallVec;

use crate::ArrowArray;
use crate::release::{keep_until_idle, let_go};

/// The event of an exported array. The address of this value does not change.
#[derive(Debug)]
pub(super) struct SyncEvent {
    /// The `CUevent` to which `sync_event` points.
    pub(super) raw: *mut c_void,
    /// The owner of `raw`.
    pub(super) event: Event,
}

#[derive(Debug)]
pub(super) struct Private {
    pub(super) device: Device,
    /// The buffers.
    pub(super) buffers: SmallVec<[Option<Buffer>; 3]>,
    /// The addresses of the buffers.
    pub(super) addresses: SmallVec<[*const c_void; 3]>,
    /// The lengths of the data buffers of a view array.
    pub(super) lengths: Vec<i64>,
    /// The children.
    pub(super) children: Vec<*mut ArrowArray>,
    /// The values of a dictionary.
    pub(super) dictionary: *mut ArrowArray,
    /// The event.
    pub(super) event: *mut SyncEvent,
}

pub(super) unsafe extern "C" fn release(array: *mut ArrowArray) {
    let mut held = Vec::new();
    // SAFETY: the interface requires consumers to call the callback once, with the array's own struct.
    let device = unsafe { take_apart(array, &mut held) };
    match device {
        Some(device @ Device::Cuda(_)) if !held.is_empty() => keep_until_idle(device, held),
        _ => let_go(held),
    }
}

fn is_ours(array: &ArrowArray) -> bool {
    // The compiler may give the function `release` several addresses.
    array.release.is_some_and(|callback| callback as usize == release as *const () as usize)
}

/// Returns the exact length of buffer `i`, if gdf exported the array.
///
/// # Safety
/// - `array` is valid as `ArrowArray::from_raw` demands
pub(super) unsafe fn own_length(array: &ArrowArray, i: usize, address: *const c_void) -> Option<usize> {
    if !is_ours(array) {
        return None;
    }
    // SAFETY: gdf exported the array, so `private_data` of the unreleased array points to a live `Private`. Nobody
    // changes the `Private` while the array is borrowed.
    let private = unsafe { array.private_data.cast::<Private>().as_ref() }?;
    private.addresses.get(i).filter(|own| **own == address)?;
    private.buffers.get(i)?.as_ref().map(Buffer::len)
}

/// If gdf exported the array and `address` points to the event of the array, returns the event.
///
/// # Safety
/// - `array` is valid as `ArrowArray::from_raw` demands
pub(super) unsafe fn own_event(array: &ArrowArray, address: *mut c_void) -> Option<Event> {
    if !is_ours(array) {
        return None;
    }
    // SAFETY: gdf exported the array, so `private_data` of the unreleased array points to a live `Private`. Its
    // `event` is null or points to a live box. Nobody changes either of them while the array is borrowed.
    let event = unsafe { array.private_data.cast::<Private>().as_ref()?.event.as_ref() }?;
    std::ptr::eq(&raw const event.raw, address.cast()).then(|| event.event.clone())
}

/// Marks an exported array as released.
///
/// # Safety
/// - `array` is null, or points to an array that gdf exported or to a released array
unsafe fn take_apart(array: *mut ArrowArray, held: &mut Vec<Buffer>) -> Option<Device> {
    // SAFETY: the caller promises that the pointer is null or points to an array.
    let array = unsafe { array.as_mut() }?;
    array.release.take()?;
    let private = std::mem::replace(&mut array.private_data, std::ptr::null_mut()).cast::<Private>();
    if private.is_null() {
        return None;
    }
    // SAFETY: the export made this pointer from a box. The box is taken once, because the struct is now marked as
    // released.
    let private = unsafe { Box::from_raw(private) };
    let Private { device, buffers, children, dictionary, event, .. } = *private;
    held.extend(buffers.into_iter().flatten());
    if !event.is_null() {
        // SAFETY: the export made this pointer from a box, and only these private data contained the pointer.
        // Consumers have already waited for the event, or have made a stream wait.
        drop(unsafe { Box::from_raw(event) });
    }
    for child in children.into_iter().chain(Some(dictionary).filter(|values| !values.is_null())) {
        // SAFETY: the export made each pointer from a box, and only these private data contained the pointer.
        let mut child = unsafe { Box::from_raw(child) };
        if is_ours(&child) {
            // SAFETY: `is_ours` has just confirmed that gdf exported the child. A child that the consumer moved out
            // is already released, so only its box is freed.
            unsafe { take_apart(&raw mut *child, held) };
        }
    }
    Some(device)
}
