//! Kernels of kernels/groupby.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub const FINISH_COLUMNS: usize = 16;

/// As lengths of texts that have more bytes than a prefix, and of nulls.
pub const LONG_TEXT: u32 = 0x21;

pub const MAX_PARTITIONED_VALUES: usize = 8;

/// Slots that are looked at, where a table without room would have all looked at.
pub const MAX_PROBES: usize = 16;

pub const MAX_STEPS: usize = 32;

/// In place of an operation: one that is chosen at run time, to keep the code short.
pub const RARE: i32 = -1;

pub const RUN_ITEMS: usize = 8;

pub const RUN_THREADS: usize = 256;

pub const RUN_WARPS: usize = 8;

/// Words of the mailbox of the launch that counts: runs, whether keys ascend, whether they descend, and how often a
/// row that takes part follows one that does not.
pub const RUN_WORDS: usize = 4;

/// Words of the mailbox of a sample.
pub const SAMPLE_WORDS: usize = 7;

/// Words of 64 bits that a block's table keeps of a text.
pub const TEXT_WORDS: usize = 4;

pub const VALUE_COLUMNS: usize = 16;

/// What of a row is accumulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum AccumulatorInput {
    One = 0,
    /// 64 bits, sign extended or not as the type says
    Integer = 1,
    /// f64
    Number = 2,
    /// order\_of\_bits
    Order = 3,
    /// i128, sign extended
    Wide = 4,
    IntegerSquare = 5,
    NumberSquare = 6,
    RowNumber = 7,
}

/// How two accumulated values become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum CombineOp {
    /// 64-bit integers, wrapping
    Add = 0,
    AddF64 = 1,
    /// two words, the lower first
    AddI128 = 2,
    /// unsigned
    Minimum = 3,
    Maximum = 4,
    /// 64-bit integers, wrapping
    Multiply = 5,
    MultiplyF64 = 6,
    /// rows: the one with the smallest value, the first of several
    Argmin = 7,
    Argmax = 8,
}

/// What becomes of accumulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Finalize {
    /// the row that `word` tells, of column c of the inputs; null if none
    Gather = 0,
    /// as gather, floats of up to eight bytes in one form
    GatherKey = 1,
    /// the lower bytes of `word`
    Copy = 2,
    /// `word` as the result's floating type
    CopyF64 = 3,
    /// two words
    CopyI128 = 4,
    /// back from order\_of\_bits
    Ordered = 5,
    /// `word` / count
    MeanF64 = 6,
    MeanSigned = 7,
    MeanUnsigned = 8,
    /// truncated
    MeanInteger = 9,
    /// truncated, to the result's width
    MeanI128 = 10,
    /// from sum `word` and sum of squares `other`
    Variance = 11,
    Deviation = 12,
    /// as variance, not divided
    SquaredDifferences = 14,
    /// the key from `word`: `count` bits from bit `other` on, null if bit `ddof` is set
    Unpack = 13,
}

/// Rows, and the groups by their keys that they are accumulated into.
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

const _: () = assert!(size_of::<Accumulation>() == 3656 && align_of::<Accumulation>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Accumulators<'a> {
    /// word w of group g is words\[w \* stride + g\]
    pub words: Out<'a, u64>,
    pub stride: i64,
}

plain!(Accumulators { words, stride });

const _: () = assert!(size_of::<Accumulators>() == 16 && align_of::<Accumulators>() == 8);

/// The words of the accumulators by what combines them, whose identity they begin as; those that nothing combines as sums.
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

/// The table of a block in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct LocalPlan {
    /// a power of two
    pub slots: i32,
    pub groups: i32,
    /// of accumulators, a power of two up to 32
    pub copies: i32,
    /// also when there are more groups: a few of them have most rows
    pub keep: i32,
}

const _: () = assert!(size_of::<LocalPlan>() == 16 && align_of::<LocalPlan>() == 4);

/// A partial result of one step: an i128, or one word.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Partial {
    pub lo: u64,
    pub hi: u64,
}

const _: () = assert!(size_of::<Partial>() == 16 && align_of::<Partial>() == 8);

/// Where rows go.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct PartitionOut<'a> {
    pub words: Out<'a, u64>,
    pub data: [Out<'a, u8>; 8],
    /// null: all are valid
    pub valid: Out<'a, u8>,
}

plain!(PartitionOut { words, data, valid });

