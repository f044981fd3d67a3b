//! Published hash functions of rows, with libcudf's values. Not what joins and groups use inside: see
//! `kernels/include/gdf/row_hash.cuh` and `host/row_keys.rs`.

mod columns;
pub(crate) mod cuda;
mod hash;
pub(crate) mod host;
#[cfg(test)]
mod tests;

pub(crate) use columns::{HashedColumn, hashed_columns};
pub use hash::{murmurhash3_x64_128, murmurhash3_x86_32, xxhash_32, xxhash_64};
