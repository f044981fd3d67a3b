//! Kernels of kernels/groupby.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub const FINISH_COLUMNS: usize = 16;

/// Special values of `key_text::length`, for texts that are longer than the prefix, and for nulls.
pub const LONG_TEXT: u32 = 0x21;

pub const MAX_PARTITIONED_VALUES: usize = 8;

/// The maximum number of slots that a search examines. Without this limit, a search in a full table would examine all
/// slots.
pub const MAX_PROBES: usize = 16;

pub const MAX_STEPS: usize = 32;

/// Stands for an operation that is chosen at run time. Code for such operations exists only once and is therefore
/// short.
pub const RARE: i32 = -1;

pub const RUN_ITEMS: usize = 8;

pub const RUN_THREADS: usize = 256;

pub const RUN_WARPS: usize = 8;

/// The number of mailbox words of the counting launch. The words are the number of runs, `up`, `down` and `resumes` of
/// run\_order.
pub const RUN_WORDS: usize = 4;

/// The number of mailbox words of a sample.
pub const SAMPLE_WORDS: usize = 9;

/// The number of 64-bit words of a text's prefix that a block's table stores.
pub const TEXT_WORDS: usize = 4;

pub const VALUE_COLUMNS: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum AccumulatorInput {
    One = 0,
    /// 64 bits, sign-extended if the type is signed
    Integer = 1,
    /// f64
    Number = 2,
    /// the order number (order\_of\_bits)
    Order = 3,
    /// i128, sign extended
    Wide = 4,
    IntegerSquare = 5,
    NumberSquare = 6,
    RowNumber = 7,
    /// i128, wrapping
    WideSquare = 8,
}

/// The operation that merges two accumulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum CombineOp {
    /// 64-bit integers, wrapping
    Add = 0,
    AddF64 = 1,
    /// two words, the lower first
    AddI128 = 2,
    /// 64-bit unsigned integers
    Minimum = 3,
    Maximum = 4,
    /// 64-bit integers, wrapping
    Multiply = 5,
    MultiplyF64 = 6,
    /// row numbers: the row with the smallest value, the first of several such rows
    Argmin = 7,
    Argmax = 8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Finalize {
    /// the value of the input in row `word`; null if there is no such row
    Gather = 0,
    /// the same as gather, but floats of up to eight bytes are normalized
    GatherKey = 1,
    /// the lower bytes of `word`
    Copy = 2,
    /// `word` as a number of the floating type of the result
    CopyF64 = 3,
    /// two words
    CopyI128 = 4,
    /// the value whose order number (order\_of\_bits) is `word`
    Ordered = 5,
    /// `word` / count
    MeanF64 = 6,
    MeanSigned = 7,
    MeanUnsigned = 8,
    /// the same for a sum of two words
    MeanWide = 9,
    /// a sum of two words / count, truncated toward zero, in the width of the result
    MeanI128 = 10,
    /// from sum `word` and sum of squares `other`
    Variance = 11,
    Deviation = 12,
    /// the sum of squared differences from the mean, from the same words as variance
    SquaredDifferences = 14,
    /// the key in the `count` bits of `word` from bit `other` on; null if bit `ddof` is set
    Unpack = 13,
}

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Accumulation<'a> {
    pub keys: RowKeys<'a>,
    pub values: RowTable<'a, 16>,
    pub steps: Steps,
    pub rows: Rows,
    pub table: GroupTable<'a>,
    pub acc: Accumulators<'a>,
}

const _: () = assert!(size_of::<Accumulation>() == 3664 && align_of::<Accumulation>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Accumulators<'a> {
    /// word w of group g is words\[w \* stride + g\]
    pub words: Out<'a, u64>,
    pub stride: i64,
    /// of dense keys: the key of each group, whose words are words\[w \* stride + key\]; otherwise null
    pub keys: In<'a, u32>,
}

plain!(Accumulators { words, stride, keys });

const _: () = assert!(size_of::<Accumulators>() == 24 && align_of::<Accumulators>() == 8);

/// The operation that merges each word of the accumulators. The initial value of a word is the identity of this
/// operation. A word without an operation has `add`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Beginnings {
    /// combine\_op
    pub of_word: [u8; 256],
}

impl Default for Beginnings {
    fn default() -> Self {
        Self { of_word: [0; 256] }
    }
}

