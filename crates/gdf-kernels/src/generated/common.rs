//! Types that kernels of several capabilities take as arguments.

// Written by `cargo xtask codegen` from kernels/.

use bytemuck::{Pod, Zeroable};

use crate::count::{Bytes, Rows};
use crate::pointer::{In, Out, plain};

pub const BUILD_STRINGS_DETAIL_LANE_BYTES: i64 = 32;

/// The whole warp handles a row with more work than this.
pub const BUILD_STRINGS_DETAIL_LONG_ROW: i64 = 256;

/// The smallest number of rows of a tile. Such a tile has four warps, and each warp has 32 rows.
pub const BUILD_STRINGS_DETAIL_MIN_TILE: usize = 128;

pub const BUILD_STRINGS_DETAIL_MOST_SHARE: usize = 4;

/// The greatest number of tiles whose entries fit in scratch memory.
///
/// The entries of the groups and spans of these tiles follow the entries of the tiles. The number of copies comes last.
pub const BUILD_STRINGS_DETAIL_SCRATCH_TILES: usize = 217;

/// The size that stands for the unknown size of a row.
pub const BUILD_STRINGS_DETAIL_UNKNOWN_SIZE: u64 = 0x10000000000;

/// The total that is posted if a functor has given up. As a total, it would mean one byte and no elements, so no lists
/// have this total.
pub const BUILD_STRINGS_DETAIL_UNLISTED: u64 = 0x1;

/// The binary logarithm of the number of characters of a block.
pub const CHARACTER_TYPES_BLOCK_BITS: usize = 6;

/// The number of elements of `lead`. Characters of later blocks have no types.
pub const CHARACTER_TYPES_LEADS: usize = 4081;

/// The word of zeroed scratch memory in which listed copies are counted.
pub const COPY_LIST_DETAIL_COUNT_SLOT: usize = 447;

/// The maximum number of bytes of a piece.
pub const COPY_LIST_DETAIL_MAX_PIECE: i64 = 16384;

/// The minimum size of a listed copy. A warp makes smaller copies itself.
pub const COPY_LIST_DETAIL_MIN_SIZE: i64 = 4096;

/// A column that a kernel reads. Row r lies at index `offset + r` of each buffer. A null `validity` means that every
/// row is valid.
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

/// A column that a kernel writes, from row (and bit) 0. `validity` is 64-byte aligned. If the result has no mask,
/// `validity` and `null_count` are null.
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

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct CopyDescriptor {
    /// copy\_strings: length of the character buffer; copy\_any\_width: width of a row
    pub bytes: Bytes,
    /// a copy\_kind, or the width of a row
    pub kind: i32,
    /// position of the enclosing struct, whose nulls are also nulls of this column; or -1
    pub parent: i32,
    /// copy\_strings: the number of the column's array of tile sums
    pub slot: i32,
    /// copy\_strings: the word of the mailbox that receives the column's number of bytes
    pub word: i32,
}

const _: () = assert!(size_of::<CopyDescriptor>() == 24 && align_of::<CopyDescriptor>() == 8);

/// The data of a column that is moved besides the validity.
///
/// A positive number is a width in bytes (1, 2, 4, 8, 16, 32).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum CopyKind {
    /// a boolean column
    Bits = 0,
    /// offsets and bytes
    Strings = -1,
    /// no data besides validity
    Validity = -2,
    /// rows of any width at any alignment
    AnyWidth = -3,
    /// the validity of a struct around other columns, which is not a column of the result
    Mask = -4,
}

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct CopySpansSource<'a> {
    pub text: TextIn<'a>,
    /// per row, the first span; if null, `spans` has the first spans of all rows first
    pub offsets: In<'a, i32>,
    /// if null, the rows of the text are the spans
    pub spans: In<'a, TextSpan>,
    /// the number of all spans
    pub count: i64,
    /// -1: a result row for each span; else a result row for span `nth` of each row
    pub nth: i64,
    /// the number of rows that have the spans
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

/// The size that stands for all greater sizes of a row, a tile, or a column.
///
/// No memory has this number of elements. 2^13 such sizes can be added without overflow.
pub const ENDLESS_SIZE: u64 = 0x4000000000000;

/// A direct table marks the entries that have keys if it has at least this many entries for each row. Most lookups of a
/// selective join then read no entry, only a bit that stays in the cache.
pub const ENTRIES_PER_MARKED_ROW: u64 = 0x8;

pub const EXCLUDE_NANS: i32 = 2;

