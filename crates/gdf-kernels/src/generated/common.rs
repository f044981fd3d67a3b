//! What kernels of several capabilities take.

// Written by `cargo xtask codegen` from kernels/.

use bytemuck::{Pod, Zeroable};

use crate::count::{Bytes, Rows};
use crate::pointer::{In, Out, plain};

/// Rows of more work are the warp's.
pub const BUILD_STRINGS_DETAIL_LONG_ROW: i64 = 256;

/// Rows of a tile, at least, where warps take 32 rows once: the threads of policies.
pub const BUILD_STRINGS_DETAIL_MIN_TILE: usize = 128;

/// Rows of a warp are taken 32 at a time, at most so many times.
pub const BUILD_STRINGS_DETAIL_MOST_SHARE: usize = 4;

/// Tiles, at most, whose entries scratch memory holds, with those of their groups, and the number of copies behind them.
pub const BUILD_STRINGS_DETAIL_SCRATCH_TILES: usize = 217;

/// The size of a row that is not known yet; no memory has so many elements.
pub const BUILD_STRINGS_DETAIL_UNKNOWN_SIZE: u64 = 0x10000000000;

/// The total where a functor gave up: no elements, and yet a byte.
pub const BUILD_STRINGS_DETAIL_UNLISTED: u64 = 0x1;

/// Characters of a block, as a power of two.
pub const CHARACTER_TYPES_BLOCK_BITS: usize = 6;

/// Number of blocks of characters.
pub const CHARACTER_TYPES_LEADS: usize = 4081;

/// Where scratch memory counts them.
pub const COPY_LIST_DETAIL_COUNT_SLOT: usize = 447;

/// Of a piece.
pub const COPY_LIST_DETAIL_MAX_PIECE: i64 = 16384;

/// Fewer bytes a warp copies.
pub const COPY_LIST_DETAIL_MIN_SIZE: i64 = 4096;

/// A column that a kernel reads. `data`, `offsets`, `validity` are the base addresses; row r lies at
/// index `offset + r` of each. A null `validity` means that every row is valid.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ColumnIn<'a> {
    pub data: In<'a, u8>,
    pub offsets: In<'a, u8>,
    pub validity: In<'a, u8>,
    pub offset: i64,
    pub length: i64,
    pub data_type: i32,
    pub flags: i32,
}

plain!(ColumnIn { data, offsets, validity, offset, length, data_type, flags });

const _: () = assert!(size_of::<ColumnIn>() == 48 && align_of::<ColumnIn>() == 8);

/// A column that a kernel writes, from row (and bit) 0. `validity` is 64-byte aligned, or null when
/// the result has no mask; then `null_count` is null too.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ColumnOut<'a> {
    pub data: Out<'a, u8>,
    pub offsets: Out<'a, u8>,
    pub validity: Out<'a, u32>,
    pub null_count: Out<'a, u64>,
    pub length: i64,
    pub data_type: i32,
    pub flags: i32,
}

plain!(ColumnOut { data, offsets, validity, null_count, length, data_type, flags });

const _: () = assert!(size_of::<ColumnOut>() == 48 && align_of::<ColumnOut>() == 8);

/// How a column is copied.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct CopyDescriptor {
    /// copy\_strings: length of the character buffer; copy\_any\_width: width of a row
    pub bytes: Bytes,
    /// a width or a copy\_kind
    pub kind: i32,
    /// position of the struct around it whose nulls are nulls here too, or -1
    pub parent: i32,
    /// copy\_strings: which of the arrays of tile sums is its own
    pub slot: i32,
    /// copy\_strings: which word of the mailbox takes its number of bytes
    pub word: i32,
}

const _: () = assert!(size_of::<CopyDescriptor>() == 24 && align_of::<CopyDescriptor>() == 8);

