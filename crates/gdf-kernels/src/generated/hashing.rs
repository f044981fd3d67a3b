//! Kernels of kernels/hashing.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "hash_identity_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "hash_murmurhash3_x64_128_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "hash_murmurhash3_x86_32_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "hash_xxhash_32_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "hash_xxhash_64_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
];

/// For partitioning by many columns.
#[derive(Clone, Copy, Debug)]
pub struct Hash {
    pub table: HashedTable<32>,
    pub rows: i64,
    pub seed: u64,
    pub begun: i32,
    pub out: Out<u8>,
    pub high: Out<u8>,
}

arguments!(Hash { table, rows, seed, begun, out, high });

/// The kernels that take [`Hash`](struct@Hash).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashKernel {
    /// For partitioning by many columns.
    Identity,
    Murmurhash3X64128,
    /// The hashes of `rows` rows, above 0, of columns that have as many; with `begun` nonzero, `out` holds those of the columns
    /// before. `out` is of the function's words, `high` of the second words of a function that has two. A seed of 32 bits is
    /// the lower half of `seed`.
    Murmurhash3X8632,
    Xxhash32,
    Xxhash64,
}

impl From<HashKernel> for KernelId {
    fn from(kernel: HashKernel) -> Self {
        KernelId::new(
            image::HASHING,
            match kernel {
                HashKernel::Identity => 0,
                HashKernel::Murmurhash3X64128 => 1,
                HashKernel::Murmurhash3X8632 => 2,
                HashKernel::Xxhash32 => 3,
                HashKernel::Xxhash64 => 4,
            },
        )
    }
}

impl Family for Hash {
    type Kernel = HashKernel;
}
