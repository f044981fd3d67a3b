// Values that are stored without the bytes that they share with the value before. A page has the sizes of all prefixes, the
// sizes of all suffixes, both as packed differences, and the bytes of all suffixes.
//
// A byte of a value is the one that the value before has at the same place, unless the suffix has it. So a byte is that of
// the last value, up to its own, whose prefix ends at the place or before. A lane owns places: it goes from value to value,
// keeps the byte of its place, and replaces it where a suffix has one. No lane needs what another one has written.
//
// All warps of a block do so at the same time, each for a part of the values of a tile. For that, each warp first writes the
// bytes of its last value that come from suffixes of its own part. The other bytes of that value come from parts before.
#pragma once

#include "deltas.cuh"

namespace decode {

/// The number of values that a block writes at a time.
constexpr int prefix_tile = 1024;

/// The number of values whose suffixes a lane loads at a time.
constexpr int prefix_batch = 4;

struct prefix_memory {
  uint32_t prefixes[prefix_tile];
  uint32_t starts[prefix_tile + 1];   // where the texts begin, counted without their sizes, and the end of the last one
  uint32_t suffixes[prefix_tile + 1]; // where the suffixes begin, and the end of the last one
  uint32_t lowest[32];                // for each warp, the smallest prefix of its values
  uint32_t whole;                     // the number of values of the tile before the first bad one
};

/// The values of a page. All members are the same in all threads.
template <int threads>
struct prefix_decoder {
  static constexpr uint32_t warps = threads / 32;
  static constexpr uint32_t items = prefix_tile / threads;
  static_assert(items * threads == prefix_tile && warps <= 32);

  const rewritten_page& of;
  const uint8_t* page;
  uint32_t length;
  delta_memory& deltas;
  prefix_memory& memory;
  uint32_t at;                          // the position of the sizes, and then of the suffixes
  uint32_t count = 0;                   // the number of values
  uint32_t done = 0;                    // the number of values before the tile
  gdf::u64 start = 0;                   // where the tile begins, counted without the sizes of texts
  uint32_t suffix_start = 0;            // where the suffixes of the tile begin
  const uint8_t* last_before = nullptr; // the value before the tile

  GDF_DEVICE bool is_text() const { return of.is_text != 0; }

  /// [block] Reads the sizes of prefixes and suffixes. Returns whether all are there.
  GDF_DEVICE bool begin() {
    for (int k = 0; k < 2; k++) {
      delta_decoder<threads> sizes{page, at, length, 32, deltas};
      if (!sizes.begin() || sizes.count == 0 || sizes.count > static_cast<gdf::u64>(of.rows)) { return false; }
      auto const claimed = static_cast<uint32_t>(sizes.count);
      if (k > 0 && claimed != count) { return false; }
      count = claimed;
      if (store_integers(sizes, count, sizes_of(k)) < count) { return false; }
      at = sizes.at;
    }
    __syncthreads(); // the sizes are written
    return true;
  }