pub const EXCLUDE_NULLS: i32 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Flags {
    /// the single row at `offset` stands for every row
    Broadcast = 1,
    /// `offsets` holds int64\_t, not int32\_t
    WideOffsets = 2,
}

/// marks a place among the grouped rows; row numbers are smaller
pub const GROUPED_FLAG: u32 = 0x80000000;

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct GroupSlot {
    pub word: u64,
    pub id: u32,
    pub unused: u32,
}

const _: () = assert!(size_of::<GroupSlot>() == 16 && align_of::<GroupSlot>() == 8);

/// The state of the groups during and after their construction, in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct GroupState {
    pub groups: u64,
    /// nonzero if there are more groups than the capacity; all other members are then invalid
    pub overflow: u64,
    /// the number of rows seen
    pub seen: u64,
    /// groupby: bit s is set if spread s has lost digits of some group
    pub spreads: u64,
}

const _: () = assert!(size_of::<GroupState>() == 32 && align_of::<GroupState>() == 8);

/// A table of groups. `slots` has a power of two of slots, mask + 1.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct GroupTable<'a> {
    pub slots: Out<'a, GroupSlot>,
    pub mask: u64,
    pub state: Out<'a, GroupState>,
    /// for each group, a row that has the key of the group
    pub first_row: Out<'a, u64>,
    /// the greatest number of groups
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
    /// a hashed\_kind, or the width of a row
    pub kind: i32,
    /// hashed\_dictionary: the slot of the column with the values
    pub values: i32,
}

plain!(HashedColumn { column, bytes, kind, values });

const _: () = assert!(size_of::<HashedColumn>() == 64 && align_of::<HashedColumn>() == 8);

/// How the elements of a column are read. A positive number is a width in bytes (1, 2, 4, 8, 16, 32).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum HashedKind {
    Bits = 0,
    /// offsets and bytes
    Strings = -1,
    /// rows of `bytes` bytes at any alignment
    Bytes = -2,
    /// column.type is the type of the keys; the values are the column in slot `values`
    Dictionary = -3,
    /// all rows are null
    Nothing = -4,
}

/// Columns whose rows are hashed. Kernels take the struct by value.
///
/// The values of dictionaries are columns after the first `count` columns.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct HashedTable<'a, const N: usize> {
    pub column: [HashedColumn<'a>; N],
    /// number of columns that rows consist of
    pub count: i32,
    /// not 0 if each of these columns has booleans or up to 8 bytes per row
    pub narrow: i32,
}

impl<const N: usize> Default for HashedTable<'_, N> {
    fn default() -> Self {
        Self { column: [HashedColumn::default(); N], count: 0, narrow: 0 }
    }
}

/// A 256-bit two's complement integer, least significant word first. Its bytes are those of Arrow's Decimal256.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct I256 {
    pub word: [u64; 4],
}

const _: () = assert!(size_of::<I256>() == 32 && align_of::<I256>() == 8);

pub const INCLUSIVE_PREFIX: u64 = 0x2;

/// The largest number of objects and arrays within one another.
pub const JSON_MOST_LEVELS: usize = 128;

/// The kind of an element of JSON text. A value is a string, a number, or a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i8)]
pub enum JsonElement {
    None = 0,
    Object = 1,
    Array = 2,
    Value = 3,
}

/// The result of a movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i8)]
pub enum JsonOutcome {
    Error = 0,
    Nothing = 1,
    Found = 2,
}

pub const KEY_COLUMNS: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct KeySlot {
    /// empty\_word while the slot is free
    pub word: u64,
    /// the row that has the key (~0: the row of the word); for a key of several rows: grouped\_flag and
    /// the position of the key's first row among the grouped rows
    pub first: u32,
    /// the number of rows of a key of several rows; else 0
    pub count: u32,
}

const _: () = assert!(size_of::<KeySlot>() == 16 && align_of::<KeySlot>() == 8);

/// The table as kernels take it, by value in their parameters.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct KeyTable<'a> {
    /// `size` slots, one for the key of all ones, and one for a null key without a null bit
    pub slots: Out<'a, KeySlot>,
    pub size: i64,
    pub state: Out<'a, KeyTableState>,
    /// type number of the column whose values may be indices; -1 if there is no such column
    pub direct: i32,
    /// the null bit of that column, or no\_bit
    pub null_bit: i32,
    /// for a direct table: the number of 32-bit words of its memory
    pub indices: i64,
    /// a bit for each index, or null; used if few entries of a direct table have keys
    pub present: Out<'a, u32>,
}

