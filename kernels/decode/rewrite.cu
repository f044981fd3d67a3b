// decode: pages whose encoding gives values no place of their own are rewritten with plain encoding, all pages of a batch
// in one launch. A block rewrites a page. The decoder of pages then finds each value at its place.
//
// Every number that a page states is checked before it is followed.

#include <gdf/grid.cuh>

#include "prefixes.cuh"

GDF_POLICY(decode_rewritten_pages, 256, 8, 4);
GDF_POLICY(decode_prefixed_sizes, 256, 8, 4);

namespace decode {

constexpr int rewrite_threads = decode_rewritten_pages_tuning::threads;
constexpr int rewrite_items = decode_rewritten_pages_tuning::items;
constexpr int rewrite_tile = decode_rewritten_pages_tuning::tile;

/// The largest number of bytes of the texts of a page, with their sizes.
constexpr gdf::u64 most_bytes = (1u << 31) - 1;

/// The block shares the copy of a text of more bytes. 8 lanes copy any other.
constexpr uint32_t long_copy = 256;
constexpr uint32_t copy_lanes = 8;

/// The tile of texts that are copied.
struct text_memory {
  uint32_t starts[rewrite_tile + 1]; // where the texts of a tile begin among the bytes of all texts, and their end
  uint16_t long_texts[rewrite_tile]; // numbers of long texts of the tile
  uint32_t long_count;
  uint32_t whole; // the number of texts of the tile that end within the page
};

/// The shared memory of a block.
struct rewrite_memory {
  delta_memory deltas;
  union {
    text_memory texts;
    prefix_memory prefixes;
  };
};

/// Rewrites a page. All members are the same in all threads.
struct page_rewriter {
  const rewritten_page& of;
  const uint8_t* page;
  uint32_t length;
  rewrite_memory& memory;
  uint32_t at = 0;         // the position of the values
  int64_t plain_bytes = 0; // the number of bytes of values that were rewritten

  /// [block] Rewrites the page. Returns the number of values.
  GDF_DEVICE int32_t run() {
    if (!skip_levels(page, length, of.level_size, at)) { return 0; } // the decoder of the page reports it
    switch (static_cast<encoding>(of.encoding)) {
      case encoding::plain:
      case encoding::keys:
      case encoding::rle: break;
      case encoding::byte_stream_split: return join();
      case encoding::delta_binary_packed: return of.width == 4 ? add<uint32_t>() : add<gdf::u64>();
      case encoding::delta_length_byte_array: return interleave();
      case encoding::delta_byte_array: return complete(static_cast<gdf::u64>(of.plain_bytes), true);
    }
    return 0;
  }

  /// [block] Finds how many bytes the texts of a page have with their prefixes, and with their sizes. A page whose texts do
  /// not suffice gets none.
  GDF_DEVICE int64_t count_bytes() {
    if (!skip_levels(page, length, of.level_size, at)) { return 0; }
    int32_t const values = complete(most_bytes, false);
    return of.is_optional != 0 || values == of.rows ? plain_bytes : 0;
  }

  /// [block] Joins the bytes of values, which are in streams.
  GDF_DEVICE int32_t join() {
    auto const width = static_cast<uint32_t>(of.width);
    uint32_t const stream = (length - at) / width;
    if (stream * width != length - at) { return 0; }
    uint32_t const count = stream < static_cast<uint32_t>(of.rows) ? stream : static_cast<uint32_t>(of.rows);
    const uint8_t* const first = page + at;
    for (uint32_t i = threadIdx.x; i < count; i += rewrite_threads) {
      if (width == 4) {
        reinterpret_cast<uint32_t*>(of.values)[i] = word(first + i, stream);
      } else if (width == 8) {
        gdf::u64 const low = word(first + i, stream);
        reinterpret_cast<gdf::u64*>(of.values)[i] = low | gdf::u64{word(first + i + 4 * int64_t{stream}, stream)} << 32;
      } else {
        uint8_t* const out = of.values + int64_t{i} * width;
        for (uint32_t k = 0; k < width; k++) { out[k] = __ldg(first + i + int64_t{k} * stream); }
      }
    }
    plain_bytes = int64_t{count} * width;
    return static_cast<int32_t>(count);
  }

