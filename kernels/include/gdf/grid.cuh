// Grid-stride loops over rows. All blocks of a launch are resident: in dimension x, the grid has at most as many blocks
// as the multiprocessors run at a time by the policy. A launch by `streaming_blocks` is an exception and has a block
// per tile.
#pragma once

#include "types.cuh"

namespace gdf {

/// [block] Calls `body(first, full)` for each tile of threads * items rows of this block. `first` is the first row of
/// the tile, a multiple of 32. Both arguments are the same in all threads, so that `body` may synchronize and vote.
/// Item i of a thread is row `row_of<threads>(first, i)`.
template <int threads, int items, class Body>
GDF_DEVICE void for_each_tile(int64_t rows, Body&& body) {
  static_assert(threads % 32 == 0);
  constexpr int64_t tile = int64_t{threads} * items;
  int64_t const stride = tile * gridDim.x;
  for (int64_t first = tile * blockIdx.x; first < rows; first += stride) {
    body(first, rows - first >= tile);
  }
}

/// [thread] Forces the compiler to keep a number in a register. Otherwise the compiler would compute the number again
/// at each use.
GDF_DEVICE void keep(int& number) { asm volatile("" : "+r"(number)); }
GDF_DEVICE void keep(int64_t& number) { asm volatile("" : "+l"(number)); }

/// [thread] Returns the row of item `i` of this thread in the tile at `first`.
template <int threads>
GDF_DEVICE int64_t row_of(int64_t first, int i) {
  return first + int64_t{i} * threads + threadIdx.x;
}

/// [block] Does the same as for_each_tile, with tiles of threads * `share` rows.
///
/// `share` is the smallest number with which the grid covers all rows in one pass, but at most `items`. The function
/// calls `body.operator()<items>(first, share)`. If each thread has only one row, the function calls
/// `body.operator()<1>(first, 1)` instead.
template <int threads, int items, class Body>
GDF_DEVICE void for_each_spread_tile(int64_t rows, Body&& body) {
  static_assert(threads % 32 == 0);
  int64_t const once = int64_t{threads} * gridDim.x;
  if constexpr (items == 1) {
    for (int64_t first = int64_t{threads} * blockIdx.x; first < rows; first += once) {
      body.template operator()<1>(first, 1);
    }
    return;
  }
  if (rows <= once) {
    int64_t const first = int64_t{threads} * blockIdx.x;
    if (first < rows) { body.template operator()<1>(first, 1); }
    return;
  }
  int share = 2;
  while (share < items && once * share < rows) { share++; }
  int64_t const tile = int64_t{threads} * share;
  for (int64_t first = tile * blockIdx.x; first < rows; first += tile * gridDim.x) {
    body.template operator()<items>(first, share);
  }
}

/// [thread] Computes the rows of this thread in a tile of threads * `share` rows.
template <int threads, int items>
GDF_DEVICE void rows_of_tile(int64_t first, int share, int64_t rows, int64_t (&row)[items], bool (&active)[items]) {
#pragma unroll
  for (int i = 0; i < items; i++) {
    row[i] = row_of<threads>(first, i);
    active[i] = i < share && row[i] < rows;
  }
}

/// [thread] Calls `body(i)` for each i of [0, n) that belongs to this thread, in a grid-stride loop.
///
/// The threads of a warp may leave the loop at different times, so that `body` must neither vote nor synchronize.
template <class Body>
GDF_DEVICE void for_each_index(int64_t n, Body&& body) {
  int64_t const stride = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) { body(i); }
}

GDF_DEVICE int lane() { return static_cast<int>(threadIdx.x & 31); }
GDF_DEVICE int warp() { return static_cast<int>(threadIdx.x >> 5); }

} // namespace gdf
