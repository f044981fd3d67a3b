// The descriptors of pages, columns and dictionaries. The host uploads all descriptors of a batch at once.
#pragma once

#include <gdf/policy.cuh>
#include <gdf/types.cuh>

namespace decode {

/// How the plain pages of decimals store a value.
enum class stored_decimal : int32_t {
  int32 = 0,
  int64 = 1,
  bytes = 2, // big-endian two's complement of `decimal_width` bytes
};

/// What becomes of a value. The value of a dictionary of decimals or timestamps is converted once, before keys refer to it.
enum class target : int32_t {
  narrow8 = 0,  // the low 8 bits of 32
  narrow16 = 1, // the low 16 bits of 32
  same32 = 2,
  same64 = 3,
  decimal32 = 4,
  decimal64 = 5,
  decimal128 = 6,
  keys = 7, // the keys themselves, of the dictionaries of all chunks one after the other
  text = 8, // where the text of a row is; another launch copies the texts
  bit = 9,  // a bit, which is combined with those of other pages
  same16 = 10,
  timestamp = 11, // of 96 bits, becomes one of 64 bits
  bytes = 12, // `decimal_width` bytes, which stay the same
};

enum class encoding : int32_t {
  plain = 0,
  keys = 1,
  rle = 2, // runs of bits, behind the number of their bytes
  byte_stream_split = 3, // the first bytes of all values, then the second bytes, and so on
  delta_binary_packed = 4, // integers as packed differences
  delta_length_byte_array = 5, // the sizes of all texts as packed differences, and then the bytes of all texts
  delta_byte_array = 6, // the same, but the sizes of prefixes that are those of the value before come first
};

/// How a page is compressed.
enum class codec : int32_t {
  uncompressed = 0, // the bytes are copied
  snappy = 1,
  lz4_raw = 2,    // one block of LZ4
  lz4_hadoop = 3, // blocks of LZ4, each behind its size and its compressed size, 4 bytes each, big-endian
};

/// What is wrong with a page. A page that was not decompressed is decoded nevertheless, so these flaws come first: of
/// the flaws of a page, the first one is reported.
enum class flaw : int32_t {
  compression = 0,   // the compressed bytes are damaged
  size = 1,          // the page has another number of decompressed bytes than the header claims
  levels = 2,        // the levels are cut, or one is not possible
  null_count = 3,    // the levels have another number of nulls than the header claims
  no_dictionary = 4, // there are keys, but no dictionary page
  values = 5,        // there are too few bytes of values
  key_width = 6,     // the keys have more than 32 bits
  keys = 7,          // the runs of keys or of booleans are cut
  key = 8,           // a key is not in the dictionary, or a boolean exceeds 1
  digits = 9,        // a decimal has too many digits
  utf8 = 10,         // a text is not UTF-8
  dictionary = 11,   // a dictionary page has too few texts
  timestamp = 12,    // a timestamp is outside of the range of nanoseconds
  rows = 13,         // a chunk of a nested column has another number of rows
};

/// The `level_size` of a page that begins with the number of bytes of its levels. If the page has levels of two kinds, each
/// behind its number of bytes, the `level_size` is twice this number.
constexpr int32_t prefixed_levels = -1;

/// The `null_count` of a page that claims none.
constexpr int64_t no_null_count = -1;

/// The `dictionary` of a page without one.
constexpr int32_t no_dictionary_page = -1;

/// The `rewritten` of a page whose values are where they were.
constexpr int32_t not_rewritten = -1;

/// The `texts` of a page whose texts have no index.
constexpr int32_t no_texts = -1;

/// The `leveled` of a page of a flat column.
constexpr int32_t not_nested = -1;

/// The `rows_end` of a page that is not the last one of its chunk.
constexpr int64_t no_rows_end = -1;

/// The `valid` of a node without nulls.
constexpr int32_t never_null = -1;

/// The number of rows of a tile of a column of texts.
constexpr int text_tile = 2048;

/// The `source` of a null row.
constexpr int64_t no_text = 0;

/// The number of bits of a flaw in the word that reports it. The number of the page is above these bits.
constexpr int flaw_bits = 8;

/// A page that is decompressed before all others are decoded.
struct compressed_page {
  int64_t at; // position of the page in the buffer
  gdf::byte_count bytes; // less than 2^31
  uint8_t* decompressed; // at a multiple of 16, with memory for a multiple of 16 bytes
  int64_t size;  // the number of decompressed bytes that the header claims, less than 2^31
  int32_t plain; // the number of bytes at the start that are not compressed, at most `bytes` and `size`
  int32_t codec;
  int32_t column;
  int32_t number; // the page's number among the pages of the column
};
GDF_SHARED(compressed_page);

/// A page whose values are rewritten with plain encoding before others are decoded, because a value has no place of its
/// own in its encoding.
struct rewritten_page {
  int64_t at; // position of the page, see `page`
  gdf::byte_count bytes; // less than 2^31
  uint8_t* values; // with memory for the values of all rows, at a multiple of 16; deltas: their second value is there
  // Texts: memory for the sizes of the texts of all rows, of which the second one is at a multiple of 16. With prefixes,
  // there is memory for the sizes of prefixes, and from the next multiple of 16 on, for those of suffixes.
  uint32_t* sizes;
  // At launch, the number of bytes of values for which there is memory, and then of those that were rewritten.
  gdf::byte_count plain_bytes;
  gdf::row_count32 rows;
  int32_t encoding;
  int32_t width;       // bytes of a value; texts: of the size of one
  int32_t level_size;  // see `page`
  int32_t is_optional; // whether the page may have fewer values than rows
  int32_t column;
  int32_t number; // the page's number among the pages of the column
  int32_t is_text;
};
GDF_SHARED(rewritten_page);

/// A page of a nested column. Its levels say how many slots of values it has, and which have a value, before pages are
/// decoded. At most one slot of each depth begins at a level.
struct leveled_page {
  int64_t at; // position of the page, see `page`
  gdf::byte_count bytes; // less than 2^31
  // For each depth, the number of slots that begin in the page, and then, of those that begin before it.
  int64_t* slots;
  uint32_t* valid; // for each level, memory for a bit, which is zero at launch
  int64_t null_count; // the number of levels without a value that the header claims
  int64_t rows_end;   // the number of rows up to the end of the chunk, if the page is its last one
  int64_t first_slot; // the number of slots of values that begin before the page, when the pages have been added
  gdf::row_count32 levels;
  int32_t repetition_size; // not more than `bytes`, or `prefixed_levels`; zero if there are no such levels
  int32_t definition_size; // the same; the sum is not more than `bytes`
  int32_t is_first; // whether the page is the first one of its chunk
  int32_t column;
  int32_t number; // the page's number among the pages of the column
  int32_t nested; // the number of the nested column
  // What the levels say. If they are bad, there are no slots.
  int32_t value_slots; // the number of slots of values
  int32_t first_repetition; // the first repetition level
  int32_t last_definition;  // the last definition level
};
GDF_SHARED(leveled_page);

/// A nested column: how its levels are compared, see `LevelPlan`.
struct nested_column {
  const int32_t* lowest; // for each depth, the lowest definition level of a slot
  unsigned long long* totals; // for each depth, the number of slots of all pages
  int32_t first_page; // the number of the first leveled page
  int32_t pages;
  int32_t first_node;
  int32_t nodes;
  int32_t max_repetition; // the number of depths less one
  int32_t max_definition;
};
GDF_SHARED(nested_column);

/// A list or a struct of a nested column.
struct nested_node {
  void* offsets; // lists: one for each slot, and one more; else null
  uint32_t* validity; // zero at launch; null if no slot is null
  unsigned long long* nulls; // zero at launch
  int32_t depth;
  int32_t valid;   // the lowest definition level of a slot that is not null
  int32_t is_wide; // whether offsets have 64 bits
  int32_t unused;
};
GDF_SHARED(nested_node);

struct column {
  // Aligned to their width. For texts: for each row, the position of its text in the buffer of pages, 8 bytes each. Bits
  // are words, which are zero at launch.
  void* values;
  uint32_t* validity; // zero at launch; null if the column has no definition levels
  unsigned long long* totals; // texts: the bytes of each tile of rows, zero at launch; else null
  int64_t per_second; // timestamps of 96 bits: the number of units in a second
  unsigned long long largest[2]; // decimals: the largest absolute value, least significant word first
  int32_t target;
  int32_t stored_decimal;
  int32_t decimal_width; // bytes of a value in a plain page, 1 to 16 of a decimal, and up to 2^16 of other bytes
  gdf::tile_count32 tiles; // texts: the number of tiles of rows
};
GDF_SHARED(column);

/// A dictionary page. The host has checked that the page has the bytes of all values.
struct dictionary {
  int64_t at;    // position of the page, see `page`
  int64_t count; // the number of values
  int64_t first_key; // the number of values in the dictionaries of the column before
  void* decoded; // decimals and timestamps: where their converted values go, aligned to their width; else null
  int32_t column;
  int32_t number; // the page's number among the pages of the column
  int32_t texts;  // the number of the index of its texts
  int32_t unused;
};
GDF_SHARED(dictionary);

/// A data page, or a part of one: of pages with plain values and without levels, a block decodes a part.
struct page {
  // The distance of the page from the buffer of pages, a multiple of 16 unless it is a part. A page that was decompressed
  // is in other memory, so the distance may have any sign.
  int64_t at;
  gdf::byte_count bytes; // less than 2^31
  int64_t first_row;     // the row of the column
  int64_t null_count;
  gdf::row_count32 rows;
  int32_t column;
  int32_t number; // the page's number among the pages of the column
  int32_t dictionary;
  int32_t encoding;
  int32_t level_size; // not more than `bytes`
  int32_t texts;      // the number of the index of its texts, if the page has plain texts
  int32_t rewritten;  // the number of the rewritten page that has its values
  int32_t leveled;    // the number of the leveled page that has its rows, if the column is nested
  int32_t unused;
};
GDF_SHARED(page);

/// A page of plain texts, or a dictionary page of texts. An index says where each text begins.
struct text_page {
  int64_t at; // position of the page, see `page`
  gdf::byte_count bytes; // less than 2^31
  uint32_t* index;    // for each text, the position in the page behind its size
  int32_t limit;      // the largest number of texts that are used, for which the index has memory
  int32_t level_size; // see `page`
  int32_t column;
  int32_t number; // the page's number among the pages of the column
  int32_t is_dictionary; // whether it is an error if there are fewer texts than the limit
  int32_t is_utf8;       // whether texts must be UTF-8
  int32_t rewritten;     // see `page`; the page then has as many bytes as were rewritten
  int32_t unused;
};
GDF_SHARED(text_page);

/// What an index has.
struct text_count {
  uint32_t texts;     // the number of texts
  uint32_t first_bad; // the number of the first text that is not UTF-8, or ~0
};
GDF_SHARED(text_count);

/// A column of texts whose bytes are copied.
struct text_column {
  const int64_t* sources; // for each row, the position of its text, or `no_text`
  const unsigned long long* bases; // for each tile, the number of bytes of the tiles before
  void* offsets; // one more than there are rows
  uint8_t* bytes; // of all rows, aligned to 16
  gdf::row_count rows;
  int32_t first_block; // the block of the first tile
  int32_t is_wide; // whether offsets have 64 bits
};
GDF_SHARED(text_column);

/// What the blocks found out about a column.
struct status {
  unsigned long long error; // ~0 at launch; the first bad page << flaw_bits | a flaw of the page
  unsigned long long nulls; // 0 at launch
  unsigned long long texts; // 0 at launch; the number of bytes of all texts, or ~0 if there are more
};
GDF_SHARED(status);

/// [thread] Reports a bad page.
GDF_DEVICE void report(status* statuses, int32_t column, int32_t number, flaw what) {
  atomicMin(&statuses[column].error,
            static_cast<gdf::u64>(number) << flaw_bits | static_cast<gdf::u64>(static_cast<int32_t>(what)));
}

} // namespace decode
