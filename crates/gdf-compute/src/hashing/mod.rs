//! Published hash functions of rows, with the same values as in libcudf. Joins and group-bys use other hash functions:
//! see `kernels/include/gdf/row_hash.cuh`, and `row_keys.rs` in the keys of gdf-engine.

mod digest;
mod hash;
mod nested;
#[cfg(test)]
mod tests;

pub use digest::{DigestFunction, digest};
pub use hash::{murmurhash3_x64_128, murmurhash3_x86_32, xxhash_32, xxhash_64};
pub use nested::is_nested;