const _: () = assert!(size_of::<Beginnings>() == 256 && align_of::<Beginnings>() == 1);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct CellPlan {
    /// a power of two
    pub slots: i32,
    pub groups: i32,
}

const _: () = assert!(size_of::<CellPlan>() == 8 && align_of::<CellPlan>() == 4);

/// The values of steps that a program computes.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ComputedValues {
    /// per step, the output that has the step's values; -1 if the step has none
    pub output: [i16; 32],
    /// per output, the type of its values
    pub data_type: [i16; 8],
}

const _: () = assert!(size_of::<ComputedValues>() == 80 && align_of::<ComputedValues>() == 2);

/// The division of keys and rows among blocks.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct DensePlan<'a> {
    /// a bit for each key; the bit is set if a row has the key
    pub present: Out<'a, u32>,
    /// the number of rows that a block accumulates before it merges
    pub chunk: i64,
    /// packed keys are below this number
    pub keys: u32,
    /// the number of keys that a block accumulates at a time, a multiple of 32
    pub slots: i32,
    /// the number of planes of all steps
    pub planes: i32,
    pub unused: i32,
}

plain!(DensePlan { present, chunk, keys, slots, planes, unused });

const _: () = assert!(size_of::<DensePlan>() == 32 && align_of::<DensePlan>() == 8);

/// Moved rows, in parts that are ranges of keys. The parts are those of part\_of.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct KeyRanges<'a> {
    /// the first row of each part, then the number of rows
    pub begins: In<'a, u64>,
    pub scale: u64,
    pub parts: i32,
    pub shift: i32,
}

plain!(KeyRanges { begins, scale, parts, shift });

const _: () = assert!(size_of::<KeyRanges>() == 24 && align_of::<KeyRanges>() == 8);

/// The sizes of the hash table that a block keeps in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct LocalPlan {
    /// a power of two
    pub slots: i32,
    pub groups: i32,
    /// copies of the accumulators, a power of two up to 32
    pub copies: i32,
    /// not 0: a few groups have most rows, so the block keeps its table even if there are more groups
    pub keep: i32,
}

const _: () = assert!(size_of::<LocalPlan>() == 16 && align_of::<LocalPlan>() == 4);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Partial {
    pub lo: u64,
    pub hi: u64,
}

const _: () = assert!(size_of::<Partial>() == 16 && align_of::<Partial>() == 8);

/// The arrays of moved rows. Keys have 64 bits in `words`, or 32 bits in `narrow` if that is not null.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct PartitionOut<'a> {
    pub words: Out<'a, u64>,
    pub narrow: Out<'a, u32>,
    pub data: [Out<'a, u8>; 8],
    /// if null, all values are valid
    pub valid: Out<'a, u8>,
}

plain!(PartitionOut { words, narrow, data, valid });

const _: () = assert!(size_of::<PartitionOut>() == 88 && align_of::<PartitionOut>() == 8);

/// Values that partition.cu has ordered by partition. Kernels read them instead of the columns.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct PartitionedValues<'a> {
    pub data: [In<'a, u8>; 8],
    /// per row, a validity bit for each column; if the pointer is null, all values are valid
    pub valid: In<'a, u8>,
}

plain!(PartitionedValues { data, valid });

const _: () = assert!(size_of::<PartitionedValues>() == 72 && align_of::<PartitionedValues>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Result {
    pub finalize: i32,
    pub word: i32,
    /// The word with the number of values, or -1 if the result has no nulls. The result is null if the number is 0 or, for
    /// a variance, at most `ddof`.
    pub other: i32,
    pub count: i32,
    pub ddof: i32,
    /// unpack: not 0 if the bits are the order number minus `base`
    pub ranged: i32,
    pub base: u64,
}

const _: () = assert!(size_of::<Result>() == 32 && align_of::<Result>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Results {
    pub column: [Result; 16],
}

const _: () = assert!(size_of::<Results>() == 512 && align_of::<Results>() == 8);

/// A set of words. A word combines the number of a group with an integer, or the upper half of a row's hash with the
/// row number.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct RowSet<'a> {
    pub slots: Out<'a, u64>,
    pub mask: u64,
}

plain!(RowSet { slots, mask });

const _: () = assert!(size_of::<RowSet>() == 16 && align_of::<RowSet>() == 8);

/// The hash table of the keys of a sample, in device memory. It contains hashes instead of keys.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct SampleTable<'a> {
    /// the number of slots is a power of two
    pub hashes: Out<'a, u64>,
    pub counts: Out<'a, u32>,
    pub mask: u64,
}

