//! Kernels of kernels/sorting.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

/// stands for no limit of the bytes to compare
pub const ANY_BYTES: i64 = 4611686018427387904;

/// The number of words of the digit counts in a kernel without dynamic shared memory.
pub const COUNT_WORDS: usize = 8192;

pub const DIGITS: usize = 256;

/// The number of text bytes in a key field.
pub const FIELD_TEXT: usize = 7;

/// words that `measure` computes for a piece
pub const FOUND_WORDS: usize = 8;

pub const LONGEST_SEGMENT: usize = 128;

pub const MAX_FIELDS: usize = 32;

pub const MAX_PASSES: usize = 8;

pub const MAX_PIECES: usize = 16;

/// the largest number of bytes of a common prefix that is searched for
pub const MAX_PREFIX: usize = 4096;

/// the largest number of symbols of a text in a key
pub const MAX_SYMBOLS: usize = 8;

pub const SEGMENTS_CAPACITY: usize = 2048;

pub const SEGMENTS_OF_TILE: usize = 128;

pub const SYMBOL_BITS: usize = 9;

/// bytes of text that a thread may compare if keys are equal
pub const TIE_BYTES: i64 = 65536;

/// number of 16-byte vectors that a thread loads at a time
pub const COUNT_VECTORS: usize = 4;

pub const DECODE_ALL_NULL: i32 = 4;

pub const DECODE_MAX_COLUMNS: usize = 32;

/// rows of a run
pub const DECODE_N: usize = 4;

pub const DECODE_RUNS: usize = 2;

/// rows of a run
pub const ENCODE_RUNS_N: usize = 4;

pub const ENCODE_RUNS_RUNS: usize = 2;

pub const MIDDLE_FEW_BINS: usize = 4096;

/// index of the word of `zeroed` that records where a thread gave up
pub const MIDDLE_GAVE_UP: usize = 128;

/// from this number of rows on, there are max\_bins bins
pub const MIDDLE_MANY_ROWS: usize = 65536;

pub const MIDDLE_MAX_BINS: usize = 8192;

/// rows
pub const MIDDLE_MAX_IN_BIN: u32 = 0x200;

/// rows, if keys do not determine the order, so that comparisons take longer
pub const MIDDLE_MAX_TIED: u32 = 0x80;

/// the posted word if the rows have been sorted
pub const MIDDLE_SORTED: u64 = 0x1;

/// The bins of keys.
pub const SMALL_BIN_BITS: usize = 9;

pub const SMALL_BINS: usize = 512;

pub const SMALL_MAX_IN_BIN: u32 = 0x80;

/// if keys do not determine the order, so that comparisons take longer
pub const SMALL_MAX_TIED: u32 = 0x20;

pub const STATS_MAX_PIECES: usize = 8;

pub const STATS_SUMMARY_BYTES: usize = 80;

pub const TEST_MAX_KEYS: usize = 64;

pub const TIES_AROUND: usize = 32;

/// longest run of equal prefixes that is sorted
pub const TIES_MOST: usize = 32;

/// The value that is kept of several equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum DistinctSegmentsKept {
    /// the first one
    First = 0,
    /// the last one
    Last = 1,
    /// none of them; a value is kept if no other value is equal
    Alone = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum CodecKind {
    /// the values have 8 bytes
    WideValue = 1,
    SignedValue = 2,
    FloatValue = 4,
    /// descending
    FromTheEnd = 8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum PieceFlags {
    Descending = 1,
    /// nulls come first in the result, in either direction
    NullsFirst = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum PassWorkFlags {
    DecodedIn = 1,
    DecodedOut = 2,
}

/// The conversion of a value of 4 or 8 bytes to a key of up to 64 bits, and back.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Codec {
    /// subtracted from ordered values; in descending order, the values are subtracted from `base`
    pub base: u64,
    /// low bits that are dropped
    pub shift: i32,
    /// codec\_kind
    pub kind: i32,
}

const _: () = assert!(size_of::<Codec>() == 16 && align_of::<Codec>() == 8);

/// A column of the result.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct DecodeDecoded<'a> {
    pub out: ColumnOut<'a>,
    pub base: [[u64; 2]; 2],
    pub position: [i32; 2],
    pub bits: [i32; 2],
    pub shift: [i32; 2],
    /// negative: no bit
    pub null_position: i32,
    /// piece\_flags, all\_null
    pub flags: i32,
}

