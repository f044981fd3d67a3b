//! Kernels of kernels/copying.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub const COPY_IF_ELSE_TILE_WORDS: usize = 64;

/// Rounds of the permutation: four make a network of random functions look random, and these are not quite.
pub const SAMPLE_ROUNDS: usize = 8;

/// of each window, how many of its tasks are done
pub const SCATTER_WINDOWS_COPIED: usize = 1;

/// rows
pub const SCATTER_WINDOWS_COPIED_AT_ONCE: i64 = 8192;

pub const SCATTER_WINDOWS_MAX_WINDOWS: usize = 128;

/// of each window, of the next row for it; in the end the end of its rows
pub const SCATTER_WINDOWS_POSITION: usize = 129;

pub const SCATTER_WINDOWS_PROGRESS_WORDS: usize = 257;

/// What a column's `progress` holds.
pub const SCATTER_WINDOWS_TICKET: usize = 0;

/// What becomes of row numbers that the table does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum GatherChecks {
    /// nothing: the caller says there are none
    Trust = 0,
    /// the row is null; in scatter it goes nowhere
    Null = 1,
    /// as `null`, and the first one is reported
    Report = 2,
}

/// Row r of the result is row first + r / divisor \* by\_quotient + r % divisor \* by\_remainder of the table.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct AffineRows {
    /// of the result
    pub length: i64,
    /// from 1 to the length
    pub divisor: i64,
    pub by_quotient: i64,
    pub by_remainder: i64,
    pub first: i64,
}

const _: () = assert!(size_of::<AffineRows>() == 40 && align_of::<AffineRows>() == 8);

/// Rows to choose from, and whether the same one may be chosen again.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct SampleChoice {
    pub seed: u64,
    /// not 0
    pub rows: Rows,
    /// of a half of a number below 4^half\_bits, which is at least `rows`
    pub half_bits: i32,
    pub with_replacement: i32,
}

const _: () = assert!(size_of::<SampleChoice>() == 24 && align_of::<SampleChoice>() == 8);

/// How a column is put together. Its source is column 2 c of the launch, its target column 2 c + 1.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ScatterColumn {
    /// of the character buffer; copy\_any\_width: of a row
    pub source_bytes: Bytes,
    /// of the character buffer
    pub target_bytes: Bytes,
    /// a width or a gdf::copy\_kind
    pub kind: i32,
    /// copy\_strings: which of the arrays of tile sums is its own
    pub slot: i32,
}

const _: () = assert!(size_of::<ScatterColumn>() == 24 && align_of::<ScatterColumn>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ScatterColumns {
    pub at: [ScatterColumn; 16],
}

const _: () = assert!(size_of::<ScatterColumns>() == 384 && align_of::<ScatterColumns>() == 8);

/// For each row of the target the row of the source that replaces it, counted from 1; 0 if there is none. Without
/// `words` there is none for any.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ScatterInverseMap<'a> {
    pub words: Out<'a, u8>,
    /// words have 64 bits
    pub wide: i32,
    pub unused: i32,
}

plain!(ScatterInverseMap { words, wide, unused });

const _: () = assert!(size_of::<ScatterInverseMap>() == 16 && align_of::<ScatterInverseMap>() == 8);

/// The windows of a target: of 2^shift rows each.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ScatterWindowsWindows<'a> {
    /// of the target, for each row on its way
    pub rows: Out<'a, u32>,
    /// what goes there
    pub values: Out<'a, u8>,
    /// of this column: see below
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
    KernelInfo { symbol: "gather_kernel", unit: 2, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "gather_check_kernel", unit: 2, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "gather_few_kernel", unit: 2, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "gather_sizes_kernel", unit: 2, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "gather_text_kernel", unit: 2, policy: Policy::new(256, 8, 6) },
    KernelInfo { symbol: "sample_kernel", unit: 3, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "scatter_kernel", unit: 4, policy: Policy::new(256, 8, 2) },
    KernelInfo { symbol: "scatter_clear_kernel", unit: 4, policy: Policy::new(256, 4, 8) },
    KernelInfo { symbol: "scatter_copy_kernel", unit: 4, policy: Policy::new(256, 64, 4) },
    KernelInfo { symbol: "scatter_direct_kernel", unit: 4, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "scatter_invert_kernel", unit: 4, policy: Policy::new(256, 4, 8) },
    KernelInfo { symbol: "scatter_sizes_kernel", unit: 4, policy: Policy::new(256, 8, 2) },
    KernelInfo { symbol: "scatter_window_count_kernel", unit: 5, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "scatter_window_move_kernel", unit: 5, policy: Policy::new(512, 4, 2) },
    KernelInfo { symbol: "scatter_window_write_kernel", unit: 5, policy: Policy::new(256, 8, 5) },
    KernelInfo { symbol: "write_rows_kernel", unit: 6, policy: Policy::new(256, 4, 4) },
];

