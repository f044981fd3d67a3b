//! Kernels of kernels/copying.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub const COPY_IF_ELSE_TILE_WORDS: usize = 64;

pub const NESTED_MOST_RANGES: usize = 1024;

pub const NESTED_NO_ROWS: i64 = -1;

/// The begin of a range is the number of its table above these bits, and a row of the level in these bits. A range
/// without rows of any table has a negative begin.
pub const NESTED_TABLE_SHIFT: usize = 48;

/// the bytes of the result that a thread writes together
pub const NESTED_UNIT_BYTES: usize = 16;

/// The number of rounds of the permutation. With random functions, a Feistel network needs four rounds to look random.
/// The functions here are less random and therefore need more rounds.
pub const SAMPLE_ROUNDS: usize = 8;

/// per window, the number of copy tasks that are done
pub const SCATTER_WINDOWS_COPIED: usize = 1;

/// rows
pub const SCATTER_WINDOWS_COPIED_AT_ONCE: i64 = 8192;

pub const SCATTER_WINDOWS_MAX_WINDOWS: usize = 128;

pub const SCATTER_WINDOWS_POSITION: usize = 129;

pub const SCATTER_WINDOWS_PROGRESS_WORDS: usize = 257;

/// Indices of the words of a column's `progress`.
pub const SCATTER_WINDOWS_TICKET: usize = 0;

/// The treatment of row numbers that are out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum GatherChecks {
    /// no check: the caller guarantees that all numbers are in range
    Trust = 0,
    /// the row of the result is null; scatter skips the row
    Null = 1,
    /// the same as `null`, and the first such element is reported
    Report = 2,
}

/// What a block copies. A positive number is the width of the values in bytes: 1, 2, 4 or 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum NestedPartKind {
    /// the values of a boolean node
    Bits = 0,
    /// the mask of a node
    Validity = -1,
    /// the mask of a node of level 0, with the nulls of the structs around it
    RowValidity = -2,
    /// the offsets of a node
    Offsets = -3,
}

/// The form in which the ranges of level 0 are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum NestedRangeForm {
    /// range i is row map\[i\]
    ByMap = 0,
    /// range i is row i of an arithmetic formula
    ByAffine = 1,
    /// range i has ends\[i\] - ends\[i - 1\] rows from begins\[i\] on
    ByRanges = 2,
    /// range i is row i if map\[i\] is true and not null, and has no rows otherwise
    ByMask = 3,
}

/// Row r of the result is row first + r / divisor \* by\_quotient + r % divisor \* by\_remainder of the table.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct AffineRows {
    /// number of rows of the result
    pub length: i64,
    /// from 1 to the length
    pub divisor: i64,
    pub by_quotient: i64,
    pub by_remainder: i64,
    pub first: i64,
}

const _: () = assert!(size_of::<AffineRows>() == 40 && align_of::<AffineRows>() == 8);

/// A level below the level of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct NestedLevel {
    /// the list column or text column whose elements or bytes are the rows of the level
    pub node: i32,
    /// the level of the lists or texts
    pub above: i32,
    /// the number of lists or texts per row of the level above
    pub scale: i64,
    /// whether each range above is one row, and null rows have no elements
    pub masked: i32,
    /// the number of the array of the sizes of the ranges, or 0 if there is no level below
    pub sizes: i32,
}

const _: () = assert!(size_of::<NestedLevel>() == 24 && align_of::<NestedLevel>() == 8);

/// A part of a node that one column of the grid copies.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct NestedPart {
    /// the number of values, of bits, or of offsets without the first one
    pub count: i64,
    /// the number of them per row of the level
    pub scale: i64,
    pub node: i32,
    pub kind: i32,
    pub level: i32,
    /// offsets: the level of the elements; values: the number of values per row of the node, 0 for bytes
    pub below: i32,
}

const _: () = assert!(size_of::<NestedPart>() == 32 && align_of::<NestedPart>() == 8);

/// The ranges of level 0. All columns have a row per range.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct NestedRowRanges<'a> {
    /// by\_map: integers; by\_ranges: the begins, i64; by\_mask: booleans
    pub map: ColumnIn<'a>,
    /// by\_ranges: i64
    pub ends: ColumnIn<'a>,
    /// by\_ranges: if it has data and sizes\[i\] is 0, the rows of range i are null
    pub sizes: ColumnIn<'a>,
    pub affine: AffineRows,
    /// the number of rows of the table, or of both tables
    pub rows: Rows,
    /// by\_map: the number of rows of the first table
    pub split: i64,
    pub form: i32,
    /// by\_map: see gather::checks; by\_ranges: whether begins lie in a table of `rows` rows
    pub check: i32,
}