plain!(DecodeDecoded { out, base, position, bits, shift, null_position, flags });

const _: () = assert!(size_of::<DecodeDecoded>() == 112 && align_of::<DecodeDecoded>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct DecodeTable<'a> {
    pub at: [DecodeDecoded<'a>; 32],
}

plain!(DecodeTable { at });

const _: () = assert!(size_of::<DecodeTable>() == 3584 && align_of::<DecodeTable>() == 8);

/// The position of a piece's bits in a word of the key.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Field<'a> {
    /// The base, low word first. The base is subtracted from values. In descending order, values are subtracted from the
    /// base.
    pub of: Piece<'a>,
    pub base: [u64; 2],
    /// position of bit `shift` of the difference
    pub position: i32,
    /// 0: the piece adds nothing
    pub bits: i32,
    /// low bits that are dropped
    pub shift: i32,
    /// position of the null bit; negative: no such bit; above 63: in another word
    pub null_position: i32,
}

plain!(Field { of, base, position, bits, shift, null_position });

const _: () = assert!(size_of::<Field>() == 88 && align_of::<Field>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Fields<'a> {
    pub at: [Field<'a>; 32],
}

plain!(Fields { at });

const _: () = assert!(size_of::<Fields>() == 2816 && align_of::<Fields>() == 8);

/// Memory for `rows` rows. Merging divides this memory into two halves, and writes its sorted runs to the halves
/// alternately.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct MiddleMemory<'a> {
    pub keys: Out<'a, u64>,
    /// keys ordered by bin; when merging, keys of the first half
    pub bin_keys: Out<'a, u64>,
    /// position among the rows of the bin; when merging, rows of the second half
    pub slots: Out<'a, u32>,
    /// when merging, rows of the first half
    pub bin_rows: Out<'a, u32>,
    /// row numbers in sorted order
    pub order: Out<'a, u32>,
    /// a word for each of max\_bins bins
    pub bins: Out<'a, u32>,
}

plain!(MiddleMemory { keys, bin_keys, slots, bin_rows, order, bins });

const _: () = assert!(size_of::<MiddleMemory>() == 48 && align_of::<MiddleMemory>() == 8);

/// The arguments of one launch.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct PassWork<'a> {
    /// 256 words per tile, zero at launch
    pub lookback: Out<'a, u32>,
    /// the look-back words of the next launch, which this launch sets to zero
    pub next: Out<'a, u32>,
    /// the counter of tiles, zero at launch
    pub ticket: Out<'a, u32>,
    /// per digit, the first position in the result
    pub first_in: In<'a, u8>,
    /// if not null, receives the first positions for the rows of the next launch
    pub first_out: Out<'a, u8>,
    /// keys, or the values of a column if `decoded_in` is set
    pub keys_in: In<'a, u8>,
    /// keys, or the values of a column if `decoded_out` is set; null if the keys are not needed
    pub keys_out: Out<'a, u8>,
    /// if null, the values are row numbers
    pub values_in: In<'a, u8>,
    pub values_out: Out<'a, u8>,
    /// number of the first row
    pub row_number: i64,
    pub of: Codec,
    pub rows: Rows32,
    pub bit: i32,
    pub bits: i32,
    pub next_tiles: Tiles32,
    /// work\_flags
    pub flags: i32,
    /// lowest bit of the first pass; the sort ignores lower bits
    pub first_bit: i32,
}

plain!(PassWork {
    lookback,
    next,
    ticket,
    first_in,
    first_out,
    keys_in,
    keys_out,
    values_in,
    values_out,
    row_number,
    of,
    rows,
    bit,
    bits,
    next_tiles,
    flags,
    first_bit
});

const _: () = assert!(size_of::<PassWork>() == 120 && align_of::<PassWork>() == 8);