/// Row r of each column (blockIdx.y) of the result is the row of the table that `rows` says, all of which it has.
/// Results have as many rows as it says and the types of the table; strings go where the sizes kernel for the same rows,
/// share and tiles says, and have memory for the bytes that it has posted. `tiles` of `share` rows per thread, at most
/// those of the policy, cover the result.
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
    /// Row r of each column (blockIdx.y) of the result is the row of the table that `rows` says, all of which it has.
    /// Results have as many rows as it says and the types of the table; strings go where the sizes kernel for the same rows,
    /// share and tiles says, and have memory for the bytes that it has posted. `tiles` of `share` rows per thread, at most
    /// those of the policy, cover the result.
    Fixed,
    /// As affine\_kernel, of strings alone (and structs around them).
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

/// For string column blockIdx.y: the bytes of each tile of `share` rows per thread, at most those of the policy, made
/// into the positions of their first bytes, at counts + slot \* tiles, for the `tiles` that cover the result; their total
/// to mailbox\[word\]. Tickets 32 + blockIdx.y.
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

/// As affine\_kernel, of rows of 1, 2, 4, 8, 16 or 32 bytes alone, without masks. `multiplier` is that of `rows`, which each thread would
/// take longer to make than its rows.
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

/// Rows of fixed width, `width` bytes, or booleans. Inputs are of the type of `out`, whose type says
/// fixed\_binary where their addresses are no multiples of min(width, 8). Inputs that are not broadcast,
/// and the condition, have out.length rows; the condition is boolean unless `by_validity`.
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

/// The bytes of each tile of 1,024 result rows, made into the positions of their first bytes in
/// `counts`, a word per tile; their total to the mailbox. Inputs are strings, of condition.length rows
/// unless they are broadcast; `lhs_bytes` and `rhs_bytes` are the lengths of their character buffers.
/// The condition is boolean unless `by_validity`. Ticket 32.
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

/// Offsets, bytes and validity of strings, after the sizes kernel for the same inputs, as which `counts`
/// is left; `out` has condition.length rows, and room for the bytes that it has posted.
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

/// Row r of each column (blockIdx.y) of the result is the row of the table, of `rows` rows, that row r of `map`, of
/// integers, tells; null where the map is, or is out of bounds, which no row is with `check` trust. With report,
/// mailbox\[0\] becomes 1 if a row is. Results have map.length rows and the types of the table; strings go where the
/// sizes kernel for the same map, share and tiles says, and have memory for the bytes that it has posted. `tiles` of
/// `share` rows per thread, at most those of the policy, cover the map.
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
    /// Row r of each column (blockIdx.y) of the result is the row of the table, of `rows` rows, that row r of `map`, of
    /// integers, tells; null where the map is, or is out of bounds, which no row is with `check` trust. With report,
    /// mailbox\[0\] becomes 1 if a row is. Results have map.length rows and the types of the table; strings go where the
    /// sizes kernel for the same map, share and tiles says, and have memory for the bytes that it has posted. `tiles` of
    /// `share` rows per thread, at most those of the policy, cover the map.
    Fixed,
    /// As gather\_kernel, of strings alone (and structs around them): more blocks hide that few loads are under way.
    Text,
}

impl From<GatherKernel> for KernelId {
    fn from(kernel: GatherKernel) -> Self {
        KernelId::new(
            image::COPYING,
            match kernel {
                GatherKernel::Fixed => 7,
                GatherKernel::Text => 11,
            },
        )
    }
}

impl Family for Gather<'static> {
    type Kernel = GatherKernel;
}

/// After a launch has refused the map, of integers: posts ~r for the first row r of the map that is out of bounds to
/// mailbox\[0\], its number to mailbox\[1\]. Ticket 32, zeroed\[0\].
#[derive(Clone, Copy, Debug)]
pub struct GatherCheck<'a> {
    pub map: ColumnIn<'a>,
    pub rows: Rows,
    pub mailbox: Out<'a, u64>,
}

arguments!(GatherCheck { map, rows } scratch { mailbox });

impl OneKernel for GatherCheck<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 8);
}

/// Cooperative. As gather\_kernel, of few rows: a block per 1,024 of them and column. `slot` of a string column is the
/// capacity of its result; its bytes go to mailbox\[word\], and if they are more it is not written.
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
    const ID: KernelId = KernelId::new(image::COPYING, 9);
}

/// For string column blockIdx.y: the bytes of each tile of `share` rows per thread, at most those of the policy, made
/// into the positions of their first bytes, at counts + slot \* tiles, for the `tiles` that cover the map; their total
/// to mailbox\[word\]. Map, `rows` and `check` as for gather\_kernel. Tickets 32 + blockIdx.y.
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
    const ID: KernelId = KernelId::new(image::COPYING, 10);
}

/// Row r of `out`, of unsigned integers of 32 or 64 bits, becomes row r of the sample. Without replacement it has at most
/// as many rows as there are.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    pub p: SampleChoice,
    pub out: ColumnOut<'a>,
}

