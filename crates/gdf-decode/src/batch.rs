//! The descriptors of the pages of a batch, and what is wrong with pages.

use std::fmt;

use gdf_core::{Column, DataType};
use gdf_memory::Buffer;

/// Pages of columns, which are decoded together.
///
/// The positions of pages refer to one buffer. Compressed pages may be anywhere. Each other page begins at a multiple of
/// [`PAGE_ALIGNMENT`](crate::PAGE_ALIGNMENT) bytes. At least [`PADDING`](crate::PADDING) bytes follow the last page.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The columns, which may have different numbers of rows.
    pub columns: Vec<ColumnPages>,
}

/// The pages of a leaf column: of a flat column, or of the values within lists and structs.
#[derive(Clone, Debug)]
pub struct ColumnPages {
    /// The type of the values that are made.
    pub data_type: DataType,
    /// How pages store values.
    pub stored: Stored,
    /// Whether the values themselves are optional: the highest definition level says that one is not null.
    pub is_optional: bool,
    /// What is around the values. A flat column has none.
    pub nesting: Option<Nesting>,
    /// The column chunks, one for each row group.
    pub chunks: Vec<Chunk>,
}

/// The lists and structs around the values of a leaf column.
///
/// Repetition and definition levels follow from them, as in the Dremel paper (Melnik et al., 2010): each optional node, and
/// each list, adds a definition level, and each list adds a repetition level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nesting {
    /// The lists and structs, the outermost one first. A map is a list of required structs.
    pub nodes: Vec<Node>,
    /// The number of rows of each column chunk. Pages say how many levels they have, but not how many rows.
    pub chunk_rows: Vec<usize>,
}

/// A list or a struct around values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A list, whose offsets have 64 or 32 bits.
    List {
        /// Whether lists may be null.
        is_optional: bool,
        /// Whether offsets have 64 bits.
        is_large: bool,
    },
    /// A struct.
    Struct {
        /// Whether structs may be null.
        is_optional: bool,
    },
}

/// A leaf column that was decoded.
#[derive(Clone, Debug)]
pub struct DecodedColumn {
    /// The values. Of a nested column, there is one for each element of the innermost list that is not empty.
    pub values: Column,
    /// The lists and structs around the values, the outermost one first.
    pub nodes: Vec<DecodedNode>,
}

/// A list or a struct around decoded values.
#[derive(Clone, Debug)]
pub struct DecodedNode {
    /// The number of lists or structs.
    pub rows: usize,
    /// The offsets of lists, from 0 on.
    pub offsets: Option<Buffer>,
    /// The number of elements of all lists, which is the last offset.
    pub elements: Option<usize>,
    /// The validity bits, and the number of nulls. Without nulls, there are none.
    pub validity: Option<(Buffer, usize)>,
}

/// A column chunk: the pages of a column in one row group.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    /// The dictionary page.
    pub dictionary: Option<DictionaryPage>,
    /// The data pages, in the order of their rows.
    pub pages: Vec<Page>,
}

/// A dictionary page, whose values have plain encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DictionaryPage {
    /// The position of the page in the buffer.
    pub at: usize,
    /// The number of bytes in the buffer.
    pub len: usize,
    /// How the page is compressed. If it is not, the page is decoded where it is.
    pub compression: Option<Compression>,
    /// The number of values.
    pub values: usize,
}

/// A data page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// The position of the page in the buffer.
    pub at: usize,
    /// The number of bytes in the buffer, with the levels.
    pub len: usize,
    /// How the page is compressed. If it is not, the page is decoded where it is. [`Levels::Sized`] are not compressed,
    /// and the compressed values follow them.
    pub compression: Option<Compression>,
    /// What the header of the page says.
    pub header: PageHeader,
}

/// How a page is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Compression {
    /// The form of the compressed bytes. Without decompressed bytes, there may be none, or any.
    pub codec: Codec,
    /// The number of decompressed bytes that the header claims, with the levels.
    pub size: usize,
}

/// The form of compressed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Codec {
    /// `UNCOMPRESSED`: the bytes are copied. The page need not be aligned.
    Uncompressed,
    /// `SNAPPY`
    Snappy,
    /// `LZ4_RAW`: one block of LZ4.
    Lz4Raw,
    /// `LZ4` as Hadoop writes it: blocks of LZ4, each behind its size and its compressed size. Other forms that old files
    /// have by this name are damaged.
    Lz4Hadoop,
}