/// What there is to move of a column besides its validity; a positive number is a width in bytes (1,
/// 2, 4, 8, 16, 32) of rows aligned to min(width, 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum CopyKind {
    /// a boolean column
    Bits = 0,
    /// offsets and bytes
    Strings = -1,
    /// nothing
    Validity = -2,
    /// rows of any width at any alignment
    AnyWidth = -3,
    /// not a column of the result: its validity is that of a struct around others
    Mask = -4,
}

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct CopySpansSource<'a> {
    pub text: TextIn<'a>,
    /// of the rows that the spans are of; null: `each` of every row, the first ones of all rows first
    pub offsets: In<'a, i32>,
    /// null: the rows of the text are these
    pub spans: In<'a, TextSpan>,
    /// of all
    pub count: i64,
    /// -1: a row for each span; else a row for each row, which has that span of it
    pub nth: i64,
    /// that the spans are of
    pub rows: Rows,
    pub each: i64,
}

plain!(CopySpansSource { text, offsets, spans, count, nth, rows, each });

const _: () = assert!(size_of::<CopySpansSource>() == 104 && align_of::<CopySpansSource>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct CopyTable {
    pub column: [CopyDescriptor; 32],
}

const _: () = assert!(size_of::<CopyTable>() == 768 && align_of::<CopyTable>() == 8);

/// The size of what has more elements, or as many: a row, a tile, or a column. No memory has so many, and 2^13 such sizes can be added.
pub const ENDLESS_SIZE: u64 = 0x4000000000000;

pub const EXCLUDE_NANS: i32 = 2;

pub const EXCLUDE_NULLS: i32 = 1;

/// `column_in::flags` and `column_out::flags`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Flags {
    /// the one row at `offset` stands for every row
    Broadcast = 1,
    /// `offsets` holds int64\_t, not int32\_t
    WideOffsets = 2,
}

/// of a place among the grouped rows, beside numbers of rows
pub const GROUPED_FLAG: u32 = 0x80000000;

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct GroupSlot {
    pub word: u64,
    pub id: u32,
    pub unused: u32,
}

const _: () = assert!(size_of::<GroupSlot>() == 16 && align_of::<GroupSlot>() == 8);

/// What is known of the groups while and after they are made; device memory.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct GroupState {
    pub groups: u64,
    /// nonzero: there were more than there is room for, nothing else counts
    pub overflow: u64,
    /// rows
    pub seen: u64,
    /// groupby: a bit for each spread of which some group has lost digits
    pub spreads: u64,
}

const _: () = assert!(size_of::<GroupState>() == 32 && align_of::<GroupState>() == 8);

/// `slots` has mask + 1 slots, a power of two, and two more: for the key of all ones, for a null.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct GroupTable<'a> {
    pub slots: Out<'a, GroupSlot>,
    pub mask: u64,
    pub state: Out<'a, GroupState>,
    /// of each group, some row that has its key
    pub first_row: Out<'a, u64>,
    /// groups
    pub capacity: u64,
}

plain!(GroupTable { slots, mask, state, first_row, capacity });

const _: () = assert!(size_of::<GroupTable>() == 40 && align_of::<GroupTable>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct HashedColumn<'a> {
    pub column: ColumnIn<'a>,
    /// hashed\_strings: length of the character buffer; hashed\_bytes: width of a row
    pub bytes: Bytes,
    /// a width or a hashed\_kind
    pub kind: i32,
    /// hashed\_dictionary
    pub values: i32,
}

plain!(HashedColumn { column, bytes, kind, values });

const _: () = assert!(size_of::<HashedColumn>() == 64 && align_of::<HashedColumn>() == 8);

/// How the elements of a column are had; a positive number is a width in bytes (1, 2, 4, 8, 16, 32).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum HashedKind {
    Bits = 0,
    /// offsets and bytes
    Strings = -1,
    /// rows of `bytes` bytes at any alignment
    Bytes = -2,
    /// column.type is that of the keys, the values stand in slot `values`
    Dictionary = -3,
    /// all null
    Nothing = -4,
}

/// Columns whose rows are hashed as a whole, by value in the parameter block. Values of dictionaries
/// stand behind the first `count`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct HashedTable<'a, const N: usize> {
    pub column: [HashedColumn<'a>; N],
    /// columns of the rows
    pub count: i32,
    /// all of them are booleans or of up to 8 bytes
    pub narrow: i32,
}

impl<const N: usize> Default for HashedTable<'_, N> {
    fn default() -> Self {
        Self { column: [HashedColumn::default(); N], count: 0, narrow: 0 }
    }
}

