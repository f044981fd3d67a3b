// join: writes the results from the matches that the probing launch has found. Every block has an equal share of the
// work, which consists of reading tiles of rows and writing results.

#include "key.cuh"

GDF_POLICY(join_emit, 256, 8, 4);

namespace join {

using emitting = join_emit_tuning;
static_assert(emitting::tile == tile);

/// The cost of reading a tile of rows, in units of written results.
constexpr int64_t tile_cost = tile;

/// [block] Returns the last tile whose work begins at or before `cost`.
GDF_DEVICE int64_t tile_of(const unsigned long long* positions, int64_t tiles, int64_t cost) {
  int64_t low = 0;
  int64_t high = tiles;
  while (high - low > 1) {
    int64_t const middle = low + (high - low) / 2;
    if (static_cast<int64_t>(__ldg(positions + middle)) + middle * tile_cost <= cost) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// [thread] Returns the first result of a tile that is still to be written after `cost` has been spent on the tile.
GDF_DEVICE int64_t result_at(int64_t position, int64_t next, int64_t cost) {
  if (cost <= tile_cost) { return position; }
  int64_t const result = (position + (cost - tile_cost) + 31) & ~int64_t{31};
  return result < next ? result : next;
}

} // namespace join

/// Writes `total` results of `rows` rows. The outputs have room for these results.
extern "C" __global__ void GDF_BOUNDS(join_emit)
join_emit_kernel(const __grid_constant__ gdf::key_table table, int32_t kind, gdf::row_count rows,
                 const uint32_t* starts, const uint32_t* counts, const uint32_t* grouped,
                 const unsigned long long* positions, gdf::tile_count tiles, int64_t total,
                 const __grid_constant__ join::indices_out left_out,
                 const __grid_constant__ join::indices_out right_out) {
  using namespace join;
  constexpr int threads = emitting::threads;
  constexpr int items = emitting::items;
  __shared__ u64 before[tile];     // per row, the number of results of earlier rows of the tile
  __shared__ uint32_t first[tile]; // per row, the start of its matches
  bool const counted = table.state->duplicates != 0 && kind <= left;
  int64_t const all_cost = total + tiles * tile_cost;
  int64_t const share = (all_cost + gridDim.x - 1) / gridDim.x;
  int64_t const begin = share * blockIdx.x;
  int64_t const end = begin + share < all_cost ? begin + share : all_cost;
  if (begin >= end) { return; }
  for (int64_t t = tile_of(positions, tiles, begin); t < tiles; t++) {
    int64_t const position = static_cast<int64_t>(__ldg(positions + t));
    int64_t const next = t + 1 < tiles ? static_cast<int64_t>(__ldg(positions + t + 1)) : total;
    int64_t const cost = position + t * tile_cost;
    if (cost >= end) { break; }
    int64_t const from = result_at(position, next, begin - cost);
    int64_t const to = result_at(position, next, end - cost);
    if (from >= to) { continue; }
    int64_t const tile_rows = rows - t * tile < tile ? rows - t * tile : tile;
    if (!counted && next - position == tile_rows) { // each row has exactly one result
      for (int64_t o = from + threadIdx.x; o < to; o += threads * items) {
        uint32_t match[items];
#pragma unroll
        for (int i = 0; i < items; i++) {
          int64_t const at = o + i * threads;
          bool const active = right_out.first != nullptr && at < to;
          match[i] = active ? __ldcs(starts + t * tile + (at - position)) : no_match;
        }
#pragma unroll
        for (int i = 0; i < items; i++) {
          int64_t const at = o + i * threads;
          if (at >= to) { continue; }
          left_out.store(at, kind == unmatched ? -1 : t * tile + (at - position));
          right_out.store(at, match[i] == no_match ? -1 : static_cast<int64_t>(match[i]));
        }
      }
      continue;
    }
    // Each thread has eight consecutive rows.
    int64_t const row = t * tile + int64_t{threadIdx.x} * items;
    uint32_t start[items];
    u64 results[items];
    u64 mine = 0;
#pragma unroll
    for (int i = 0; i < items; i++) {
      bool const there = row + i < rows;
      start[i] = there ? starts[row + i] : no_match;
      uint32_t const matches = there && counted && has_several(start[i]) ? counts[row + i] : 1;
      results[i] = there ? results_of(kind, start[i], matches) : 0;
      mine += results[i];
    }
    u64 all;
    u64 sum = gdf::block_exclusive_sum<threads>(mine, all);
    __syncthreads(); // the previous tile may still be read
#pragma unroll
    for (int i = 0; i < items; i++) {
      int const at = static_cast<int>(threadIdx.x) * items + i;
      if (counted) {
        before[at] = sum;
        first[at] = start[i];
      } else if (results[i] != 0) { // each row has at most one result; rows are listed in the order of the results
        before[sum] = static_cast<u64>(at);
        first[sum] = start[i];
      }
      sum += results[i];
    }
    __syncthreads();
    for (int64_t o = from + threadIdx.x; o < to; o += threads) {
      u64 const active = static_cast<u64>(o - position);
      int64_t probe_row;
      uint32_t match;
      if (counted) {
        int at = 0; // the last row with at most this number of results before it
#pragma unroll
        for (int step = tile / 2; step > 0; step >>= 1) {
          if (before[at + step] <= active) { at += step; }
        }
        probe_row = t * tile + at;
        match = match_at(grouped, first[at], static_cast<uint32_t>(active - before[at]));
      } else {
        probe_row = t * tile + static_cast<int64_t>(before[active]);
        match = first[active];
      }
      left_out.store(o, kind == unmatched ? -1 : probe_row);
      right_out.store(o, match == no_match ? -1 : static_cast<int64_t>(match));
    }
  }
}