  /// [block] Goes to the next tile, and finds where its values begin. Returns the number of those before the first bad one.
  /// With their sizes, texts may have `most` bytes.
  GDF_DEVICE uint32_t find(gdf::u64 most) const {
    const uint32_t* const prefixes = sizes_of(0) + done;
    const uint32_t* const suffixes = sizes_of(1) + done;
    uint32_t const values = values_of_tile();
    uint32_t const first = threadIdx.x * items;
    gdf::u64 prefix[items];
    gdf::u64 suffix[items];
    gdf::u64 sizes = 0;
    gdf::u64 suffix_sizes = 0;
    for (uint32_t k = 0; k < items; k++) {
      // A negative size is more than any page has.
      prefix[k] = first + k < values ? prefixes[first + k] : 0;
      suffix[k] = first + k < values ? suffixes[first + k] : 0;
      sizes += prefix[k] + suffix[k];
      suffix_sizes += suffix[k];
    }
    if (threadIdx.x == 0) {
      memory.starts[0] = static_cast<uint32_t>(start);
      memory.suffixes[0] = suffix_start;
      memory.whole = values;
    }
    gdf::u64 total = 0;
    gdf::u64 end = start + gdf::block_exclusive_sum<threads>(sizes, total);
    gdf::u64 suffix_end = suffix_start + gdf::block_exclusive_sum<threads>(suffix_sizes, total);
    gdf::u64 before = 0; // the size of the value before
    if (first < values && done + first > 0) {
      before = gdf::u64{*(prefixes + first - 1)} + *(suffixes + first - 1);
    }
    bool is_whole = true;
    for (uint32_t k = 0; k < items && first + k < values; k++) {
      gdf::u64 const size = prefix[k] + suffix[k];
      end += size;
      suffix_end += suffix[k];
      gdf::u64 const headers = sizeof(uint32_t) * (gdf::u64{done} + first + k + 1);
      bool const fits = is_text() ? end + headers <= most : size == static_cast<gdf::u64>(of.width);
      if (is_whole && (prefix[k] > before || !fits || suffix_end > length - at)) {
        atomicMin(&memory.whole, first + k);
        is_whole = false;
      }
      memory.prefixes[first + k] = static_cast<uint32_t>(prefix[k]);
      memory.starts[first + k + 1] = static_cast<uint32_t>(end);
      memory.suffixes[first + k + 1] = static_cast<uint32_t>(suffix_end);
      before = size;
    }
    __syncthreads();
    return memory.whole;
  }

  /// [block] Ends a tile of `whole` values. Returns whether others follow.
  GDF_DEVICE bool next(uint32_t whole) {
    bool const follows = whole == values_of_tile() && done + whole < count;
    if (whole > 0) { last_before = place_of(whole - 1); }
    start = is_text() ? memory.starts[whole] : start + gdf::u64{whole} * static_cast<uint32_t>(of.width);
    suffix_start = memory.suffixes[whole];
    done += whole;
    __syncthreads(); // the tile is overwritten
    return follows;
  }

  /// [block] Writes the first `whole` values of the tile.
  GDF_DEVICE void expand(uint32_t whole) const {
    if (is_text()) {
      for (uint32_t i = threadIdx.x; i < whole; i += threads) {
        uint32_t const size = size_of(i);
        uint8_t* const out = place_of(i) - sizeof(uint32_t);
        for (int k = 0; k < 4; k++) { out[k] = static_cast<uint8_t>(size >> (8 * k)); }
      }
    }
    auto const warp = static_cast<uint32_t>(gdf::warp());
    uint32_t const share = (whole + warps - 1) / warps;
    uint32_t const first = warp * share < whole ? warp * share : whole;
    uint32_t const end = first + share < whole ? first + share : whole;
    uint32_t highest = 0; // of the inverted prefixes
    uint32_t longest = 0;
    for (uint32_t i = first + static_cast<uint32_t>(gdf::lane()); i < end; i += 32) {
      highest = max(highest, ~memory.prefixes[i]);
      longest = max(longest, size_of(i));
    }
    uint32_t const lowest = ~gdf::warp_max(highest);
    longest = gdf::warp_max(longest);
    if (gdf::lane() == 0) { memory.lowest[warp] = lowest; }
    if (first < end) { write_last(end - 1, lowest); }
    __syncthreads(); // the last values of all warps are written
    for (uint32_t place = 0; place < longest; place += 32) { write_places(place, first, end, share, lowest); }
  }

  /// [warp] Writes the bytes of the last value of the warp that are in suffixes of its values: those from the smallest
  /// prefix on.
  GDF_DEVICE void write_last(uint32_t last, uint32_t lowest) const {
    uint32_t const size = size_of(last);
    uint8_t* const out = place_of(last);
    for (uint32_t place = lowest; place < size; place += 32) {
      uint32_t const k = place + static_cast<uint32_t>(gdf::lane());
      bool is_missing = k < size;
      // One of the values has the smallest prefix, so this ends there.
      for (uint32_t i = last; __any_sync(~0u, is_missing); i--) {
        if (is_missing && memory.prefixes[i] <= k) {
          out[k] = suffix_byte(i, k);
          is_missing = false;
        }
      }
    }
  }