/// 256-bit two's complement integer, least significant word first (Arrow's Decimal256 bytes).
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct I256 {
    pub word: [u64; 4],
}

const _: () = assert!(size_of::<I256>() == 32 && align_of::<I256>() == 8);

pub const INCLUSIVE_PREFIX: u64 = 0x2;

pub const KEY_COLUMNS: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct KeySlot {
    /// empty\_word while it is free
    pub word: u64,
    /// the row that has it (~0: that of the word); a key of several: grouped\_flag and its first place
    /// among the grouped rows
    pub first: u32,
    /// of a key of several rows, how many; else 0
    pub count: u32,
}

const _: () = assert!(size_of::<KeySlot>() == 16 && align_of::<KeySlot>() == 8);

/// By value in the parameter block; mirrored by the host.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct KeyTable<'a> {
    /// `size` and two more: for the key of all ones, for a null without a bit
    pub slots: Out<'a, KeySlot>,
    pub size: i64,
    pub state: Out<'a, KeyTableState>,
    /// type number of the one column whose values may be indices, -1 if there is none
    pub direct: i32,
    /// its null bit, or no\_bit
    pub null_bit: i32,
    /// of a direct table: the words in memory of a table of slots, or of a larger one
    pub indices: i64,
}

plain!(KeyTable { slots, size, state, direct, null_bit, indices });

const _: () = assert!(size_of::<KeyTable>() == 40 && align_of::<KeyTable>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct KeyTableState {
    /// order number of entry 0
    pub low: u64,
    /// of a direct table, the one for nulls at its end included; 0: it is a hash table
    pub entries: u64,
    /// some key has several rows, and they are grouped
    pub duplicates: u64,
    /// so many of them, of a hash table
    pub grouped: u64,
}

const _: () = assert!(size_of::<KeyTableState>() == 32 && align_of::<KeyTableState>() == 8);

/// Texts of so many bytes are read by aligned words, eight of which are under way.
pub const LONG_TEXT_BYTES: i64 = 128;

/// Characters of a block, as a power of two.
pub const LOWER_CASE_BLOCK_BITS: usize = 6;

pub const LOWER_CASE_CONTEXTS: usize = 1184;

/// Mappings from here on are characters, those before distances.
pub const LOWER_CASE_FIRST_LONG: usize = 84;

/// Number of blocks of characters.
pub const LOWER_CASE_LEADS: usize = 1957;

/// A copy that is listed.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct LongCopy<'a> {
    pub from: In<'a, u8>,
    pub to: Out<'a, u8>,
    pub size: i64,
}

plain!(LongCopy { from, to, size });

const _: () = assert!(size_of::<LongCopy>() == 24 && align_of::<LongCopy>() == 8);

pub const MAP_BYTES_DETAIL_MOST_CHARACTERS: usize = 256;

/// Bytes of staged text of which a warp looks up the other characters at a time, and how many these are at most.
pub const MAP_BYTES_DETAIL_PIECE_BYTES: usize = 512;

/// Bytes of a long row that a lane takes at a time.
pub const MAP_STRINGS_DETAIL_WINDOW: i64 = 32;

pub const MAX_PARTS: usize = 256;

pub const NO_BIT: usize = 255;

/// the row is dropped
pub const NO_PART: usize = 256;

/// The parameters of functors that need none.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct NoParameters {
    pub unused: i64,
}

const _: () = assert!(size_of::<NoParameters>() == 8 && align_of::<NoParameters>() == 8);

/// of dynamic shared memory
pub const PIPELINE_BYTES: usize = 221184;

/// of 16 bytes that a lane has: an odd number, so that lanes use different banks
pub const PIPELINE_PIECES: usize = 9;

pub const PIPELINE_STAGES: usize = 6;

/// of static shared memory, at most
pub const PIPELINE_STATE_BYTES: usize = 8192;

/// rows
pub const PIPELINE_TILE: usize = 4608;

/// that sum, and as many that scan
pub const PIPELINE_WARPS: usize = 8;