plain!(NestedRowRanges { map, ends, sizes, affine, rows, split, form, check });

const _: () = assert!(size_of::<NestedRowRanges>() == 208 && align_of::<NestedRowRanges>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct SampleChoice {
    pub seed: u64,
    /// not 0
    pub rows: Rows,
    /// half the number of bits of the permuted numbers; 4^half\_bits is at least `rows`
    pub half_bits: i32,
    pub with_replacement: i32,
}

const _: () = assert!(size_of::<SampleChoice>() == 24 && align_of::<SampleChoice>() == 8);

/// The description of a column to merge. For column c of the result, the source is column 2 c of the launch, and the
/// target is column 2 c + 1.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ScatterColumn {
    /// length of the character buffer; for copy\_any\_width, the width of a row
    pub source_bytes: Bytes,
    /// length of the character buffer
    pub target_bytes: Bytes,
    /// a gdf::copy\_kind, or the width of a row
    pub kind: i32,
    /// copy\_strings: the index of the column's array of tile sums
    pub slot: i32,
}

const _: () = assert!(size_of::<ScatterColumn>() == 24 && align_of::<ScatterColumn>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ScatterColumns {
    pub at: [ScatterColumn; 16],
}

const _: () = assert!(size_of::<ScatterColumns>() == 384 && align_of::<ScatterColumns>() == 8);

/// The inverse of a scatter map. It has a word for each row of the target. The word is the number of the source row
/// that replaces the target row, counted from 1. If the target row stays, the word is 0. If `words` is null, all target
/// rows stay.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ScatterInverseMap<'a> {
    pub words: Out<'a, u8>,
    /// whether words have 64 bits
    pub wide: i32,
    pub unused: i32,
}

plain!(ScatterInverseMap { words, wide, unused });

const _: () = assert!(size_of::<ScatterInverseMap>() == 16 && align_of::<ScatterInverseMap>() == 8);

/// The windows of a target. A window has 2^shift rows.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ScatterWindowsWindows<'a> {
    /// the target row of each moved row
    pub rows: Out<'a, u32>,
    /// the values of the moved rows
    pub values: Out<'a, u8>,
    /// the progress words of this column, see below
    pub progress: Out<'a, u64>,
    /// rows of the target
    pub target: i64,
    pub shift: i32,
    pub count: i32,
}

plain!(ScatterWindowsWindows { rows, values, progress, target, shift, count });

const _: () = assert!(size_of::<ScatterWindowsWindows>() == 40 && align_of::<ScatterWindowsWindows>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "affine_kernel", unit: 0, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "affine_sizes_kernel", unit: 0, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "affine_text_kernel", unit: 0, policy: Policy::new(256, 8, 6) },
    KernelInfo { symbol: "affine_values_kernel", unit: 0, policy: Policy::new(128, 4, 12) },
    KernelInfo { symbol: "copy_if_else_kernel", unit: 1, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "copy_if_else_sizes_kernel", unit: 1, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "copy_if_else_strings_kernel", unit: 1, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "copy_nested_kernel", unit: 2, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "copy_ranges_kernel", unit: 3, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "copy_ranges_sizes_kernel", unit: 3, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "copy_ranges_text_kernel", unit: 3, policy: Policy::new(256, 8, 6) },
    KernelInfo { symbol: "copy_ranges_tiles_kernel", unit: 3, policy: Policy::new(256, 1, 1) },
    KernelInfo { symbol: "gather_kernel", unit: 4, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "gather_check_kernel", unit: 4, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "gather_few_kernel", unit: 4, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "gather_sizes_kernel", unit: 4, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "gather_text_kernel", unit: 4, policy: Policy::new(256, 8, 6) },
    KernelInfo { symbol: "nested_ranges_kernel", unit: 5, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "sample_kernel", unit: 6, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "scatter_kernel", unit: 7, policy: Policy::new(256, 8, 2) },
    KernelInfo { symbol: "scatter_clear_kernel", unit: 7, policy: Policy::new(256, 4, 8) },
    KernelInfo { symbol: "scatter_copy_kernel", unit: 7, policy: Policy::new(256, 64, 4) },
    KernelInfo { symbol: "scatter_direct_kernel", unit: 7, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "scatter_invert_kernel", unit: 7, policy: Policy::new(256, 4, 8) },
    KernelInfo { symbol: "scatter_sizes_kernel", unit: 7, policy: Policy::new(256, 8, 2) },
    KernelInfo { symbol: "scatter_window_count_kernel", unit: 8, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "scatter_window_move_kernel", unit: 8, policy: Policy::new(512, 4, 2) },
    KernelInfo { symbol: "scatter_window_write_kernel", unit: 8, policy: Policy::new(256, 8, 5) },
    KernelInfo { symbol: "write_rows_kernel", unit: 9, policy: Policy::new(256, 4, 4) },
];

