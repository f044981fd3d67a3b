//! Kernels of kernels/decode.

// Written by `cargo xtask codegen` from kernels/.

use super::prelude::*;

/// The largest number of bytes of a chunk, whose elements are found at the same time.
pub const CHUNK_BYTES: u32 = 0x800;

/// The largest number of elements of a chunk: each has 2 bytes, or a literal and a copy have 4.
pub const CHUNK_ELEMENTS: u32 = 0x400;

/// What follows the bytes of a chunk in shared memory, so that most of its elements are complete.
pub const CHUNK_MARGIN: u32 = 0x48;

pub const COPY_BIT: u32 = 0x80000000;

pub const COPY_ITEMS: usize = 8;

pub const COPY_LANES: u32 = 0x8;

pub const COPY_THREADS: usize = 256;

pub const COPY_TILE: usize = 2048;

pub const DECOMPRESS_THREADS: u32 = 0x100;

/// The number of differences that a thread adds at a time.
pub const DELTA_ITEMS: usize = 8;

/// The number of bytes of a page that are in shared memory.
pub const DELTA_WINDOW_BYTES: u32 = 0x2000;

/// The number of bytes of a window. Each lane has one.
pub const ELEMENT_WINDOW: u32 = 0x20;

/// The number of bits of a flaw in the word that reports it. The number of the page is above these bits.
pub const FLAW_BITS: usize = 8;

pub const GROUP_BYTES: u32 = 0x100;

/// The number of windows of a group. A warp has a group.
pub const GROUP_WINDOWS: u32 = 0x8;

pub const LEVEL_ITEMS: usize = 8;

pub const LEVEL_THREADS: usize = 256;

pub const LEVEL_TILE: usize = 2048;

pub const LEVEL_WORDS: usize = 64;

/// The block shares the copy of a text of more bytes. 8 lanes copy any other.
pub const LONG_COPY: u32 = 0x100;

/// The block shares the test of a text of more bytes.
pub const LONG_TEXT: u32 = 0x200;

/// Each miniblock has a multiple of this number of differences, so that it has whole bytes.
pub const MINIBLOCK_GROUP: u32 = 0x20;

/// The largest number of integers, and of miniblocks, of a block. Other headers are refused.
pub const MOST_BLOCK: usize = 1048576;

/// The largest number of bytes of the texts of a page, with their sizes.
pub const MOST_BYTES: u64 = 0x7fffffff;

pub const MOST_MINIBLOCKS: usize = 256;

/// The `valid` of a node without nulls.
pub const NEVER_NULL: i32 = -1;

/// The `dictionary` of a page without one.
pub const NO_DICTIONARY_PAGE: i32 = -1;

/// The `null_count` of a page that claims none.
pub const NO_NULL_COUNT: i64 = -1;

/// The `rows_end` of a page that is not the last one of its chunk.
pub const NO_ROWS_END: i64 = -1;

/// The `source` of a null row.
pub const NO_TEXT: i64 = 0;

/// The `texts` of a page whose texts have no index.
pub const NO_TEXTS: i32 = -1;

/// The `leveled` of a page of a flat column.
pub const NOT_NESTED: i32 = -1;

/// The `rewritten` of a page whose values are where they were.
pub const NOT_REWRITTEN: i32 = -1;

/// The number of rows of a part of a page. Pages of plain values without levels are divided into parts, which different
/// blocks decode.
pub const PART_ROWS: usize = 32768;

/// The number of values whose suffixes a lane loads at a time.
pub const PREFIX_BATCH: usize = 4;

/// The number of values that a block writes at a time.
pub const PREFIX_TILE: usize = 1024;

/// The `level_size` of a page that begins with the number of bytes of its levels. If the page has levels of two kinds, each
/// behind its number of bytes, the `level_size` is twice this number.
pub const PREFIXED_LEVELS: i32 = -1;

/// The number of bytes of recent output that are in shared memory, with those that are being written.
pub const RECENT_BYTES: u32 = 0x2000;

pub const REWRITE_ITEMS: usize = 8;

pub const REWRITE_THREADS: usize = 256;

pub const REWRITE_TILE: usize = 2048;

/// The largest number of bytes of output that are written at the same time.
pub const SEGMENT_BYTES: u32 = 0x1000;

/// The number of bytes of the compressed page that are in shared memory. While the threads walk through one half, the
/// other half arrives.
pub const STAGE_BYTES: u32 = 0x1000;