const _: () = assert!(size_of::<PartitionOut>() == 80 && align_of::<PartitionOut>() == 8);

/// Values by part, as partition.cu moves them, instead of those in the columns.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct PartitionedValues<'a> {
    pub data: [In<'a, u8>; 8],
    /// a bit per column; null: all are valid
    pub valid: In<'a, u8>,
}

plain!(PartitionedValues { data, valid });

const _: () = assert!(size_of::<PartitionedValues>() == 72 && align_of::<PartitionedValues>() == 8);

/// A column of the result.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Result {
    pub finalize: i32,
    pub word: i32,
    pub other: i32,
    /// word of the number of values, null where that is 0 (at most ddof); -1: no nulls
    pub count: i32,
    pub ddof: i32,
    /// unpack: the bits are the distance of the order number from `base`
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

/// A set of rows: the upper half of a row's hash and its number.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct RowSet<'a> {
    pub slots: Out<'a, u64>,
    pub mask: u64,
}

plain!(RowSet { slots, mask });

const _: () = assert!(size_of::<RowSet>() == 16 && align_of::<RowSet>() == 8);

/// The keys that a sample has met, by their hashes, which count as keys; device memory.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct SampleTable<'a> {
    /// a power of two of slots
    pub hashes: Out<'a, u64>,
    pub counts: Out<'a, u32>,
    pub mask: u64,
}

plain!(SampleTable { hashes, counts, mask });

const _: () = assert!(size_of::<SampleTable>() == 24 && align_of::<SampleTable>() == 8);

/// Numbers, or means of `count` numbers whose squared differences add up to `m2`; without `data` there are none of these.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct SpreadColumns<'a> {
    pub values: ColumnIn<'a>,
    pub count: ColumnIn<'a>,
    pub m2: ColumnIn<'a>,
}

plain!(SpreadColumns { values, count, m2 });

const _: () = assert!(size_of::<SpreadColumns>() == 144 && align_of::<SpreadColumns>() == 8);

/// Words of the accumulators.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct SpreadWords {
    pub sum: i32,
    pub squares: i32,
    pub count: i32,
    /// NaN where the sums did well; then sum and sum of squares as they are to be used
    pub mean: i32,
    /// of the state's spreads
    pub bit: i32,
    /// of a group's sums in shared memory, a power of two up to 32; 0: there is no room
    pub copies: i32,
}

const _: () = assert!(size_of::<SpreadWords>() == 24 && align_of::<SpreadWords>() == 4);

/// Accumulate a value of a column (none: -1) into a word of the accumulators, where it is not null.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Step {
    pub op: i32,
    pub column: i16,
    pub input: i16,
    /// of the global accumulators
    pub word: i32,
    /// of those in shared memory
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

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "aggregate_few_packed_kernel", unit: 6, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "aggregate_few_rows_kernel", unit: 6, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "aggregate_finish_kernel", unit: 6, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "aggregate_init_kernel", unit: 0, policy: Policy::new(256, 8, 8) },
    KernelInfo { symbol: "aggregate_many_packed_kernel", unit: 6, policy: Policy::new(256, 2, 4) },
    KernelInfo { symbol: "aggregate_many_rows_kernel", unit: 6, policy: Policy::new(256, 2, 4) },
    KernelInfo { symbol: "aggregate_packed_kernel", unit: 0, policy: Policy::new(512, 2, 2) },
    KernelInfo { symbol: "aggregate_parts_kernel", unit: 6, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "aggregate_rows_kernel", unit: 0, policy: Policy::new(512, 2, 2) },
    KernelInfo { symbol: "aggregate_sizes_kernel", unit: 6, policy: Policy::new(256, 8, 3) },
    KernelInfo { symbol: "aggregate_texts_kernel", unit: 0, policy: Policy::new(512, 2, 2) },
    KernelInfo { symbol: "aggregate_tiny_kernel", unit: 6, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "groupby_aggregate_runs_kernel", unit: 3, policy: Policy::new(256, 8, 2) },
    KernelInfo { symbol: "groupby_count_parts_kernel", unit: 2, policy: Policy::new(512, 8, 2) },
    KernelInfo { symbol: "groupby_count_runs_kernel", unit: 3, policy: Policy::new(256, 8, 2) },
    KernelInfo { symbol: "groupby_join_runs_kernel", unit: 3, policy: Policy::new(256, 1, 8) },
    KernelInfo { symbol: "groupby_move_parts_kernel", unit: 2, policy: Policy::new(512, 8, 2) },
    KernelInfo { symbol: "groupby_sample_packed_kernel", unit: 2, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "groupby_sample_rows_kernel", unit: 2, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "nunique_init_kernel", unit: 1, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "nunique_packed_kernel", unit: 1, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "nunique_rows_kernel", unit: 1, policy: Policy::new(256, 4, 3) },
    KernelInfo { symbol: "spread_means_kernel", unit: 4, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "spread_packed_kernel", unit: 4, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "spread_rows_kernel", unit: 4, policy: Policy::new(256, 4, 4) },
    KernelInfo { symbol: "spread_terms_kernel", unit: 5, policy: Policy::new(256, 4, 4) },
];