/// A part of a key column: an unsigned integer of at most 128 bits by which rows are ordered. A 256-bit column has two
/// pieces: part 0 is the upper half, and part 1 is the lower half. A piece of a text is the seven bytes from byte
/// `part` on.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Piece<'a> {
    pub column: ColumnIn<'a>,
    pub part: i32,
    pub flags: i32,
}

plain!(Piece { column, part, flags });

const _: () = assert!(size_of::<Piece>() == 56 && align_of::<Piece>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Pieces<'a> {
    pub at: [Piece<'a>; 16],
}

plain!(Pieces { at });

const _: () = assert!(size_of::<Pieces>() == 896 && align_of::<Pieces>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct StatsPieces<'a> {
    pub at: [Piece<'a>; 8],
}

plain!(StatsPieces { at });

const _: () = assert!(size_of::<StatsPieces>() == 448 && align_of::<StatsPieces>() == 8);

/// The state of the passes. `counts` has max\_passes \* 256 words, which are zero before and after the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Sweep<'a> {
    pub counts: Out<'a, u64>,
    /// 256 first positions per pass, of 64 bits if `wide`, otherwise of 32 bits
    pub offsets: Out<'a, u8>,
    /// the look-back words of the first pass
    pub lookback: Out<'a, u32>,
    pub lookback_words: i64,
    /// one per launch of a pass
    pub tickets: Out<'a, u32>,
    pub ticket_count: i32,
    pub passes: i32,
    pub wide: i32,
    /// lowest bit of the written keys that the passes sort by
    pub first_bit: i32,
    /// if not null, receives how many rows have the most frequent digit of each pass
    pub mailbox: Out<'a, u64>,
}

plain!(Sweep { counts, offsets, lookback, lookback_words, tickets, ticket_count, passes, wide, first_bit, mailbox });

const _: () = assert!(size_of::<Sweep>() == 64 && align_of::<Sweep>() == 8);

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct TestKeys<'a> {
    pub at: [ColumnIn<'a>; 64],
    /// a bit per column
    pub descending: u64,
    pub nulls_first: u64,
}

impl Default for TestKeys<'_> {
    fn default() -> Self {
        Self { at: [ColumnIn::default(); 64], descending: 0, nulls_first: 0 }
    }
}

plain!(TestKeys { at, descending, nulls_first });

const _: () = assert!(size_of::<TestKeys>() == 3088 && align_of::<TestKeys>() == 8);

/// The layout of keys.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct TextLayout {
    /// subtracted from the symbols, before low bits are dropped
    pub base: u64,
    pub bits: i32,
    pub shift: i32,
    /// negative: no bit
    pub null_position: i32,
    /// piece\_flags
    pub flags: i32,
}