/// Writes column blockIdx.y of the result. The character buffer has the size that the sizes kernel has posted.
#[derive(Clone, Copy, Debug)]
pub struct Affine<'a> {
    pub rows: AffineRows,
    pub input: TableIn<'a, 32>,
    pub out: TableOut<'a, 32>,
    pub copy: CopyTable,
    pub counts: In<'a, u64>,
    pub share: i32,
    pub tiles: Tiles,
}

arguments!(Affine { rows, input, out, copy, counts, share, tiles } scratch {});

/// The kernels that take [`Affine`](struct@Affine).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AffineKernel {
    /// Writes column blockIdx.y of the result. The character buffer has the size that the sizes kernel has posted.
    Fixed,
    /// Does the same as affine\_kernel, only for strings and for structs that contain strings.
    Text,
}

impl From<AffineKernel> for KernelId {
    fn from(kernel: AffineKernel) -> Self {
        KernelId::new(
            image::COPYING,
            match kernel {
                AffineKernel::Fixed => 0,
                AffineKernel::Text => 2,
            },
        )
    }
}

impl Family for Affine<'static> {
    type Kernel = AffineKernel;
}

/// Measures string column blockIdx.y of the result. The total is posted to mailbox\[word\]. Column y uses ticket 32 + y.
#[derive(Clone, Copy, Debug)]
pub struct AffineSizes<'a> {
    pub rows: AffineRows,
    pub input: TableIn<'a, 32>,
    pub copy: CopyTable,
    pub counts: Out<'a, u64>,
    pub share: i32,
    pub tiles: Tiles,
    pub mailbox: Out<'a, u64>,
}

arguments!(AffineSizes { rows, input, copy, counts, share, tiles } scratch { mailbox });

impl OneKernel for AffineSizes<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 1);
}

/// Does the same as affine\_kernel, only for rows of 1, 2, 4, 8, 16 or 32 bytes without masks. `multiplier` is the
/// multiplier of `rows`. The host computes it, because computing it would take a thread longer than copying its rows.
#[derive(Clone, Copy, Debug)]
pub struct AffineValues<'a> {
    pub rows: AffineRows,
    pub input: TableIn<'a, 32>,
    pub out: TableOut<'a, 32>,
    pub copy: CopyTable,
    pub multiplier: u32,
}

arguments!(AffineValues { rows, input, out, copy, multiplier });

impl OneKernel for AffineValues<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 3);
}

/// Selects rows of `width` bytes, or booleans. The inputs have the type of `out`. If an address is not a multiple of
/// min(width, 8), the type must be fixed\_binary.
#[derive(Clone, Copy, Debug)]
pub struct CopyIfElse<'a> {
    pub lhs: ColumnIn<'a>,
    pub rhs: ColumnIn<'a>,
    pub condition: ColumnIn<'a>,
    pub by_validity: i32,
    pub width: i64,
    pub out: ColumnOut<'a>,
}

arguments!(CopyIfElse { lhs, rhs, condition, by_validity, width, out } scratch {});

impl OneKernel for CopyIfElse<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 4);
}

/// Computes the bytes of each tile of 1,024 rows of the result, and writes the position of the first byte of each tile
/// to `counts`, which has a word per tile. Posts the total to the mailbox. The kernel uses ticket 32.
#[derive(Clone, Copy, Debug)]
pub struct CopyIfElseSizes<'a> {
    pub lhs: ColumnIn<'a>,
    pub rhs: ColumnIn<'a>,
    pub condition: ColumnIn<'a>,
    pub by_validity: i32,
    pub lhs_bytes: Bytes,
    pub rhs_bytes: Bytes,
    pub counts: Out<'a, u64>,
    pub mailbox: Out<'a, u64>,
}

