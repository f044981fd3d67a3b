// decode: pages of Parquet columns become columns, all pages of a batch in one launch. A block decodes a page in tiles of
// rows: definition levels become words of validity, the rank of a row among the valid rows is the number of its value, and
// values are written to their rows. The rows of a nested column are its slots of values, whose validity is known.
//
// Every number that a page states is checked before it is followed. A bad page is reported, and its block ends.

#include <gdf/block_sum.cuh>

#include "masks.cuh"
#include "runs.cuh"
#include "values.cuh"

GDF_POLICY(decode_pages, 256, 8, 4);
GDF_POLICY(decode_dictionaries, 256, 1, 4);

namespace decode {

using tuning = decode_pages_tuning;

constexpr int threads = tuning::threads;
constexpr int items = tuning::items;
constexpr int tile = tuning::tile;
constexpr int words = tile / 32;

/// The number of rows of a part of a page. Pages of plain values without levels are divided into parts, which different
/// blocks decode.
constexpr int part_rows = 16 * tile;

static_assert(tile <= text_tile); // a tile of a page covers two tiles of its column at most

/// The texts of a page, with their index.
struct text_source {
  const uint8_t* page;
  const uint32_t* index;
  int64_t at;         // position of the page
  uint32_t count;     // the number of texts in the index
  uint32_t first_bad; // the number of the first text that is not UTF-8, or ~0
};

/// The shared memory of a block.
struct tile_memory {
  run_table levels;
  run_table keys;
  text_source texts; // the texts that the values are, or that the keys stand for
  uint32_t valid[words + 1];  // the validity of the rows of the tile, and a word of zeros
  uint32_t before[words];     // the number of valid rows before each word
  uint32_t bits[words + 1];   // booleans: the values of the rows of the tile, and a word of zeros
  uint32_t valid_rows;
  // A thread writes 8 consecutive keys, so a gap follows every 32 keys: no two lanes write to one bank.
  uint32_t key[tile + tile / 32];

  GDF_DEVICE uint32_t& key_at(int index) { return key[index + (index >> 5)]; }
};
static_assert(items == 8); // of the keys of a tile, each thread unpacks 8

/// [thread] Returns the flaw of a value that the column cannot have.
GDF_DEVICE flaw flaw_of_conversion(const column& of) {
  return of.target == static_cast<int32_t>(target::timestamp) ? flaw::timestamp : flaw::digits;
}

/// Decodes a page. All members are the same in all threads.
struct page_decoder {
  page const& of;
  column const& into;
  const uint8_t* bytes;
  const uint8_t* dictionary; // the values that the keys stand for; null without a dictionary
  uint32_t dictionary_count;
  uint32_t first_key;
  status* statuses;
  tile_memory& memory;
  const uint8_t* levels; // the page, or the validity of the slots of a nested column
  const uint8_t* plain = nullptr; // the values of a page with plain encoding
  int64_t plain_length = 0;       // the number of their bytes
  int key_width = 0;

  /// [block] Reports the page.
  GDF_DEVICE bool refuse(flaw what) const {
    if (threadIdx.x == 0) { report(statuses, of.column, of.number, what); }
    return false;
  }

  GDF_DEVICE bool is_bit() const { return into.target == static_cast<int32_t>(target::bit); }

  GDF_DEVICE bool is_text() const { return into.target == static_cast<int32_t>(target::text); }