  /// [block] Adds the differences of integers.
  template <class T>
  GDF_DEVICE int32_t add() {
    delta_decoder<rewrite_threads> deltas{page, at, length, 8 * sizeof(T), memory.deltas};
    auto const rows = static_cast<uint32_t>(of.rows);
    if (!deltas.begin() || deltas.count == 0 || rows == 0) { return 0; }
    uint32_t const limit = deltas.count < rows ? static_cast<uint32_t>(deltas.count) : rows;
    uint32_t const values = store_integers(deltas, limit, reinterpret_cast<T*>(of.values));
    plain_bytes = int64_t{values} * sizeof(T);
    return static_cast<int32_t>(values);
  }

  /// [block] Adds the prefixes of values. Texts may have `most` bytes. Unless `writes` is set, their bytes are only counted.
  GDF_DEVICE int32_t complete(gdf::u64 most, bool writes) {
    prefix_decoder<rewrite_threads> values{of, page, length, memory.deltas, memory.prefixes, at};
    if (!values.begin()) { return 0; }
    for (bool follows = true; follows;) {
      uint32_t const whole = values.find(most);
      if (writes) { values.expand(whole); }
      follows = values.next(whole);
    }
    plain_bytes = static_cast<int64_t>(values.start) + (values.is_text() ? values.done * int64_t{sizeof(uint32_t)} : 0);
    return static_cast<int32_t>(values.done);
  }

  /// [block] Puts the size of each text before its bytes.
  GDF_DEVICE int32_t interleave() {
    delta_decoder<rewrite_threads> deltas{page, at, length, 32, memory.deltas};
    if (!deltas.begin() || deltas.count == 0 || deltas.count > static_cast<gdf::u64>(of.rows)) { return 0; }
    auto const count = static_cast<uint32_t>(deltas.count);
    if (store_integers(deltas, count, of.sizes) < count) { return 0; }
    __syncthreads(); // the sizes are written
    uint32_t done = 0;
    uint32_t end = 0; // of the texts, counted from the first one
    while (done < count) {
      uint32_t const texts = count - done < rewrite_tile ? count - done : rewrite_tile;
      uint32_t const whole = sum_sizes(done, texts, end, length - deltas.at);
      copy_tile(page + deltas.at, done, whole);
      done += whole;
      end = memory.texts.starts[whole];
      __syncthreads(); // the tile is overwritten
      if (whole < texts) { break; }
    }
    plain_bytes = int64_t{done} * sizeof(uint32_t) + end;
    return static_cast<int32_t>(done);
  }

  /// [block] Finds where the texts of a tile begin. Returns the number of those that end at `limit` or before.
  GDF_DEVICE uint32_t sum_sizes(uint32_t done, uint32_t texts, uint32_t first_start, uint32_t limit) const {
    uint32_t const first = threadIdx.x * rewrite_items;
    gdf::u64 sizes[rewrite_items];
    gdf::u64 sum = 0;
    for (uint32_t k = 0; k < rewrite_items; k++) {
      // A negative size is more than any page has.
      sizes[k] = first + k < texts ? of.sizes[done + first + k] : 0;
      sum += sizes[k];
    }
    if (threadIdx.x == 0) {
      memory.texts.starts[0] = first_start;
      memory.texts.long_count = 0;
      memory.texts.whole = 0;
    }
    gdf::u64 total = 0;
    gdf::u64 end = first_start + gdf::block_exclusive_sum<rewrite_threads>(sum, total);
    uint32_t whole = 0;
    for (uint32_t k = 0; k < rewrite_items && first + k < texts; k++) {
      end += sizes[k];
      bool const is_whole = end <= limit;
      memory.texts.starts[first + k + 1] = is_whole ? static_cast<uint32_t>(end) : ~0u;
      whole += is_whole ? 1 : 0;
    }
    if (whole > 0) { atomicAdd(&memory.texts.whole, whole); }
    __syncthreads();
    return memory.texts.whole;
  }