/// What the two launches share.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct PartPlan<'a> {
    /// a word per part and block, those of a part next to each other
    pub counts: Out<'a, u64>,
    /// of each part the first place, and behind them the number of places
    pub begins: Out<'a, u64>,
    /// a power of two, 2 to max\_parts
    pub parts: i32,
    /// of the bits of a hash that tell the part
    pub shift: i32,
}

plain!(PartPlan { counts, begins, parts, shift });

const _: () = assert!(size_of::<PartPlan>() == 24 && align_of::<PartPlan>() == 8);

/// Blocks whose partial results fit scratch memory.
pub const REDUCE_MAX_BLOCKS: usize = 1280;

/// Words of a partial result: up to 4 of value, one of count, one unused.
pub const REDUCE_PARTIAL_WORDS: usize = 6;

/// The ticket of reductions.
pub const REDUCE_TICKET: usize = 40;

/// The first two states of a DFA: from one nothing matches any more, in the other it gives up.
pub const REGEX_DETAIL_DEAD: u32 = 0x0;

pub const REGEX_DETAIL_FROM_END: u32 = 0xfe;

/// Where a move takes a position from that is in no register: the byte at hand, the end of the match; or there is none.
pub const REGEX_DETAIL_FROM_NOW: u32 = 0xff;

pub const REGEX_DETAIL_FROM_NOWHERE: u32 = 0xfd;

pub const REGEX_DETAIL_GAVE_UP: i64 = -2;

/// Bytes before a chunk from which its state is guessed.
pub const REGEX_DETAIL_LEAD: i64 = 48;

pub const REGEX_DETAIL_MATCHES_BIT: u32 = 0x100000;

/// Of a move that another follows.
pub const REGEX_DETAIL_MORE_MOVES: u32 = 0x10000;

/// Words of a table that is brought to shared memory.
pub const REGEX_DETAIL_NEAR_WORDS: usize = 2048;

/// Of an entry of a tagged DFA: where the next state begins, and whether a match ends before the byte. The rest is where moves begin.
pub const REGEX_DETAIL_NEXT_BITS: u32 = 0x14;

pub const REGEX_DETAIL_NONE: i64 = -1;

pub const REGEX_DETAIL_QUIT: u32 = 0x1;

/// Registers of a thread; the last serves to exchange others.
pub const REGEX_DETAIL_REGISTERS: usize = 32;

/// What the first state of a DFA depends on: the byte before the search, or, behind those, that there is none.
pub const REGEX_DETAIL_START_COUNT: usize = 257;

/// A search would go on past the chunk, and finds what one finds that begins with the next chunk.
pub const REGEX_DETAIL_UNDECIDED: i64 = -3;

/// What a search says of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum RegexAnswer {
    /// whether there is a match, as a boolean
    Contains = 0,
    /// whether there is one that begins with the row, as a boolean
    Matches = 1,
    /// the number of matches, of 32 bits
    Count = 2,
    /// the character at which the first match begins, -1 without one, of 32 bits
    Find = 3,
}

/// What a state of the NFA does: the lowest byte of its first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum RegexDetailStateKind {
    /// takes a character from `a` to `b`
    Range = 0,
    /// takes a character of the `b` ranges from `a` on
    Set = 1,
    /// goes to `next`, and to `a` if that leads nowhere
    Split = 2,
    /// goes on where the look-around of number `a` holds
    Look = 3,
    /// writes the position to slot `a`
    Save = 4,
    /// the end of a match
    Match = 5,
}

/// A table of 16-bit states: 0 is dead, 1 gives up, those from `first_match` on say that a match ended before the last byte.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct RegexDfa<'a> {
    /// of the 256 bytes; the class after the last is the end of the text
    pub classes: In<'a, u8>,
    /// unanchored, then anchored, by the byte before; 256: there is none
    pub starts: In<'a, u16>,
    pub next: In<'a, u16>,
    pub stride: i32,
    pub first_match: i32,
}

plain!(RegexDfa { classes, starts, next, stride, first_match });

const _: () = assert!(size_of::<RegexDfa>() == 32 && align_of::<RegexDfa>() == 8);