const _: () = assert!(size_of::<TextLayout>() == 24 && align_of::<TextLayout>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct TopState {
    /// a row is selected if its number (number\_of) is at most this number
    pub last: u64,
    /// the number of rows selected so far
    pub taken: u32,
}

const _: () = assert!(size_of::<TopState>() == 16 && align_of::<TopState>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "distinct_segments_kernel", unit: 13, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "flag_heads_kernel", unit: 6, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "is_sorted_kernel", unit: 7, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "search_sorted_kernel", unit: 12, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "segment_extent_kernel", unit: 13, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "sort_count_k32_kernel", unit: 2, policy: Policy::new(1024, 8, 1) },
    KernelInfo { symbol: "sort_count_k64_kernel", unit: 2, policy: Policy::new(1024, 8, 1) },
    KernelInfo { symbol: "sort_decode_k32_kernel", unit: 3, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "sort_decode_k64_kernel", unit: 3, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "sort_encode_k32_kernel", unit: 4, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "sort_encode_k64_kernel", unit: 4, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "sort_encode_runs_k32_kernel", unit: 5, policy: Policy::new(1024, 8, 1) },
    KernelInfo { symbol: "sort_encode_runs_k64_kernel", unit: 5, policy: Policy::new(1024, 8, 1) },
    KernelInfo { symbol: "sort_middle_kernel", unit: 0, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "sort_nulls_kernel", unit: 9, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "sort_pass_k32_kernel", unit: 10, policy: Policy::new(384, 23, 3) },
    KernelInfo { symbol: "sort_pass_k32_v32_kernel", unit: 10, policy: Policy::new(512, 20, 2) },
    KernelInfo { symbol: "sort_pass_k32_v64_kernel", unit: 10, policy: Policy::new(384, 15, 2) },
    KernelInfo { symbol: "sort_pass_k32_v64_wide_kernel", unit: 10, policy: Policy::new(384, 14, 2) },
    KernelInfo { symbol: "sort_pass_k32_wide_kernel", unit: 10, policy: Policy::new(384, 24, 2) },
    KernelInfo { symbol: "sort_pass_k64_kernel", unit: 10, policy: Policy::new(384, 20, 2) },
    KernelInfo { symbol: "sort_pass_k64_v32_kernel", unit: 10, policy: Policy::new(384, 16, 2) },
    KernelInfo { symbol: "sort_pass_k64_v64_kernel", unit: 10, policy: Policy::new(384, 12, 2) },
    KernelInfo { symbol: "sort_pass_k64_v64_wide_kernel", unit: 10, policy: Policy::new(384, 12, 2) },
    KernelInfo { symbol: "sort_pass_k64_wide_kernel", unit: 10, policy: Policy::new(384, 19, 2) },
    KernelInfo { symbol: "sort_rows_kernel", unit: 0, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "sort_segments_kernel", unit: 13, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "sort_small_1k_kernel", unit: 1, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "sort_small_4k_kernel", unit: 1, policy: Policy::new(1024, 4, 1) },
    KernelInfo { symbol: "sort_stats_kernel", unit: 8, policy: Policy::new(256, 8, 2) },
    KernelInfo { symbol: "sort_text_mark_kernel", unit: 14, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "sort_text_ranks_kernel", unit: 14, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "sort_text_refine_kernel", unit: 14, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "sort_text_runs_kernel", unit: 14, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "sort_ties_kernel", unit: 11, policy: Policy::new(256, 8, 6) },
    KernelInfo { symbol: "sort_ties_sample_kernel", unit: 11, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "top_k_collect_kernel", unit: 15, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "top_k_sample_kernel", unit: 15, policy: Policy::new(1024, 16, 1) },
];

/// Marks the values of each segment that remain if `keep` decides which of several equal values is kept. The values are
/// integers without nulls. All `sizes` must be 0 before the launch.
#[derive(Clone, Copy, Debug)]
pub struct DistinctSegments<'a> {
    pub offsets: ColumnIn<'a>,
    pub values: ColumnIn<'a>,
    pub keep: i32,
    pub out: ColumnOut<'a>,
    pub sizes: Out<'a, u64>,
}

arguments!(DistinctSegments { offsets, values, keep, out, sizes });

impl OneKernel for DistinctSegments<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 0);
}

/// Sets bit r of `out` if row r of `in` is the first row or differs from row r - 1. Nulls are equal to each other.
#[derive(Clone, Copy, Debug)]
pub struct FlagHeads<'a> {
    pub input: TableIn<'a, 32>,
    pub count: i32,
    pub out: ColumnOut<'a>,
}

arguments!(FlagHeads { input, count, out });

impl OneKernel for FlagHeads<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 1);
}

/// Posts 1 if a row is less than the previous row, otherwise 0. There must be at least two rows. The kernel uses ticket
/// 32 and zeroed\[0\].
#[derive(Clone, Copy, Debug)]
pub struct IsSorted<'a> {
    pub input: TestKeys<'a>,
    pub count: i32,
    pub rows: Rows,
    pub mailbox: Out<'a, u64>,
}

arguments!(IsSorted { input, count, rows } scratch { mailbox });

impl OneKernel for IsSorted<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 2);
}

/// For each row of `needles`, writes the number of rows of the sorted `haystack` that are less than the needle. If
/// `upper` is not 0, the kernel writes the number of rows that are not greater than the needle. `needles` and
/// `haystack` have `count` columns.
#[derive(Clone, Copy, Debug)]
pub struct SearchSorted<'a> {
    pub haystack: TableIn<'a, 32>,
    pub rows: Rows,
    pub needles: TableIn<'a, 32>,
    pub count: i32,
    pub descending: u64,
    pub nulls_first: u64,
    pub upper: i32,
    pub out: ColumnOut<'a>,
}