  /// [block] Decodes all rows.
  GDF_DEVICE bool decode() {
    bool const optional = into.validity != nullptr;
    bool const by_keys = of.encoding != static_cast<int32_t>(encoding::plain);
    auto const length = static_cast<uint32_t>(of.bytes);
    bool const nested = of.leveled != not_nested;
    uint32_t values_at = 0;
    if (!skip_levels(bytes, length, of.level_size, values_at)) { return refuse(flaw::levels); }
    if (of.rewritten == not_rewritten) {
      plain = bytes + values_at;
      plain_length = length - values_at;
    }
    uint32_t keys_at = length;
    uint32_t keys_end = length;
    if (of.encoding == static_cast<int32_t>(encoding::rle)) {
      key_width = 1;
      uint32_t const left = length - values_at;
      uint32_t const size = left < 4 ? 0 : load<uint32_t>(bytes + values_at);
      if (left >= 4 && size <= left - 4) {
        keys_at = values_at + 4;
        keys_end = keys_at + size;
      }
    } else if (by_keys && dictionary != nullptr && values_at < length) {
      // A page without values needs neither keys nor a dictionary.
      key_width = __ldg(bytes + values_at);
      keys_at = values_at + 1;
    }
    if (optional && gdf::warp() == 0) {
      if (nested) {
        memory.levels.begin_bits(of.rows);
      } else {
        memory.levels.begin(of.level_size == prefixed_levels ? 4 : 0, values_at);
        memory.levels.walk(levels, 1, of.rows, 1);
      }
    }
    if (by_keys && gdf::warp() == 1) { // at the same time
      memory.keys.begin(keys_at, keys_end);
      if (key_width <= 32) { memory.keys.walk(bytes, key_width, of.rows, ~0u); }
    }
    __syncthreads();

    bool fits = true;
    int32_t values = 0;
    for (int32_t row = 0; row < of.rows;) {
      int rows = of.rows - row < tile ? of.rows - row : tile;
      int valid = rows;
      if (optional) {
        if (!begin_levels(row)) { return false; }
        int const covered = memory.levels.covered - row;
        rows = rows < covered ? rows : covered;
        valid = decode_levels(row, rows);
      }
      if (by_keys) {
        if (!decode_keys(values, valid)) { return false; }
      } else if (plain_bytes(into, values + valid) > plain_length) {
        return refuse(flaw::values);
      } else if (is_text()) {
        auto const needed = static_cast<uint32_t>(values + valid);
        if (needed > memory.texts.count) { return refuse(flaw::values); }
        if (needed > memory.texts.first_bad) { return refuse(flaw::utf8); }
      }
      if (by_keys) {
        store_dictionary_values(row, rows, valid);
      } else {
        fits = store_plain_values(row, rows, valid, values) && fits;
      }
      values += valid;
      row += rows;
    }
    if (!fits) { report(statuses, of.column, of.number, flaw_of_conversion(into)); } // any thread
    int32_t const nulls = of.rows - values;
    if (of.null_count != no_null_count && of.null_count != nulls) { return refuse(flaw::null_count); }
    if (threadIdx.x == 0 && nulls > 0) { atomicAdd(&statuses[of.column].nulls, static_cast<gdf::u64>(nulls)); }
    return true;
  }

  /// [block] Brings the run of the level of `row` into the table.
  GDF_DEVICE bool begin_levels(int32_t row) const {
    if (memory.levels.covered <= row) {
      __syncthreads(); // other threads may still read the table
      if (gdf::warp() == 0) { memory.levels.walk(levels, 1, of.rows, 1); }
      __syncthreads();
    }
    return memory.levels.covered > row || refuse(flaw::levels);
  }

  /// [block] Decodes the levels of the rows of a tile, and writes their bits of the mask. Returns the number of valid
  /// rows.
  GDF_DEVICE int decode_levels(int32_t row, int rows) const {
    int const thread = static_cast<int>(threadIdx.x);
    __syncthreads(); // other threads may still read the previous tile
    if (thread <= words) {
      int const first = thread * 32;
      int const count = rows - first < 32 ? rows - first : 32;
      memory.valid[thread] = count > 0 ? bits_of_runs(memory.levels, levels, row + first, count) : 0;
    }
    __syncthreads();
    if (gdf::warp() == 0) {
      static_assert(words == 64);
      int const word = gdf::lane() * 2;
      uint32_t const low = __popc(memory.valid[word]);
      uint32_t const high = __popc(memory.valid[word + 1]);
      uint32_t const up_to = gdf::warp_inclusive_sum(low + high);
      memory.before[word] = up_to - low - high;
      memory.before[word + 1] = up_to - high;
      if (gdf::lane() == 31) { memory.valid_rows = up_to; }
    }
    store_mask(into.validity, memory.valid, of.first_row + row, rows);
    __syncthreads();
    return static_cast<int>(memory.valid_rows);
  }