/// A pattern on the device.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct RegexPattern<'a> {
    /// without a table: there is no DFA
    pub forward: RegexDfa<'a>,
    pub reverse: RegexDfa<'a>,
    /// of the tags that are wanted
    pub tagged: TaggedDfa<'a>,
    pub states: In<'a, RegexState>,
    /// pairs: first and last character
    pub ranges: In<'a, u32>,
    /// of the NFA: interleaved by the threads of a block, `words` for each; null where it is not needed
    pub memory: Out<'a, u32>,
    pub words: i32,
    pub state_count: i32,
    pub start: i32,
    /// states that a list may hold
    pub waiting: i32,
    pub groups: i32,
    /// \w among the ranges
    pub first_word_range: i32,
    pub word_ranges: i32,
}

const _: () = assert!(size_of::<RegexPattern>() == 152 && align_of::<RegexPattern>() == 8);

/// A state of the NFA.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct RegexState {
    pub kind: u32,
    pub a: u32,
    pub b: u32,
    pub next: u32,
}

const _: () = assert!(size_of::<RegexState>() == 16 && align_of::<RegexState>() == 4);

/// The key columns, and how a row of them packs into 64 bits if that is possible: column c's bits from
/// bit shift\[c\] on, and a bit null\_bit\[c\] that is set where it is null.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct RowKeys<'a> {
    pub rows: RowTable<'a, 32>,
    pub shift: [u8; 32],
    pub null_bit: [u8; 32],
    /// bits of a ranged column's distance
    pub width: [u8; 32],
    /// which rows take no part: exclude\_nulls, exclude\_nans
    pub exclude: i32,
    /// the only column takes all 64 bits: a null is special 2
    pub special_null: i32,
    /// what is taken from the order number of a ranged column's value
    pub base: [u64; 32],
    /// a bit per column: its bits are its distance from `base`
    pub ranged: u32,
    pub unused: u32,
}

const _: () = assert!(size_of::<RowKeys>() == 2168 && align_of::<RowKeys>() == 8);

/// Columns whose rows are compared as a whole, by value in the parameter block.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct RowTable<'a, const N: usize> {
    pub column: [ColumnIn<'a>; N],
    /// strings and binary: length of the character buffer
    pub bytes: [Bytes; N],
    /// columns in use
    pub count: i32,
    pub unused: i32,
}

impl<const N: usize> Default for RowTable<'_, N> {
    fn default() -> Self {
        Self { column: [ColumnIn::default(); N], bytes: [Bytes::ZERO; N], count: 0, unused: 0 }
    }
}

/// tiles of a group, groups of a span
pub const SCAN_GROUP: usize = 32;

pub const SCAN_LAST_SLOT: usize = 32;

/// which tile is next
pub const SCAN_TILE_SLOT: usize = 33;

/// A stream's scratch memory, and how much of it, from its start, is zero between operations; the rest holds anything.
pub const SCRATCH_BYTES: usize = 65536;

pub const SCRATCH_ZEROED_BYTES: usize = 4096;

/// Words of it that operations may use, as long as they are zero again afterwards.
pub const SCRATCH_ZEROED_WORDS: usize = 448;

/// The tickets of segmented reductions: of the barrier, of its end.
pub const SEGMENTED_TICKET: usize = 42;

/// Rows of more bytes are read where they lie: they are not for one thread.
pub const STAGED_TEXT_DETAIL_LONG_ROW: i64 = 1024;

/// How many bytes past `p` the words that load8 reads may reach, whatever the alignment.
pub const STRING_DETAIL_REACH: usize = 11;

/// What the host says about a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum ScanModes {
    Exclusive = 1,
    /// everything from the first null on is null
    Spread = 2,
    /// the minimum, not the maximum; all, not any
    Second = 4,
    /// null rows count, too
    AllRows = 8,
    /// no row counts
    NoRows = 16,
}

/// Where an operation's rows come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum ScanSource {
    /// as they are stored
    Values = 0,
    /// their row numbers
    Numbers = 1,
    /// the same, the last row being 0 and the first one scanned
    NumbersFromEnd = 2,
    /// every row that counts is one
    Ones = 3,
}