plain!(SampleTable { hashes, counts, mask });

const _: () = assert!(size_of::<SampleTable>() == 24 && align_of::<SampleTable>() == 8);

/// Columns of numbers, or of means of `count` numbers. `m2` has the sums of the squared differences between the numbers
/// and their mean. A column is absent if its `data` is null.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct SpreadColumns<'a> {
    pub values: ColumnIn<'a>,
    pub count: ColumnIn<'a>,
    pub m2: ColumnIn<'a>,
}

plain!(SpreadColumns { values, count, m2 });

const _: () = assert!(size_of::<SpreadColumns>() == 144 && align_of::<SpreadColumns>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct SpreadWords {
    pub sum: i32,
    pub squares: i32,
    /// The mean, or NaN if the sums are precise enough. The next words are the sum and the sum of squares of the second
    /// pass.
    pub count: i32,
    pub mean: i32,
    /// bit of the state's `spreads`
    pub bit: i32,
    /// copies of a group's sums in shared memory, a power of two up to 32; 0 if there is no room
    pub copies: i32,
}

const _: () = assert!(size_of::<SpreadWords>() == 24 && align_of::<SpreadWords>() == 4);

/// A step of an accumulation. It merges the values of a column that are not null into a word of the accumulators. If
/// the step reads no column, `column` is -1.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Step {
    pub op: i32,
    pub column: i16,
    pub input: i16,
    /// word of the global accumulators
    pub word: i32,
    /// word of the accumulators in shared memory
    pub local: i32,
}

const _: () = assert!(size_of::<Step>() == 16 && align_of::<Step>() == 4);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Steps {
    pub step: [Step; 32],
    pub count: i32,
    pub local_words: i32,
}

const _: () = assert!(size_of::<Steps>() == 520 && align_of::<Steps>() == 4);

/// The range of integers. `low` is the order number of the smallest value. If `is_known` is 0, the values are not
/// integers of a range of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ValueRange {
    pub low: u64,
    pub is_known: i32,
    pub unused: i32,
}

const _: () = assert!(size_of::<ValueRange>() == 16 && align_of::<ValueRange>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "aggregate_cells_kernel", unit: 1, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "aggregate_computed_kernel", unit: 2, policy: Policy::new(128, 8, 4) },
    KernelInfo { symbol: "aggregate_dense_kernel", unit: 3, policy: Policy::new(1024, 4, 1) },
    KernelInfo { symbol: "aggregate_dense_parts_kernel", unit: 3, policy: Policy::new(1024, 4, 1) },
    KernelInfo { symbol: "aggregate_few_packed_kernel", unit: 9, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "aggregate_few_rows_kernel", unit: 9, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "aggregate_finish_kernel", unit: 9, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "aggregate_init_kernel", unit: 0, policy: Policy::new(256, 8, 8) },
    KernelInfo { symbol: "aggregate_many_packed_kernel", unit: 9, policy: Policy::new(256, 2, 4) },
    KernelInfo { symbol: "aggregate_many_rows_kernel", unit: 9, policy: Policy::new(256, 2, 4) },
    KernelInfo { symbol: "aggregate_packed_kernel", unit: 0, policy: Policy::new(512, 2, 2) },
    KernelInfo { symbol: "aggregate_parts_kernel", unit: 9, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "aggregate_rows_kernel", unit: 0, policy: Policy::new(512, 2, 2) },
    KernelInfo { symbol: "aggregate_sizes_kernel", unit: 9, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "aggregate_texts_kernel", unit: 0, policy: Policy::new(512, 2, 2) },
    KernelInfo { symbol: "aggregate_tiny_kernel", unit: 9, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "groupby_aggregate_runs_kernel", unit: 6, policy: Policy::new(256, 8, 2) },
    KernelInfo { symbol: "groupby_count_parts_kernel", unit: 5, policy: Policy::new(512, 8, 2) },
    KernelInfo { symbol: "groupby_count_ranges_kernel", unit: 5, policy: Policy::new(512, 8, 2) },
    KernelInfo { symbol: "groupby_count_runs_kernel", unit: 6, policy: Policy::new(256, 8, 2) },
    KernelInfo { symbol: "groupby_join_runs_kernel", unit: 6, policy: Policy::new(256, 1, 8) },
    KernelInfo { symbol: "groupby_move_parts_kernel", unit: 5, policy: Policy::new(512, 8, 2) },
    KernelInfo { symbol: "groupby_move_ranges_kernel", unit: 5, policy: Policy::new(512, 8, 2) },
    KernelInfo { symbol: "groupby_sample_packed_kernel", unit: 5, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "groupby_sample_rows_kernel", unit: 5, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "nunique_init_kernel", unit: 4, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "nunique_packed_kernel", unit: 4, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "nunique_rows_kernel", unit: 4, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "spread_means_kernel", unit: 7, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "spread_packed_kernel", unit: 7, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "spread_rows_kernel", unit: 7, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "spread_terms_kernel", unit: 8, policy: Policy::new(256, 4, 4) },
];