arguments!(SearchSorted { haystack, rows, needles, count, descending, nulls_first, upper, out });

impl OneKernel for SearchSorted<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 3);
}

/// Posts the first of `offsets`, the last of them, and the largest difference between neighbors. There are at least two
/// offsets, of 32 or 64 bits, and they ascend. The kernel uses ticket 32 and zeroed\[0\].
#[derive(Clone, Copy, Debug)]
pub struct SegmentExtent<'a> {
    pub offsets: ColumnIn<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(SegmentExtent { offsets } scratch { mailbox });

impl OneKernel for SegmentExtent<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 4);
}

/// Counts the digits of the keys of `rows` values. The keys have at most 32 bits.
#[derive(Clone, Copy, Debug)]
pub struct SortCount<'a> {
    pub values: In<'a, u8>,
    pub of: Codec,
    pub rows: Rows,
    pub state: Sweep<'a>,
    pub shift: i32,
}

arguments!(SortCount { values, of, rows, state, shift } scratch {});

/// The kernels that take [`SortCount`](struct@SortCount).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortCountKernel {
    /// Counts the digits of the keys of `rows` values. The keys have at most 32 bits.
    K32,
    /// Does the same as sort\_count\_k32\_kernel, for keys of at most 64 bits.
    K64,
}

impl From<SortCountKernel> for KernelId {
    fn from(kernel: SortCountKernel) -> Self {
        KernelId::new(
            image::SORTING,
            match kernel {
                SortCountKernel::K32 => 5,
                SortCountKernel::K64 => 6,
            },
        )
    }
}

impl Family for SortCount<'static> {
    type Kernel = SortCountKernel;
}

/// Writes the `count` columns of the result from `rows` sorted keys of one word. The values of null rows are
/// unspecified.
#[derive(Clone, Copy, Debug)]
pub struct SortDecode<'a> {
    pub to: DecodeTable<'a>,
    pub count: i32,
    pub keys: In<'a, u8>,
    pub rows: Rows,
}

arguments!(SortDecode { to, count, keys, rows } scratch {});

/// The kernels that take [`SortDecode`](struct@SortDecode).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortDecodeKernel {
    /// Writes the `count` columns of the result from `rows` sorted keys of one word. The values of null rows are
    /// unspecified.
    K32,
    K64,
}

impl From<SortDecodeKernel> for KernelId {
    fn from(kernel: SortDecodeKernel) -> Self {
        KernelId::new(
            image::SORTING,
            match kernel {
                SortDecodeKernel::K32 => 7,
                SortDecodeKernel::K64 => 8,
            },
        )
    }
}

impl Family for SortDecode<'static> {
    type Kernel = SortDecodeKernel;
}

/// Writes words of at most 32 bits: state.passes is at most 4.
#[derive(Clone, Copy, Debug)]
pub struct SortEncode<'a> {
    pub input: Fields<'a>,
    pub count: i32,
    pub rows: Rows,
    pub order: In<'a, u8>,
    pub keys: Out<'a, u8>,
    pub row_numbers: Out<'a, u8>,
    pub state: Sweep<'a>,
}

arguments!(SortEncode { input, count, rows, order, keys, row_numbers, state } scratch {});

/// The kernels that take [`SortEncode`](struct@SortEncode).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortEncodeKernel {
    /// Writes words of at most 32 bits: state.passes is at most 4.
    K32,
    /// Does the same as sort\_encode\_k32\_kernel, for words of at most 64 bits.
    K64,
}

impl From<SortEncodeKernel> for KernelId {
    fn from(kernel: SortEncodeKernel) -> Self {
        KernelId::new(
            image::SORTING,
            match kernel {
                SortEncodeKernel::K32 => 9,
                SortEncodeKernel::K64 => 10,
            },
        )
    }
}

impl Family for SortEncode<'static> {
    type Kernel = SortEncodeKernel;
}

