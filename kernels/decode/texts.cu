// decode: texts of Parquet pages. In plain pages, and in dictionary pages, each text follows its size. So one thread
// hops from size to size, in shared memory, to which all threads bring a window of the page, and an index says where
// each text begins. The decoder of pages then writes where the text of each row is, and how many bytes a tile of rows
// has. When the host has taken memory for the bytes, all texts of a batch are copied.
//
// Every size is checked against the end of the page before it is followed.

#include <gdf/bits.cuh>
#include <gdf/block_sum.cuh>
#include <gdf/sizes.cuh>

#include "../validation/utf8.cuh"
#include "values.cuh"

GDF_POLICY(decode_index, 256, 1, 6);
GDF_POLICY(decode_bases, 256, 1, 4);
GDF_POLICY(decode_texts, 256, 8, 4);

namespace decode {

/// The number of bytes of a page that are in shared memory.
constexpr int window_bytes = 16384;

/// The block shares the test of a text of more bytes.
constexpr uint32_t long_text = 512;

struct window_memory {
  uint4 window[window_bytes / 16 + 1]; // the last element is only read with the bytes before it
  uint16_t starts[window_bytes / 4];   // where the texts of the window begin, with their sizes
  uint16_t long_texts[window_bytes / long_text + 1]; // numbers of long texts
  uint32_t texts;      // the number of texts that begin in the window
  uint32_t long_count; // the number of long texts that are tested
  uint32_t next;       // the position in the page of the text that follows
  uint32_t first_bad;
  bool ends; // whether no text follows
};

/// Makes the index of the texts of a page. All members are the same in all threads.
struct text_indexer {
  const text_page& of;
  const uint8_t* page;
  window_memory& memory;
  uint32_t length;

  /// [thread] Returns the size of the text at a position of the window.
  GDF_DEVICE uint32_t size_at(uint32_t at) const {
    auto const* const word = reinterpret_cast<const uint32_t*>(memory.window) + (at >> 2);
    return __funnelshift_r(word[0], word[1], (at & 3) * 8);
  }

  /// [block] Makes the index. Thread 0 gets the number of texts.
  GDF_DEVICE uint32_t run() const {
    uint32_t at = 0;
    if (!skip_levels(page, length, of.level_size, at)) { return 0; } // the decoder of the page reports it
    if (threadIdx.x == 0) { memory.first_bad = ~0u; }
    auto const limit = static_cast<uint32_t>(of.limit);
    uint32_t count = 0;
    while (count < limit) {
      uint32_t const begin = at & ~15u;
      bool const is_ascii = stage(begin);
      if (threadIdx.x == 0) { hop(at, begin, limit - count); }
      __syncthreads();
      if (of.is_utf8 != 0) {
        list(count, begin, is_ascii);
        __syncthreads();
        test_long_texts(count, begin);
      } else {
        for (uint32_t i = threadIdx.x; i < memory.texts; i += blockDim.x) {
          of.index[count + i] = begin + memory.starts[i] + 4;
        }
      }
      count += memory.texts;
      at = memory.next;
      bool const ends = memory.ends;
      __syncthreads(); // the window is overwritten
      if (ends) { break; }
    }
    return count;
  }

  /// [block] Brings a window to shared memory. Returns whether all its bytes are below 0x80.
  GDF_DEVICE bool stage(uint32_t begin) const {
    uint32_t bits = 0;
    for (uint32_t i = threadIdx.x; i < window_bytes / 16; i += blockDim.x) {
      uint4 part{};
      if (begin + i * 16 < length) { part = __ldg(reinterpret_cast<const uint4*>(page + begin) + i); }
      memory.window[i] = part;
      bits |= part.x | part.y | part.z | part.w;
    }
    if (threadIdx.x == 0) { memory.long_count = 0; }
    return __syncthreads_and((bits & 0x80808080u) == 0) != 0;
  }

  /// [thread] Finds at most `most` texts that begin in the window, from the text at `at` on.
  GDF_DEVICE void hop(uint32_t at, uint32_t begin, uint32_t most) const {
    uint32_t texts = 0;
    bool ends = false;
    while (texts < most) {
      ends = length - at < 4;
      if (ends || at - begin > window_bytes - 4) { break; }
      uint32_t const size = size_at(at - begin);
      ends = size > length - at - 4;
      if (ends) { break; }
      memory.starts[texts] = static_cast<uint16_t>(at - begin);
      texts++;
      at += 4 + size;
    }
    memory.texts = texts;
    memory.next = at;
    memory.ends = ends;
  }