/// An exit with this bit is the position of an element that is not whole in the stage, or is damaged.
pub const STOP_BIT: u32 = 0x8000;

/// The number of rows of a tile of a column of texts.
pub const TEXT_TILE: usize = 2048;

/// The number of bytes of a page that are in shared memory.
pub const WINDOW_BYTES: usize = 16384;

pub const WORDS: usize = 64;

/// How a page is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Codec {
    /// the bytes are copied
    Uncompressed = 0,
    Snappy = 1,
    /// one block of LZ4
    Lz4Raw = 2,
    /// blocks of LZ4, each behind its size and its compressed size, 4 bytes each, big-endian
    Lz4Hadoop = 3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Encoding {
    Plain = 0,
    Keys = 1,
    /// runs of bits, behind the number of their bytes
    Rle = 2,
    /// the first bytes of all values, then the second bytes, and so on
    ByteStreamSplit = 3,
    /// integers as packed differences
    DeltaBinaryPacked = 4,
    /// the sizes of all texts as packed differences, and then the bytes of all texts
    DeltaLengthByteArray = 5,
    /// the same, but the sizes of prefixes that are those of the value before come first
    DeltaByteArray = 6,
}

/// What is wrong with a page. A page that was not decompressed is decoded nevertheless, so these flaws come first: of
/// the flaws of a page, the first one is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Flaw {
    /// the compressed bytes are damaged
    Compression = 0,
    /// the page has another number of decompressed bytes than the header claims
    Size = 1,
    /// the levels are cut, or one is not possible
    Levels = 2,
    /// the levels have another number of nulls than the header claims
    NullCount = 3,
    /// there are keys, but no dictionary page
    NoDictionary = 4,
    /// there are too few bytes of values
    Values = 5,
    /// the keys have more than 32 bits
    KeyWidth = 6,
    /// the runs of keys or of booleans are cut
    Keys = 7,
    /// a key is not in the dictionary, or a boolean exceeds 1
    Key = 8,
    /// a decimal has too many digits
    Digits = 9,
    /// a text is not UTF-8
    Utf8 = 10,
    /// a dictionary page has too few texts
    Dictionary = 11,
    /// a timestamp is outside of the range of nanoseconds
    Timestamp = 12,
    /// a chunk of a nested column has another number of rows
    Rows = 13,
}

/// How the plain pages of decimals store a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum StoredDecimal {
    Int32 = 0,
    Int64 = 1,
    /// big-endian two's complement of `decimal_width` bytes
    Bytes = 2,
}

/// What becomes of a value. The value of a dictionary of decimals or timestamps is converted once, before keys refer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Target {
    /// the low 8 bits of 32
    Narrow8 = 0,
    /// the low 16 bits of 32
    Narrow16 = 1,
    Same32 = 2,
    Same64 = 3,
    Decimal32 = 4,
    Decimal64 = 5,
    Decimal128 = 6,
    /// the keys themselves, of the dictionaries of all chunks one after the other
    Keys = 7,
    /// where the text of a row is; another launch copies the texts
    Text = 8,
    /// a bit, which is combined with those of other pages
    Bit = 9,
    Same16 = 10,
    /// of 96 bits, becomes one of 64 bits
    Timestamp = 11,
    /// `decimal_width` bytes, which stay the same
    Bytes = 12,
}

#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Column<'a> {
    pub values: Out<'a, u8>,
    /// zero at launch; null if the column has no definition levels
    pub validity: Out<'a, u32>,
    /// texts: the bytes of each tile of rows, zero at launch; else null
    pub totals: Out<'a, u64>,
    /// timestamps of 96 bits: the number of units in a second
    pub per_second: i64,
    /// decimals: the largest absolute value, least significant word first
    pub largest: [u64; 2],
    pub target: i32,
    pub stored_decimal: i32,
    /// bytes of a value in a plain page, 1 to 16 of a decimal, and up to 2^16 of other bytes
    pub decimal_width: i32,
    /// texts: the number of tiles of rows
    pub tiles: Tiles32,
}

plain!(Column { values, validity, totals, per_second, largest, target, stored_decimal, decimal_width, tiles });

const _: () = assert!(size_of::<Column>() == 64 && align_of::<Column>() == 8);