  /// [block] Writes the bits of the rows of a tile. `bit_of(k)` is value k of the tile. Null rows become zero.
  template <class BitOf>
  GDF_DEVICE void store_bits(int32_t row, int rows, int valid, BitOf&& bit_of) const {
    __syncthreads(); // other threads may still read the bits of the previous tile
#pragma unroll 4
    for (int i = 0; i < items; i++) {
      int const r = i * threads + static_cast<int>(threadIdx.x);
      int const rank = rank_of(r, rows, valid);
      uint32_t const word = __ballot_sync(~0u, rank >= 0 && bit_of(rank) != 0);
      if (gdf::lane() == 0) { memory.bits[r >> 5] = word; }
    }
    if (threadIdx.x == 0) { memory.bits[words] = 0; }
    __syncthreads();
    store_mask(static_cast<uint32_t*>(into.values), memory.bits, of.first_row + row, rows);
  }

  /// [block] Unpacks the keys of `count` values, from value `first` on.
  GDF_DEVICE bool decode_keys(int32_t first, int count) const {
    if (count == 0) { return true; }
    if (dictionary == nullptr) { return refuse(flaw::no_dictionary); }
    if (key_width > 32) { return refuse(flaw::key_width); }
    bool in_dictionary = true;
    __syncthreads(); // other threads may still read the keys of the previous tile
    for (int filled = 0; filled < count;) {
      int32_t const next = first + filled;
      if (memory.keys.covered <= next) {
        __syncthreads(); // other threads may still read the table
        if (gdf::warp() == 0) { memory.keys.walk(bytes, key_width, of.rows, ~0u); }
        __syncthreads();
        if (memory.keys.covered <= next) { return refuse(flaw::keys); }
      }
      int const covered = memory.keys.covered - next;
      int const here = covered < count - filled ? covered : count - filled;
      int const begin = static_cast<int>(threadIdx.x) * items;
      int const end = begin + items < here ? begin + items : here;
      if (begin < end) {
        run_reader read(memory.keys, bytes, key_width, next + begin);
        for (int i = begin; i < end; i++) {
          uint32_t const key = read(next + i);
          in_dictionary = in_dictionary && key < dictionary_count;
          memory.key_at(filled + i) = key;
        }
      }
      filled += here;
    }
    return __syncthreads_and(in_dictionary) || refuse(flaw::key);
  }

  /// [thread] Returns the number of the value of a row among the values of the tile, or -1 if the row is null or behind
  /// the last row.
  GDF_DEVICE int rank_of(int r, int rows, int valid) const {
    if (r >= rows) { return -1; }
    if (valid == rows) { return r; }
    uint32_t const word = memory.valid[r >> 5];
    if ((word >> (r & 31) & 1) == 0) { return -1; }
    return static_cast<int>(memory.before[r >> 5]) + __popc(word & gdf::low_bits(r & 31));
  }