/// What the header of a data page says about the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageHeader {
    /// The number of rows, with null rows. Of a nested column, the number of levels.
    pub rows: usize,
    /// The encoding of the values.
    pub encoding: Encoding,
    /// Where the levels are.
    pub levels: Levels,
    /// The number of nulls that the header claims. Of a nested column, the number of levels without a value.
    pub nulls: Option<usize>,
}

/// How pages store values, which is Parquet's physical type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stored {
    /// `BOOLEAN`
    Boolean,
    /// `INT32`
    Int32,
    /// `INT64`
    Int64,
    /// `INT96`: the nanoseconds of a day in 8 bytes, and its Julian number in 4 bytes.
    Int96,
    /// `FLOAT`
    Float,
    /// `DOUBLE`
    Double,
    /// `BYTE_ARRAY`
    ByteArray,
    /// `FIXED_LEN_BYTE_ARRAY`, with the number of bytes.
    FixedLenByteArray(usize),
}

/// The encoding of the values of a data page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// `PLAIN`
    Plain,
    /// `RLE_DICTIONARY`, or `PLAIN_DICTIONARY` in a data page: keys of the dictionary page of the chunk.
    Keys,
    /// `RLE`: booleans in runs, behind the number of their bytes.
    Rle,
    /// `BYTE_STREAM_SPLIT`: the first bytes of all values, then the second bytes, and so on.
    ByteStreamSplit,
    /// `DELTA_BINARY_PACKED`: integers as packed differences. Blocks have at most 2²⁰ values and 256 miniblocks.
    DeltaBinaryPacked,
    /// `DELTA_LENGTH_BYTE_ARRAY`: the sizes of all texts as packed differences, and behind them the bytes of all texts.
    DeltaLengthByteArray,
    /// `DELTA_BYTE_ARRAY`: for each text, or value of a fixed number of bytes, how many bytes it shares with the start of
    /// the one before, and then the bytes behind them, as in
    /// [`DeltaLengthByteArray`](Encoding::DeltaLengthByteArray).
    ///
    /// The bytes of a page do not bound those of its texts. So if a batch on CUDA has such texts, their bytes are counted
    /// before there is memory for them, and the CPU waits once more. With their sizes, 4 bytes each, the texts of a page
    /// must have less than 2³¹ bytes.
    DeltaByteArray,
}

/// Where the levels of a data page are. Their encoding is `RLE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Levels {
    /// The page has no levels. The column is flat and required.
    None,
    /// The page begins with the number of bytes of its levels, in 4 bytes. This is version 1 of data pages. In a nested
    /// column, repetition levels and definition levels both begin with their number of bytes, as far as the column has
    /// such levels.
    Prefixed,
    /// The page of a flat column begins with definition levels of this number of bytes. This is version 2 of data pages.
    Sized(usize),
    /// The page of a nested column begins with repetition levels and definition levels of these numbers of bytes. This is
    /// version 2 of data pages.
    Both {
        /// The number of bytes of the repetition levels.
        repetition: usize,
        /// The number of bytes of the definition levels.
        definition: usize,
    },
}

/// A column that was not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The number of the column in the batch.
    pub column: usize,
    /// The number of the first bad page. All pages of the column are counted in the order of its chunks, and the
    /// dictionary page of a chunk precedes its data pages.
    pub page: usize,
    /// What is wrong with the page. If several things are wrong, it is one of them.
    pub flaw: Flaw,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "page {} of column {}: {}", self.page, self.column, self.flaw)
    }
}

impl std::error::Error for Refused {}

