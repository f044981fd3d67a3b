//! Vectors on the CPU whose growth may fail: running out of memory is an error.

use crate::{Error, Result};

/// A vector on the CPU, with running out of memory as an error.
pub(crate) fn host_vec<T>(values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>> {
    let mut vec = reserved(values.len())?;
    vec.extend(values);
    Ok(vec)
}

/// Zeros on the CPU, with running out of memory as an error.
pub(crate) fn zeroed_host_vec(len: usize) -> Result<Vec<u8>> {
    let mut vec = reserved(len)?;
    vec.resize(len, 0);
    Ok(vec)
}

/// Capacity for `len` values on the CPU, with running out of memory as an error.
pub(crate) fn reserved<T>(len: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(len).map_err(|_| out_of_memory(len.saturating_mul(size_of::<T>())))?;
    Ok(vec)
}

/// The error of a vector that could not grow to `requested` bytes.
pub(crate) fn out_of_memory(requested: usize) -> Error {
    gdf_memory::MemoryError::OutOfMemory { requested, free: None, resource: "vector" }.into()
}