/// Writes keys of at most 32 bits, which must be the whole key: state.passes is at most 4. Dynamic shared memory must
/// have 1 KiB \<\< shift for each pass, and `shift` is at most 5.
#[derive(Clone, Copy, Debug)]
pub struct SortEncodeRuns<'a> {
    pub input: Fields<'a>,
    pub count: i32,
    pub rows: Rows,
    pub keys: Out<'a, u8>,
    pub state: Sweep<'a>,
    pub shift: i32,
}

arguments!(SortEncodeRuns { input, count, rows, keys, state, shift } scratch {});

/// The kernels that take [`SortEncodeRuns`](struct@SortEncodeRuns).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortEncodeRunsKernel {
    /// Writes keys of at most 32 bits, which must be the whole key: state.passes is at most 4. Dynamic shared memory must
    /// have 1 KiB \<\< shift for each pass, and `shift` is at most 5.
    K32,
    /// Does the same as sort\_encode\_runs\_k32\_kernel, for keys of at most 64 bits.
    K64,
}

impl From<SortEncodeRunsKernel> for KernelId {
    fn from(kernel: SortEncodeRunsKernel) -> Self {
        KernelId::new(
            image::SORTING,
            match kernel {
                SortEncodeRunsKernel::K32 => 11,
                SortEncodeRunsKernel::K64 => 12,
            },
        )
    }
}

impl Family for SortEncodeRuns<'static> {
    type Kernel = SortEncodeRunsKernel;
}

/// Sorts `rows` rows (at least one, below 2^30) by `count` pieces without 128-bit and 256-bit values. Writes their
/// order as 32-bit row numbers to `at.order`. The launch must be cooperative. The kernel uses tickets 32 and 33, and
/// zeroed\[0\] to zeroed\[128\].
#[derive(Clone, Copy, Debug)]
pub struct SortMiddle<'a> {
    pub input: Pieces<'a>,
    pub count: i32,
    pub rows: Rows32,
    pub at: MiddleMemory<'a>,
    pub values: TableIn<'a, 16>,
    pub out: TableOut<'a, 16>,
    pub columns: i32,
    pub mailbox: Out<'a, u64>,
}

arguments!(SortMiddle { input, count, rows, at, values, out, columns } scratch { mailbox });

impl OneKernel for SortMiddle<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 13);
}

/// Writes the mask and the null count of a column of `rows` rows, and zeros as the values of null rows. The rows from
/// `first` to `end` are valid.
#[derive(Clone, Copy, Debug)]
pub struct SortNulls<'a> {
    pub column: Out<'a, u8>,
    pub words: i32,
    pub mask: Out<'a, u32>,
    pub null_count: Out<'a, u64>,
    pub rows: Rows,
    pub first: i64,
    pub end: i64,
}

arguments!(SortNulls { column, words, mask, null_count, rows, first, end });

impl OneKernel for SortNulls<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 14);
}

/// Arguments of `sort_pass_k32_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct SortPass<'a> {
    pub work: PassWork<'a>,
}

arguments!(SortPass { work });

/// The kernels that take [`SortPass`](struct@SortPass).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortPassKernel {
    K32,
    K32V32,
    K32V64,
    K32V64Wide,
    K32Wide,
    K64,
    K64V32,
    K64V64,
    K64V64Wide,
    K64Wide,
}

impl From<SortPassKernel> for KernelId {
    fn from(kernel: SortPassKernel) -> Self {
        KernelId::new(
            image::SORTING,
            match kernel {
                SortPassKernel::K32 => 15,
                SortPassKernel::K32V32 => 16,
                SortPassKernel::K32V64 => 17,
                SortPassKernel::K32V64Wide => 18,
                SortPassKernel::K32Wide => 19,
                SortPassKernel::K64 => 20,
                SortPassKernel::K64V32 => 21,
                SortPassKernel::K64V64 => 22,
                SortPassKernel::K64V64Wide => 23,
                SortPassKernel::K64Wide => 24,
            },
        )
    }
}

impl Family for SortPass<'static> {
    type Kernel = SortPassKernel;
}

/// Writes the rows of the first `columns` columns of `values` in the order of the row numbers `order`.
#[derive(Clone, Copy, Debug)]
pub struct SortRows<'a> {
    pub values: TableIn<'a, 16>,
    pub out: TableOut<'a, 16>,
    pub order: In<'a, u32>,
    pub rows: Rows32,
    pub columns: i32,
}