/// A page that is decompressed before all others are decoded.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct CompressedPage<'a> {
    /// position of the page in the buffer
    pub at: i64,
    /// less than 2^31
    pub bytes: Bytes,
    /// at a multiple of 16, with memory for a multiple of 16 bytes
    pub decompressed: Out<'a, u8>,
    /// the number of decompressed bytes that the header claims, less than 2^31
    pub size: i64,
    /// the number of bytes at the start that are not compressed, at most `bytes` and `size`
    pub plain: i32,
    pub codec: i32,
    pub column: i32,
    /// the page's number among the pages of the column
    pub number: i32,
}

plain!(CompressedPage { at, bytes, decompressed, size, plain, codec, column, number });

const _: () = assert!(size_of::<CompressedPage>() == 48 && align_of::<CompressedPage>() == 8);

/// A dictionary page. The host has checked that the page has the bytes of all values.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Dictionary<'a> {
    /// position of the page, see `page`
    pub at: i64,
    /// the number of values
    pub count: i64,
    /// the number of values in the dictionaries of the column before
    pub first_key: i64,
    /// decimals and timestamps: where their converted values go, aligned to their width; else null
    pub decoded: Out<'a, u8>,
    pub column: i32,
    /// the page's number among the pages of the column
    pub number: i32,
    /// the number of the index of its texts
    pub texts: i32,
    pub unused: i32,
}

plain!(Dictionary { at, count, first_key, decoded, column, number, texts, unused });

const _: () = assert!(size_of::<Dictionary>() == 48 && align_of::<Dictionary>() == 8);

/// A page of a nested column. Its levels say how many slots of values it has, and which have a value, before pages are
/// decoded. At most one slot of each depth begins at a level.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct LeveledPage<'a> {
    /// position of the page, see `page`
    pub at: i64,
    /// less than 2^31
    /// For each depth, the number of slots that begin in the page, and then, of those that begin before it.
    pub bytes: Bytes,
    pub slots: Out<'a, i64>,
    /// for each level, memory for a bit, which is zero at launch
    pub valid: Out<'a, u32>,
    /// the number of levels without a value that the header claims
    pub null_count: i64,
    /// the number of rows up to the end of the chunk, if the page is its last one
    pub rows_end: i64,
    /// the number of slots of values that begin before the page, when the pages have been added
    pub first_slot: i64,
    pub levels: Rows32,
    /// not more than `bytes`, or `prefixed_levels`; zero if there are no such levels
    pub repetition_size: i32,
    /// the same; the sum is not more than `bytes`
    pub definition_size: i32,
    /// whether the page is the first one of its chunk
    pub is_first: i32,
    pub column: i32,
    /// the page's number among the pages of the column
    pub number: i32,
    /// the number of the nested column
    /// What the levels say. If they are bad, there are no slots.
    pub nested: i32,
    /// the number of slots of values
    pub value_slots: i32,
    /// the first repetition level
    pub first_repetition: i32,
    /// the last definition level
    pub last_definition: i32,
}

plain!(LeveledPage {
    at,
    bytes,
    slots,
    valid,
    null_count,
    rows_end,
    first_slot,
    levels,
    repetition_size,
    definition_size,
    is_first,
    column,
    number,
    nested,
    value_slots,
    first_repetition,
    last_definition
});

const _: () = assert!(size_of::<LeveledPage>() == 96 && align_of::<LeveledPage>() == 8);

/// A nested column: how its levels are compared, see `LevelPlan`.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct NestedColumn<'a> {
    /// for each depth, the lowest definition level of a slot
    pub lowest: In<'a, i32>,
    /// for each depth, the number of slots of all pages
    pub totals: Out<'a, u64>,
    /// the number of the first leveled page
    pub first_page: i32,
    pub pages: i32,
    pub first_node: i32,
    pub nodes: i32,
    /// the number of depths less one
    pub max_repetition: i32,
    pub max_definition: i32,
}

plain!(NestedColumn { lowest, totals, first_page, pages, first_node, nodes, max_repetition, max_definition });

const _: () = assert!(size_of::<NestedColumn>() == 40 && align_of::<NestedColumn>() == 8);

/// A list or a struct of a nested column.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct NestedNode<'a> {
    /// lists: one for each slot, and one more; else null
    pub offsets: Out<'a, u8>,
    /// zero at launch; null if no slot is null
    pub validity: Out<'a, u32>,
    /// zero at launch
    pub nulls: Out<'a, u64>,
    pub depth: i32,
    /// the lowest definition level of a slot that is not null
    pub valid: i32,
    /// whether offsets have 64 bits
    pub is_wide: i32,
    pub unused: i32,
}