/// Does the same as aggregate\_packed\_kernel, with a cell per thread, step and group of the plan. The operations of the
/// steps must not be multiply, multiply\_f64, argmin or argmax. Columns must have numbers of up to 128 bits, and only
/// steps with the operation add\_i128 may read numbers of 128 bits. The kernel uses ticket 32.
#[derive(Clone, Copy, Debug)]
pub struct AggregateCells<'a> {
    pub input: Accumulation<'a>,
    pub plan: CellPlan,
    pub mailbox: Out<'a, u64>,
}

arguments!(AggregateCells { input, plan } scratch { mailbox });

impl OneKernel for AggregateCells<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 0);
}

/// Does the same as aggregate\_cells\_kernel, for steps that also read the outputs of a program. The table has the
/// columns of the program, with the rows of the accumulation. Each output of the program that a step reads is a number
/// of up to 128 bits, and only steps with the operation add\_i128 or the input `one` may read numbers of 128 bits.
/// Dynamic shared memory must have the bytes of the table of cells, and then slots\<threads, items\>::bytes(p.cells,
/// p.slots) bytes. The kernel uses ticket 32.
#[derive(Clone, Copy, Debug)]
pub struct AggregateComputed<'a> {
    pub input: Accumulation<'a>,
    pub plan: CellPlan,
    pub columns: TableIn<'a, 16>,
    pub p: super::expression::Program,
    pub of: ComputedValues,
    pub mailbox: Out<'a, u64>,
}

arguments!(AggregateComputed { input, plan, columns, p, of } scratch { mailbox });

impl OneKernel for AggregateComputed<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 1);
}

/// Accumulates rows by packed keys below plan.keys, and sets the bits of the keys. The operations of the steps must not
/// be multiply, multiply\_f64, argmin or argmax. Block b takes rows from plan.chunk \* b on. The dynamic shared memory
/// holds plan.planes \* plan.slots words of 32 bits, then plan.slots bits.
#[derive(Clone, Copy, Debug)]
pub struct AggregateDense<'a> {
    pub input: Accumulation<'a>,
    pub plan: DensePlan<'a>,
}

arguments!(AggregateDense { input, plan });

impl OneKernel for AggregateDense<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 2);
}

/// Does the same for rows that partition.cu has moved. `words` are the keys of these rows. A block takes chunks of
/// parts.
#[derive(Clone, Copy, Debug)]
pub struct AggregateDenseParts<'a> {
    pub words: In<'a, u32>,
    pub values: RowTable<'a, 16>,
    pub partitioned: PartitionedValues<'a>,
    pub steps: Steps,
    pub acc: Accumulators<'a>,
    pub ranges: KeyRanges<'a>,
    pub plan: DensePlan<'a>,
}

arguments!(AggregateDenseParts { words, values, partitioned, steps, acc, ranges, plan });

impl OneKernel for AggregateDenseParts<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 3);
}

/// Accumulates few rows by keys that pack into 64 bits. The launch must be cooperative. If `begin_words` is not 0, the
/// kernel first initializes the table and this number of words of accumulators. The kernel uses tickets 32 and 33.
#[derive(Clone, Copy, Debug)]
pub struct AggregateFew<'a> {
    pub input: Accumulation<'a>,
    pub beginnings: Beginnings,
    pub begin_words: i32,
    pub mailbox: Out<'a, u64>,
}

arguments!(AggregateFew { input, beginnings, begin_words } scratch { mailbox });

/// The kernels that take [`AggregateFew`](struct@AggregateFew).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AggregateFewKernel {
    /// Accumulates few rows by keys that pack into 64 bits. The launch must be cooperative. If `begin_words` is not 0, the
    /// kernel first initializes the table and this number of words of accumulators. The kernel uses tickets 32 and 33.
    Packed,
    /// Does the same as aggregate\_few\_packed\_kernel, for keys of any types. There are at most 2^32 - 2 rows.
    Rows,
}