arguments!(SortRows { values, out, order, rows, columns } scratch {});

impl OneKernel for SortRows<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 25);
}

/// Sorts each segment of `values`. Segment i has the rows from offset i to offset i + 1, which are at most
/// `longest_segment` rows. `flags` are `piece_flags`.
#[derive(Clone, Copy, Debug)]
pub struct SortSegments<'a> {
    pub offsets: ColumnIn<'a>,
    pub values: ColumnIn<'a>,
    pub flags: i32,
    pub width: i32,
    pub out: ColumnOut<'a>,
}

arguments!(SortSegments { offsets, values, flags, width, out });

impl OneKernel for SortSegments<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 26);
}

/// Sorts `rows` rows (at least one, at most the tile of the policy) by `count` pieces. The launch must have one block.
/// The kernel writes the first `requested` rows in sorted order.
#[derive(Clone, Copy, Debug)]
pub struct SortSmall<'a> {
    pub input: Pieces<'a>,
    pub count: i32,
    pub rows: Rows32,
    pub order: Out<'a, u32>,
    pub requested: i32,
    pub values: TableIn<'a, 16>,
    pub out: TableOut<'a, 16>,
    pub columns: i32,
}

arguments!(SortSmall { input, count, rows, order, requested, values, out, columns });

/// The kernels that take [`SortSmall`](struct@SortSmall).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SortSmallKernel {
    /// Sorts `rows` rows (at least one, at most the tile of the policy) by `count` pieces. The launch must have one block.
    /// The kernel writes the first `requested` rows in sorted order.
    Rows1k,
    /// Does the same as sort\_small\_1k\_kernel, for more rows.
    Rows4k,
}

impl From<SortSmallKernel> for KernelId {
    fn from(kernel: SortSmallKernel) -> Self {
        KernelId::new(
            image::SORTING,
            match kernel {
                SortSmallKernel::Rows1k => 27,
                SortSmallKernel::Rows4k => 28,
            },
        )
    }
}

impl Family for SortSmall<'static> {
    type Kernel = SortSmallKernel;
}

/// Posts eight words for each piece, whose number is blockIdx.y. The kernel uses ticket 32 + blockIdx.y. There must be
/// at least one row.
#[derive(Clone, Copy, Debug)]
pub struct SortStats<'a> {
    pub input: StatsPieces<'a>,
    pub rows: Rows,
    pub partials: Out<'a, u64>,
    pub mailbox: Out<'a, u64>,
    pub clear: Out<'a, u64>,
    pub clear_words: i64,
}

arguments!(SortStats { input, rows } scratch { partials, mailbox, clear, clear_words });

impl OneKernel for SortStats<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 29);
}

/// Writes the rows to their positions and counts the open rows, after a launch has sorted `keys`. `counts` becomes the
/// exclusive sums of the tallies of the tiles. The total is posted to `mailbox`. The kernel uses ticket 33.
#[derive(Clone, Copy, Debug)]
pub struct SortTextMark<'a> {
    pub keys: In<'a, u64>,
    pub rows: Rows,
    pub positions: In<'a, u32>,
    pub row_numbers: In<'a, u32>,
    pub order: Out<'a, u32>,
    pub heads: Out<'a, u8>,
    pub of: TextLayout,
    pub counts: Out<'a, u64>,
    pub tiles: Tiles,
    pub mailbox: Out<'a, u64>,
}

arguments!(SortTextMark { keys, rows, positions, row_numbers, order, heads, of, counts, tiles } scratch { mailbox });

impl OneKernel for SortTextMark<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 30);
}

/// Sets ranks\[order\[i\]\] to the number of the run that contains place i. `counts` is the output of
/// sort\_text\_runs\_kernel.
#[derive(Clone, Copy, Debug)]
pub struct SortTextRanks<'a> {
    pub heads: In<'a, u8>,
    pub order: In<'a, u32>,
    pub rows: Rows,
    pub counts: In<'a, u64>,
    pub ranks: Out<'a, u32>,
}

arguments!(SortTextRanks { heads, order, rows, counts, ranks });