arguments!(CopyIfElseSizes { lhs, rhs, condition, by_validity, lhs_bytes, rhs_bytes, counts } scratch { mailbox });

impl OneKernel for CopyIfElseSizes<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 5);
}

/// Writes the offsets, the bytes and the validity of strings. The sizes kernel must have written `counts` for the same
/// inputs.
#[derive(Clone, Copy, Debug)]
pub struct CopyIfElseStrings<'a> {
    pub lhs: ColumnIn<'a>,
    pub rhs: ColumnIn<'a>,
    pub condition: ColumnIn<'a>,
    pub by_validity: i32,
    pub lhs_bytes: Bytes,
    pub rhs_bytes: Bytes,
    pub out: ColumnOut<'a>,
    pub counts: In<'a, u64>,
}

arguments!(CopyIfElseStrings { lhs, rhs, condition, by_validity, lhs_bytes, rhs_bytes, out, counts } scratch {});

impl OneKernel for CopyIfElseStrings<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 6);
}

/// Copies the parts from `first_part` on, one for each blockIdx.y (below 32). If `row_ends` is null, each range of
/// level 0 is one row. out\[p\] is the column that part p is written to. Null counts are written like those of
/// count.cuh.
#[derive(Clone, Copy, Debug)]
pub struct CopyNested<'a> {
    pub input: In<'a, ColumnIn<'a>>,
    pub parent: In<'a, i32>,
    pub nodes: i64,
    pub parts: In<'a, NestedPart>,
    pub out: In<'a, ColumnOut<'a>>,
    pub first_part: i32,
    pub numbers: Out<'a, i64>,
    pub count: Rows,
    pub row_ends: In<'a, i64>,
}

arguments!(CopyNested { input, parent, nodes, parts, out, first_part, numbers, count, row_ends } scratch {});

impl OneKernel for CopyNested<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 7);
}

/// Copies column blockIdx.y. `ends`, `begins` and `sizes` are i64 columns with a row for each range. If `begins` have
/// no data, range i consists of copies of row i of the table. Otherwise, row begins\[i\] of the table becomes the first
/// row of range i, and the other rows of the range follow. If begins\[i\] is null, or if `sizes` have data and sizes\[i\]
/// is 0, the rows of range i are null. Rows that the table does not have are null, too.
#[derive(Clone, Copy, Debug)]
pub struct CopyRanges<'a> {
    pub ends: ColumnIn<'a>,
    pub begins: ColumnIn<'a>,
    pub sizes: ColumnIn<'a>,
    pub first: In<'a, i64>,
    pub rows: Rows,
    pub length: Rows,
    pub input: TableIn<'a, 32>,
    pub out: TableOut<'a, 32>,
    pub copy: CopyTable,
    pub counts: In<'a, u64>,
    pub share: i32,
    pub tiles: Tiles,
}

arguments!(CopyRanges { ends, begins, sizes, first, rows, length, input, out, copy, counts, share, tiles } scratch {});

/// The kernels that take [`CopyRanges`](struct@CopyRanges).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyRangesKernel {
    /// Copies column blockIdx.y. `ends`, `begins` and `sizes` are i64 columns with a row for each range. If `begins` have
    /// no data, range i consists of copies of row i of the table. Otherwise, row begins\[i\] of the table becomes the first
    /// row of range i, and the other rows of the range follow. If begins\[i\] is null, or if `sizes` have data and sizes\[i\]
    /// is 0, the rows of range i are null. Rows that the table does not have are null, too.
    Fixed,
    /// Does the same as copy\_ranges\_kernel, only for strings and for structs that contain strings.
    Text,
}

impl From<CopyRangesKernel> for KernelId {
    fn from(kernel: CopyRangesKernel) -> Self {
        KernelId::new(
            image::COPYING,
            match kernel {
                CopyRangesKernel::Fixed => 8,
                CopyRangesKernel::Text => 10,
            },
        )
    }
}

impl Family for CopyRanges<'static> {
    type Kernel = CopyRangesKernel;
}

