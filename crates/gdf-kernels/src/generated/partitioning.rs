//! Kernels of kernels/partitioning.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

/// partitions that are counted
pub const FEW: usize = 256;

pub const WARPS: usize = 16;

/// What the first launch writes. `narrow` ids have 8 bits, and are counted; `wide` ones 32. With
/// `upper`, `narrow` has only the lower `digit_bits` bits of the ids, and `upper` the others.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct IdsOut<'a> {
    pub narrow: Out<'a, u8>,
    pub wide: Out<'a, u32>,
    pub upper: Out<'a, u8>,
    /// a word per partition, or lower digit, and block
    pub counts: Out<'a, u64>,
    /// with `upper`: a word per partition, zero before
    pub totals: Out<'a, u64>,
    /// above 0
    pub partitions: i32,
    /// three words behind the first positions tell of errors
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

/// Where partitions begin: word p - 1 becomes the first of the `order.length` rows in `order` whose
/// id is p or more.
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

/// Masks and booleans (blockIdx.y: the column) of rows in this order.
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

/// As above, by the numbers themselves.
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
    /// As above, by the numbers themselves.
    Identity,
    /// Partitions of `rows` rows by MurmurHash3\_x86\_32 of a table. `words`: see finish\_counts.
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

/// Partitions of the rows of `map`: its numbers, or these modulo the number of partitions (32-bit
/// hashes) unless `out.checked`. Of the first row whose number is none, or null, words \[partitions -
/// 1, partitions + 2) tell ~row, the number, and whether it is null; the first is 0 if there is none.
/// Such rows are given some partition. zeroed\[0\].
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

/// Moves the rows of the first `columns` columns, of 1, 2, 4, 8 or 16 bytes, and writes their numbers to
/// `order` unless it is null, of 64 bits with `wide`. `ids` and `counts` are those of the launch
/// before, which had as many blocks; `bits` bits tell the partitions apart. Shared memory: a tile of
/// the widest rows, of 8 bytes at most.
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

/// The order of rows that are dealt to partitions in turn, beginning with partition `start`.
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