plain!(NestedNode { offsets, validity, nulls, depth, valid, is_wide, unused });

const _: () = assert!(size_of::<NestedNode>() == 40 && align_of::<NestedNode>() == 8);

/// A data page, or a part of one: of pages with plain values and without levels, a block decodes a part.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Page {
    pub at: i64,
    /// less than 2^31
    pub bytes: Bytes,
    /// the row of the column
    pub first_row: i64,
    pub null_count: i64,
    pub rows: Rows32,
    pub column: i32,
    /// the page's number among the pages of the column
    pub number: i32,
    pub dictionary: i32,
    pub encoding: i32,
    /// not more than `bytes`
    pub level_size: i32,
    /// the number of the index of its texts, if the page has plain texts
    pub texts: i32,
    /// the number of the rewritten page that has its values
    pub rewritten: i32,
    /// the number of the leveled page that has its rows, if the column is nested
    pub leveled: i32,
    pub unused: i32,
}

const _: () = assert!(size_of::<Page>() == 72 && align_of::<Page>() == 8);

/// A page whose values are rewritten with plain encoding before others are decoded, because a value has no place of its
/// own in its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct RewrittenPage<'a> {
    /// position of the page, see `page`
    pub at: i64,
    /// less than 2^31
    pub bytes: Bytes,
    /// with memory for the values of all rows, at a multiple of 16; deltas: their second value is there
    /// Texts: memory for the sizes of the texts of all rows, of which the second one is at a multiple of 16. With prefixes,
    /// there is memory for the sizes of prefixes, and from the next multiple of 16 on, for those of suffixes.
    pub values: Out<'a, u8>,
    /// At launch, the number of bytes of values for which there is memory, and then of those that were rewritten.
    pub sizes: Out<'a, u32>,
    pub plain_bytes: Bytes,
    pub rows: Rows32,
    pub encoding: i32,
    /// bytes of a value; texts: of the size of one
    pub width: i32,
    /// see `page`
    pub level_size: i32,
    /// whether the page may have fewer values than rows
    pub is_optional: i32,
    pub column: i32,
    /// the page's number among the pages of the column
    pub number: i32,
    pub is_text: i32,
}

plain!(RewrittenPage {
    at,
    bytes,
    values,
    sizes,
    plain_bytes,
    rows,
    encoding,
    width,
    level_size,
    is_optional,
    column,
    number,
    is_text
});

const _: () = assert!(size_of::<RewrittenPage>() == 72 && align_of::<RewrittenPage>() == 8);

/// What the blocks found out about a column.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Status {
    /// ~0 at launch; the first bad page \<\< flaw\_bits | a flaw of the page
    pub error: u64,
    /// 0 at launch
    pub nulls: u64,
    /// 0 at launch; the number of bytes of all texts, or ~0 if there are more
    pub texts: u64,
}

const _: () = assert!(size_of::<Status>() == 24 && align_of::<Status>() == 8);

/// A column of texts whose bytes are copied.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct TextColumn<'a> {
    /// for each row, the position of its text, or `no_text`
    pub sources: In<'a, i64>,
    /// for each tile, the number of bytes of the tiles before
    pub bases: In<'a, u64>,
    /// one more than there are rows
    pub offsets: Out<'a, u8>,
    /// of all rows, aligned to 16
    pub bytes: Out<'a, u8>,
    pub rows: Rows,
    /// the block of the first tile
    pub first_block: i32,
    /// whether offsets have 64 bits
    pub is_wide: i32,
}

plain!(TextColumn { sources, bases, offsets, bytes, rows, first_block, is_wide });

const _: () = assert!(size_of::<TextColumn>() == 48 && align_of::<TextColumn>() == 8);

/// What an index has.
#[derive(Clone, Copy, Debug, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct TextCount {
    /// the number of texts
    pub texts: u32,
    /// the number of the first text that is not UTF-8, or ~0
    pub first_bad: u32,
}

const _: () = assert!(size_of::<TextCount>() == 8 && align_of::<TextCount>() == 4);

