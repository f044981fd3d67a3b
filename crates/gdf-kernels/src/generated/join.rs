//! Kernels of kernels/join.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

pub const MAX_PARTS: usize = 1024;

/// What reading a tile of rows costs, in results that are written.
pub const TILE_COST: i64 = 2048;

/// Which rows result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Kind {
    Inner = 0,
    Left = 1,
    Semi = 2,
    Anti = 3,
    /// rows of the build side that no row has matched
    Unmatched = 4,
}

/// What is known of each row: where its matches begin and, where keys can have several rows, how many
/// they are, of keys with grouped rows. `starts` is null when only the size is wanted. `marks`, if not null, has a byte per row
/// of the build side, zero before, for the first row of each key that is met; rows of kind `unmatched` are those of the build
/// side, and each without a mark is its own match. First positions of tiles of 2,048 rows go to `tile_counts`, a word for each
/// of `tiles`.
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

/// Numbers of rows that are written: 32 or 64 bits wide.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct IndicesOut<'a> {
    /// null: not wanted
    pub first: Out<'a, u8>,
    pub wide: i32,
    pub unused: i32,
}

plain!(IndicesOut { first, wide, unused });

const _: () = assert!(size_of::<IndicesOut>() == 16 && align_of::<IndicesOut>() == 8);

/// Rows that are looked up in a table of keys of the same types.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Lookup<'a> {
    pub keys: RowKeys<'a>,
    pub table: KeyTable<'a>,
    pub rows: Rows,
    /// the rows of keys that have several
    pub grouped: In<'a, u32>,
    pub kind: i32,
    pub unused: i32,
}

const _: () = assert!(size_of::<Lookup>() == 2232 && align_of::<Lookup>() == 8);

/// Where results go, at most `capacity`.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct MatchesOut<'a> {
    pub left: IndicesOut<'a>,
    pub right: IndicesOut<'a>,
    pub capacity: i64,
}

plain!(MatchesOut { left, right, capacity });

const _: () = assert!(size_of::<MatchesOut>() == 40 && align_of::<MatchesOut>() == 8);

/// What is made of the build side besides the table. Rows have a number in the order in which they are inserted: that of the
/// rows, or that of the table.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct RowLists<'a> {
    /// the rows of keys that have several, by key; null for a set: then nobody asks which rows have a key
    pub grouped: Out<'a, u32>,
    /// a bit per number: the key was there before; null for a set
    pub found: Out<'a, u32>,
    /// of these numbers, the key's slot, and above it how many rows of the key came before
    pub places: Out<'a, u64>,
    /// not null where the order is that of the table: by number, the row as a slot; its count is not 0
    /// where the key has a slot of its own
    pub ordered: Out<'a, KeySlot>,
    /// in that order, a bit per number: the row did not get into its region
    pub late: Out<'a, u32>,
    /// of numbers of slots within a region
    pub region_bits: i32,
    pub unused: i32,
}

plain!(RowLists { grouped, found, places, ordered, late, region_bits, unused });

const _: () = assert!(size_of::<RowLists>() == 48 && align_of::<RowLists>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "join_build_packed_kernel", unit: 0, policy: Policy::new(1024, 4, 1) },
    KernelInfo { symbol: "join_build_rows_kernel", unit: 0, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "join_emit_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "join_match_packed_kernel", unit: 2, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "join_match_rows_kernel", unit: 2, policy: Policy::new(1024, 1, 1) },
    KernelInfo { symbol: "join_probe_packed_kernel", unit: 3, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "join_probe_rows_kernel", unit: 3, policy: Policy::new(256, 8, 5) },
];

/// The table of `rows` rows, fewer than 2^31, of at least twice as many slots. Of `out`, grouped and found are both null, or
/// have a number and a bit per row, as then have places; ordered is null, or has a slot per row, as then have late, of bits, and
/// places where keys do not pack; dynamic shared memory is then that of insert\_by\_region. A cooperative launch.
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
    /// The table of `rows` rows, fewer than 2^31, of at least twice as many slots. Of `out`, grouped and found are both null, or
    /// have a number and a bit per row, as then have places; ordered is null, or has a slot per row, as then have late, of bits, and
    /// places where keys do not pack; dynamic shared memory is then that of insert\_by\_region. A cooperative launch.
    Packed,
    /// As join\_build\_packed, by keys that do not pack into 64 bits.
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

/// Writes `total` results of `rows` rows, for which the outputs have room. `starts`, `positions` of `tiles` tiles, and
/// `counts` as the probing launch left them, counts only with `duplicates` of the table, of keys with grouped rows; `grouped` are the rows of keys
/// that have several.
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

/// The results of all rows, in their order, if there are no more of them than `out` has room for; how many there are
/// goes to the mailbox. A cooperative launch of a block per 1,024 rows.
#[derive(Clone, Copy, Debug)]
pub struct MatchPacked<'a> {
    pub input: Lookup<'a>,
    pub out: MatchesOut<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(MatchPacked { input, out } scratch { mailbox });

impl OneKernel for MatchPacked<'static> {
    const ID: KernelId = KernelId::new(image::JOIN, 3);
}

/// As join\_match\_packed, by keys that do not pack into 64 bits: those of the build side are needed too.
#[derive(Clone, Copy, Debug)]
pub struct MatchRows<'a> {
    pub input: Lookup<'a>,
    pub build: RowTable<'a, 32>,
    pub out: MatchesOut<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(MatchRows { input, build, out } scratch { mailbox });

impl OneKernel for MatchRows<'static> {
    const ID: KernelId = KernelId::new(image::JOIN, 4);
}

/// Looks all rows up. The number of results goes to the mailbox.
#[derive(Clone, Copy, Debug)]
pub struct ProbePacked<'a> {
    pub input: Lookup<'a>,
    pub found: FoundRows<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(ProbePacked { input, found } scratch { mailbox });

impl OneKernel for ProbePacked<'static> {
    const ID: KernelId = KernelId::new(image::JOIN, 5);
}

/// As join\_probe\_packed, by keys that do not pack into 64 bits: those of the build side are needed too.
#[derive(Clone, Copy, Debug)]
pub struct ProbeRows<'a> {
    pub input: Lookup<'a>,
    pub build: RowTable<'a, 32>,
    pub found: FoundRows<'a>,
    pub mailbox: Out<'a, u64>,
}

arguments!(ProbeRows { input, build, found } scratch { mailbox });

impl OneKernel for ProbeRows<'static> {
    const ID: KernelId = KernelId::new(image::JOIN, 6);
}
