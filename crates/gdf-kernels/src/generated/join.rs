//! Kernels of kernels/join.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub const MAX_PARTS: usize = 1024;

/// The word that is posted to the mailbox if rows can have several results. The kernel then writes no results.
pub const SEVERAL_RESULTS: u64 = 0x8000000000000000;

/// The cost of reading a tile of rows, in units of written results.
pub const TILE_COST: i64 = 2048;

/// The kind of a join, which determines the rows that it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Kind {
    Inner = 0,
    Left = 1,
    Semi = 2,
    Anti = 3,
    /// rows of the build side that no probe row has matched
    Unmatched = 4,
}

/// The matches of each row. `starts` has the start of the matches. `tile_counts` receives the first result positions of
/// tiles of 2,048 rows, a word for each of `tiles` tiles.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct FoundRows<'a> {
    pub starts: Out<'a, u32>,
    pub counts: Out<'a, u32>,
    pub marks: Out<'a, u8>,
    pub tile_counts: Out<'a, u64>,
    pub tiles: Tiles,
}

plain!(FoundRows { starts, counts, marks, tile_counts, tiles });

const _: () = assert!(size_of::<FoundRows>() == 40 && align_of::<FoundRows>() == 8);

/// The output of row numbers, 32 or 64 bits wide.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct IndicesOut<'a> {
    /// if null, the output is not wanted
    pub first: Out<'a, u8>,
    pub wide: i32,
    pub unused: i32,
}

plain!(IndicesOut { first, wide, unused });

const _: () = assert!(size_of::<IndicesOut>() == 16 && align_of::<IndicesOut>() == 8);

/// A bit for each value of a range. The bit is set if the key column of the build side has the value. The build side
/// has a single key column, without nulls. There are fewer than 2^32 - 1 bits. A probe side with nulls ignores the
/// bits.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct KeyBits<'a> {
    /// null if there are no bits
    pub words: In<'a, u32>,
    /// order number of the value of bit 0
    pub low: u64,
    /// the number of bits
    pub count: u64,
}

plain!(KeyBits { words, low, count });

const _: () = assert!(size_of::<KeyBits>() == 24 && align_of::<KeyBits>() == 8);

/// Rows of the probe side that are looked up in a table of keys of the same types.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Lookup<'a> {
    pub keys: RowKeys<'a>,
    pub table: KeyTable<'a>,
    pub rows: Rows,
    /// the rows of keys that have several rows
    pub grouped: In<'a, u32>,
    pub kind: i32,
    pub unused: i32,
}

const _: () = assert!(size_of::<Lookup>() == 2240 && align_of::<Lookup>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct MatchesOut<'a> {
    pub left: IndicesOut<'a>,
    pub right: IndicesOut<'a>,
    pub capacity: i64,
}

plain!(MatchesOut { left, right, capacity });

const _: () = assert!(size_of::<MatchesOut>() == 40 && align_of::<MatchesOut>() == 8);

/// The output of the build besides the table. Each row has a number, which is its position in the order of insertion.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct RowLists<'a> {
    pub grouped: Out<'a, u32>,
    /// a bit per number, set if the key was in the table before; null for a set
    /// Per number: the slot of the key in the lower half, and the number of earlier rows with the key in the upper half.
    pub found: Out<'a, u32>,
    /// If rows are inserted in the order of the table, a slot per number, which has the row and its word.
    pub places: Out<'a, u64>,
    pub ordered: Out<'a, KeySlot>,
    /// in the order of the table: a bit per number, set if the row did not fit in its region
    pub late: Out<'a, u32>,
    /// number of bits of a slot's index within a region
    pub region_bits: i32,
    pub unused: i32,
}

plain!(RowLists { grouped, found, places, ordered, late, region_bits, unused });

const _: () = assert!(size_of::<RowLists>() == 48 && align_of::<RowLists>() == 8);

/// The rows that take part, which are the rows for which a boolean column is true. If `mask.data` is null, all rows
/// take part.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct SelectedRows<'a> {
    pub mask: ColumnIn<'a>,
}

plain!(SelectedRows { mask });