/// What the host says about a segmented reduction.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct SegmentedPlan<'a> {
    /// for each segment a value and a count: segmented\_words of the operation
    pub complete: Out<'a, u64>,
    /// for each tile
    pub heads: Out<'a, u64>,
    /// for each tile
    pub tails: Out<'a, u64>,
    /// a multiple of 32
    pub tile_rows: Rows,
    /// a segment's result is null unless more rows than these are valid
    pub fewest: i64,
    /// with a null row, too
    pub spread: i64,
}

plain!(SegmentedPlan { complete, heads, tails, tile_rows, fewest, spread });

const _: () = assert!(size_of::<SegmentedPlan>() == 48 && align_of::<SegmentedPlan>() == 8);

pub const TILE_AGGREGATE: u64 = 0x1;

/// Characters of a block, as a power of two.
pub const TITLE_CASE_BLOCK_BITS: usize = 6;

/// Mappings from here on are characters, those before distances.
pub const TITLE_CASE_FIRST_LONG: usize = 99;

/// Number of blocks of characters.
pub const TITLE_CASE_LEADS: usize = 1958;

/// Columns read together; the launch uses the first gridDim.y (or a count it is passed).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct TableIn<'a, const N: usize> {
    pub column: [ColumnIn<'a>; N],
}

impl<const N: usize> Default for TableIn<'_, N> {
    fn default() -> Self {
        Self { column: [ColumnIn::default(); N] }
    }
}

/// Columns written together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct TableOut<'a, const N: usize> {
    pub column: [ColumnOut<'a>; N],
}

impl<const N: usize> Default for TableOut<'_, N> {
    fn default() -> Self {
        Self { column: [ColumnOut::default(); N] }
    }
}

/// A tagged DFA, see crates/gdf-engine/src/regex/tagged\_dfa.rs.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct TaggedDfa<'a> {
    /// null: there is none
    pub table: In<'a, u32>,
    /// of the table
    pub words: i32,
    pub stride: i32,
    /// where these begin
    pub transitions: i32,
    pub moves: i32,
    /// whether some text makes it give up
    pub quits: i32,
    /// the first state of unanchored searches where it is always the same, else 0
    pub start: i32,
}

plain!(TaggedDfa { table, words, stride, transitions, moves, quits, start });

const _: () = assert!(size_of::<TaggedDfa>() == 32 && align_of::<TaggedDfa>() == 8);

/// The part of a long row that begins in these bytes of the character buffer, or, of the row's first chunk, before them. Where a
/// regular expression is searched, a state of the chain is 2 \* from, and 1 more if a match ended at `from`, where the next search
/// begins; or `undecided`. Where a text is searched, a chunk has an exit and a last match alone, and its matches are -1, once linked 0. Chunks
/// of a row whose first chunk is another's, as malformed offsets may have it, are never linked.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct TextChunk {
    /// -1: the first byte of the chunk is not of a long row
    pub row: i64,
    /// the state where the chunk begins
    pub entry: i64,
    /// the state where it ends, or its size; once linked, of the first chunk what the row has in all
    pub exit: i64,
    /// where the search began that is undecided where the chunk ends; once linked, where it begins
    pub floor: i64,
    /// where the last match in the chunk ended; once linked, the last before it; -1: there is none
    pub last: i64,
    /// ~ their number; once linked, how many are before the chunk
    pub matches: i64,
}

const _: () = assert!(size_of::<TextChunk>() == 48 && align_of::<TextChunk>() == 8);

/// The chunks of a column.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct TextChunks<'a> {
    /// and one more; null: they are not searched yet
    pub chunks: Out<'a, TextChunk>,
    pub count: i64,
    /// rows of more bytes are long, no fewer than a chunk has
    pub longest: i64,
    /// where not 0: there are long rows if it is the last one's `row`, which is not initialized
    pub token: i64,
    /// chunks have 1 \<\< shift bytes
    pub shift: i64,
}

plain!(TextChunks { chunks, count, longest, token, shift });

const _: () = assert!(size_of::<TextChunks>() == 40 && align_of::<TextChunks>() == 8);

/// A column, and the length of its character buffer where it is text.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct TextIn<'a> {
    pub column: ColumnIn<'a>,
    pub bytes: Bytes,
}

plain!(TextIn { column, bytes });