plain!(KeyTable { slots, size, state, direct, null_bit, indices, present });

const _: () = assert!(size_of::<KeyTable>() == 48 && align_of::<KeyTable>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct KeyTableState {
    /// order number of entry 0
    pub low: u64,
    /// entries of a direct table, with the entry for nulls at its end; 0 for a hash table
    pub entries: u64,
    /// whether some key has several rows, which are grouped
    pub duplicates: u64,
    /// for a hash table: the number of grouped rows
    pub grouped: u64,
    /// whether `present` of a direct table has the entries that have keys
    pub marked: u64,
    pub unused: u64,
}

const _: () = assert!(size_of::<KeyTableState>() == 48 && align_of::<KeyTableState>() == 8);

/// Texts with at least this number of bytes are read by aligned words, with eight loads in flight.
pub const LONG_TEXT_BYTES: i64 = 128;

/// The binary logarithm of the number of characters of a block.
pub const LOWER_CASE_BLOCK_BITS: usize = 6;

pub const LOWER_CASE_CONTEXTS: usize = 1184;

/// The number of the first mapping that consists of characters. Mappings with smaller numbers are distances.
pub const LOWER_CASE_FIRST_LONG: usize = 84;

/// The number of elements of `lead`. Characters of later blocks do not change.
pub const LOWER_CASE_LEADS: usize = 1957;

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct LongCopy<'a> {
    pub from: In<'a, u8>,
    pub to: Out<'a, u8>,
    pub size: i64,
}

plain!(LongCopy { from, to, size });

const _: () = assert!(size_of::<LongCopy>() == 24 && align_of::<LongCopy>() == 8);

pub const MAP_STRINGS_DETAIL_MOST_CHARACTERS: usize = 256;

/// The number of bytes of staged text that a warp maps at a time, and the maximum number of non-ASCII characters among
/// these bytes.
pub const MAP_STRINGS_DETAIL_PIECE_BYTES: usize = 512;

pub const MAX_PARTS: usize = 256;

pub const NO_BIT: usize = 255;

/// the part of a row that is dropped
pub const NO_PART: usize = 256;

/// bytes of dynamic shared memory
pub const PIPELINE_BYTES: usize = 221184;

/// pieces of 16 bytes of a lane; odd, so that lanes use different banks
pub const PIPELINE_PIECES: usize = 9;

pub const PIPELINE_STAGES: usize = 6;

/// upper bound of the bytes of static shared memory
pub const PIPELINE_STATE_BYTES: usize = 8192;

/// rows
pub const PIPELINE_TILE: usize = 4608;

/// number of warps that sum, and number of warps that scan
pub const PIPELINE_WARPS: usize = 8;

/// The parameters that the two launches share.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct PartPlan<'a> {
    /// a word per part and block; the words of a part are adjacent
    pub counts: Out<'a, u64>,
    /// the first place of each part, then the total number of places
    pub begins: Out<'a, u64>,
    /// a power of two, 2 to max\_parts
    pub parts: i32,
    /// the position of the bits of a hash that give the part
    pub shift: i32,
}

plain!(PartPlan { counts, begins, parts, shift });

const _: () = assert!(size_of::<PartPlan>() == 24 && align_of::<PartPlan>() == 8);

/// The maximum number of blocks whose partial results fit in scratch memory.
pub const REDUCE_MAX_BLOCKS: usize = 1280;

/// The number of words of a partial result: up to 4 words of the value, one word of the count, one unused word.
pub const REDUCE_PARTIAL_WORDS: usize = 6;

/// The ticket of reductions.
pub const REDUCE_TICKET: usize = 40;

/// The first two states of a DFA.
pub const REGEX_DETAIL_DEAD: u32 = 0x0;

pub const REGEX_DETAIL_FROM_END: u32 = 0xfe;

/// Sources of a move that are not registers: the current position, the end of the match, and an unset position.
pub const REGEX_DETAIL_FROM_NOW: u32 = 0xff;

pub const REGEX_DETAIL_FROM_NOWHERE: u32 = 0xfd;

pub const REGEX_DETAIL_GAVE_UP: i64 = -2;

/// The number of bytes before a chunk that are searched to guess its state.
pub const REGEX_DETAIL_LEAD: i64 = 48;

pub const REGEX_DETAIL_MATCHES_BIT: u32 = 0x100000;

/// The bit of a move that is set if another move follows.
pub const REGEX_DETAIL_MORE_MOVES: u32 = 0x10000;

