// join: writes the row numbers of matching pairs. A launch of expression_match has set a bit for each matching pair.

#include <gdf/block_sum.cuh>

#include "key.cuh"

GDF_POLICY(join_pairs, 256, 1, 8);

/// Writes the results of the left rows [first, first + left_rows). `bits` has a bit for each right row of each left
/// row, and the bits of a left row begin with a new word. `ends` has the end of the results of each left row. The
/// outputs have room for all results.
extern "C" __global__ void GDF_BOUNDS(join_pairs)
join_pairs_kernel(const uint32_t* bits, const long long* ends, int64_t first, gdf::row_count left_rows,
                  gdf::row_count right_rows, int32_t lanes, const __grid_constant__ join::indices_out left_out,
                  const __grid_constant__ join::indices_out right_out) {
  constexpr int threads = join_pairs_tuning::threads;
  int64_t const words = (right_rows + 31) / 32;
  int const mine = gdf::lane() & (lanes - 1);
  int const rows_of_warp = 32 / lanes;
  int64_t const stride = int64_t{gridDim.x} * (threads / 32) * rows_of_warp;
  int64_t const warp_row = (int64_t{blockIdx.x} * (threads / 32) + gdf::warp()) * rows_of_warp;
  for (int64_t base = warp_row; base < left_rows; base += stride) {
    int64_t const row = base + gdf::lane() / lanes;
    bool const inside = row < left_rows;
    int64_t const begin = inside && row > 0 ? ends[row - 1] : 0;
    int64_t const end = inside ? ends[row] : 0;
    int64_t written = begin;
    for (int64_t at = mine; at - mine < words; at += lanes) {
      if (!__any_sync(~0u, written < end)) { break; }
      uint32_t word = inside && at < words && begin < end ? bits[row * words + at] : 0;
      auto const count = static_cast<uint32_t>(__popc(word));
      uint32_t up_to = count;
      for (int step = 1; step < lanes; step <<= 1) {
        uint32_t const below = __shfl_up_sync(~0u, up_to, step, lanes);
        if (mine >= step) { up_to += below; }
      }
      int64_t position = written + up_to - count;
      while (word != 0) {
        int const bit = __ffs(static_cast<int>(word)) - 1;
        word &= word - 1;
        left_out.store(position, first + row);
        right_out.store(position, at * 32 + bit);
        position++;
      }
      written += __shfl_sync(~0u, up_to, lanes - 1, lanes);
    }
    if (mine == 0 && written == begin && begin < end) {
      left_out.store(begin, first + row);
      right_out.store(begin, -1);
    }
  }
}