  /// [block] Writes where the texts of a tile are, and adds their sizes to those of the tiles of the column, of which
  /// the tile covers two at most. `text_of(k)` is the number in the index of value k of the tile.
  template <class TextOf>
  GDF_DEVICE void store_sources(int32_t row, int rows, int valid, TextOf&& text_of) const {
    text_source const& texts = memory.texts;
    int64_t const first = of.first_row + row;
    int64_t const column_tile = first / text_tile;
    auto const in_first = static_cast<int>((column_tile + 1) * text_tile - first); // rows of the first tile
    auto* const out = static_cast<int64_t*>(into.values) + first;
    gdf::u64 sizes[2] = {0, 0};
#pragma unroll 4
    for (int i = 0; i < items; i++) {
      int const r = i * threads + static_cast<int>(threadIdx.x);
      int const rank = rank_of(r, rows, valid);
      int64_t source = no_text;
      if (rank >= 0) {
        uint32_t const at = __ldg(texts.index + text_of(rank));
        source = texts.at + at;
        uint32_t const size = load<uint32_t>(texts.page + at - 4);
        sizes[0] += r < in_first ? size : 0;
        sizes[1] += r < in_first ? 0 : size;
      }
      if (r < rows) { out[r] = source; }
    }
    for (int k = 0; k < 2; k++) {
      gdf::u64 const total = gdf::warp_sum(sizes[k]);
      if (gdf::lane() == 0 && total != 0) { atomicAdd(into.totals + column_tile + k, total); }
    }
  }

  /// [thread] Writes the rows of a tile. `value_of(k)` is value k of the tile. Null rows become zero.
  template <int batch, class T, class ValueOf>
  GDF_DEVICE void store_rows(int32_t row, int rows, int valid, ValueOf&& value_of) const {
    static_assert(items % batch == 0);
    T* const out = static_cast<T*>(into.values) + of.first_row + row;
#pragma unroll 1
    for (int i = 0; i < items; i += batch) {
      T value[batch];
#pragma unroll
      for (int k = 0; k < batch; k++) { // the loads are in flight together
        int const rank = rank_of((i + k) * threads + static_cast<int>(threadIdx.x), rows, valid);
        value[k] = rank >= 0 ? value_of(rank) : T{};
      }
#pragma unroll
      for (int k = 0; k < batch; k++) {
        int const r = (i + k) * threads + static_cast<int>(threadIdx.x);
        if (r < rows) { out[r] = value[k]; }
      }
    }
  }

  /// [block] Writes the rows of a tile, byte by byte. `value_of(k)` is the number of value k of the tile among `values`.
  template <class ValueOf>
  GDF_DEVICE void store_bytes(int32_t row, int rows, int valid, const uint8_t* values, ValueOf&& value_of) const {
    auto const width = static_cast<uint32_t>(into.decimal_width);
    auto* const out = static_cast<uint8_t*>(into.values) + (of.first_row + row) * width;
    for (uint32_t i = threadIdx.x; i < static_cast<uint32_t>(rows) * width; i += threads) {
      uint32_t const r = i / width;
      int const rank = rank_of(static_cast<int>(r), rows, valid);
      out[i] = rank >= 0 ? __ldg(values + int64_t{value_of(rank)} * width + (i - r * width)) : uint8_t{0};
    }
  }

  template <class T, class Of>
  GDF_DEVICE void store_looked_up(int32_t row, int rows, int valid) const {
    constexpr int batch = sizeof(T) == 16 ? 4 : 8;
    auto const* const value = reinterpret_cast<const Of*>(dictionary);
    store_rows<batch, T>(row, rows, valid, [&](int rank) {
      if constexpr (is_narrowed<T, Of>) {
        return static_cast<T>(__ldg(value + memory.key_at(rank)));
      } else {
        return __ldg(value + memory.key_at(rank));
      }
    });
  }

  GDF_DEVICE void store_dictionary_values(int32_t row, int rows, int valid) const {
    switch (static_cast<target>(into.target)) {
      case target::narrow8: return store_looked_up<uint8_t, uint32_t>(row, rows, valid);
      case target::narrow16: return store_looked_up<uint16_t, uint32_t>(row, rows, valid);
      case target::same16: return store_looked_up<uint16_t, uint16_t>(row, rows, valid);
      case target::same32:
      case target::decimal32: return store_looked_up<uint32_t, uint32_t>(row, rows, valid);
      case target::same64:
      case target::timestamp:
      case target::decimal64: return store_looked_up<gdf::u64, gdf::u64>(row, rows, valid);
      case target::decimal128: return store_looked_up<wide_value, wide_value>(row, rows, valid);
      case target::keys:
        return store_rows<8, uint32_t>(row, rows, valid, [&](int rank) { return memory.key_at(rank) + first_key; });
      case target::text: return store_sources(row, rows, valid, [&](int rank) { return memory.key_at(rank); });
      case target::bit: return store_bits(row, rows, valid, [&](int rank) { return memory.key_at(rank); });
      case target::bytes:
        return store_bytes(row, rows, valid, dictionary, [&](int rank) { return memory.key_at(rank); });
    }
  }