/// Accumulates few rows by keys that pack into 64 bits; a cooperative launch. With `begin_words` nonzero,
/// that many words and the table are made empty before; then there is a mailbox, which gets groups,
/// overflow, rows seen. The accumulators else as for aggregate\_packed. Tickets 32, 33.
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
    /// Accumulates few rows by keys that pack into 64 bits; a cooperative launch. With `begin_words` nonzero,
    /// that many words and the table are made empty before; then there is a mailbox, which gets groups,
    /// overflow, rows seen. The accumulators else as for aggregate\_packed. Tickets 32, 33.
    Packed,
    /// As aggregate\_few\_packed, by any keys; at most 2^32 - 2 rows.
    Rows,
}

impl From<AggregateFewKernel> for KernelId {
    fn from(kernel: AggregateFewKernel) -> Self {
        KernelId::new(
            image::GROUPBY,
            match kernel {
                AggregateFewKernel::Packed => 0,
                AggregateFewKernel::Rows => 1,
            },
        )
    }
}

impl Family for AggregateFew<'static> {
    type Kernel = AggregateFewKernel;
}

/// Column blockIdx.y of the result, a row per group: gathered from column blockIdx.y of the inputs, or
/// made of accumulators, whose rows are the inputs'. Strings go where the sizes kernel says, which was told the same
/// `tiles`; there is room for as many bytes as it has posted.
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
    const ID: KernelId = KernelId::new(image::GROUPBY, 2);
}

/// Makes the table (unless `with_table` is 0) and `words` words of each group's accumulators empty: there are as many.
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
    const ID: KernelId = KernelId::new(image::GROUPBY, 3);
}

/// As aggregate\_packed, for many groups: without tables of blocks. Ticket 32.
#[derive(Clone, Copy, Debug)]
pub struct AggregateMany<'a> {
    pub input: Accumulation<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(AggregateMany { input } scratch { mailbox });

/// The kernels that take [`AggregateMany`](struct@AggregateMany).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AggregateManyKernel {
    /// As aggregate\_packed, for many groups: without tables of blocks. Ticket 32.
    Packed,
    /// As aggregate\_many\_packed, by any keys; at most 2^32 - 2 rows.
    Rows,
}

impl From<AggregateManyKernel> for KernelId {
    fn from(kernel: AggregateManyKernel) -> Self {
        KernelId::new(
            image::GROUPBY,
            match kernel {
                AggregateManyKernel::Packed => 4,
                AggregateManyKernel::Rows => 5,
            },
        )
    }
}

impl Family for AggregateMany<'static> {
    type Kernel = AggregateManyKernel;
}

/// Accumulates `*rows` rows that partition.cu has moved: `words` are their keys, which the table remembers
/// instead of rows. `values` tell the types. The accumulators as for aggregate\_packed. Ticket 32.
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
    const ID: KernelId = KernelId::new(image::GROUPBY, 7);
}

/// For string column blockIdx.y, which has a row per group: the bytes of each tile of 2,048 groups,
/// made into the positions of their first bytes, at counts + slot \* tiles; their total to mailbox\[word\].
/// `tiles` is the most there can be. None if the groups overflowed. What is gathered are rows of the inputs, or ~0.
/// Tickets 32 + blockIdx.y.
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
    const ID: KernelId = KernelId::new(image::GROUPBY, 9);
}

/// Makes the table and `begin_words` words of accumulators empty, accumulates at most 1,024 rows by keys that pack into 64
/// bits without a special null, writes `columns` columns of the result, of which none is gathered, and posts the number of
/// groups. There is room for as many groups as rows. One block.
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
    const ID: KernelId = KernelId::new(image::GROUPBY, 11);
}

