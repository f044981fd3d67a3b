// decode: pages whose encoding gives values no place of their own are rewritten with plain encoding, all pages of a batch
// in one launch. A block rewrites a page. The decoder of pages then finds each value at its place.
//
// Every number that a page states is checked before it is followed.

#include <gdf/grid.cuh>

#include "deltas.cuh"

GDF_POLICY(decode_rewritten_pages, 256, 8, 4);

namespace decode {

constexpr int rewrite_threads = decode_rewritten_pages_tuning::threads;

/// The shared memory of a block.
struct rewrite_memory {
  delta_memory deltas;
};

/// Rewrites a page. All members are the same in all threads.
struct page_rewriter {
  const rewritten_page& of;
  const uint8_t* page;
  uint32_t length;
  rewrite_memory& memory;
  uint32_t at = 0; // the position of the values

  /// [block] Rewrites the page. Returns the number of values.
  GDF_DEVICE int32_t run() {
    at = static_cast<uint32_t>(of.level_size);
    if (of.level_size == prefixed_levels) {
      uint32_t const size = __ldg(reinterpret_cast<const uint32_t*>(page));
      if (size > length - 4) { return 0; } // the decoder of the page reports it
      at = 4 + size;
    }
    switch (static_cast<encoding>(of.encoding)) {
      case encoding::plain:
      case encoding::keys:
      case encoding::rle: break;
      case encoding::byte_stream_split: return join();
      case encoding::delta_binary_packed: return of.width == 4 ? add<uint32_t>() : add<gdf::u64>();
    }
    return 0;
  }

  /// [block] Joins the bytes of values, which are in streams.
  GDF_DEVICE int32_t join() const {
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
    return static_cast<int32_t>(count);
  }

  /// [block] Adds the differences of integers.
  template <class T>
  GDF_DEVICE int32_t add() const {
    delta_decoder<rewrite_threads> deltas{page, at, length, 8 * sizeof(T), memory.deltas};
    auto const rows = static_cast<uint32_t>(of.rows);
    if (!deltas.begin() || deltas.count == 0 || rows == 0) { return 0; }
    uint32_t const limit = deltas.count < rows ? static_cast<uint32_t>(deltas.count) : rows;
    T* const out = reinterpret_cast<T*>(of.values);
    if (threadIdx.x == 0) { out[0] = static_cast<T>(deltas.first); }
    return static_cast<int32_t>(deltas.read(limit, [&](uint32_t i, int n, gdf::u64 before, const gdf::u64* sums) {
      if (n == delta_items) {
        store_group(out + 1 + i, before, sums);
      } else {
        for (int k = 0; k < n; k++) { out[1 + i + static_cast<uint32_t>(k)] = static_cast<T>(before + sums[k]); }
      }
    }));
  }

  /// [thread] Writes 8 integers, the first one at a multiple of 16 bytes.
  static GDF_DEVICE void store_group(uint32_t* out, gdf::u64 before, const gdf::u64* sums) {
    auto const value = [&](int k) { return static_cast<uint32_t>(before + sums[k]); };
    auto* const words = reinterpret_cast<uint4*>(out);
#pragma unroll
    for (int i = 0; i < 2; i++) { words[i] = {value(4 * i), value(4 * i + 1), value(4 * i + 2), value(4 * i + 3)}; }
  }
  static GDF_DEVICE void store_group(gdf::u64* out, gdf::u64 before, const gdf::u64* sums) {
    auto* const words = reinterpret_cast<ulonglong2*>(out);
#pragma unroll
    for (int i = 0; i < 4; i++) { words[i] = {before + sums[2 * i], before + sums[2 * i + 1]}; }
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

/// Rewrites page blockIdx.x. `bytes` are the pages, and 16 bytes follow the last page. The address of `bytes` is a multiple
/// of 16.
extern "C" __global__ void GDF_BOUNDS(decode_rewritten_pages)
decode_rewritten_pages_kernel(decode::rewritten_page* pages, const uint8_t* bytes, decode::status* statuses) {
  __shared__ decode::rewrite_memory memory;
  decode::rewritten_page const page = pages[blockIdx.x];
  decode::page_rewriter rewriter{page, bytes + page.at, static_cast<uint32_t>(page.bytes), memory};
  int32_t const values = rewriter.run();
  if (threadIdx.x != 0) { return; }
  pages[blockIdx.x].plain_bytes = int64_t{values} * page.width;
  if (page.is_optional == 0 && values < page.rows) {
    decode::report(statuses, page.column, page.number, decode::flaw::values);
  }
}