/// The maximum number of words of a table that is copied to shared memory.
pub const REGEX_DETAIL_NEAR_WORDS: usize = 2048;

/// The bits of an entry of a tagged DFA.
///
/// The low `next_bits` bits are the position of the next state. `matches_bit` is set if a match ends before the byte.
/// The higher bits are the position of the moves.
pub const REGEX_DETAIL_NEXT_BITS: u32 = 0x14;

pub const REGEX_DETAIL_NONE: i64 = -1;

pub const REGEX_DETAIL_QUIT: u32 = 0x1;

/// The number of registers of a thread. The last register is temporary memory for exchanging other registers.
pub const REGEX_DETAIL_REGISTERS: usize = 32;

/// The number of start states of one kind of search: one for each value of the byte before the search, and one for a
/// search without a byte before it.
pub const REGEX_DETAIL_START_COUNT: usize = 257;

/// The state of a search that is not finished at the end of a chunk, if a search from the beginning of the next chunk
/// would find the same matches.
pub const REGEX_DETAIL_UNDECIDED: i64 = -3;

/// The result of a search in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum RegexAnswer {
    /// whether there is a match, as a boolean
    Contains = 0,
    /// whether a match begins at the begin of the row, as a boolean
    Matches = 1,
    /// the number of matches, as 32 bits
    Count = 2,
    /// the character at which the first match begins, or -1 without a match, as 32 bits
    Find = 3,
}

/// The kind of a state of the NFA, which is the lowest byte of its first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum RegexDetailStateKind {
    /// takes a character from `a` to `b`
    Range = 0,
    /// takes a character of the `b` ranges from range `a` on
    Set = 1,
    /// goes to `next`, or to `a` if `next` leads to no match
    Split = 2,
    /// goes on if the look-around with number `a` holds
    Look = 3,
    /// writes the position to slot `a`
    Save = 4,
    /// the end of a match
    Match = 5,
}

/// A DFA as a table of 16-bit states.
///
/// State 0 is dead. In state 1, the DFA gives up.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct RegexDfa<'a> {
    /// the class of each of the 256 bytes; class stride - 1 is the end of the text
    /// The start states of unanchored searches, then of anchored searches. The index is the byte before the begin of the
    /// search, or 256 if there is no such byte.
    pub classes: In<'a, u8>,
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
    /// its table is null if there is no DFA
    pub forward: RegexDfa<'a>,
    pub reverse: RegexDfa<'a>,
    /// records the requested tags
    pub tagged: TaggedDfa<'a>,
    pub states: In<'a, RegexState>,
    /// pairs: first and last character
    pub ranges: In<'a, u32>,
    /// memory of the NFA: `words` per thread, interleaved by threads of a block; null if not needed
    pub memory: Out<'a, u32>,
    pub words: i32,
    pub state_count: i32,
    pub start: i32,
    /// the greatest number of states of a list
    pub waiting: i32,
    pub groups: i32,
    /// the first of the ranges of \w
    pub first_word_range: i32,
    pub word_ranges: i32,
}

const _: () = assert!(size_of::<RegexPattern>() == 152 && align_of::<RegexPattern>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct RegexState {
    pub kind: u32,
    pub a: u32,
    pub b: u32,
    pub next: u32,
}

const _: () = assert!(size_of::<RegexState>() == 16 && align_of::<RegexState>() == 4);

/// The key columns, and the packing of a row into 64 bits if the key fits. The bits of column c begin at bit shift\[c\].
/// Bit null\_bit\[c\] is set if the value of column c is null.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct RowKeys<'a> {
    pub rows: RowTable<'a, 32>,
    pub shift: [u8; 32],
    pub null_bit: [u8; 32],
    /// for a ranged column, the number of bits of the distance from `base`
    pub width: [u8; 32],
    /// which rows take no part: exclude\_nulls, exclude\_nans
    pub exclude: i32,
    /// whether the only column takes all 64 bits, so that a null has `special` 2
    pub special_null: i32,
    /// for a ranged column, the number that is subtracted from the order numbers of values
    pub base: [u64; 32],
    /// a bit per column: whether the key has the distance from `base` in place of the value
    pub ranged: u32,
    pub unused: u32,
}

const _: () = assert!(size_of::<RowKeys>() == 2168 && align_of::<RowKeys>() == 8);

/// Columns whose rows are compared as a whole.
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

/// the number of tiles of a group, and of groups of a span
pub const SCAN_GROUP: usize = 32;

