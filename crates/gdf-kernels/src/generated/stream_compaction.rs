//! Kernels of kernels/stream_compaction.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

/// The maximum number of tiles with which each block counts all tiles itself, so that no preceding launch is needed.
pub const APPLY_BOOLEAN_MASK_FEW_TILES: usize = 64;

/// The row that is kept among rows with equal keys. The host has the same enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum DistinctKeep {
    Any = 0,
    First = 1,
    Last = 2,
    None = 3,
}

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "apply_boolean_mask_bits_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "apply_boolean_mask_count_kernel", unit: 0, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "apply_boolean_mask_sparse_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "apply_boolean_mask_values_kernel", unit: 0, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "distinct_bits_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "distinct_packed_kernel", unit: 1, policy: Policy::new(1024, 4, 1) },
    KernelInfo { symbol: "distinct_rows_kernel", unit: 1, policy: Policy::new(1024, 4, 1) },
    KernelInfo { symbol: "row_numbers_kernel", unit: 1, policy: Policy::new(256, 8, 8) },
    KernelInfo { symbol: "selected_rows_kernel", unit: 0, policy: Policy::new(256, 8, 6) },
];

/// Writes the selected rows of column blockIdx.y. `counts` is the output of the count kernel, and the result has
/// `total` rows.
#[derive(Clone, Copy, Debug)]
pub struct ApplyBooleanMask<'a> {
    pub mask: ColumnIn<'a>,
    pub input: TableIn<'a, 32>,
    pub out: TableOut<'a, 32>,
    pub copy: CopyTable,
    pub counts: In<'a, u64>,
    pub tiles: Tiles,
    pub total: i64,
    pub mailbox: Out<'a, u64>,
}

arguments!(ApplyBooleanMask { mask, input, out, copy, counts, tiles, total } scratch { mailbox });

/// The kernels that take [`ApplyBooleanMask`](struct@ApplyBooleanMask).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApplyBooleanMaskKernel {
    /// Writes the selected rows of column blockIdx.y. `counts` is the output of the count kernel, and the result has
    /// `total` rows.
    Bits,
    /// Does the same as apply\_boolean\_mask\_bits\_kernel, with the same parameters, for masks that select few rows of a tile.
    /// The columns must have no masks, and rows of 1, 2, 4, 8, 16 or 32 bytes. Each warp has a tile, and each lane moves
    /// the selected rows of its words.
    Sparse,
    /// Does the same as apply\_boolean\_mask\_bits\_kernel, for columns that are not boolean and whose results have no masks.
    Values,
}

impl From<ApplyBooleanMaskKernel> for KernelId {
    fn from(kernel: ApplyBooleanMaskKernel) -> Self {
        KernelId::new(
            image::STREAM_COMPACTION,
            match kernel {
                ApplyBooleanMaskKernel::Bits => 0,
                ApplyBooleanMaskKernel::Sparse => 2,
                ApplyBooleanMaskKernel::Values => 3,
            },
        )
    }
}

impl Family for ApplyBooleanMask<'static> {
    type Kernel = ApplyBooleanMaskKernel;
}

/// Computes sums per tile of 2,048 rows, one array of `tiles` sums for each blockIdx.y. The sums are the numbers of
/// selected rows (array 0 if `selected` is not 0), or the bytes of the selected rows of a string column. The last block
/// of each array turns the sums into first positions and posts the total to mailbox\[word\]. Array y uses ticket 32 + y.
#[derive(Clone, Copy, Debug)]
pub struct ApplyBooleanMaskCount<'a> {
    pub mask: ColumnIn<'a>,
    pub selected: i32,
    pub input: TableIn<'a, 32>,
    pub copy: CopyTable,
    pub counts: Out<'a, u64>,
    pub tiles: Tiles,
    pub mailbox: Out<'a, u64>,
}

arguments!(ApplyBooleanMaskCount { mask, selected, input, copy, counts, tiles } scratch { mailbox });

impl OneKernel for ApplyBooleanMaskCount<'static> {
    const ID: KernelId = KernelId::new(image::STREAM_COMPACTION, 1);
}

/// Writes a bit for each of `rows` rows (fewer than 2^31), which is set if the row is kept. The table has at least
/// twice as many slots as rows. The launch must be cooperative.
#[derive(Clone, Copy, Debug)]
pub struct Distinct<'a> {
    pub keys: RowKeys<'a>,
    pub table: KeyTable<'a>,
    pub rows: Rows,
    pub keep: i32,
    pub positions: Out<'a, u32>,
    pub bits: Out<'a, u32>,
}

arguments!(Distinct { keys, table, rows, keep, positions, bits } scratch {});

/// The kernels that take [`Distinct`](struct@Distinct).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DistinctKernel {
    /// Writes a bit for each of `rows` rows (fewer than 2^31), which is set if the row is kept. The table has at least
    /// twice as many slots as rows. The launch must be cooperative.
    Packed,
    /// Does the same as distinct\_packed\_kernel, for keys that do not pack into 64 bits.
    Rows,
}

impl From<DistinctKernel> for KernelId {
    fn from(kernel: DistinctKernel) -> Self {
        KernelId::new(
            image::STREAM_COMPACTION,
            match kernel {
                DistinctKernel::Packed => 5,
                DistinctKernel::Rows => 6,
            },
        )
    }
}

impl Family for Distinct<'static> {
    type Kernel = DistinctKernel;
}

/// Writes a bit for each row, which is set for one of the rows of each key. `keys` are integers of 32 or 64 bits
/// without nulls, whose order numbers are in \[low, low + count). `seen` has `count` bits, which are zero before.
#[derive(Clone, Copy, Debug)]
pub struct DistinctBits<'a> {
    pub keys: ColumnIn<'a>,
    pub low: u64,
    pub count: u64,
    pub seen: Out<'a, u32>,
    pub out: ColumnOut<'a>,
}

arguments!(DistinctBits { keys, low, count, seen, out });

impl OneKernel for DistinctBits<'static> {
    const ID: KernelId = KernelId::new(image::STREAM_COMPACTION, 4);
}

/// Writes the numbers of `rows` rows, which are fewer than 2^32.
#[derive(Clone, Copy, Debug)]
pub struct RowNumbers<'a> {
    pub numbers: Out<'a, u32>,
    pub rows: Rows,
}

arguments!(RowNumbers { numbers, rows });

impl OneKernel for RowNumbers<'static> {
    const ID: KernelId = KernelId::new(image::STREAM_COMPACTION, 7);
}

/// Writes the numbers of the selected rows. `counts` is the output of the count kernel. Each warp has a tile.
#[derive(Clone, Copy, Debug)]
pub struct SelectedRows<'a> {
    pub mask: ColumnIn<'a>,
    pub counts: In<'a, u64>,
    pub tiles: Tiles,
    pub out: ColumnOut<'a>,
}

arguments!(SelectedRows { mask, counts, tiles, out });

impl OneKernel for SelectedRows<'static> {
    const ID: KernelId = KernelId::new(image::STREAM_COMPACTION, 8);
}
