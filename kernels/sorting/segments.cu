// lists::sort_lists of short lists: sorts the values of each segment of a column of numbers. A block handles a few
// segments at a time, with the normalized keys of their values in shared memory. The position of a value is the number
// of values of its segment that come before it. The order is stable, because a thread also counts the equal values with
// smaller row numbers.

#include <type_traits>

#include <gdf/index.cuh>
#include <gdf/last_block.cuh>
#include <gdf/policy.cuh>

#include "key.cuh"

GDF_POLICY(segment_extent, 256, 4, 4);
GDF_POLICY(sort_segments, 256, 8, 4);
GDF_POLICY(distinct_segments, 256, 8, 4);

namespace sorting {

constexpr int longest_segment = 128;

constexpr int segments_of_tile = 128;

namespace segments {

constexpr int capacity = sort_segments_tuning::threads * sort_segments_tuning::items;
static_assert(distinct_segments_tuning::threads == sort_segments_tuning::threads);
static_assert(longest_segment <= capacity && segments_of_tile < sort_segments_tuning::threads);

struct tile {
  u64 key[capacity];
  uint32_t valid[capacity / 32];
  int32_t end[segments_of_tile + 1]; // begin of each segment, counted from the first one; then the end of the last one
};

GDF_DEVICE void write_keys(const gdf::column_in& values, int64_t first, int count, u64 flip, tile& tile) {
  by_order(values.type, [&](auto const& order) {
    using order_type = std::remove_cvref_t<decltype(order)>;
    if constexpr (std::is_same_v<typename order_type::word, u64> && !std::is_same_v<order_type, text_order>) {
      for (int i = threadIdx.x; i < count; i += sort_segments_tuning::threads) {
        tile.key[i] = ordered_at(order, values, 0, first + i).word ^ flip;
      }
    }
  });
}

/// [thread] Returns the first of the entries [low, high] that is greater than `position`. Entry `high` must be greater.
GDF_DEVICE int first_above(const int32_t* ends, int low, int high, int position) {
  while (low < high) {
    int const middle = (low + high) >> 1;
    if (ends[middle] > position) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// [thread] Returns the number of rows of [begin, end) that come before row `row`.
template <bool nullable>
GDF_DEVICE int rank_of(const tile& tile, int row, int begin, int end, bool nulls_first) {
  u64 const own = tile.key[row];
  if constexpr (!nullable) {
    int before = 0;
    for (int other = begin; other < end; other++) {
      u64 const key = tile.key[other];
      before += key < own || (key == own && other < row) ? 1 : 0;
    }
    return before;
  }
  auto const is_valid = [&](int of) { return (tile.valid[of >> 5] >> (of & 31) & 1) != 0; };
  int smaller = 0;
  int nulls = 0;
  int nulls_before = 0;
  for (int other = begin; other < end; other++) {
    bool const null = !is_valid(other);
    u64 const key = tile.key[other];
    nulls += null ? 1 : 0;
    nulls_before += null && other < row ? 1 : 0;
    smaller += !null && (key < own || (key == own && other < row)) ? 1 : 0;
  }
  if (is_valid(row)) { return smaller + (nulls_first ? nulls : 0); }
  return nulls_before + (nulls_first ? 0 : end - begin - nulls);
}

struct place {
  int64_t segment;
  int64_t source; // row of the column
  int64_t start;  // first row of the first segment
  int row;        // row of the tile
  int begin;      // first row of the segment in the tile
  int end;
};

/// [block] Calls `body(place)` for each row of the segments.
template <class Body>
GDF_DEVICE void for_each_row(const gdf::column_in& offsets, const gdf::column_in& values, u64 flip, tile& tile,
                             Body&& body) {
  constexpr int threads = sort_segments_tuning::threads;
  bool const wide = static_cast<gdf::type>(offsets.type) == gdf::type::i64;
  auto const offset = [&](int64_t i) { return gdf::load_offset(offsets.data, wide, offsets.offset + i); };
  int64_t const all = offsets.length - 1;
  int64_t const start = offset(0);
  int64_t const stride = int64_t{segments_of_tile} * gridDim.x;
  for (int64_t first = int64_t{segments_of_tile} * blockIdx.x; first < all; first += stride) {
    int const count = all - first < segments_of_tile ? static_cast<int>(all - first) : segments_of_tile;
    int64_t const origin = offset(first);
    if (threadIdx.x <= count) { tile.end[threadIdx.x] = static_cast<int32_t>(offset(first + threadIdx.x) - origin); }
    __syncthreads();
    for (int low = 0; low < count;) {
      int const base = tile.end[low];
      // The segments whose values fit. A single segment always fits.
      int const high = tile.end[count] - base <= capacity
                         ? count
                         : first_above(tile.end, low, count, base + capacity) - 1;
      int const rows = tile.end[high] - base;
      write_keys(values, origin + base, rows, flip, tile);
      if (values.validity != nullptr) {
        for (int word = threadIdx.x; word * 32 < rows; word += threads) {
          int64_t const row = origin + base + word * 32;
          tile.valid[word] = gdf::valid_word(values, row, origin + base + rows);
        }
      }
      __syncthreads();
      for (int row = threadIdx.x; row < rows; row += threads) {
        int const segment = first_above(tile.end, low + 1, high, base + row) - 1;
        int const begin = tile.end[segment] - base;
        body(place{first + segment, origin + base + row, start, row, begin, tile.end[segment + 1] - base});
      }
      __syncthreads();
      low = high;
    }
    __syncthreads(); // the next tile overwrites the ends
  }
}

GDF_DEVICE void copy_value(const gdf::column_in& values, int64_t row, const gdf::column_out& out, int64_t target,
                           int width) {
  auto const copy = [&]<class T>(T) {
    static_cast<T*>(out.data)[target] = static_cast<const T*>(values.data)[values.offset + row];
  };
  switch (width) {
    case 1: copy(uint8_t{}); break;
    case 2: copy(uint16_t{}); break;
    case 4: copy(uint32_t{}); break;
    default: copy(u64{}); break;
  }
}

} // namespace segments
} // namespace sorting

namespace distinct_segments {

/// The value that is kept of several equal values.
enum kept : int32_t {
  first = 0, // the first one
  last = 1,  // the last one
  alone = 2, // none of them; a value is kept if no other value is equal
};

} // namespace distinct_segments

/// Posts the first of `offsets`, the last of them, and the largest difference between neighbors. There are at least two
/// offsets, of 32 or 64 bits, and they ascend. The kernel uses ticket 32 and zeroed[0].
extern "C" __global__ void GDF_BOUNDS(segment_extent)
segment_extent_kernel(const __grid_constant__ gdf::column_in offsets, gdf::scratch* scratch,
                      unsigned long long* mailbox) {
  bool const wide = static_cast<gdf::type>(offsets.type) == gdf::type::i64;
  auto const offset = [&](int64_t i) { return gdf::load_offset(offsets.data, wide, offsets.offset + i); };
  gdf::u64 longest = 0;
  gdf::for_each_index(offsets.length - 1, [&](int64_t i) {
    auto const size = static_cast<gdf::u64>(offset(i + 1) - offset(i));
    longest = size > longest ? size : longest;
  });
  __syncwarp();
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) {
    gdf::u64 const other = __shfl_xor_sync(~0u, longest, step);
    longest = other > longest ? other : longest;
  }
  if (gdf::lane() == 0 && longest > 0) { atomicMax(&scratch->zeroed[0], longest); }
  if (!gdf::is_last_block(scratch, 32, gridDim.x)) { return; }
  if (threadIdx.x == 0) {
    gdf::post(mailbox, static_cast<gdf::u64>(offset(0)));
    gdf::post(mailbox + 1, static_cast<gdf::u64>(offset(offsets.length - 1)));
    gdf::post(mailbox + 2, atomicExch(&scratch->zeroed[0], 0ull));
  }
}

/// Sorts each segment of `values`. Segment i has the rows from offset i to offset i + 1, which are at most
/// `longest_segment` rows. `flags` are `piece_flags`.
extern "C" __global__ void GDF_BOUNDS(sort_segments)
sort_segments_kernel(const __grid_constant__ gdf::column_in offsets, const __grid_constant__ gdf::column_in values,
                     int flags, int width, const __grid_constant__ gdf::column_out out) {
  using namespace sorting::segments;
  __shared__ sorting::segments::tile tile;
  bool const nulls_first = flags & sorting::nulls_first;
  gdf::u64 const flip = flags & sorting::descending ? ~0ull : 0;
  for_each_row(offsets, values, flip, tile, [&](const place& at) {
    int const rank = values.validity == nullptr ? rank_of<false>(tile, at.row, at.begin, at.end, nulls_first)
                                                : rank_of<true>(tile, at.row, at.begin, at.end, nulls_first);
    int64_t const target = at.source - at.row + at.begin + rank - at.start;
    if (width == 0) {
      gdf::store_index(out.data, out.type, target, at.source - at.start);
    } else {
      copy_value(values, at.source, out, target, width);
    }
  });
}

/// Marks the values of each segment that remain if `keep` decides which of several equal values is kept. The values are
/// integers without nulls. All `sizes` must be 0 before the launch.
extern "C" __global__ void GDF_BOUNDS(distinct_segments)
distinct_segments_kernel(const __grid_constant__ gdf::column_in offsets, const __grid_constant__ gdf::column_in values,
                         int keep, const __grid_constant__ gdf::column_out out, unsigned long long* sizes) {
  using namespace sorting::segments;
  __shared__ sorting::segments::tile tile;
  for_each_row(offsets, values, 0, tile, [&](const place& at) {
    // Another value can only replace this value if it lies on the side that `keep` prefers.
    int const from = keep == distinct_segments::last ? at.row + 1 : at.begin;
    int const to = keep == distinct_segments::first ? at.row : at.end;
    gdf::u64 const own = tile.key[at.row];
    bool kept = true;
    for (int other = from; other < to; other++) { kept = kept && (tile.key[other] != own || other == at.row); }
    static_cast<uint8_t*>(out.data)[at.source - at.start] = kept ? 1 : 0;
    if (kept) { atomicAdd(sizes + at.segment, 1ull); }
  });
}