pub const SCAN_LAST_SLOT: usize = 32;

/// index of the ticket that counts the tiles already taken
pub const SCAN_TILE_SLOT: usize = 33;

/// The size of a stream's scratch memory, and the size of its first part. The first part is zero between operations.
/// The remaining memory holds unspecified data.
pub const SCRATCH_BYTES: usize = 65536;

pub const SCRATCH_ZEROED_BYTES: usize = 4096;

/// The number of zeroed words that operations may use. An operation must set these words back to zero.
pub const SCRATCH_ZEROED_WORDS: usize = 448;

/// The first of two tickets of segmented reductions: one for the grid barrier, and one for its end.
pub const SEGMENTED_TICKET: usize = 42;

/// The maximum number of bytes of a row that one thread processes. Longer rows are read from global memory.
pub const STAGED_TEXT_DETAIL_LONG_ROW: i64 = 1024;

/// The number of bytes from `p` on that the words of load8 may contain, for any alignment.
pub const STRING_DETAIL_REACH: usize = 11;

/// The flags with which the host describes a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum ScanModes {
    Exclusive = 1,
    /// all rows from the first null on are null
    Spread = 2,
    /// the minimum in place of the maximum, or `all` in place of `any`
    Second = 4,
    /// null rows count as well
    AllRows = 8,
    /// no row counts
    NoRows = 16,
}

/// The source of the rows of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum ScanSource {
    /// the stored values
    Values = 0,
    /// the row numbers
    Numbers = 1,
    /// row numbers from the end: the last row has number 0 and is scanned first
    NumbersFromEnd = 2,
    /// the value 1 for each row that counts
    Ones = 3,
}

/// The description of a segmented reduction that the host passes.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct SegmentedPlan<'a> {
    /// for each segment a value and a count: segmented\_words of the operation
    pub complete: Out<'a, u64>,
    /// for each tile a value and a count
    pub heads: Out<'a, u64>,
    /// for each tile a value and a count
    pub tails: Out<'a, u64>,
    /// a multiple of 32
    pub tile_rows: Rows,
    /// a segment's result is null if at most this number of rows are valid
    pub fewest: i64,
    /// whether a segment's result is also null if it has a null row
    pub spread: i64,
}

plain!(SegmentedPlan { complete, heads, tails, tile_rows, fewest, spread });

const _: () = assert!(size_of::<SegmentedPlan>() == 48 && align_of::<SegmentedPlan>() == 8);

pub const TILE_AGGREGATE: u64 = 0x1;

/// The binary logarithm of the number of characters of a block.
pub const TITLE_CASE_BLOCK_BITS: usize = 6;

/// The number of the first mapping that consists of characters. Mappings with smaller numbers are distances.
pub const TITLE_CASE_FIRST_LONG: usize = 99;

/// The number of elements of `lead`. Characters of later blocks do not change.
pub const TITLE_CASE_LEADS: usize = 1958;

/// Columns that are read together.
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
    /// null if there is no tagged DFA
    pub table: In<'a, u32>,
    /// number of words of the table
    pub words: i32,
    pub stride: i32,
    /// index of the first transition
    pub transitions: i32,
    pub moves: i32,
    /// whether some text makes the DFA give up
    pub quits: i32,
    /// the first state of unanchored searches if all of them begin in one state; otherwise 0
    pub start: i32,
}

plain!(TaggedDfa { table, words, stride, transitions, moves, quits, start });

const _: () = assert!(size_of::<TaggedDfa>() == 32 && align_of::<TaggedDfa>() == 8);

/// A chunk: the characters of a long row that begin in a range of bytes of the character buffer.
///
/// The first chunk of a row also has the bytes of the row that lie before that range.
///
/// With malformed offsets, the first chunk of a row may belong to another row. The chunks of such a row are never
/// linked.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct TextChunk {
    /// -1 if the first byte of the chunk belongs to no long row
    pub row: i64,
    /// the state at the begin of the chunk
    pub entry: i64,
    /// the state at the end of the chunk, or its size; in a linked first chunk, the total of the row
    pub exit: i64,
    /// begin of the search that is undecided at the chunk's end; once linked, at the chunk's begin
    pub floor: i64,
    /// end of the last match in the chunk; once linked, of the last match before it; -1 without a match
    pub last: i64,
    /// the complement (~) of the number of matches; once linked, the number of matches before the chunk
    pub matches: i64,
}