  /// [warp] Writes the bytes of its values at 32 places, but not those that `write_last` has written.
  GDF_DEVICE void write_places(uint32_t place, uint32_t first, uint32_t end, uint32_t share, uint32_t lowest) const {
    uint32_t const k = place + static_cast<uint32_t>(gdf::lane());
    uint8_t byte = k < memory.prefixes[first] ? byte_before(k, share) : uint8_t{0};
    for (uint32_t group = first; group < end; group += 32) {
      uint32_t const own = group + static_cast<uint32_t>(gdf::lane());
      // The prefix of a value behind a shorter one ends before these places.
      uint32_t reaching = __ballot_sync(~0u, own < end && size_of(own) > place);
      while (reaching != 0) {
        uint32_t value[prefix_batch];
        uint8_t loaded[prefix_batch];
#pragma unroll
        for (int u = 0; u < prefix_batch; u++) { // the loads are in flight together
          value[u] = reaching == 0 ? end : group + static_cast<uint32_t>(__ffs(static_cast<int>(reaching))) - 1;
          reaching &= reaching - 1;
          bool const has_one = value[u] < end && memory.prefixes[value[u]] <= k && k < size_of(value[u]);
          loaded[u] = has_one ? suffix_byte(value[u], k) : uint8_t{0};
        }
#pragma unroll
        for (int u = 0; u < prefix_batch; u++) {
          if (value[u] == end) { break; }
          if (memory.prefixes[value[u]] <= k) { byte = loaded[u]; }
          bool const is_written = value[u] == end - 1 && k >= lowest;
          if (k < size_of(value[u]) && !is_written) { place_of(value[u])[k] = byte; }
        }
      }
    }
  }

  /// [thread] Returns the byte at a place of the value before those of the warp. It comes from the last warp before that has
  /// a prefix that ends at the place or before, or else from the tile before.
  GDF_DEVICE uint8_t byte_before(uint32_t k, uint32_t share) const {
    for (auto warp = static_cast<uint32_t>(gdf::warp()); warp > 0; warp--) {
      if (memory.lowest[warp - 1] <= k) { return place_of(warp * share - 1)[k]; }
    }
    return last_before[k];
  }

  /// [thread] Returns a byte of a value that its suffix has.
  GDF_DEVICE uint8_t suffix_byte(uint32_t i, uint32_t k) const {
    return __ldg(page + at + memory.suffixes[i] + (k - memory.prefixes[i]));
  }

  /// [thread] Returns the number of bytes of a value of the tile.
  GDF_DEVICE uint32_t size_of(uint32_t i) const {
    return memory.prefixes[i] + (memory.suffixes[i + 1] - memory.suffixes[i]);
  }

  /// [thread] Returns where a value of the tile goes. The size of a text is before it.
  GDF_DEVICE uint8_t* place_of(uint32_t i) const {
    int64_t const value = int64_t{done} + i;
    if (is_text()) { return of.values + (value + 1) * int64_t{sizeof(uint32_t)} + memory.starts[i]; }
    return of.values + value * of.width;
  }

  GDF_DEVICE uint32_t values_of_tile() const { return count - done < prefix_tile ? count - done : prefix_tile; }

  /// [thread] Returns where the sizes of prefixes, or of suffixes, are.
  GDF_DEVICE uint32_t* sizes_of(int suffixes) const {
    // The second one of each is at a multiple of 16 bytes.
    return of.sizes + (suffixes != 0 ? (int64_t{of.rows} + 3) / 4 * 4 : 0);
  }
};

} // namespace decode