  template <class T, class Of>
  GDF_DEVICE bool store_numbers(int32_t row, int rows, int valid, const uint8_t* first) const {
    store_rows<8, T>(row, rows, valid,
                     [&](int rank) { return static_cast<T>(load<Of>(first + int64_t{rank} * sizeof(Of))); });
    return true;
  }

  /// [thread] Writes the rows of a tile, whose values are made by `From`. Returns whether the values of this thread can be
  /// values of the column.
  template <class T, class From = decimals>
  GDF_DEVICE bool store_converted(int32_t row, int rows, int valid, const uint8_t* first) const {
    From from(into, first);
    store_rows<2, T>(row, rows, valid, [&](int rank) { return from.template value<T>(rank); });
    return from.fits;
  }

  /// [thread] Writes the rows of a tile of a plain page, whose first value has the number `value`. Returns whether the
  /// values of this thread can be values of the column.
  GDF_DEVICE bool store_plain_values(int32_t row, int rows, int valid, int32_t value) const {
    const uint8_t* const first = plain + int64_t{value} * plain_width(into);
    auto const bit_of = [&](int rank) { return __ldg(first + ((value + rank) >> 3)) >> ((value + rank) & 7) & 1; };
    switch (static_cast<target>(into.target)) {
      case target::narrow8: return store_numbers<uint8_t, uint32_t>(row, rows, valid, first);
      case target::narrow16: return store_numbers<uint16_t, uint32_t>(row, rows, valid, first);
      case target::same16: return store_numbers<uint16_t, uint16_t>(row, rows, valid, first);
      case target::same32: return store_numbers<uint32_t, uint32_t>(row, rows, valid, first);
      case target::same64: return store_numbers<gdf::u64, gdf::u64>(row, rows, valid, first);
      case target::decimal32: return store_converted<uint32_t>(row, rows, valid, first);
      case target::decimal64: return store_converted<gdf::u64>(row, rows, valid, first);
      case target::decimal128: return store_converted<wide_value>(row, rows, valid, first);
      case target::timestamp: return store_converted<gdf::u64, timestamps>(row, rows, valid, first);
      case target::text: store_sources(row, rows, valid, [&](int rank) { return value + rank; }); break;
      case target::bit: store_bits(row, rows, valid, bit_of); break;
      case target::bytes: store_bytes(row, rows, valid, first, [](int rank) { return rank; }); break;
      case target::keys: break;
    }
    return true;
  }

  template <class T, class Of>
  static constexpr bool is_narrowed = sizeof(T) < sizeof(Of);
};

/// [block] Converts the values of a dictionary.
template <class T, class From = decimals>
GDF_DEVICE bool decode_dictionary(const dictionary& of, const column& into, const uint8_t* bytes) {
  From from(into, bytes + of.at);
  auto* const out = static_cast<T*>(of.decoded);
  for (int64_t i = threadIdx.x; i < of.count; i += threads) { out[i] = from.template value<T>(i); }
  return from.fits;
}

} // namespace decode

