//! Published hash functions of rows, with the same values as in libcudf.

mod digest;
mod hash;
mod nested;
mod plain;
mod row_hashes;
#[cfg(test)]
mod tests;

pub use digest::{DigestFunction, digest};
pub use hash::{murmurhash3_x64_128, murmurhash3_x86_32, xxhash_32, xxhash_64};
pub use nested::is_nested;
pub use row_hashes::row_hashes;
