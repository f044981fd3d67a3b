//! The copies and fills of CPU streams.

/// Copies `bytes` from `from` to `to`.
///
/// # Safety
/// - `to` and `from` are addresses of this process, valid for `bytes` bytes, and no other code writes these bytes
///   during the call
pub(crate) unsafe fn copy(to: u64, from: u64, bytes: usize) {
    let to = std::ptr::with_exposed_provenance_mut::<u8>(to as usize);
    let from = std::ptr::with_exposed_provenance::<u8>(from as usize);
    // SAFETY: the caller promises that both ranges are valid for `bytes` bytes. The ranges may overlap.
    unsafe { std::ptr::copy(from, to, bytes) }
}

/// Sets `bytes` bytes to `value`.
///
/// # Safety
/// - `to` is an address of this process, valid for writing `bytes` bytes, and no other code uses these bytes during
///   the call
pub(crate) unsafe fn fill(to: u64, value: u8, bytes: usize) {
    // SAFETY: the caller promises that `to` is valid for writing `bytes`.
    unsafe { std::ptr::write_bytes(std::ptr::with_exposed_provenance_mut::<u8>(to as usize), value, bytes) }
}