impl From<AggregateFewKernel> for KernelId {
    fn from(kernel: AggregateFewKernel) -> Self {
        KernelId::new(
            image::GROUPBY,
            match kernel {
                AggregateFewKernel::Packed => 4,
                AggregateFewKernel::Rows => 5,
            },
        )
    }
}

impl Family for AggregateFew<'static> {
    type Kernel = AggregateFewKernel;
}

/// Writes column blockIdx.y of the result, which has a row per group. The column is gathered from column blockIdx.y of
/// the inputs, or computed from accumulators.
#[derive(Clone, Copy, Debug)]
pub struct AggregateFinish<'a> {
    pub groups: i64,
    pub acc: Accumulators<'a>,
    pub input: TableIn<'a, 32>,
    pub copy: CopyTable,
    pub results: Results,
    pub out: TableOut<'a, 16>,
    pub counts: In<'a, u64>,
    pub tiles: Tiles,
}

arguments!(AggregateFinish { groups, acc, input, copy, results, out, counts, tiles } scratch {});

impl OneKernel for AggregateFinish<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 6);
}

/// Initializes `words` words of the accumulators of each group. If `with_table` is not 0, the kernel also initializes
/// the table.
#[derive(Clone, Copy, Debug)]
pub struct AggregateInit<'a> {
    pub table: GroupTable<'a>,
    pub acc: Accumulators<'a>,
    pub beginnings: Beginnings,
    pub words: i32,
    pub with_table: i32,
}

arguments!(AggregateInit { table, acc, beginnings, words, with_table });

impl OneKernel for AggregateInit<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 7);
}

/// Does the same as aggregate\_packed\_kernel, for many groups. Blocks have no tables in shared memory. The kernel uses
/// ticket 32.
#[derive(Clone, Copy, Debug)]
pub struct AggregateMany<'a> {
    pub input: Accumulation<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(AggregateMany { input } scratch { mailbox });

/// The kernels that take [`AggregateMany`](struct@AggregateMany).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AggregateManyKernel {
    /// Does the same as aggregate\_packed\_kernel, for many groups. Blocks have no tables in shared memory. The kernel uses
    /// ticket 32.
    Packed,
    /// Does the same as aggregate\_many\_packed\_kernel, for keys of any types. There are at most 2^32 - 2 rows.
    Rows,
}

impl From<AggregateManyKernel> for KernelId {
    fn from(kernel: AggregateManyKernel) -> Self {
        KernelId::new(
            image::GROUPBY,
            match kernel {
                AggregateManyKernel::Packed => 8,
                AggregateManyKernel::Rows => 9,
            },
        )
    }
}

impl Family for AggregateMany<'static> {
    type Kernel = AggregateManyKernel;
}

/// Accumulates `*rows` rows that partition.cu has moved. `words` are the keys of these rows, and the table stores keys
/// instead of row numbers. The kernel uses ticket 32.
#[derive(Clone, Copy, Debug)]
pub struct AggregateParts<'a> {
    pub words: In<'a, u64>,
    pub rows: In<'a, u64>,
    pub values: RowTable<'a, 16>,
    pub partitioned: PartitionedValues<'a>,
    pub steps: Steps,
    pub table: GroupTable<'a>,
    pub acc: Accumulators<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(AggregateParts { words, rows, values, partitioned, steps, table, acc } scratch { mailbox });

impl OneKernel for AggregateParts<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 11);
}

/// Measures string column blockIdx.y of the result, which has a row per group. The total is posted to mailbox\[word\].
/// The accumulators hold the row numbers of the inputs to gather, or ~0. Column y uses ticket 32 + y.
#[derive(Clone, Copy, Debug)]
pub struct AggregateSizes<'a> {
    pub state: In<'a, GroupState>,
    pub acc: Accumulators<'a>,
    pub input: TableIn<'a, 32>,
    pub copy: CopyTable,
    pub results: Results,
    pub counts: Out<'a, u64>,
    pub tiles: Tiles,
    pub mailbox: Out<'a, u64>,
}

arguments!(AggregateSizes { state, acc, input, copy, results, counts, tiles } scratch { mailbox });

impl OneKernel for AggregateSizes<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 13);
}