arguments!(Sample { p, out });

impl OneKernel for Sample<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 12);
}

/// Each column (blockIdx.y) of the result: the rows of its source where `inverse` has one, else of its target, which
/// has as many rows and the type of both. Strings go where the sizes kernel for the same inverse says, and have memory
/// for the bytes that it has posted.
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
    const ID: KernelId = KernelId::new(image::COPYING, 13);
}

/// Clears the inverse of a map into `rows` rows: so many words.
#[derive(Clone, Copy, Debug)]
pub struct ScatterClear<'a> {
    pub inverse: ScatterInverseMap<'a>,
    pub rows: Rows,
}

arguments!(ScatterClear { inverse, rows });

impl OneKernel for ScatterClear<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 14);
}

/// Each column (blockIdx.y) of the result, of values of copy.kind bytes without nulls: a copy of its target, of as many
/// rows.
#[derive(Clone, Copy, Debug)]
pub struct ScatterCopy<'a> {
    pub input: TableIn<'a, 32>,
    pub out: TableOut<'a, 32>,
    pub columns: ScatterColumns,
}

arguments!(ScatterCopy { input, out, columns });

impl OneKernel for ScatterCopy<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 15);
}

/// Each column (blockIdx.y) of the result, of values of copy.kind (1, 2, 4 or 8) bytes without nulls, aligned to them:
/// the rows of its source, of at least map.length or broadcast, go where `map`, of integers, tells, of `rows` rows,
/// into a copy of its target; which is made here, if there is only one block per column and `copies` is not 0. `check`
/// is null or report; with report, mailbox\[0\] becomes 1 if there are elements that are no rows.
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
    const ID: KernelId = KernelId::new(image::COPYING, 16);
}

/// Writes the inverse of `map`, of integers, into `rows` rows: so many words, which are clear; or are cleared here, if
/// there is only one block and `clears` is not 0. Elements that are null, or no rows, go nowhere: `check` is null or
/// report. With report, mailbox\[0\] becomes 1 if there are such that are no rows.
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
    const ID: KernelId = KernelId::new(image::COPYING, 17);
}

/// For string column blockIdx.y: the bytes of each tile of 2,048 rows, of `rows`, made into the positions of their
/// first bytes, at counts + slot \* tiles; their total to mailbox\[blockIdx.y\]. Targets have `rows` rows; `inverse`,
/// unless it is without words, one for each of them, which tells rows that the sources have. Tickets 32 + blockIdx.y.
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
    const ID: KernelId = KernelId::new(image::COPYING, 18);
}

/// Counts the rows that go to each window of the target's `rows` (below 2^32), at most max\_windows, and makes
/// positions of the counts, of which it leaves `copies`, progress\_words apart. `check` is null or report; with report,
/// mailbox\[0\] becomes 1 if there are elements of `map`, of integers, that are no rows. Ticket 32, zeroed\[0, 128).
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
    const ID: KernelId = KernelId::new(image::COPYING, 19);
}

/// Moves the rows of `source`, of at least map.length or broadcast, to their windows: values of `width` (1, 2, 4 or 8)
/// bytes, aligned to them. There is memory for map.length of them and their rows; `progress` is one as counting leaves
/// them.
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
    const ID: KernelId = KernelId::new(image::COPYING, 20);
}

/// Copies `target` to `out`, of as many rows, and writes the rows on their way, as moving leaves them, to their positions,
/// of values of `width` (1, 2, 4 or 8) bytes aligned to them, one window after the other. Blocks take the next task
/// when they are done with one: with tasks of their own, fast ones would be windows ahead of slow ones. Who writes to a
/// window waits until it is copied: those copies were taken before.
#[derive(Clone, Copy, Debug)]
pub struct ScatterWindowWrite<'a> {
    pub windows: ScatterWindowsWindows<'a>,
    pub width: i32,
    pub target: ColumnIn<'a>,
    pub out: ColumnOut<'a>,
}

arguments!(ScatterWindowWrite { windows, width, target, out });

impl OneKernel for ScatterWindowWrite<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 21);
}

/// Rows `begin` and on of a column's memory become the `length` rows of `in`, which may be broadcast: values of `width` bytes
/// (1, 2, 4, 8, 16, 32, at multiples of min(width, 8)), booleans if it is 0; and validity, if there is memory for it.
#[derive(Clone, Copy, Debug)]
pub struct WriteRows<'a> {
    pub input: ColumnIn<'a>,
    pub data: Out<'a, u8>,
    pub validity: Out<'a, u8>,
    pub begin: i64,
    pub length: i64,
    pub width: i32,
}

arguments!(WriteRows { input, data, validity, begin, length, width });

impl OneKernel for WriteRows<'static> {
    const ID: KernelId = KernelId::new(image::COPYING, 22);
}
