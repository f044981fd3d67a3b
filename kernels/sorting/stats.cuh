// The range of a piece's values, over the rows of a grid or of a block.
#pragma once

#include <type_traits>

#include "key.cuh"

namespace sorting_stats {

using namespace sorting;

struct summary {
  u128 max;
  u128 min;
  u128 ones;  // bits set in some value
  u128 zeros; // bits unset in some value
  u64 size;   // of the longest text
  u64 flags;  // 1: a valid row; 2: a null; 4: a value that its integer does not tell

  GDF_DEVICE static summary none() { return {0, ~u128{0}, 0, 0, 0, 0}; }

  GDF_DEVICE void merge(const summary& other) {
    max = other.max > max ? other.max : max;
    min = other.min < min ? other.min : min;
    ones |= other.ones;
    zeros |= other.zeros;
    size = other.size > size ? other.size : size;
    flags |= other.flags;
  }
};
static_assert(sizeof(summary) == 80);

GDF_DEVICE u64 from_lane(u64 value, int step) { return __shfl_xor_sync(~0u, value, step); }
GDF_DEVICE u128 from_lane(u128 value, int step) {
  return make_u128(from_lane(static_cast<u64>(value), step),
                   from_lane(static_cast<u64>(value >> 64), step));
}

/// [block] The summary of the block, in thread 0.
template <int threads>
GDF_DEVICE summary reduce(summary mine) {
  constexpr int warps = threads / 32;
  __shared__ u64 partial[warps][10];
#pragma unroll 1
  for (int step = 16; step > 0; step >>= 1) {
    mine.merge({from_lane(mine.max, step), from_lane(mine.min, step), from_lane(mine.ones, step),
                from_lane(mine.zeros, step), from_lane(mine.size, step),
                from_lane(mine.flags, step)});
  }
  __syncthreads(); // `partial` may still be read from a call before
  if (gdf::lane() == 0) {
    u64* const p = partial[gdf::warp()];
    p[0] = static_cast<u64>(mine.max);
    p[1] = static_cast<u64>(mine.max >> 64);
    p[2] = static_cast<u64>(mine.min);
    p[3] = static_cast<u64>(mine.min >> 64);
    p[4] = static_cast<u64>(mine.ones);
    p[5] = static_cast<u64>(mine.ones >> 64);
    p[6] = static_cast<u64>(mine.zeros);
    p[7] = static_cast<u64>(mine.zeros >> 64);
    p[8] = mine.size;
    p[9] = mine.flags;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
#pragma unroll 1
    for (int w = 1; w < warps; w++) {
      const u64* const p = partial[w];
      mine.merge({make_u128(p[0], p[1]), make_u128(p[2], p[3]), make_u128(p[4], p[5]),
                  make_u128(p[6], p[7]), p[8], p[9]});
    }
  }
  return mine;
}

/// [block] Of the rows that fall to the caller, of a grid with as many threads per block.
template <class Order, int threads, int items>
GDF_DEVICE summary summarize(const piece& of, int64_t rows) {
  using word = typename Order::word;
  word max = 0;
  word min = ~word{0};
  word ones = 0;
  word zeros = 0;
  u64 size = 0;
  uint32_t flags = 0;
  gdf::for_each_tile<threads, items>(rows, [&](int64_t first, bool) {
    ordered_row<word> value[items];
    bool valid[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = gdf::row_of<threads>(first, i);
      int64_t const at = row < rows ? row : rows - 1;
      value[i] = ordered_at<Order>(of.column, of.part, at);
      valid[i] = gdf::is_valid(of.column, at); // of rows past the end, the last one's again
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (valid[i]) {
        max = value[i].word > max ? value[i].word : max;
        min = value[i].word < min ? value[i].word : min;
        ones |= value[i].word;
        zeros |= ~value[i].word;
        flags |= 1u | (value[i].lossy ? 4u : 0u);
        auto const bytes = static_cast<u64>(value[i].size);
        size = bytes > size ? bytes : size;
      } else {
        flags |= 2u;
      }
    }
  });
  summary all = summary::none();
  if (flags & 1u) { all = {max, min, ones, zeros, size, 0}; }
  all.flags = flags;
  return all;
}

} // namespace sorting_stats