  /// [block] Writes the index of the texts of the window. Tests the short ones, and lists the long ones.
  GDF_DEVICE void list(uint32_t count, uint32_t begin, bool is_ascii) const {
    for (uint32_t i = threadIdx.x; i < memory.texts; i += blockDim.x) {
      uint32_t const start = memory.starts[i];
      uint32_t const size = size_at(start);
      uint32_t const first = begin + start + 4;
      of.index[count + i] = first;
      if (is_ascii && start + 4 + size <= window_bytes) { continue; }
      if (size > long_text) {
        memory.long_texts[atomicAdd(&memory.long_count, 1u)] = static_cast<uint16_t>(i);
        continue;
      }
      test(count + i, first, first + size, first & ~15u, 16);
    }
  }

  /// [block] Tests the listed texts.
  GDF_DEVICE void test_long_texts(uint32_t count, uint32_t begin) const {
    for (uint32_t k = 0; k < memory.long_count; k++) {
      uint32_t const i = memory.long_texts[k];
      uint32_t const start = memory.starts[i];
      uint32_t const first = begin + start + 4;
      test(count + i, first, first + size_at(start), (first & ~15u) + threadIdx.x * 16, blockDim.x * 16);
    }
  }

  /// [thread] Tests pieces of 16 bytes of a text.
  GDF_DEVICE void test(uint32_t text, uint32_t first, uint32_t end, uint32_t from, uint32_t step) const {
    for (; from < end; from += step) {
      if (validation::misplaced(page, first, end, from) >= 0) {
        atomicMin(&memory.first_bad, text);
        return;
      }
    }
  }
};

constexpr int copy_threads = decode_texts_tuning::threads;
constexpr int copy_items = decode_texts_tuning::items;
constexpr int copy_tile = decode_texts_tuning::tile;

/// The shared memory of a block that copies texts. A thread adds the sizes of 8 consecutive rows, so a gap follows every
/// 8 rows.
struct copy_memory {
  static constexpr int slots = copy_tile + copy_tile / 8;
  int64_t sources[slots];
  gdf::u64 starts[slots]; // first the sizes, then where the texts begin among the bytes of the tile

  static GDF_DEVICE int slot(int row) { return row + (row >> 3); }
};
static_assert(copy_items == 8 && copy_tile == text_tile);

/// [block] Writes the offsets and the bytes of a tile of rows.
GDF_DEVICE void copy_texts(const text_column& of, int64_t tile, const uint8_t* bytes, copy_memory& memory) {
  auto const thread = static_cast<int>(threadIdx.x);
  int64_t const first = tile * copy_tile;
  int const rows = static_cast<int>(of.rows - first < copy_tile ? of.rows - first : copy_tile);
  gdf::u64 const base = of.bases[tile];
  for (int row = thread; row < copy_tile; row += copy_threads) {
    int64_t const source = row < rows ? __ldg(of.sources + first + row) : no_text;
    memory.sources[copy_memory::slot(row)] = source;
    memory.starts[copy_memory::slot(row)] = source == no_text ? 0 : load<uint32_t>(bytes + source - 4);
  }
  __syncthreads();
  gdf::u64 sizes = 0;
  for (int k = 0; k < copy_items; k++) { sizes += memory.starts[copy_memory::slot(thread * copy_items + k)]; }
  gdf::u64 total = 0;
  gdf::u64 start = gdf::block_exclusive_sum<copy_threads>(sizes, total);
  for (int k = 0; k < copy_items; k++) {
    gdf::u64& at = memory.starts[copy_memory::slot(thread * copy_items + k)];
    gdf::u64 const size = at;
    at = start;
    start += size;
  }
  __syncthreads();
  bool const is_last = first + rows == of.rows;
  for (int row = thread; row < rows + (is_last ? 1 : 0); row += copy_threads) {
    gdf::u64 const offset = base + (row < rows ? memory.starts[copy_memory::slot(row)] : total);
    if (of.is_wide != 0) {
      static_cast<int64_t*>(of.offsets)[first + row] = static_cast<int64_t>(offset);
    } else {
      static_cast<int32_t*>(of.offsets)[first + row] = static_cast<int32_t>(offset);
    }
  }
  // Each thread makes 16 bytes of the result, which begin at a multiple of 16, of any number of rows.
  auto const lead = static_cast<int64_t>(base & 15);
  auto const end_of = [&](int row) { return row + 1 < rows ? memory.starts[copy_memory::slot(row + 1)] : total; };
  for (int64_t chunk = int64_t{thread} * 16 - lead; chunk < static_cast<int64_t>(total); chunk += copy_threads * 16) {
    gdf::u64 at = chunk < 0 ? 0 : static_cast<gdf::u64>(chunk);
    gdf::u64 const limit = static_cast<gdf::u64>(chunk + 16);
    gdf::u64 const end = limit < total ? limit : total;
    int row = 0;
    for (int high = rows - 1; row < high;) { // the last row that begins at `at` or before
      int const middle = (row + high + 1) >> 1;
      if (memory.starts[copy_memory::slot(middle)] <= at) {
        row = middle;
      } else {
        high = middle - 1;
      }
    }
    gdf::u64 low = 0;
    gdf::u64 high = 0;
    bool const is_whole = chunk >= 0 && limit <= total;
    while (at < end) {
      while (end_of(row) <= at) { row++; }
      gdf::u64 const of_row = end_of(row) < end ? end_of(row) : end;
      auto const filled = static_cast<int>(static_cast<int64_t>(at) - chunk);
      // Not beyond the half of the 16 bytes.
      auto const most = static_cast<gdf::u64>(8 - (filled & 7));
      gdf::u64 const count = of_row - at < most ? of_row - at : most;
      gdf::u64 const skipped = at - memory.starts[copy_memory::slot(row)];
      gdf::u64 const word = load<gdf::u64>(bytes + memory.sources[copy_memory::slot(row)] + skipped);
      gdf::u64 const kept = (word & gdf::low_bits64(static_cast<int64_t>(count * 8))) << (8 * (filled & 7));
      if (filled < 8) {
        low |= kept;
      } else {
        high |= kept;
      }
      at += count;
    }
    uint8_t* const out = of.bytes + (static_cast<int64_t>(base) + chunk);
    if (is_whole) {
      *reinterpret_cast<ulonglong2*>(out) = {low, high};
    } else {
      for (int i = chunk < 0 ? static_cast<int>(-chunk) : 0; chunk + i < static_cast<int64_t>(end); i++) {
        out[i] = static_cast<uint8_t>((i < 8 ? low : high) >> (8 * (i & 7)));
      }
    }
  }
}

} // namespace decode