  /// [block] Copies the first `whole` texts of a tile behind their sizes.
  GDF_DEVICE void copy_tile(const uint8_t* texts, uint32_t done, uint32_t whole) const {
    uint32_t const lane = threadIdx.x % copy_lanes;
    for (uint32_t i = threadIdx.x / copy_lanes; i < whole; i += rewrite_threads / copy_lanes) {
      uint32_t const start = memory.texts.starts[i];
      uint32_t const size = memory.texts.starts[i + 1] - start;
      uint8_t* const out = place_of(done + i, start);
      if (lane < 4) { out[lane] = static_cast<uint8_t>(size >> (8 * lane)); }
      if (size > long_copy) {
        if (lane == 0) { memory.texts.long_texts[atomicAdd(&memory.texts.long_count, 1u)] = static_cast<uint16_t>(i); }
        continue;
      }
      for (uint32_t k = lane; k < size; k += copy_lanes) { out[4 + k] = __ldg(texts + start + k); }
    }
    __syncthreads();
    for (uint32_t k = 0; k < memory.texts.long_count; k++) {
      uint32_t const i = memory.texts.long_texts[k];
      uint32_t const start = memory.texts.starts[i];
      uint8_t* const out = place_of(done + i, start) + 4;
      uint32_t const size = memory.texts.starts[i + 1] - start;
      for (uint32_t b = threadIdx.x; b < size; b += rewrite_threads) { out[b] = __ldg(texts + start + b); }
    }
  }

  /// [thread] Returns where a text goes, with its size, that begins at `start` of the bytes of all texts.
  GDF_DEVICE uint8_t* place_of(uint32_t text, uint32_t start) const {
    return of.values + int64_t{text} * sizeof(uint32_t) + start;
  }

  /// [thread] Returns 4 bytes, each from the next stream.
  static GDF_DEVICE uint32_t word(const uint8_t* from, int64_t stream) {
    uint32_t bytes = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) { bytes |= uint32_t{__ldg(from + k * stream)} << (8 * k); }
    return bytes;
  }
};

} // namespace decode

/// Finds how many bytes the texts of page blockIdx.x have with their prefixes, and with their sizes. `bytes` are the pages,
/// and 16 bytes follow the last page. The address of `bytes` is a multiple of 16.
extern "C" __global__ void GDF_BOUNDS(decode_prefixed_sizes)
decode_prefixed_sizes_kernel(const decode::rewritten_page* pages, int64_t* sizes, const uint8_t* bytes) {
  static_assert(decode_prefixed_sizes_tuning::threads == decode::rewrite_threads);
  __shared__ decode::rewrite_memory memory;
  decode::rewritten_page const page = pages[blockIdx.x];
  decode::page_rewriter rewriter{page, bytes + page.at, static_cast<uint32_t>(page.bytes), memory};
  int64_t const size = rewriter.count_bytes();
  if (threadIdx.x == 0) { sizes[blockIdx.x] = size; }
}

/// Rewrites page blockIdx.x. `bytes` are the pages, and 16 bytes follow the last page. The address of `bytes` is a multiple
/// of 16.
extern "C" __global__ void GDF_BOUNDS(decode_rewritten_pages)
decode_rewritten_pages_kernel(decode::rewritten_page* pages, const uint8_t* bytes, decode::status* statuses) {
  __shared__ decode::rewrite_memory memory;
  decode::rewritten_page const page = pages[blockIdx.x];
  decode::page_rewriter rewriter{page, bytes + page.at, static_cast<uint32_t>(page.bytes), memory};
  int32_t const values = rewriter.run();
  if (threadIdx.x != 0) { return; }
  pages[blockIdx.x].plain_bytes = rewriter.plain_bytes;
  if (page.is_optional == 0 && values < page.rows) {
    decode::report(statuses, page.column, page.number, decode::flaw::values);
  }
}