/// Initializes the table and `begin_words` words of accumulators, and accumulates at most 1,024 rows. The kernel then
/// writes `columns` columns of the result, and posts the number of groups. The keys must pack into 64 bits and must
/// have no special null. The launch must have one block.
#[derive(Clone, Copy, Debug)]
pub struct AggregateTiny<'a> {
    pub input: Accumulation<'a>,
    pub beginnings: Beginnings,
    pub begin_words: i32,
    pub results: Results,
    pub out: TableOut<'a, 16>,
    pub columns: i32,
    pub mailbox: Out<'a, u64>,
}

arguments!(AggregateTiny { input, beginnings, begin_words, results, out, columns, mailbox });

impl OneKernel for AggregateTiny<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 15);
}

/// Accumulates `rows` rows by keys that pack into 64 bits. If `mailbox` is not null, the kernel posts the number of
/// groups, the overflow flag and the number of rows seen. The kernel uses ticket 32.
#[derive(Clone, Copy, Debug)]
pub struct Aggregate<'a> {
    pub input: Accumulation<'a>,
    pub plan: LocalPlan,
    pub mailbox: Out<'a, u64>,
}

arguments!(Aggregate { input, plan } scratch { mailbox });

/// The kernels that take [`Aggregate`](struct@Aggregate).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AggregateKernel {
    /// Accumulates `rows` rows by keys that pack into 64 bits. If `mailbox` is not null, the kernel posts the number of
    /// groups, the overflow flag and the number of rows seen. The kernel uses ticket 32.
    Packed,
    /// Does the same as aggregate\_packed\_kernel, for keys of any types. There are at most 2^32 - 2 rows.
    Rows,
    /// Does the same as aggregate\_rows\_kernel, for keys that are one column of texts.
    Texts,
}

impl From<AggregateKernel> for KernelId {
    fn from(kernel: AggregateKernel) -> Self {
        KernelId::new(
            image::GROUPBY,
            match kernel {
                AggregateKernel::Packed => 10,
                AggregateKernel::Rows => 12,
                AggregateKernel::Texts => 14,
            },
        )
    }
}

impl Family for Aggregate<'static> {
    type Kernel = AggregateKernel;
}

/// Accumulates rows by the runs that groupby\_count\_runs\_kernel has counted. The kernel writes keys instead of row
/// numbers to the table, and uses no other part of the table. The accumulators need not be initialized. For each tile
/// and step, the kernel writes to `partials` the result of the rows before the first begin of a run in the tile.
#[derive(Clone, Copy, Debug)]
pub struct AggregateRuns<'a> {
    pub input: Accumulation<'a>,
    pub counts: In<'a, u64>,
    pub tiles: Tiles,
    pub partials: Out<'a, Partial>,
}

arguments!(AggregateRuns { input, counts, tiles, partials });

impl OneKernel for AggregateRuns<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 16);
}

/// Counts the rows of each part of the hash table. The keys pack into 64 bits and have no special null. The kernel uses
/// ticket 32.
#[derive(Clone, Copy, Debug)]
pub struct CountParts<'a> {
    pub keys: RowKeys<'a>,
    pub rows: Rows,
    pub plan: PartPlan<'a>,
    pub scale: u64,
}

arguments!(CountParts { keys, rows, plan, scale } scratch {});

/// The kernels that take [`CountParts`](struct@CountParts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CountPartsKernel {
    /// Counts the rows of each part of the hash table. The keys pack into 64 bits and have no special null. The kernel uses
    /// ticket 32.
    Hashes,
    /// Does the same for parts that are ranges of keys. The keys are integers that pack into 32 bits.
    Ranges,
}

impl From<CountPartsKernel> for KernelId {
    fn from(kernel: CountPartsKernel) -> Self {
        KernelId::new(
            image::GROUPBY,
            match kernel {
                CountPartsKernel::Hashes => 17,
                CountPartsKernel::Ranges => 18,
            },
        )
    }
}

impl Family for CountParts<'static> {
    type Kernel = CountPartsKernel;
}

/// Counts the runs of consecutive rows with equal keys. The keys pack into 64 bits and have no special null. For each
/// of `tiles` tiles, the kernel writes to `counts` the number of runs that begin before the tile. The kernel uses
/// ticket 32 and zeroed\[1\] to zeroed\[3\].
#[derive(Clone, Copy, Debug)]
pub struct CountRuns<'a> {
    pub keys: RowKeys<'a>,
    pub signs: u64,
    pub rows: Rows,
    pub counts: Out<'a, u64>,
    pub tiles: Tiles,
    pub state: Out<'a, GroupState>,
    pub mailbox: Out<'a, u64>,
}

