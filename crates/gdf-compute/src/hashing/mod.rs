//! Published hash functions of rows, with libcudf's values. Not what joins and groups use inside: see
//! `kernels/include/gdf/row_hash.cuh` and `row_keys.rs` of the keys in gdf-engine.

mod digest;
mod hash;
#[cfg(test)]
mod tests;

pub use digest::{DigestFunction, digest};
pub use hash::{murmurhash3_x64_128, murmurhash3_x86_32, xxhash_32, xxhash_64};