/// A page of plain texts, or a dictionary page of texts. An index says where each text begins.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct TextPage<'a> {
    /// position of the page, see `page`
    pub at: i64,
    /// less than 2^31
    pub bytes: Bytes,
    /// for each text, the position in the page behind its size
    pub index: Out<'a, u32>,
    /// the largest number of texts that are used, for which the index has memory
    pub limit: i32,
    /// see `page`
    pub level_size: i32,
    pub column: i32,
    /// the page's number among the pages of the column
    pub number: i32,
    /// whether it is an error if there are fewer texts than the limit
    pub is_dictionary: i32,
    /// whether texts must be UTF-8
    pub is_utf8: i32,
    /// see `page`; the page then has as many bytes as were rewritten
    pub rewritten: i32,
    pub unused: i32,
}

plain!(TextPage { at, bytes, index, limit, level_size, column, number, is_dictionary, is_utf8, rewritten, unused });

const _: () = assert!(size_of::<TextPage>() == 56 && align_of::<TextPage>() == 8);

pub(super) const KERNELS: &[KernelInfo] = &[
    KernelInfo { symbol: "decode_bases_kernel", unit: 4, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "decode_compressed_pages_kernel", unit: 0, policy: Policy::new(256, 1, 6) },
    KernelInfo { symbol: "decode_dictionaries_kernel", unit: 2, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "decode_index_kernel", unit: 4, policy: Policy::new(256, 1, 6) },
    KernelInfo { symbol: "decode_levels_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "decode_nodes_kernel", unit: 1, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "decode_pages_kernel", unit: 2, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "decode_prefixed_sizes_kernel", unit: 3, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "decode_rewritten_pages_kernel", unit: 3, policy: Policy::new(256, 8, 4) },
    KernelInfo { symbol: "decode_slots_kernel", unit: 1, policy: Policy::new(256, 1, 4) },
    KernelInfo { symbol: "decode_texts_kernel", unit: 4, policy: Policy::new(256, 8, 4) },
];

/// Makes of the bytes of the tiles of column blockIdx.x, if it has texts, the numbers of bytes of the tiles before each
/// tile.
#[derive(Clone, Copy, Debug)]
pub struct Bases<'a> {
    pub columns: In<'a, Column<'a>>,
    pub statuses: Out<'a, Status>,
}

arguments!(Bases { columns, statuses });

impl OneKernel for Bases<'static> {
    const ID: KernelId = KernelId::new(image::DECODE, 0);
}

/// Decompresses page blockIdx.x. `bytes` are the pages, which begin at a multiple of 16, and 16 bytes follow the last
/// page.
#[derive(Clone, Copy, Debug)]
pub struct CompressedPages<'a> {
    pub pages: In<'a, CompressedPage<'a>>,
    pub bytes: In<'a, u8>,
    pub statuses: Out<'a, Status>,
}

arguments!(CompressedPages { pages, bytes, statuses });

impl OneKernel for CompressedPages<'static> {
    const ID: KernelId = KernelId::new(image::DECODE, 1);
}

/// Converts dictionary blockIdx.x if its values are decimals or timestamps of 96 bits.
#[derive(Clone, Copy, Debug)]
pub struct Dictionaries<'a> {
    pub dictionaries: In<'a, Dictionary<'a>>,
    pub columns: In<'a, Column<'a>>,
    pub bytes: In<'a, u8>,
    pub statuses: Out<'a, Status>,
}

arguments!(Dictionaries { dictionaries, columns, bytes, statuses });

impl OneKernel for Dictionaries<'static> {
    const ID: KernelId = KernelId::new(image::DECODE, 2);
}

/// Makes the index of text page blockIdx.x. `bytes` are the pages, and 16 bytes follow the last page. The address of
/// `bytes` is a multiple of 16.
#[derive(Clone, Copy, Debug)]
pub struct Index<'a> {
    pub pages: In<'a, TextPage<'a>>,
    pub counts: Out<'a, TextCount>,
    pub rewritten: In<'a, RewrittenPage<'a>>,
    pub bytes: In<'a, u8>,
    pub statuses: Out<'a, Status>,
}

arguments!(Index { pages, counts, rewritten, bytes, statuses });

impl OneKernel for Index<'static> {
    const ID: KernelId = KernelId::new(image::DECODE, 3);
}

