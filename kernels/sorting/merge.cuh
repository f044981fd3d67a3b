// Merge sort of rows with keys of any distribution. Tiles are sorted in shared memory. Then pairs of runs are merged, a
// tile of the result at a time (merge path, Green et al. 2012). `before(key_a, row_a, key_b, row_b)` is a total order.
#pragma once

#include <gdf/block_sum.cuh>
#include <gdf/grid.cuh>

namespace sorting {

using gdf::u64;

/// Rows with their keys.
template <int rows, class Number = uint32_t>
struct merge_tile {
  u64 key[rows];
  Number row[rows];
  int split[2];
};

/// [block] Sorts the first `size` rows of the tile. Returns false if `before` gives up.
template <int threads, int items, class Number, class Before>
GDF_DEVICE bool sort_tile(merge_tile<threads * items, Number>& tile, int size, Before& before) {
#pragma unroll 1
  for (int run = 1; run < size; run *= 2) {
    int rank[items] = {};
#pragma unroll 1
    for (int i = 0; i < items; i++) {
      int const at = static_cast<int>(threadIdx.x) + i * threads;
      if (at >= size) { break; }
      u64 const key = tile.key[at];
      Number const row = tile.row[at];
      int const pair = at & ~(2 * run - 1);
      bool const second = (at & run) != 0;
      int const own = second ? pair + run : pair;
      int const others = second ? pair : min(pair + run, size);
      int low = others;
      int high = second ? pair + run : min(pair + 2 * run, size);
      while (low < high) {
        int const middle = (low + high) >> 1;
        bool const is_before = before(tile.key[middle], tile.row[middle], key, row);
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
      }
      int const own_rank = pair + (at - own) + (low - others);
#pragma unroll
      for (int k = 0; k < items; k++) { rank[k] = k == i ? own_rank : rank[k]; } // keeps the array in registers
    }
    if (__syncthreads_or(before.gives_up())) { return false; }
    u64 key[items];
    Number row[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      int const at = static_cast<int>(threadIdx.x) + i * threads;
      if (at < size) {
        key[i] = tile.key[at];
        row[i] = tile.row[at];
      }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (static_cast<int>(threadIdx.x) + i * threads < size) {
        tile.key[rank[i]] = key[i];
        tile.row[rank[i]] = row[i];
      }
    }
    __syncthreads();
  }
  return true;
}

/// [warp] Returns how many of the first `diagonal` rows of two merged runs come from the first run.
template <class Before>
GDF_DEVICE int split_runs(const u64* keys, const uint32_t* rows, int first, int first_size, int second, int second_size,
                          int diagonal, Before& before) {
  int low = max(0, diagonal - second_size);
  int high = min(diagonal, first_size);
  while (low < high) { // the answer is in [low, high]
    int const step = (high - low + 31) >> 5;
    int const taken = low + (gdf::lane() + 1) * step - 1;
    bool enough = true; // whether the row after the first `taken` rows comes after the last row of the other run
    if (taken < high) {
      int const a = first + taken;
      int const b = second + diagonal - 1 - taken;
      enough = before(keys[b], rows[b], keys[a], rows[a]);
    }
    unsigned const found = __ballot_sync(~0u, enough);
    if (found == 0) { return high; }
    int const lane = __ffs(static_cast<int>(found)) - 1;
    high = min(high, low + (lane + 1) * step - 1);
    low += lane * step;
  }
  return low;
}

/// [block] Merges pairs of sorted runs of `run` rows each (a multiple of `threads`). `write(position, key, row)` is
/// called for each of these rows. Returns false if `before` gives up.
template <int threads, class Before, class Write>
GDF_DEVICE bool merge_runs(merge_tile<threads>& tile, const u64* keys, const uint32_t* rows, int run, int begin, int end,
                           Before& before, Write&& write) {
  auto const thread = static_cast<int>(threadIdx.x);
  int const first = begin / (2 * run) * (2 * run);
  int const first_size = min(run, end - first);
  int const second = first + first_size;
  int const second_size = min(run, end - second);
  int const from = begin - first;
  int const to = min(from + threads, first_size + second_size);
  if (gdf::warp() < 2) {
    int const diagonal = gdf::warp() == 0 ? from : to;
    int const split = split_runs(keys, rows, first, first_size, second, second_size, diagonal, before);
    if (gdf::lane() == 0) { tile.split[gdf::warp()] = split; }
  }
  if (__syncthreads_or(before.gives_up())) { return false; }
  int const split = tile.split[0];
  int const firsts = tile.split[1] - split;
  int const size = to - from;
  u64 key = 0;
  uint32_t row = 0;
  if (thread < size) {
    int const at = thread < firsts ? first + split + thread : second + (from - split) + (thread - firsts);
    key = keys[at];
    row = rows[at];
    tile.key[thread] = key;
    tile.row[thread] = row;
  }
  __syncthreads();
  int low = thread < firsts ? firsts : 0;
  int high = thread < firsts ? size : firsts;
  int const others = low;
  int const own = thread < firsts ? thread : thread - firsts;
  while (thread < size && low < high) {
    int const middle = (low + high) >> 1;
    bool const is_before = before(tile.key[middle], tile.row[middle], key, row);
    low = is_before ? middle + 1 : low;
    high = is_before ? high : middle;
  }
  if (__syncthreads_or(before.gives_up())) { return false; } // after this barrier, `tile` can be reused
  if (thread < size) { write(begin + own + (low - others), key, row); }
  return true;
}

} // namespace sorting