/// What is wrong with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Flaw {
    /// Values of the column's type cannot be decoded, see [`supports`](crate::supports).
    Unsupported,
    /// The page is neither compressed nor at a multiple of 16 bytes, or it is not within the buffer, or no padding follows.
    Position,
    /// The compressed bytes are damaged.
    Compression,
    /// The page has another number of decompressed bytes than its header claims.
    Size,
    /// The page has 2³¹ rows or more, or more rows than the column. A chunk of a nested column has another number of rows. The sizes and the bytes of the texts of
    /// [`DeltaLengthByteArray`](Encoding::DeltaLengthByteArray) must be less than 2³¹ bytes.
    Rows,
    /// The dictionary page has fewer values than its header claims, or the chunk has a second one.
    Dictionary,
    /// Levels are missing or cut, a level exceeds the highest one, or an element follows where there is no list.
    Levels,
    /// The page has another number of nulls than its header claims.
    NullCount,
    /// There are keys, but no dictionary page.
    NoDictionary,
    /// The page has fewer values than rows that are not null.
    Values,
    /// The keys have more than 32 bits.
    KeyWidth,
    /// The runs of keys or of booleans are cut.
    Keys,
    /// A key is not in the dictionary, or a boolean exceeds 1.
    Key,
    /// A decimal has more digits than its type.
    Digits,
    /// A timestamp of 96 bits is outside of what 64-bit nanoseconds can represent.
    Timestamp,
    /// A text is not UTF-8. Each value of a dictionary page must be UTF-8, whether a key refers to it or not.
    Utf8,
    /// The texts of the column have more bytes than offsets of 32 bits can represent. The page is 0. With offsets of 64
    /// bits, the column can be decoded.
    Offsets,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Flaw::Unsupported => "values of this type are not supported",
            Flaw::Position => "the page is not within the buffer, or it is misaligned",
            Flaw::Compression => "the compressed bytes are damaged",
            Flaw::Size => "the header claims another number of decompressed bytes",
            Flaw::Rows => "the page has too many rows, or the chunk has another number of rows",
            Flaw::Dictionary => "the dictionary page is cut, or it is the second of its chunk",
            Flaw::Levels => "the levels are cut, or a level is not possible",
            Flaw::NullCount => "the header claims another number of nulls",
            Flaw::NoDictionary => "the keys have no dictionary page",
            Flaw::Values => "the values are cut",
            Flaw::KeyWidth => "the keys have more than 32 bits",
            Flaw::Keys => "the runs of keys or booleans are cut",
            Flaw::Key => "a key is not in the dictionary, or a boolean exceeds 1",
            Flaw::Digits => "a decimal has more digits than its type",
            Flaw::Timestamp => "a timestamp is outside of the range of nanoseconds",
            Flaw::Utf8 => "a text is not UTF-8",
            Flaw::Offsets => "the texts or lists need offsets of 64 bits",
        })
    }
}

impl Encoding {
    /// Returns whether values are rewritten with plain encoding before they are converted.
    pub(crate) fn is_rewritten(self) -> bool {
        match self {
            Encoding::Plain | Encoding::Keys | Encoding::Rle => false,
            Encoding::ByteStreamSplit
            | Encoding::DeltaBinaryPacked
            | Encoding::DeltaLengthByteArray
            | Encoding::DeltaByteArray => true,
        }
    }
}

impl Codec {
    /// Returns the largest number of bytes that `len` compressed bytes can stand for.
    pub(crate) fn most(self, len: usize) -> usize {
        len.saturating_mul(match self {
            Codec::Uncompressed => 1,
            // 3 bytes copy 64.
            Codec::Snappy => 22,
            // A byte adds 255 to a length.
            Codec::Lz4Raw | Codec::Lz4Hadoop => 255,
        })
    }
}

impl DictionaryPage {
    /// Returns the number of decompressed bytes.
    pub(crate) fn size(&self) -> usize {
        self.compression.map_or(self.len, |compression| compression.size)
    }
}

impl Page {
    /// Returns the number of decompressed bytes.
    pub(crate) fn size(&self) -> usize {
        self.compression.map_or(self.len, |compression| compression.size)
    }

    /// Returns the number of bytes at the start that are not compressed.
    pub(crate) fn plain_bytes(&self) -> usize {
        match self.header.levels {
            Levels::Sized(size) => size,
            Levels::Both { repetition, definition } => repetition.saturating_add(definition),
            Levels::None | Levels::Prefixed => 0,
        }
    }
}

impl PageHeader {
    /// Returns the number of bytes of the levels that are known without the bytes of the page, and checks that a page
    /// of `len` bytes has them. If the size of the levels is in the page, the result is `None`.
    pub(crate) fn level_size(&self, len: usize, is_optional: bool) -> Result<Option<usize>, Flaw> {
        match (self.levels, is_optional) {
            (Levels::None, false) => Ok(Some(0)),
            (Levels::Sized(size), _) if size <= len => Ok(Some(size)),
            (Levels::Prefixed, true) if len >= 4 => Ok(None),
            (Levels::None | Levels::Prefixed | Levels::Sized(_) | Levels::Both { .. }, _) => Err(Flaw::Levels),
        }
    }
}
