//! Kernels of kernels/hashing.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

/// The maximum number of bytes of the state of a row between launches.
pub const DIGESTS_STATE_BYTES: usize = 208;

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "digest_md5_kernel", unit: 0, policy: Policy::new(128, 1, 4) },
    KernelInfo { symbol: "digest_sha1_kernel", unit: 0, policy: Policy::new(128, 1, 4) },
    KernelInfo { symbol: "digest_sha224_kernel", unit: 0, policy: Policy::new(128, 1, 4) },
    KernelInfo { symbol: "digest_sha256_kernel", unit: 0, policy: Policy::new(128, 1, 4) },
    KernelInfo { symbol: "digest_sha384_kernel", unit: 0, policy: Policy::new(128, 1, 4) },
    KernelInfo { symbol: "digest_sha512_kernel", unit: 0, policy: Policy::new(128, 1, 4) },
    KernelInfo { symbol: "fold_hashes_narrow_kernel", unit: 1, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "fold_hashes_wide_kernel", unit: 1, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "hash_identity_kernel", unit: 2, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "hash_murmurhash3_x64_128_kernel", unit: 2, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "hash_murmurhash3_x86_32_kernel", unit: 2, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "hash_xxhash_32_kernel", unit: 2, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "hash_xxhash_64_kernel", unit: 2, policy: Policy::new(256, 8, 4) },
];

/// Defines a kernel that computes the digest of each of `rows` rows, at least one. The result is text without nulls,
/// with two hexadecimal characters per byte. A launch with `ends` = 0 stores the state of each digest in `states`, at
/// most digests::state\_bytes per row.
#[derive(Clone, Copy, Debug)]
pub struct Digest<'a> {
    pub table: HashedTable<'a, 32>,
    pub rows: Rows,
    pub begun: i32,
    pub ends: i32,
    pub states: Out<'a, u8>,
    pub out: ColumnOut<'a>,
}

arguments!(Digest { table, rows, begun, ends, states, out });

/// The kernels that take [`Digest`](struct@Digest).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DigestKernel {
    /// Defines a kernel that computes the digest of each of `rows` rows, at least one. The result is text without nulls,
    /// with two hexadecimal characters per byte. A launch with `ends` = 0 stores the state of each digest in `states`, at
    /// most digests::state\_bytes per row.
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

impl From<DigestKernel> for KernelId {
    fn from(kernel: DigestKernel) -> Self {
        KernelId::new(
            image::HASHING,
            match kernel {
                DigestKernel::Md5 => 0,
                DigestKernel::Sha1 => 1,
                DigestKernel::Sha224 => 2,
                DigestKernel::Sha256 => 3,
                DigestKernel::Sha384 => 4,
                DigestKernel::Sha512 => 5,
            },
        )
    }
}

impl Family for Digest<'static> {
    type Kernel = DigestKernel;
}

/// Defines a kernel that combines each row of `state` with the hashes of the row's items. `offsets` is an i64 column.
/// The items of row r are the rows \[offsets\[r\], offsets\[r + 1\]) of `items`. If `offsets` has no data, the only item is
/// row r.
#[derive(Clone, Copy, Debug)]
pub struct FoldHashes<'a> {
    pub state: ColumnIn<'a>,
    pub items: ColumnIn<'a>,
    pub offsets: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
}

arguments!(FoldHashes { state, items, offsets, out });

/// The kernels that take [`FoldHashes`](struct@FoldHashes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldHashesKernel {
    /// Defines a kernel that combines each row of `state` with the hashes of the row's items. `offsets` is an i64 column.
    /// The items of row r are the rows \[offsets\[r\], offsets\[r + 1\]) of `items`. If `offsets` has no data, the only item is
    /// row r.
    Narrow,
    Wide,
}

impl From<FoldHashesKernel> for KernelId {
    fn from(kernel: FoldHashesKernel) -> Self {
        KernelId::new(
            image::HASHING,
            match kernel {
                FoldHashesKernel::Narrow => 6,
                FoldHashesKernel::Wide => 7,
            },
        )
    }
}

impl Family for FoldHashes<'static> {
    type Kernel = FoldHashesKernel;
}

/// Computes the identity instead of a hash. Partitioning uses this kernel for more columns than one launch of the
/// partition kernels takes.
#[derive(Clone, Copy, Debug)]
pub struct Hash<'a> {
    pub table: HashedTable<'a, 32>,
    pub rows: Rows,
    pub seed: u64,
    pub begun: i32,
    pub out: Out<'a, u8>,
    pub high: Out<'a, u8>,
}

arguments!(Hash { table, rows, seed, begun, out, high });

/// The kernels that take [`Hash`](struct@Hash).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashKernel {
    /// Computes the identity instead of a hash. Partitioning uses this kernel for more columns than one launch of the
    /// partition kernels takes.
    Identity,
    Murmurhash3X64128,
    /// Defines a kernel that computes the hashes of `rows` rows, at least one. If `begun` is not 0, `out` contains the
    /// hashes of the previous columns.
    Murmurhash3X8632,
    Xxhash32,
    Xxhash64,
}

impl From<HashKernel> for KernelId {
    fn from(kernel: HashKernel) -> Self {
        KernelId::new(
            image::HASHING,
            match kernel {
                HashKernel::Identity => 8,
                HashKernel::Murmurhash3X64128 => 9,
                HashKernel::Murmurhash3X8632 => 10,
                HashKernel::Xxhash32 => 11,
                HashKernel::Xxhash64 => 12,
            },
        )
    }
}

impl Family for Hash<'static> {
    type Kernel = HashKernel;
}