/// Makes the index of text page blockIdx.x. `bytes` are the pages, and 16 bytes follow the last page. The address of
/// `bytes` is a multiple of 16.
extern "C" __global__ void GDF_BOUNDS(decode_index)
decode_index_kernel(const decode::text_page* pages, decode::text_count* counts, const decode::rewritten_page* rewritten,
                    const uint8_t* bytes, decode::status* statuses) {
  __shared__ decode::window_memory memory;
  decode::text_page const page = pages[blockIdx.x];
  int64_t const length = page.rewritten == decode::not_rewritten ? page.bytes : rewritten[page.rewritten].plain_bytes;
  decode::text_indexer const indexer{page, bytes + page.at, memory, static_cast<uint32_t>(length)};
  uint32_t const texts = indexer.run();
  if (threadIdx.x != 0) { return; }
  uint32_t const first_bad = texts == 0 ? ~0u : memory.first_bad;
  counts[blockIdx.x] = {texts, first_bad};
  if (page.is_dictionary == 0) { return; }
  if (texts < static_cast<uint32_t>(page.limit)) {
    decode::report(statuses, page.column, page.number, decode::flaw::dictionary);
  } else if (first_bad < texts) {
    decode::report(statuses, page.column, page.number, decode::flaw::utf8);
  }
}

/// Makes of the bytes of the tiles of column blockIdx.x, if it has texts, the numbers of bytes of the tiles before each
/// tile.
extern "C" __global__ void GDF_BOUNDS(decode_bases)
decode_bases_kernel(const decode::column* columns, decode::status* statuses) {
  decode::column const column = columns[blockIdx.x];
  if (column.totals == nullptr) { return; }
  gdf::u64 before = 0;
  for (int32_t first = 0; first < column.tiles; first += decode_bases_tuning::threads) {
    int32_t const tile = first + static_cast<int32_t>(threadIdx.x);
    gdf::u64 total = 0;
    gdf::u64 const bytes = tile < column.tiles ? column.totals[tile] : 0;
    gdf::u64 const below = gdf::block_exclusive_sum_of_sizes<decode_bases_tuning::threads>(bytes, total);
    if (tile < column.tiles) { column.totals[tile] = gdf::saturating_add(before, below); }
    before = gdf::saturating_add(before, total);
  }
  if (threadIdx.x == 0) { statuses[blockIdx.x].texts = before; }
}

/// Copies the texts of a tile of rows of one of the columns, which are in the order of their blocks.
extern "C" __global__ void GDF_BOUNDS(decode_texts)
decode_texts_kernel(const decode::text_column* columns, const uint8_t* bytes, int32_t count) {
  __shared__ decode::copy_memory memory;
  int column = 0;
  auto const block = static_cast<int32_t>(blockIdx.x);
  while (column + 1 < count && columns[column + 1].first_block <= block) { column++; }
  decode::text_column const of = columns[column];
  decode::copy_texts(of, block - of.first_block, bytes, memory);
}
