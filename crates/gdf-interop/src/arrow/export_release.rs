//! What an exported array leads to, and how it is let go.
//!
//! A consumer may call `release` while work that it enqueued still reads the buffers: the interface has no way to say when
//! that work ends. So the buffers of a GPU are kept until everything that anybody in this process had enqueued on that
//! device at that moment is done. Import of this crate needs no such wait: it releases when its readers are done.

use std::ffi::c_void;

use gdf_driver::{Device, Event};
use gdf_memory::Buffer;
use smallvec::SmallVec;

use crate::ArrowArray;
use crate::release::{keep_until_idle, let_go};

/// The event of an export, at an address that stays.
#[derive(Debug)]
pub(super) struct SyncEvent {
    /// What `sync_event` points to.
    pub(super) raw: *mut c_void,
    /// Keeps it alive, and gives it back.
    pub(super) event: Event,
}

/// What the private data of an exported array are.
#[derive(Debug)]
pub(super) struct Private {
    /// Where the buffers are.
    pub(super) device: Device,
    /// The buffers; those without bytes are left out, as the interface lets them.
    pub(super) buffers: SmallVec<[Option<Buffer>; 3]>,
    /// Their addresses, which the struct leads to.
    pub(super) addresses: SmallVec<[*const c_void; 3]>,
    /// The lengths of a view's data buffers, the last of its buffers.
    pub(super) lengths: Vec<i64>,
    /// Boxes.
    pub(super) children: Vec<*mut ArrowArray>,
    /// A box, or null.
    pub(super) dictionary: *mut ArrowArray,
    /// The event, in the outermost array: a box, or null.
    pub(super) event: *mut SyncEvent,
}

/// The callback of arrays of ours.
pub(super) unsafe extern "C" fn release(array: *mut ArrowArray) {
    let mut held = Vec::new();
    // SAFETY: the interface has the callback called with its own struct, once.
    let device = unsafe { take_apart(array, &mut held) };
    match device {
        Some(device @ Device::Cuda(_)) if !held.is_empty() => keep_until_idle(device, held),
        _ => let_go(held),
    }
}

/// As the callback, for a caller who has waited for every reader.
///
/// # Safety
/// - `array` is an array of ours ([`is_ours`]), or released
pub(super) unsafe fn release_now(array: *mut ArrowArray) {
    let mut held = Vec::new();
    // SAFETY: as the caller promises.
    unsafe { take_apart(array, &mut held) };
    let_go(held);
}

/// Whether this crate exported the array.
pub(super) fn is_ours(array: &ArrowArray) -> bool {
    // Functions may have several addresses, which only makes an array of ours pass for somebody else's.
    array.release.is_some_and(|callback| callback as usize == release as *const () as usize)
}

/// The exact length of buffer `i` of an array of ours, if the struct still leads to that buffer.
///
/// # Safety
/// - `array` is as `ArrowArray::from_raw` wants it
pub(super) unsafe fn own_length(array: &ArrowArray, i: usize, address: *const c_void) -> Option<usize> {
    if !is_ours(array) {
        return None;
    }
    // SAFETY: the private data of an array of ours that is not released are a live `Private`, which nobody else changes.
    let private = unsafe { array.private_data.cast::<Private>().as_ref() }?;
    private.addresses.get(i).filter(|own| **own == address)?;
    private.buffers.get(i)?.as_ref().map(Buffer::len)
}

/// The event of an array of ours, if `address` leads to it.
///
/// # Safety
/// - `array` is as `ArrowArray::from_raw` wants it
pub(super) unsafe fn own_event(array: &ArrowArray, address: *mut c_void) -> Option<Event> {
    if !is_ours(array) {
        return None;
    }
    // SAFETY: the private data of an array of ours that is not released are a live `Private`, which nobody else changes, and
    // so is the event in it.
    let event = unsafe { array.private_data.cast::<Private>().as_ref()?.event.as_ref() }?;
    std::ptr::eq(&raw const event.raw, address.cast()).then(|| event.event.clone())
}

/// Marks an array of ours as released and moves its buffers, and those of what it still owns, to `held`.
///
/// # Safety
/// - `array` is null, or leads to an array of ours or a released one
unsafe fn take_apart(array: *mut ArrowArray, held: &mut Vec<Buffer>) -> Option<Device> {
    // SAFETY: as the caller promises.
    let array = unsafe { array.as_mut() }?;
    array.release.take()?;
    let private = std::mem::replace(&mut array.private_data, std::ptr::null_mut()).cast::<Private>();
    if private.is_null() {
        return None;
    }
    // SAFETY: the pointer is the box that export made; it is taken once, since the struct is marked released.
    let private = unsafe { Box::from_raw(private) };
    let Private { device, buffers, children, dictionary, event, .. } = *private;
    held.extend(buffers.into_iter().flatten());
    if !event.is_null() {
        // SAFETY: a box that export made and that only these private data led to; consumers waited for it before now.
        drop(unsafe { Box::from_raw(event) });
    }
    for child in children.into_iter().chain(Some(dictionary).filter(|values| !values.is_null())) {
        // SAFETY: each is a box that export made and that only these private data led to.
        let mut child = unsafe { Box::from_raw(child) };
        if is_ours(&child) {
            // SAFETY: just looked at. A child that was moved out is released already, and only its box is freed.
            unsafe { take_apart(&raw mut *child, held) };
        }
    }
    Some(device)
}