/// Decodes page blockIdx.x. `bytes` are the pages, and 16 bytes follow the last page. The address of `bytes` is a
/// multiple of 16. The values of a column's rows, and the bits of its rows, belong to one page each.
extern "C" __global__ void GDF_BOUNDS(decode_pages)
decode_pages_kernel(const decode::page* pages, const decode::column* columns, const decode::dictionary* dictionaries,
                    const decode::text_page* text_pages, const decode::text_count* counts,
                    const decode::rewritten_page* rewritten, const decode::leveled_page* leveled, const uint8_t* bytes,
                    decode::status* statuses) {
  __shared__ decode::tile_memory memory;
  decode::page page = pages[blockIdx.x];
  decode::column const column = columns[page.column];
  const uint8_t* values = nullptr;
  uint32_t count = 0;
  uint32_t first_key = 0;
  int32_t text_page = decode::no_texts;
  if (page.dictionary != decode::no_dictionary_page) {
    decode::dictionary const dictionary = dictionaries[page.dictionary];
    values = dictionary.decoded == nullptr ? bytes + dictionary.at : static_cast<const uint8_t*>(dictionary.decoded);
    count = static_cast<uint32_t>(dictionary.count);
    text_page = dictionary.texts;
    first_key = static_cast<uint32_t>(dictionary.first_key);
  }
  if (page.encoding == static_cast<int32_t>(decode::encoding::plain)) { text_page = page.texts; }
  if (page.encoding == static_cast<int32_t>(decode::encoding::rle)) {
    values = bytes; // a boolean is its own key
    count = 2;
  }
  if (text_page != decode::no_texts) {
    decode::text_page const indexed = text_pages[text_page];
    decode::text_count const found = counts[text_page];
    if (threadIdx.x == 0) { // the decoder synchronizes the block before it looks at them
      memory.texts = {bytes + indexed.at, indexed.index, indexed.at, found.texts, found.first_bad};
    }
    count = found.texts; // of a bad dictionary page, fewer than it claims
  }
  const uint8_t* const from = bytes + page.at;
  decode::page_decoder decoder{page, column, from, values, count, first_key, statuses, memory, from};
  if (page.leveled != decode::not_nested) {
    decode::leveled_page const& slots = leveled[page.leveled];
    page.first_row = slots.first_slot;
    page.rows = slots.value_slots;
    decoder.levels = reinterpret_cast<const uint8_t*>(slots.valid);
  }
  if (page.rewritten != decode::not_rewritten) {
    decoder.plain = rewritten[page.rewritten].values;
    decoder.plain_length = rewritten[page.rewritten].plain_bytes;
  }
  decoder.decode();
}

/// Converts dictionary blockIdx.x if its values are decimals or timestamps of 96 bits.
extern "C" __global__ void GDF_BOUNDS(decode_dictionaries)
decode_dictionaries_kernel(const decode::dictionary* dictionaries, const decode::column* columns, const uint8_t* bytes,
                           decode::status* statuses) {
  static_assert(decode_dictionaries_tuning::threads == decode::threads);
  decode::dictionary const dictionary = dictionaries[blockIdx.x];
  if (dictionary.decoded == nullptr) { return; }
  decode::column const column = columns[dictionary.column];
  bool fits = true;
  switch (static_cast<decode::target>(column.target)) {
    case decode::target::narrow8:
    case decode::target::narrow16:
    case decode::target::same16:
    case decode::target::same32:
    case decode::target::same64:
    case decode::target::keys:
    case decode::target::text:
    case decode::target::bit:
    case decode::target::bytes: break;
    case decode::target::decimal32: fits = decode::decode_dictionary<uint32_t>(dictionary, column, bytes); break;
    case decode::target::decimal64: fits = decode::decode_dictionary<gdf::u64>(dictionary, column, bytes); break;
    case decode::target::decimal128:
      fits = decode::decode_dictionary<decode::wide_value>(dictionary, column, bytes);
      break;
    case decode::target::timestamp:
      fits = decode::decode_dictionary<gdf::u64, decode::timestamps>(dictionary, column, bytes);
      break;
  }
  if (!fits) { decode::report(statuses, dictionary.column, dictionary.number, decode::flaw_of_conversion(column)); }
}