/// Accumulates `rows` rows by keys that pack into 64 bits. Dynamic shared memory as the plan needs. Posts groups,
/// overflow, rows seen to `mailbox`, if there is one. The accumulators have the words of all steps, and are empty, as
/// the table is, or as launches of other steps have left them. Ticket 32.
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
    /// Accumulates `rows` rows by keys that pack into 64 bits. Dynamic shared memory as the plan needs. Posts groups,
    /// overflow, rows seen to `mailbox`, if there is one. The accumulators have the words of all steps, and are empty, as
    /// the table is, or as launches of other steps have left them. Ticket 32.
    Packed,
    /// As aggregate\_packed, by any keys; at most 2^32 - 2 rows.
    Rows,
    /// As aggregate\_rows, by one column of texts.
    Texts,
}

impl From<AggregateKernel> for KernelId {
    fn from(kernel: AggregateKernel) -> Self {
        KernelId::new(
            image::GROUPBY,
            match kernel {
                AggregateKernel::Packed => 6,
                AggregateKernel::Rows => 8,
                AggregateKernel::Texts => 10,
            },
        )
    }
}

impl Family for Aggregate<'static> {
    type Kernel = AggregateKernel;
}

/// Accumulates rows by their runs, as the launch before has counted them. The table remembers keys instead of rows, and
/// nothing else of it is used; accumulators need not be empty. `partials` gets, for each tile and step, what rows before
/// the tile's first beginning come to.
#[derive(Clone, Copy, Debug)]
pub struct AggregateRuns<'a> {
    pub input: Accumulation<'a>,
    pub counts: In<'a, u64>,
    pub tiles: Tiles,
    pub partials: Out<'a, Partial>,
}

arguments!(AggregateRuns { input, counts, tiles, partials });

impl OneKernel for AggregateRuns<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 12);
}

/// Counts rows by part, of keys that pack into 64 bits without a special null. Of the plan, counts has a word per part
/// and block, begins one per part and one more. Ticket 32.
#[derive(Clone, Copy, Debug)]
pub struct CountParts<'a> {
    pub keys: RowKeys<'a>,
    pub rows: Rows,
    pub plan: PartPlan<'a>,
}

arguments!(CountParts { keys, rows, plan } scratch {});

impl OneKernel for CountParts<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 13);
}

/// Counts the runs of rows of one key, of keys that pack into 64 bits without a special null: `counts` gets for each of
/// `tiles` tiles of rows how many begin before it, and their number behind; `state` gets their number, too. Posts it to
/// `mailbox`, and how rows follow one another (run\_words). Keys are ordered as unsigned numbers after `signs` are
/// flipped. Ticket 32; zeroed\[1\] to zeroed\[3\].
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
    const ID: KernelId = KernelId::new(image::GROUPBY, 14);
}

/// Adds to the last run of each tile what tiles behind it have of the same run: a warp per tile.
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
    const ID: KernelId = KernelId::new(image::GROUPBY, 15);
}

/// Moves keys and values, up to eight numbers of 1, 2, 4 or 8 bytes, by part, to arrays of `rows` rows each. As many
/// blocks as the launch that has counted; dynamic shared memory of a part\_memory.
#[derive(Clone, Copy, Debug)]
pub struct MoveParts<'a> {
    pub keys: RowKeys<'a>,
    pub values: RowTable<'a, 16>,
    pub rows: Rows,
    pub plan: PartPlan<'a>,
    pub out: PartitionOut<'a>,
}

arguments!(MoveParts { keys, values, rows, plan, out });

impl OneKernel for MoveParts<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 16);
}

/// Of `sample` of the rows, one at some place of each `rows / sample`: how many keys there are, how many of
/// them once and twice, how often the most frequent one, of how many the next row's key is larger and smaller, and
/// how many take no part while the next row does, to the words of `mailbox`. Keys are ordered as unsigned numbers after `signs` are flipped; those that do
/// not pack count as larger and smaller where they differ. At most half as many rows as the table has slots. A
/// cooperative launch. Tickets 32, 33; zeroed\[0\] to zeroed\[6\].
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    pub keys: RowKeys<'a>,
    pub signs: u64,
    pub rows: Rows,
    pub sample: i64,
    pub table: SampleTable<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(Sample { keys, signs, rows, sample, table } scratch { mailbox });