arguments!(CountRuns { keys, signs, rows, counts, tiles, state } scratch { mailbox });

impl OneKernel for CountRuns<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 19);
}

/// Completes the last run of each tile: merges into it the partial results of the following tiles that belong to the
/// same run. Each warp handles a tile.
#[derive(Clone, Copy, Debug)]
pub struct JoinRuns<'a> {
    pub values: RowTable<'a, 16>,
    pub steps: Steps,
    pub acc: Accumulators<'a>,
    pub counts: In<'a, u64>,
    pub tiles: Tiles,
    pub partials: In<'a, Partial>,
}

arguments!(JoinRuns { values, steps, acc, counts, tiles, partials });

impl OneKernel for JoinRuns<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 20);
}

/// Moves keys and values to arrays of `rows` rows each, in the order of parts of the hash table. There are up to eight
/// value columns of 1, 2, 4 or 8 bytes. The dynamic shared memory holds a part\_memory.
#[derive(Clone, Copy, Debug)]
pub struct MoveParts<'a> {
    pub keys: RowKeys<'a>,
    pub values: RowTable<'a, 16>,
    pub rows: Rows,
    pub plan: PartPlan<'a>,
    pub scale: u64,
    pub out: PartitionOut<'a>,
}

arguments!(MoveParts { keys, values, rows, plan, scale, out });

/// The kernels that take [`MoveParts`](struct@MoveParts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MovePartsKernel {
    /// Moves keys and values to arrays of `rows` rows each, in the order of parts of the hash table. There are up to eight
    /// value columns of 1, 2, 4 or 8 bytes. The dynamic shared memory holds a part\_memory.
    Hashes,
    /// Does the same for parts that are ranges of keys. The keys are integers that pack into 32 bits.
    Ranges,
}

impl From<MovePartsKernel> for KernelId {
    fn from(kernel: MovePartsKernel) -> Self {
        KernelId::new(
            image::GROUPBY,
            match kernel {
                MovePartsKernel::Hashes => 21,
                MovePartsKernel::Ranges => 22,
            },
        )
    }
}

impl Family for MoveParts<'static> {
    type Kernel = MovePartsKernel;
}

/// Computes statistics of `sample` rows, one of each `rows / sample` rows, and posts nine words to `mailbox`:
/// - the number of keys
/// - the number of keys that occur once
/// - the number of keys that occur twice
/// - the count of the most frequent key, or 0 if no key occurs twice
/// - the number of rows whose next row has a larger key
/// - the number of rows whose next row has a smaller key
/// - the number of excluded rows whose next row is not excluded
/// - the largest key, and the complement of the smallest key
///
/// Keys are compared as unsigned numbers after the bits in `signs` are flipped. The launch must be cooperative. The
/// kernel uses tickets 32 and 33, and zeroed\[0\] to zeroed\[8\].
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    pub keys: RowKeys<'a>,
    pub signs: u64,
    pub null_bits: u64,
    pub rows: Rows,
    pub sample: i64,
    pub table: SampleTable<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(Sample { keys, signs, null_bits, rows, sample, table } scratch { mailbox });

/// The kernels that take [`Sample`](struct@Sample).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SampleKernel {
    /// Computes statistics of `sample` rows, one of each `rows / sample` rows, and posts nine words to `mailbox`:
    /// - the number of keys
    /// - the number of keys that occur once
    /// - the number of keys that occur twice
    /// - the count of the most frequent key, or 0 if no key occurs twice
    /// - the number of rows whose next row has a larger key
    /// - the number of rows whose next row has a smaller key
    /// - the number of excluded rows whose next row is not excluded
    /// - the largest key, and the complement of the smallest key
    ///
    /// Keys are compared as unsigned numbers after the bits in `signs` are flipped. The launch must be cooperative. The
    /// kernel uses tickets 32 and 33, and zeroed\[0\] to zeroed\[8\].
    Packed,
    /// Does the same as groupby\_sample\_packed\_kernel, for keys of any types. Such keys have no order: a different key
    /// counts as both larger and smaller, and the last two words are 0.
    Rows,
}

impl From<SampleKernel> for KernelId {
    fn from(kernel: SampleKernel) -> Self {
        KernelId::new(
            image::GROUPBY,
            match kernel {
                SampleKernel::Packed => 23,
                SampleKernel::Rows => 24,
            },
        )
    }
}