const _: () = assert!(size_of::<TextIn>() == 56 && align_of::<TextIn>() == 8);

/// Bytes of a character buffer; null where `size` is negative.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct TextSpan {
    pub begin: i64,
    pub size: i64,
}

const _: () = assert!(size_of::<TextSpan>() == 16 && align_of::<TextSpan>() == 8);

/// How tiles of rows find where their elements begin.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct TileCounts<'a> {
    /// zero, two for each tile; null: those of scratch memory
    pub entries: Out<'a, u64>,
    /// elements for which the output has memory
    pub capacity: i64,
    /// times that a warp takes 32 rows
    pub share: i32,
    /// whether sizes are among the offsets
    pub sized: i32,
    /// of lists, the offsets of their elements
    pub elements: Out<'a, u8>,
    /// for which these have memory
    pub most_elements: i64,
    /// the first of two launches takes one of so many tiles
    pub every: i64,
    /// a list of copies that another launch makes; null: there is none
    pub copies: Out<'a, LongCopy<'a>>,
    /// for which there is memory
    pub most_copies: i64,
}

plain!(TileCounts { entries, capacity, share, sized, elements, most_elements, every, copies, most_copies });

const _: () = assert!(size_of::<TileCounts>() == 64 && align_of::<TileCounts>() == 8);

/// Physical types; the numbers are mirrored by the Rust descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Type {
    /// bit-packed, least significant bit first
    Boolean = 0,
    I8 = 1,
    I16 = 2,
    I32 = 3,
    I64 = 4,
    U8 = 5,
    U16 = 6,
    U32 = 7,
    U64 = 8,
    F16 = 9,
    F32 = 10,
    F64 = 11,
    I128 = 12,
    I256 = 13,
    /// the width is a kernel parameter
    FixedBinary = 14,
    /// offsets (flag wide\_offsets: 64-bit) and bytes
    String = 15,
    /// as string, any bytes
    Binary = 16,
    /// offsets; the child is a column of its own
    List = 17,
    /// validity only
    Structure = 18,
    /// `data` holds keys; the kernel is told their type
    Dictionary = 19,
    /// 16-byte views
    StringView = 20,
    /// 16-byte views
    BinaryView = 21,
    /// 8 bytes: days, milliseconds
    IntervalDayTime = 22,
    /// 16 bytes: months, days, nanoseconds
    IntervalMonthDayNano = 23,
    /// no buffers
    Null = 24,
}

/// Characters of a block, as a power of two.
pub const UPPER_CASE_BLOCK_BITS: usize = 6;

/// Mappings from here on are characters, those before distances.
pub const UPPER_CASE_FIRST_LONG: usize = 99;

/// Number of blocks of characters.
pub const UPPER_CASE_LEADS: usize = 1958;

/// windows of as many rows are read row by row
pub const WINDOW_DIRECT: usize = 32;

/// units of a group: a warp's
pub const WINDOW_GROUP: usize = 32;

/// the same, for windows that a warp takes together
pub const WINDOW_TILE: usize = 128;

/// rows of a unit of the first level
pub const WINDOW_UNIT: usize = 8;

/// rows that a warp does of windows of more than a unit
pub const WINDOW_WARP: usize = 256;

/// What bounds windows of row i beside the numbers of rows before and after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum WindowBound {
    /// nothing
    Open = 0,
    /// row i of a column says how many rows before it (with itself), or after it; null: an empty window
    Relative = 1,
    /// row i of a column is the first row
    First = 2,
    /// row i of a column is the last row
    Last = 3,
    /// row i of a column is the row behind the last one
    End = 4,
}

/// The windows of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct WindowPlan {
    /// rows before a row, itself among them; at most one more than there are rows, likewise negative
    pub preceding: i64,
    /// rows after it
    pub following: i64,
    pub min_periods: i64,
    /// window\_bound of the column `lower`
    pub lower: i32,
    /// and of `upper`
    pub upper: i32,
    /// how many there are memory and values of
    pub levels: i32,
    pub operation: i32,
    pub outcome: i32,
    pub ddof: i32,
}

const _: () = assert!(size_of::<WindowPlan>() == 48 && align_of::<WindowPlan>() == 8);