/// Counts the slots of leveled page blockIdx.x. `bytes` are the pages, and 16 bytes follow the last page.
#[derive(Clone, Copy, Debug)]
pub struct Levels<'a> {
    pub pages: Out<'a, LeveledPage<'a>>,
    pub columns: In<'a, NestedColumn<'a>>,
    pub bytes: In<'a, u8>,
    pub statuses: Out<'a, Status>,
}

arguments!(Levels { pages, columns, bytes, statuses });

impl OneKernel for Levels<'static> {
    const ID: KernelId = KernelId::new(image::DECODE, 4);
}

/// Writes the offsets and the bits of the lists and structs of leveled page blockIdx.x, whose slots were added. `bytes` are
/// the pages, and 16 bytes follow the last page.
#[derive(Clone, Copy, Debug)]
pub struct Nodes<'a> {
    pub pages: In<'a, LeveledPage<'a>>,
    pub columns: In<'a, NestedColumn<'a>>,
    pub nodes: In<'a, NestedNode<'a>>,
    pub bytes: In<'a, u8>,
    pub statuses: In<'a, Status>,
}

arguments!(Nodes { pages, columns, nodes, bytes, statuses });

impl OneKernel for Nodes<'static> {
    const ID: KernelId = KernelId::new(image::DECODE, 5);
}

/// Decodes page blockIdx.x. `bytes` are the pages, and 16 bytes follow the last page. The address of `bytes` is a
/// multiple of 16. The values of a column's rows, and the bits of its rows, belong to one page each.
#[derive(Clone, Copy, Debug)]
pub struct Pages<'a> {
    pub pages: In<'a, Page>,
    pub columns: In<'a, Column<'a>>,
    pub dictionaries: In<'a, Dictionary<'a>>,
    pub text_pages: In<'a, TextPage<'a>>,
    pub counts: In<'a, TextCount>,
    pub rewritten: In<'a, RewrittenPage<'a>>,
    pub leveled: In<'a, LeveledPage<'a>>,
    pub bytes: In<'a, u8>,
    pub statuses: Out<'a, Status>,
}

arguments!(Pages { pages, columns, dictionaries, text_pages, counts, rewritten, leveled, bytes, statuses });

impl OneKernel for Pages<'static> {
    const ID: KernelId = KernelId::new(image::DECODE, 6);
}

/// Finds how many bytes the texts of page blockIdx.x have with their prefixes, and with their sizes. `bytes` are the pages,
/// and 16 bytes follow the last page. The address of `bytes` is a multiple of 16.
#[derive(Clone, Copy, Debug)]
pub struct PrefixedSizes<'a> {
    pub pages: In<'a, RewrittenPage<'a>>,
    pub sizes: Out<'a, i64>,
    pub bytes: In<'a, u8>,
}

arguments!(PrefixedSizes { pages, sizes, bytes });

impl OneKernel for PrefixedSizes<'static> {
    const ID: KernelId = KernelId::new(image::DECODE, 7);
}

/// Rewrites page blockIdx.x. `bytes` are the pages, and 16 bytes follow the last page. The address of `bytes` is a multiple
/// of 16.
#[derive(Clone, Copy, Debug)]
pub struct RewrittenPages<'a> {
    pub pages: Out<'a, RewrittenPage<'a>>,
    pub bytes: In<'a, u8>,
    pub statuses: Out<'a, Status>,
}

arguments!(RewrittenPages { pages, bytes, statuses });

impl OneKernel for RewrittenPages<'static> {
    const ID: KernelId = KernelId::new(image::DECODE, 8);
}

/// Adds the slots of the pages of nested column blockIdx.x, and writes the last offset of each of its lists.
#[derive(Clone, Copy, Debug)]
pub struct Slots<'a> {
    pub pages: Out<'a, LeveledPage<'a>>,
    pub columns: In<'a, NestedColumn<'a>>,
    pub nodes: In<'a, NestedNode<'a>>,
    pub statuses: Out<'a, Status>,
}

arguments!(Slots { pages, columns, nodes, statuses });

impl OneKernel for Slots<'static> {
    const ID: KernelId = KernelId::new(image::DECODE, 9);
}

/// Copies the texts of a tile of rows of one of the columns, which are in the order of their blocks.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    pub columns: In<'a, TextColumn<'a>>,
    pub bytes: In<'a, u8>,
    pub count: i32,
}

arguments!(Texts { columns, bytes, count });

impl OneKernel for Texts<'static> {
    const ID: KernelId = KernelId::new(image::DECODE, 10);
}