impl OneKernel for SortTextRanks<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 31);
}

/// Selects the open rows, in order, and gives each of them a new key: the number of its run, followed by the `bytes` (1
/// to 7) bytes from byte `from` on.
#[derive(Clone, Copy, Debug)]
pub struct SortTextRefine<'a> {
    pub column: ColumnIn<'a>,
    pub from: i64,
    pub bytes: Bytes32,
    pub keys: In<'a, u64>,
    pub rows: Rows,
    pub positions: In<'a, u32>,
    pub row_numbers: In<'a, u32>,
    pub of: TextLayout,
    pub counts: In<'a, u64>,
    pub open_keys: Out<'a, u64>,
    pub open_positions: Out<'a, u32>,
    pub open_rows: Out<'a, u32>,
    pub state: Sweep<'a>,
}

arguments!(SortTextRefine { column, from, bytes, keys, rows, positions, row_numbers, of, counts, open_keys, open_positions, open_rows, state } scratch {});

impl OneKernel for SortTextRefine<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 32);
}

/// Counts the set bytes of `heads` in each tile, and posts the number of runs.
#[derive(Clone, Copy, Debug)]
pub struct SortTextRuns<'a> {
    pub heads: In<'a, u8>,
    pub rows: Rows,
    pub counts: Out<'a, u64>,
    pub tiles: Tiles,
    pub mailbox: Out<'a, u64>,
}

arguments!(SortTextRuns { heads, rows, counts, tiles } scratch { mailbox });

impl OneKernel for SortTextRuns<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 33);
}

/// Writes the values of `keys`, which are sorted by their bits from `bit` on. Runs of up to 32 keys that agree in these
/// bits are sorted by the lower bits. Posts 1 if a longer run is not in order, otherwise 0. The kernel uses ticket 32
/// and zeroed\[0\].
#[derive(Clone, Copy, Debug)]
pub struct SortTies<'a> {
    pub keys: In<'a, u64>,
    pub column: Out<'a, u8>,
    pub of: Codec,
    pub rows: Rows,
    pub bit: i32,
    pub mailbox: Out<'a, u64>,
}

arguments!(SortTies { keys, column, of, rows, bit } scratch { mailbox });

impl OneKernel for SortTies<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 34);
}

/// Tests whether rows of a sample of `values` agree in the bits of their keys from `bit` on and differ in the bits
/// below. Posts 1 if there are such rows, otherwise 0. The launch must have one block, with one row per thread.
#[derive(Clone, Copy, Debug)]
pub struct SortTiesSample<'a> {
    pub values: In<'a, u8>,
    pub of: Codec,
    pub rows: Rows,
    pub bit: i32,
    pub mailbox: Out<'a, u64>,
}

arguments!(SortTiesSample { values, of, rows, bit, mailbox });

impl OneKernel for SortTiesSample<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 35);
}

/// Writes the row numbers of the selected rows to `taken`, in any order. A row is selected if its number is at most the
/// number that top\_k\_sample\_kernel has found. A null is selected if nulls come first. The kernel posts the number of selected rows. The kernel uses ticket 32.
#[derive(Clone, Copy, Debug)]
pub struct TopKCollect<'a> {
    pub of: Piece<'a>,
    pub rows: Rows,
    pub taken: Out<'a, u32>,
    pub capacity: u32,
    pub shared: Out<'a, TopState>,
    pub mailbox: Out<'a, u64>,
}

arguments!(TopKCollect { of, rows, taken, capacity, shared } scratch { mailbox });

impl OneKernel for TopKCollect<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 36);
}

/// Finds the smallest number n such that at least `requested` rows of a sample have a number of at most n. The column
/// must have at least that many rows. The kernel uses ticket 32.
#[derive(Clone, Copy, Debug)]
pub struct TopKSample<'a> {
    pub of: Piece<'a>,
    pub rows: Rows,
    pub requested: i32,
    pub sample: Out<'a, u64>,
    pub shared: Out<'a, TopState>,
}

arguments!(TopKSample { of, rows, requested, sample, shared } scratch {});

impl OneKernel for TopKSample<'static> {
    const ID: KernelId = KernelId::new(image::SORTING, 37);
}