/// Measures string column blockIdx.y of the result. The total is posted to mailbox\[word\]. Column y uses ticket 32 + y.
#[derive(Clone, Copy, Debug)]
pub struct CopyRangesSizes<'a> {
    pub ends: ColumnIn<'a>,
    pub begins: ColumnIn<'a>,
    pub sizes: ColumnIn<'a>,
    pub first: In<'a, i64>,
    pub rows: Rows,
    pub length: Rows,
    pub input: TableIn<'a, 32>,
    pub copy: CopyTable,
    pub counts: Out<'a, u64>,
    pub share: i32,
    pub tiles: Tiles,
    pub mailbox: Out<'a, u64>,
}

arguments!(CopyRangesSizes { ends, begins, sizes, first, rows, length, input, copy, counts, share, tiles } scratch { mailbox });

impl OneKernel for CopyRangesSizes<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 9);
}

/// Finds the first range of each tile. `ends` is an i64 column without nulls, and its elements ascend.
#[derive(Clone, Copy, Debug)]
pub struct CopyRangesTiles<'a> {
    pub ends: ColumnIn<'a>,
    pub tile_rows: Rows,
    pub tiles: Tiles,
    pub out: Out<'a, i64>,
}

arguments!(CopyRangesTiles { ends, tile_rows, tiles, out });

impl OneKernel for CopyRangesTiles<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 11);
}

/// Gathers column blockIdx.y: row r of the result is row map\[r\] of the table. If map\[r\] is null or out of bounds, row r
/// of the result is null. If `check` is `trust`, no element may be out of bounds. If `check` is `report` and an element
/// is out of bounds, mailbox\[0\] becomes 1.
#[derive(Clone, Copy, Debug)]
pub struct Gather<'a> {
    pub map: ColumnIn<'a>,
    pub rows: Rows,
    pub check: i32,
    pub input: TableIn<'a, 32>,
    pub out: TableOut<'a, 32>,
    pub copy: CopyTable,
    pub counts: In<'a, u64>,
    pub share: i32,
    pub tiles: Tiles,
    pub mailbox: Out<'a, u64>,
}

arguments!(Gather { map, rows, check, input, out, copy, counts, share, tiles } scratch { mailbox });

/// The kernels that take [`Gather`](struct@Gather).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GatherKernel {
    /// Gathers column blockIdx.y: row r of the result is row map\[r\] of the table. If map\[r\] is null or out of bounds, row r
    /// of the result is null. If `check` is `trust`, no element may be out of bounds. If `check` is `report` and an element
    /// is out of bounds, mailbox\[0\] becomes 1.
    Fixed,
    /// Does the same as gather\_kernel, for strings and for structs that contain strings. Each thread has fewer loads in
    /// flight, but a multiprocessor has more blocks.
    Text,
}

impl From<GatherKernel> for KernelId {
    fn from(kernel: GatherKernel) -> Self {
        KernelId::new(
            image::COPYING,
            match kernel {
                GatherKernel::Fixed => 12,
                GatherKernel::Text => 16,
            },
        )
    }
}

impl Family for Gather<'static> {
    type Kernel = GatherKernel;
}

/// Finds the first element of the integer column `map` that is out of bounds and not null. For the element at position
/// r, the kernel posts ~r to mailbox\[0\] and the value of the element to mailbox\[1\]. The kernel uses ticket 32 and
/// zeroed\[0\].
#[derive(Clone, Copy, Debug)]
pub struct GatherCheck<'a> {
    pub map: ColumnIn<'a>,
    pub rows: Rows,
    pub mailbox: Out<'a, u64>,
}

arguments!(GatherCheck { map, rows } scratch { mailbox });

impl OneKernel for GatherCheck<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 13);
}

/// Does the same as gather\_kernel, for few rows. There is a block for each 1,024 rows of a column. For a string column,
/// `slot` is the number of bytes of its character buffer. The number of bytes that the column needs is posted to
/// mailbox\[word\]. If that number exceeds the buffer, the column is not written. The launch must be cooperative.
#[derive(Clone, Copy, Debug)]
pub struct GatherFew<'a> {
    pub map: ColumnIn<'a>,
    pub rows: Rows,
    pub check: i32,
    pub input: TableIn<'a, 32>,
    pub out: TableOut<'a, 32>,
    pub copy: CopyTable,
    pub mailbox: Out<'a, u64>,
}

arguments!(GatherFew { map, rows, check, input, out, copy } scratch { mailbox });

impl OneKernel for GatherFew<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 14);
}