const _: () = assert!(size_of::<SelectedRows>() == 48 && align_of::<SelectedRows>() == 8);

/// The output of match\_tiles, with memory for a result for each row. If there are few tiles, `states` may be null, and
/// the states are in the scratch memory.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct SingleMatches<'a> {
    pub left: IndicesOut<'a>,
    pub right: IndicesOut<'a>,
    pub states: Out<'a, u32>,
    pub tiles: Tiles,
}

plain!(SingleMatches { left, right, states, tiles });

const _: () = assert!(size_of::<SingleMatches>() == 48 && align_of::<SingleMatches>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "join_build_packed_kernel", unit: 0, policy: Policy::new(1024, 4, 1) },
    KernelInfo { symbol: "join_build_rows_kernel", unit: 0, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "join_emit_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "join_marks_kernel", unit: 2, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "join_match_packed_kernel", unit: 3, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "join_match_rows_kernel", unit: 3, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "join_match_tiles_packed_kernel", unit: 4, policy: Policy::new(256, 8, 5) },
    KernelInfo { symbol: "join_match_tiles_rows_kernel", unit: 4, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "join_pairs_kernel", unit: 5, policy: Policy::new(256, 1, 8) },
    KernelInfo { symbol: "join_probe_packed_kernel", unit: 6, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "join_probe_rows_kernel", unit: 6, policy: Policy::new(256, 8, 5) },
    KernelInfo { symbol: "join_set_bits_kernel", unit: 2, policy: Policy::new(256, 8, 4) },
];

/// Builds the table of `rows` rows (fewer than 2^31). The table has at least twice as many slots as rows. The launch
/// must be cooperative.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    pub keys: RowKeys<'a>,
    pub table: KeyTable<'a>,
    pub rows: Rows,
    pub out: RowLists<'a>,
}

arguments!(Build { keys, table, rows, out } scratch {});

/// The kernels that take [`Build`](struct@Build).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BuildKernel {
    /// Builds the table of `rows` rows (fewer than 2^31). The table has at least twice as many slots as rows. The launch
    /// must be cooperative.
    Packed,
    /// Does the same as join\_build\_packed\_kernel, for keys that do not pack into 64 bits.
    Rows,
}

impl From<BuildKernel> for KernelId {
    fn from(kernel: BuildKernel) -> Self {
        KernelId::new(
            image::JOIN,
            match kernel {
                BuildKernel::Packed => 0,
                BuildKernel::Rows => 1,
            },
        )
    }
}

impl Family for Build<'static> {
    type Kernel = BuildKernel;
}

/// Writes `total` results of `rows` rows. The outputs have room for these results.
#[derive(Clone, Copy, Debug)]
pub struct Emit<'a> {
    pub table: KeyTable<'a>,
    pub kind: i32,
    pub rows: Rows,
    pub starts: In<'a, u32>,
    pub counts: In<'a, u32>,
    pub grouped: In<'a, u32>,
    pub positions: In<'a, u64>,
    pub tiles: Tiles,
    pub total: i64,
    pub left_out: IndicesOut<'a>,
    pub right_out: IndicesOut<'a>,
}

arguments!(Emit { table, kind, rows, starts, counts, grouped, positions, tiles, total, left_out, right_out });

impl OneKernel for Emit<'static> {
    const ID: KernelId = KernelId::new(image::JOIN, 2);
}

/// Writes for each row whether the row is selected and has a match. For kind `anti`, the kernel writes whether the row
/// is selected and has no match. Keys are packed. `out` is boolean and has a row for each row of the keys.
#[derive(Clone, Copy, Debug)]
pub struct Marks<'a> {
    pub input: Lookup<'a>,
    pub bits: KeyBits<'a>,
    pub selected: SelectedRows<'a>,
    pub out: ColumnOut<'a>,
}

arguments!(Marks { input, bits, selected, out });

impl OneKernel for Marks<'static> {
    const ID: KernelId = KernelId::new(image::JOIN, 3);
}

/// Writes the results of all rows in row order if `out` has room for them. Posts the number of results to the mailbox.
/// The launch must be cooperative and have a block per 1,024 rows.
#[derive(Clone, Copy, Debug)]
pub struct MatchPacked<'a> {
    pub input: Lookup<'a>,
    pub out: MatchesOut<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(MatchPacked { input, out } scratch { mailbox });

