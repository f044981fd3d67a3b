//! Kernels of kernels/partitioning.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

/// greatest number of partitions that one pass can distinguish
pub const FEW: usize = 256;

pub const WARPS: usize = 16;

/// The output of the first launch.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct IdsOut<'a> {
    pub narrow: Out<'a, u8>,
    pub wide: Out<'a, u32>,
    pub upper: Out<'a, u8>,
    /// one word per block and partition (or lower digit, with `upper`)
    pub counts: Out<'a, u64>,
    /// with `upper`: a word per partition, zero at launch
    pub totals: Out<'a, u64>,
    /// positive
    pub partitions: i32,
    /// not 0: three words after the first positions report errors
    pub checked: i32,
    pub digit_bits: i32,
    pub unused: i32,
}

plain!(IdsOut { narrow, wide, upper, counts, totals, partitions, checked, digit_bits, unused });

const _: () = assert!(size_of::<IdsOut>() == 56 && align_of::<IdsOut>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "partition_begins_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "partition_bits_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "partition_identity_ids_kernel", unit: 0, policy: Policy::new(512, 8, 2) },
    KernelInfo { symbol: "partition_map_ids_kernel", unit: 0, policy: Policy::new(512, 8, 2) },
    KernelInfo { symbol: "partition_move_kernel", unit: 0, policy: Policy::new(512, 8, 2) },
    KernelInfo { symbol: "partition_murmur_ids_kernel", unit: 0, policy: Policy::new(512, 8, 2) },
    KernelInfo { symbol: "partition_round_robin_kernel", unit: 0, policy: Policy::new(256, 4, 4) },
];

/// Finds the begin of each partition: word p - 1 becomes the position in `order` of the first row whose id is p or
/// more. `order` has `order.length` rows.
#[derive(Clone, Copy, Debug)]
pub struct PartitionBegins<'a> {
    pub ids: In<'a, u32>,
    pub order: ColumnIn<'a>,
    pub partitions: i32,
    pub words: Out<'a, u64>,
}

arguments!(PartitionBegins { ids, order, partitions, words });

impl OneKernel for PartitionBegins<'static> {
    const ID: KernelId = KernelId::new(image::PARTITIONING, 0);
}

/// Gathers validity masks and boolean values of rows in the order `order`. blockIdx.y is the column.
#[derive(Clone, Copy, Debug)]
pub struct PartitionBits<'a> {
    pub input: TableIn<'a, 32>,
    pub out: TableOut<'a, 32>,
    pub copy: CopyTable,
    pub order: ColumnIn<'a>,
}

arguments!(PartitionBits { input, out, copy, order } scratch {});

impl OneKernel for PartitionBits<'static> {
    const ID: KernelId = KernelId::new(image::PARTITIONING, 1);
}

/// Does the same as partition\_murmur\_ids\_kernel, with the identity hash.
#[derive(Clone, Copy, Debug)]
pub struct PartitionHashIds<'a> {
    pub table: HashedTable<'a, 32>,
    pub rows: Rows,
    pub seed: u32,
    pub out: IdsOut<'a>,
    pub words: Out<'a, u64>,
}

arguments!(PartitionHashIds { table, rows, seed, out } scratch { words });

/// The kernels that take [`PartitionHashIds`](struct@PartitionHashIds).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartitionHashIdsKernel {
    /// Does the same as partition\_murmur\_ids\_kernel, with the identity hash.
    Identity,
    /// Computes the partitions of `rows` rows from the MurmurHash3\_x86\_32 of the rows of a table. `words` is described at
    /// finish\_counts.
    Murmur,
}

impl From<PartitionHashIdsKernel> for KernelId {
    fn from(kernel: PartitionHashIdsKernel) -> Self {
        KernelId::new(
            image::PARTITIONING,
            match kernel {
                PartitionHashIdsKernel::Identity => 2,
                PartitionHashIdsKernel::Murmur => 5,
            },
        )
    }
}

impl Family for PartitionHashIds<'static> {
    type Kernel = PartitionHashIdsKernel;
}

/// Computes the partitions of rows from `map`. If `out.checked` is set, the numbers of `map` are the partitions.
/// Otherwise they are 32-bit hashes, and the partition is the hash modulo the number of partitions. If `out.checked` is
/// set, the three words after the first positions describe the first number that is null or out of range: ~row (0 if
/// there is no such row), the number, and whether the row is null. The kernel uses zeroed\[0\].
#[derive(Clone, Copy, Debug)]
pub struct PartitionMapIds<'a> {
    pub map: ColumnIn<'a>,
    pub out: IdsOut<'a>,
    pub words: Out<'a, u64>,
}

arguments!(PartitionMapIds { map, out } scratch { words });

impl OneKernel for PartitionMapIds<'static> {
    const ID: KernelId = KernelId::new(image::PARTITIONING, 3);
}

/// Moves the rows of the first `columns` columns, whose values have 1, 2, 4, 8 or 16 bytes. Row numbers have 64 bits if
/// `wide`, otherwise 32 bits. `bits` is the number of bits that distinguish the partitions.
#[derive(Clone, Copy, Debug)]
pub struct PartitionMove<'a> {
    pub ids: In<'a, u8>,
    pub counts: In<'a, u64>,
    pub rows: Rows,
    pub partitions: i32,
    pub bits: i32,
    pub input: TableIn<'a, 32>,
    pub out: TableOut<'a, 32>,
    pub copy: CopyTable,
    pub columns: i32,
    pub order: Out<'a, u8>,
    pub wide: i32,
}

arguments!(PartitionMove { ids, counts, rows, partitions, bits, input, out, copy, columns, order, wide });

impl OneKernel for PartitionMove<'static> {
    const ID: KernelId = KernelId::new(image::PARTITIONING, 4);
}

/// Writes the order of rows for round-robin partitioning: row after row goes to the next partition, beginning with
/// partition `start`.
#[derive(Clone, Copy, Debug)]
pub struct PartitionRoundRobin<'a> {
    pub rows: Rows,
    pub partitions: i64,
    pub start: i64,
    pub order: Out<'a, u8>,
    pub data_type: i32,
}

arguments!(PartitionRoundRobin { rows, partitions, start, order, data_type });

impl OneKernel for PartitionRoundRobin<'static> {
    const ID: KernelId = KernelId::new(image::PARTITIONING, 6);
}