/// Measures string column blockIdx.y of the result. The total is posted to mailbox\[word\]. Column y uses ticket 32 + y.
#[derive(Clone, Copy, Debug)]
pub struct GatherSizes<'a> {
    pub map: ColumnIn<'a>,
    pub rows: Rows,
    pub check: i32,
    pub input: TableIn<'a, 32>,
    pub copy: CopyTable,
    pub counts: Out<'a, u64>,
    pub share: i32,
    pub tiles: Tiles,
    pub mailbox: Out<'a, u64>,
}

arguments!(GatherSizes { map, rows, check, input, copy, counts, share, tiles } scratch { mailbox });

impl OneKernel for GatherSizes<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 15);
}

/// Writes the begins of level 0, and begins, ends and needed sizes of the levels \[first\_level, last\_level). In the form
/// by\_mask, the first level is level 0, whose ends are written to the array that is named in place of its sizes. Posts
/// whether the map has an element that is out of bounds to mailbox\[0\], unless `check` is `trust`, and the number of
/// rows of each of these levels to the words from mailbox\[1\] on. If there is more than one tile, `entries` has a
/// scan\_entry per level and tile, which is zero. Uses the tickets of look\_back.cuh.
#[derive(Clone, Copy, Debug)]
pub struct NestedRanges<'a> {
    pub given: NestedRowRanges<'a>,
    pub input: In<'a, ColumnIn<'a>>,
    pub parent: In<'a, i32>,
    pub nodes: i64,
    pub levels: In<'a, NestedLevel>,
    pub first_level: i32,
    pub last_level: i32,
    pub numbers: Out<'a, i64>,
    pub count: Rows,
    pub entries: Out<'a, u64>,
    pub mailbox: Out<'a, u64>,
}

arguments!(NestedRanges { given, input, parent, nodes, levels, first_level, last_level, numbers, count, entries } scratch { mailbox });

impl OneKernel for NestedRanges<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 17);
}

/// Writes the row numbers of a sample to `out`, which has unsigned integers of 32 or 64 bits. Without replacement, the
/// sample has at most as many rows as the table.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    pub p: SampleChoice,
    pub out: ColumnOut<'a>,
}

arguments!(Sample { p, out });

impl OneKernel for Sample<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 18);
}

/// Writes column blockIdx.y of the result. The target has the same number of rows as the result, and source and target
/// have the same type.
#[derive(Clone, Copy, Debug)]
pub struct Scatter<'a> {
    pub inverse: ScatterInverseMap<'a>,
    pub input: TableIn<'a, 32>,
    pub out: TableOut<'a, 32>,
    pub columns: ScatterColumns,
    pub counts: In<'a, u64>,
    pub tiles: Tiles,
}

arguments!(Scatter { inverse, input, out, columns, counts, tiles } scratch {});

impl OneKernel for Scatter<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 19);
}

/// Clears the inverse of a map, which has a word for each of `rows` rows.
#[derive(Clone, Copy, Debug)]
pub struct ScatterClear<'a> {
    pub inverse: ScatterInverseMap<'a>,
    pub rows: Rows,
}

arguments!(ScatterClear { inverse, rows });

impl OneKernel for ScatterClear<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 20);
}

/// Copies the target to column blockIdx.y of the result, which has the same number of rows. A value has copy.kind
/// bytes. No value is null.
#[derive(Clone, Copy, Debug)]
pub struct ScatterCopy<'a> {
    pub input: TableIn<'a, 32>,
    pub out: TableOut<'a, 32>,
    pub columns: ScatterColumns,
}

arguments!(ScatterCopy { input, out, columns });

impl OneKernel for ScatterCopy<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 21);
}

/// Writes the source rows to column blockIdx.y of the result. If `copies` is not 0, the kernel first copies the target
/// to the result, and the grid must have one block per column. Otherwise the result must already be a copy of the
/// target. A value has copy.kind (1, 2, 4 or 8) bytes and is aligned to its size. Each element of `map`, an integer
/// column, is the target row of a source row. If `check` is `report` and an element is out of bounds, mailbox\[0\]
/// becomes 1.
#[derive(Clone, Copy, Debug)]
pub struct ScatterDirect<'a> {
    pub map: ColumnIn<'a>,
    pub rows: Rows,
    pub check: i32,
    pub copies: i32,
    pub input: TableIn<'a, 32>,
    pub out: TableOut<'a, 32>,
    pub columns: ScatterColumns,
    pub mailbox: Out<'a, u64>,
}

arguments!(ScatterDirect { map, rows, check, copies, input, out, columns, mailbox });