impl OneKernel for MatchPacked<'static> {
    const ID: KernelId = KernelId::new(image::JOIN, 4);
}

/// Does the same as join\_match\_packed\_kernel, for keys that do not pack into 64 bits. The kernel also needs the keys of
/// the build side.
#[derive(Clone, Copy, Debug)]
pub struct MatchRows<'a> {
    pub input: Lookup<'a>,
    pub build: RowTable<'a, 32>,
    pub out: MatchesOut<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(MatchRows { input, build, out } scratch { mailbox });

impl OneKernel for MatchRows<'static> {
    const ID: KernelId = KernelId::new(image::JOIN, 5);
}

/// Writes the results of the selected rows and posts their number.
#[derive(Clone, Copy, Debug)]
pub struct MatchTilesPacked<'a> {
    pub input: Lookup<'a>,
    pub selected: SelectedRows<'a>,
    pub out: SingleMatches<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(MatchTilesPacked { input, selected, out } scratch { mailbox });

impl OneKernel for MatchTilesPacked<'static> {
    const ID: KernelId = KernelId::new(image::JOIN, 6);
}

/// Does the same as join\_match\_tiles\_packed\_kernel, for keys that do not pack into 64 bits. The kernel also needs the
/// keys of the build side.
#[derive(Clone, Copy, Debug)]
pub struct MatchTilesRows<'a> {
    pub input: Lookup<'a>,
    pub build: RowTable<'a, 32>,
    pub selected: SelectedRows<'a>,
    pub out: SingleMatches<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(MatchTilesRows { input, build, selected, out } scratch { mailbox });

impl OneKernel for MatchTilesRows<'static> {
    const ID: KernelId = KernelId::new(image::JOIN, 7);
}

/// Writes the results of the left rows \[first, first + left\_rows). `bits` has a bit for each right row of each left
/// row, and the bits of a left row begin with a new word. `ends` has the end of the results of each left row. The
/// outputs have room for all results.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    pub bits: In<'a, u32>,
    pub ends: In<'a, i64>,
    pub first: i64,
    pub left_rows: Rows,
    pub right_rows: Rows,
    pub lanes: i32,
    pub left_out: IndicesOut<'a>,
    pub right_out: IndicesOut<'a>,
}

arguments!(Pairs { bits, ends, first, left_rows, right_rows, lanes, left_out, right_out });

impl OneKernel for Pairs<'static> {
    const ID: KernelId = KernelId::new(image::JOIN, 8);
}

/// Looks up all rows. Posts the number of results to the mailbox.
#[derive(Clone, Copy, Debug)]
pub struct ProbePacked<'a> {
    pub input: Lookup<'a>,
    pub found: FoundRows<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(ProbePacked { input, found } scratch { mailbox });

impl OneKernel for ProbePacked<'static> {
    const ID: KernelId = KernelId::new(image::JOIN, 9);
}

/// Does the same as join\_probe\_packed\_kernel, for keys that do not pack into 64 bits. The kernel also needs the keys of
/// the build side.
#[derive(Clone, Copy, Debug)]
pub struct ProbeRows<'a> {
    pub input: Lookup<'a>,
    pub build: RowTable<'a, 32>,
    pub found: FoundRows<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(ProbeRows { input, build, found } scratch { mailbox });

impl OneKernel for ProbeRows<'static> {
    const ID: KernelId = KernelId::new(image::JOIN, 10);
}

/// Sets a bit for each key that is not null. The number of the bit is the order number of the key minus `low`. Keys
/// without one of the `count` bits are skipped. `bits` is zero before.
#[derive(Clone, Copy, Debug)]
pub struct SetBits<'a> {
    pub keys: ColumnIn<'a>,
    pub low: u64,
    pub count: u64,
    pub bits: Out<'a, u32>,
}

arguments!(SetBits { keys, low, count, bits });

impl OneKernel for SetBits<'static> {
    const ID: KernelId = KernelId::new(image::JOIN, 11);
}
