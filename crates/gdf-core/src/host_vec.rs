//! Vectors on the CPU. The functions return an error, instead of aborting the process, if memory runs out.

use crate::{Error, Result};

/// Collects values in a vector on the CPU.
pub(crate) fn host_vec<T>(values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>> {
    let mut vec = reserved(values.len())?;
    vec.extend(values);
    Ok(vec)
}

/// Makes a vector of zeros on the CPU.
pub(crate) fn zeroed_host_vec(len: usize) -> Result<Vec<u8>> {
    let mut vec = reserved(len)?;
    vec.resize(len, 0);
    Ok(vec)
}

/// Makes an empty vector with capacity for `len` values on the CPU.
pub(crate) fn reserved<T>(len: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(len).map_err(|_| out_of_memory(len.saturating_mul(size_of::<T>())))?;
    Ok(vec)
}

pub(crate) fn out_of_memory(requested: usize) -> Error {
    gdf_memory::MemoryError::OutOfMemory { requested, free: None, resource: "vector" }.into()
}