const _: () = assert!(size_of::<TextChunk>() == 48 && align_of::<TextChunk>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct TextChunks<'a> {
    /// `count` chunks and one more; null if the chunks have not been searched yet
    pub chunks: Out<'a, TextChunk>,
    pub count: i64,
    /// a row with more bytes is long; at least the size of a chunk
    /// If `token` is not 0, a kernel that finds a long row writes `token` to chunks\[count\].row. That element is not
    /// initialized before.
    pub longest: i64,
    pub token: i64,
    /// chunks have 1 \<\< shift bytes
    pub shift: i64,
}

plain!(TextChunks { chunks, count, longest, token, shift });

const _: () = assert!(size_of::<TextChunks>() == 40 && align_of::<TextChunks>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct TextIn<'a> {
    pub column: ColumnIn<'a>,
    pub bytes: Bytes,
}

plain!(TextIn { column, bytes });

const _: () = assert!(size_of::<TextIn>() == 56 && align_of::<TextIn>() == 8);

/// Bytes of a character buffer. The span is null if `size` is negative.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct TextSpan {
    pub begin: i64,
    pub size: i64,
}

const _: () = assert!(size_of::<TextSpan>() == 16 && align_of::<TextSpan>() == 8);

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct TileCounts<'a> {
    /// zeros, two words for each tile; if null, scratch memory is used
    pub entries: Out<'a, u64>,
    /// elements for which the output has memory
    pub capacity: i64,
    /// the number of steps of 32 rows that a warp makes in a tile
    pub share: i32,
    /// whether the offsets hold the sizes of rows, from a first launch
    pub sized: i32,
    /// for lists: the offsets of their elements
    pub elements: Out<'a, u8>,
    /// number of elements for which `elements` has memory
    pub most_elements: i64,
    /// the launch that only finds sizes takes every `every`-th tile
    pub every: i64,
    /// a list of copies that another launch makes; null if there is no list
    pub copies: Out<'a, LongCopy<'a>>,
    /// number of copies for which `copies` has memory
    pub most_copies: i64,
}

plain!(TileCounts { entries, capacity, share, sized, elements, most_elements, every, copies, most_copies });

const _: () = assert!(size_of::<TileCounts>() == 64 && align_of::<TileCounts>() == 8);

/// The physical types. The Rust descriptors use the same numbers.
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
    /// offsets (64-bit with the flag wide\_offsets) and bytes
    String = 15,
    /// any bytes, stored like strings
    Binary = 16,
    /// offsets; the child is a separate column
    List = 17,
    /// validity only
    Structure = 18,
    /// `data` holds keys; their type is a parameter of the kernel
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

/// The binary logarithm of the number of characters of a block.
pub const UPPER_CASE_BLOCK_BITS: usize = 6;

/// The number of the first mapping that consists of characters. Mappings with smaller numbers are distances.
pub const UPPER_CASE_FIRST_LONG: usize = 99;

/// The number of elements of `lead`. Characters of later blocks do not change.
pub const UPPER_CASE_LEADS: usize = 1958;

/// windows with up to 32 rows are read row by row
pub const WINDOW_DIRECT: usize = 32;

/// units of a group: one per lane of a warp
pub const WINDOW_GROUP: usize = 32;

/// rows of a unit of the first level, for windows that a warp handles together
pub const WINDOW_TILE: usize = 128;

/// rows of a unit of the first level
pub const WINDOW_UNIT: usize = 8;

/// windows that a warp handles together, if they have more rows than a unit
pub const WINDOW_WARP: usize = 256;

/// How the value in row i of a bounding column limits the window of row i. The numbers of rows before and after row i
/// limit the window as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum WindowBound {
    /// there is no bounding column
    Open = 0,
    /// number of rows before row i (including row i) or after it; null: empty window
    Relative = 1,
    /// number of the first row of the window
    First = 2,
    /// number of the last row of the window
    Last = 3,
    /// number of the row after the last row of the window
    End = 4,
}

#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct WindowPlan {
    /// rows before a row, including that row; its absolute value is at most the number of rows + 1
    pub preceding: i64,
    /// number of rows after a row
    pub following: i64,
    pub min_periods: i64,
    /// the window\_bound of the column `lower`
    pub lower: i32,
    /// the window\_bound of the column `upper`
    pub upper: i32,
    /// the number of levels that have memory and values
    pub levels: i32,
    pub operation: i32,
    pub outcome: i32,
    pub ddof: i32,
}

const _: () = assert!(size_of::<WindowPlan>() == 48 && align_of::<WindowPlan>() == 8);