impl OneKernel for ScatterDirect<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 22);
}

/// Writes the inverse of `map`, an integer column. The inverse has a word for each of `rows` target rows. If `clears`
/// is not 0, the kernel first clears the words, and the grid must have one block. Otherwise the words must be zero.
/// Elements that are null or out of bounds are skipped. If `check` is `report` and an element is out of bounds,
/// mailbox\[0\] becomes 1.
#[derive(Clone, Copy, Debug)]
pub struct ScatterInvert<'a> {
    pub map: ColumnIn<'a>,
    pub rows: Rows,
    pub check: i32,
    pub inverse: ScatterInverseMap<'a>,
    pub clears: i32,
    pub mailbox: Out<'a, u64>,
}

arguments!(ScatterInvert { map, rows, check, inverse, clears, mailbox });

impl OneKernel for ScatterInvert<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 23);
}

/// Measures string column blockIdx.y of the result. The total is posted to mailbox\[blockIdx.y\]. Column y uses ticket 32
/// + y.
#[derive(Clone, Copy, Debug)]
pub struct ScatterSizes<'a> {
    pub inverse: ScatterInverseMap<'a>,
    pub rows: Rows,
    pub input: TableIn<'a, 32>,
    pub columns: ScatterColumns,
    pub counts: Out<'a, u64>,
    pub tiles: Tiles,
    pub mailbox: Out<'a, u64>,
}

arguments!(ScatterSizes { inverse, rows, input, columns, counts, tiles } scratch { mailbox });

impl OneKernel for ScatterSizes<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 24);
}

/// Counts the rows that go to each window of the target, and turns the counts into positions. The kernel writes the
/// positions `copies` times, at a distance of progress\_words. The kernel uses ticket 32 and zeroed\[0, 128).
#[derive(Clone, Copy, Debug)]
pub struct ScatterWindowCount<'a> {
    pub map: ColumnIn<'a>,
    pub rows: Rows,
    pub check: i32,
    pub windows: ScatterWindowsWindows<'a>,
    pub copies: i32,
    pub mailbox: Out<'a, u64>,
}

arguments!(ScatterWindowCount { map, rows, check, windows, copies } scratch { mailbox });

impl OneKernel for ScatterWindowCount<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 25);
}

/// Moves the rows of `source` to their windows. There is memory for map.length values and their row numbers. `progress`
/// is one of the copies of the positions that the counting kernel has written.
#[derive(Clone, Copy, Debug)]
pub struct ScatterWindowMove<'a> {
    pub map: ColumnIn<'a>,
    pub rows: Rows,
    pub source: ColumnIn<'a>,
    pub width: i32,
    pub windows: ScatterWindowsWindows<'a>,
}

arguments!(ScatterWindowMove { map, rows, source, width, windows });

impl OneKernel for ScatterWindowMove<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 26);
}

/// Copies `target` to `out`, which has the same number of rows, and writes the moved rows to their positions, window by
/// window. Values have `width` (1, 2, 4 or 8) bytes and are aligned to their size. A block takes its next task when it
/// has finished one. With a fixed assignment of tasks, fast blocks would be several windows ahead of slow blocks.
/// Before a block writes to a window, it waits until the window has been copied. The copy tasks have been taken before,
/// so the wait ends.
#[derive(Clone, Copy, Debug)]
pub struct ScatterWindowWrite<'a> {
    pub windows: ScatterWindowsWindows<'a>,
    pub width: i32,
    pub target: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
}

arguments!(ScatterWindowWrite { windows, width, target, out });

impl OneKernel for ScatterWindowWrite<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 27);
}

/// Replaces the rows of a column from `begin` on by the `length` rows of `in`, which may be broadcast. Values have
/// `width` bytes (1, 2, 4, 8, 16 or 32). If `aligned` is 0, they have any alignment. Otherwise they are aligned to
/// min(width, 8) bytes. If `width` is 0, the rows are booleans. If `validity` is not null, the kernel also writes the
/// validity of the rows there.
#[derive(Clone, Copy, Debug)]
pub struct WriteRows<'a> {
    pub input: ColumnIn<'a>,
    pub data: Out<'a, u8>,
    pub validity: Out<'a, u8>,
    pub begin: i64,
    pub length: i64,
    pub width: i32,
    pub aligned: i32,
}

arguments!(WriteRows { input, data, validity, begin, length, width, aligned });

impl OneKernel for WriteRows<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 28);
}