impl Family for Sample<'static> {
    type Kernel = SampleKernel;
}

/// Sets counts\[group\] to the number of distinct values of each group. If `nulls` is not 0, null counts as a value. The
/// set must be empty and have more slots than there are rows. The table contains all groups, and the counts must be 0.
#[derive(Clone, Copy, Debug)]
pub struct Nunique<'a> {
    pub keys: RowKeys<'a>,
    pub values: ColumnIn<'a>,
    pub bytes: Bytes,
    pub nulls: i32,
    pub range: ValueRange,
    pub rows: Rows,
    pub table: GroupTable<'a>,
    pub set: RowSet<'a>,
    pub counts: Out<'a, u64>,
}

arguments!(Nunique { keys, values, bytes, nulls, range, rows, table, set, counts });

/// The kernels that take [`Nunique`](struct@Nunique).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NuniqueKernel {
    /// Sets counts\[group\] to the number of distinct values of each group. If `nulls` is not 0, null counts as a value. The
    /// set must be empty and have more slots than there are rows. The table contains all groups, and the counts must be 0.
    Packed,
    /// Does the same as nunique\_packed\_kernel, for keys that do not pack.
    Rows,
}

impl From<NuniqueKernel> for KernelId {
    fn from(kernel: NuniqueKernel) -> Self {
        KernelId::new(
            image::GROUPBY,
            match kernel {
                NuniqueKernel::Packed => 26,
                NuniqueKernel::Rows => 27,
            },
        )
    }
}

impl Family for Nunique<'static> {
    type Kernel = NuniqueKernel;
}

/// Arguments of `nunique_init_kernel`.
#[derive(Clone, Copy, Debug)]
pub struct NuniqueInit<'a> {
    pub set: RowSet<'a>,
}

arguments!(NuniqueInit { set });

impl OneKernel for NuniqueInit<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 25);
}

/// Adds the differences from the means of the groups, and the squares of the differences, to the words after the means.
/// Groups without a mean are skipped. The table contains all groups.
#[derive(Clone, Copy, Debug)]
pub struct Spread<'a> {
    pub keys: RowKeys<'a>,
    pub input: SpreadColumns<'a>,
    pub rows: Rows,
    pub groups: i64,
    pub table: GroupTable<'a>,
    pub acc: Accumulators<'a>,
    pub words: SpreadWords,
}

arguments!(Spread { keys, input, rows, groups, table, acc, words });

/// The kernels that take [`Spread`](struct@Spread).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpreadKernel {
    /// Adds the differences from the means of the groups, and the squares of the differences, to the words after the means.
    /// Groups without a mean are skipped. The table contains all groups.
    Packed,
    /// Does the same as spread\_packed\_kernel, for keys that do not pack.
    Rows,
}

impl From<SpreadKernel> for KernelId {
    fn from(kernel: SpreadKernel) -> Self {
        KernelId::new(
            image::GROUPBY,
            match kernel {
                SpreadKernel::Packed => 29,
                SpreadKernel::Rows => 30,
            },
        )
    }
}

impl Family for Spread<'static> {
    type Kernel = SpreadKernel;
}

/// Finds the groups whose sums are too imprecise. For each such group, the kernel writes the mean, followed by zeros,
/// and sets the bit of the state. For each other group, the kernel writes NaN as the mean.
#[derive(Clone, Copy, Debug)]
pub struct SpreadMeans<'a> {
    pub groups: i64,
    pub state: Out<'a, GroupState>,
    pub acc: Accumulators<'a>,
    pub words: SpreadWords,
}

arguments!(SpreadMeans { groups, state, acc, words });

impl OneKernel for SpreadMeans<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 28);
}

/// Writes n \* mean to `sums` and n \* mean^2 + m2 to `squares`. The columns n (Int64), mean and m2 (Float64) have the
/// same length. If a value of a row is null or n is at most 0, both results are 0.
#[derive(Clone, Copy, Debug)]
pub struct SpreadTerms<'a> {
    pub count: ColumnIn<'a>,
    pub mean: ColumnIn<'a>,
    pub m2: ColumnIn<'a>,
    pub sums: Out<'a, f64>,
    pub squares: Out<'a, f64>,
}

arguments!(SpreadTerms { count, mean, m2, sums, squares });

impl OneKernel for SpreadTerms<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 31);
}