/// The kernels that take [`Sample`](struct@Sample).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SampleKernel {
    /// Of `sample` of the rows, one at some place of each `rows / sample`: how many keys there are, how many of
    /// them once and twice, how often the most frequent one, of how many the next row's key is larger and smaller, and
    /// how many take no part while the next row does, to the words of `mailbox`. Keys are ordered as unsigned numbers after `signs` are flipped; those that do
    /// not pack count as larger and smaller where they differ. At most half as many rows as the table has slots. A
    /// cooperative launch. Tickets 32, 33; zeroed\[0\] to zeroed\[6\].
    Packed,
    /// As groupby\_sample\_packed, by any keys.
    Rows,
}

impl From<SampleKernel> for KernelId {
    fn from(kernel: SampleKernel) -> Self {
        KernelId::new(
            image::GROUPBY,
            match kernel {
                SampleKernel::Packed => 17,
                SampleKernel::Rows => 18,
            },
        )
    }
}

impl Family for Sample<'static> {
    type Kernel = SampleKernel;
}

/// counts\[group\] becomes the number of distinct values, of nulls too with `nulls`. The set has more
/// slots than rows, of which there are at most 2^32 - 2, and is empty; the table holds all groups, whose counts are 0.
#[derive(Clone, Copy, Debug)]
pub struct Nunique<'a> {
    pub keys: RowKeys<'a>,
    pub values: ColumnIn<'a>,
    pub bytes: Bytes,
    pub nulls: i32,
    pub rows: Rows,
    pub table: GroupTable<'a>,
    pub set: RowSet<'a>,
    pub counts: Out<'a, u64>,
}

arguments!(Nunique { keys, values, bytes, nulls, rows, table, set, counts });

/// The kernels that take [`Nunique`](struct@Nunique).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NuniqueKernel {
    /// counts\[group\] becomes the number of distinct values, of nulls too with `nulls`. The set has more
    /// slots than rows, of which there are at most 2^32 - 2, and is empty; the table holds all groups, whose counts are 0.
    Packed,
    /// As nunique\_packed, by keys that do not pack.
    Rows,
}

impl From<NuniqueKernel> for KernelId {
    fn from(kernel: NuniqueKernel) -> Self {
        KernelId::new(
            image::GROUPBY,
            match kernel {
                NuniqueKernel::Packed => 20,
                NuniqueKernel::Rows => 21,
            },
        )
    }
}

impl Family for Nunique<'static> {
    type Kernel = NuniqueKernel;
}

/// Makes the set empty.
#[derive(Clone, Copy, Debug)]
pub struct NuniqueInit<'a> {
    pub set: RowSet<'a>,
}

arguments!(NuniqueInit { set });

impl OneKernel for NuniqueInit<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 19);
}

/// Adds the differences from the groups' means and their squares to the words behind the means, for groups that have one.
/// Dynamic shared memory of 16 bytes for each copy of each group. The table holds all groups. Beside means are an Int64
/// and a Float64 column.
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
    /// Adds the differences from the groups' means and their squares to the words behind the means, for groups that have one.
    /// Dynamic shared memory of 16 bytes for each copy of each group. The table holds all groups. Beside means are an Int64
    /// and a Float64 column.
    Packed,
    /// As spread\_packed, by keys that do not pack.
    Rows,
}

impl From<SpreadKernel> for KernelId {
    fn from(kernel: SpreadKernel) -> Self {
        KernelId::new(
            image::GROUPBY,
            match kernel {
                SpreadKernel::Packed => 23,
                SpreadKernel::Rows => 24,
            },
        )
    }
}

impl Family for Spread<'static> {
    type Kernel = SpreadKernel;
}

/// Of each group the mean, where sum and sum of squares have lost more than 12 bits of the spread, with zeros behind it,
/// and the state's bit; else NaN, with the sums behind it. The accumulators have these words of `groups` groups.
#[derive(Clone, Copy, Debug)]
pub struct SpreadMeans<'a> {
    pub groups: i64,
    pub state: Out<'a, GroupState>,
    pub acc: Accumulators<'a>,
    pub words: SpreadWords,
}

arguments!(SpreadMeans { groups, state, acc, words });

impl OneKernel for SpreadMeans<'static> {
    const ID: KernelId = KernelId::new(image::GROUPBY, 22);
}

/// Of n (Int64), mean and m2 (Float64), of as many rows: n mean, and n mean^2 + m2. Zeros where one is null or n is
/// none.
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
    const ID: KernelId = KernelId::new(image::GROUPBY, 25);
}
