// stream_compaction::unique and related functions: finds the rows that differ from the previous row.

#include <type_traits>

#include <gdf/policy.cuh>
#include <gdf/table.cuh>

#include "key.cuh"

GDF_POLICY(flag_heads, 256, 4, 4);

/// Sets bit r of `out` if row r of `in` is the first row or differs from row r - 1. Nulls are equal to each other.
extern "C" __global__ void GDF_BOUNDS(flag_heads)
flag_heads_kernel(const __grid_constant__ gdf::table_in<32> in, int count,
                  const __grid_constant__ gdf::column_out out) {
  using tuning = flag_heads_tuning;
  auto* const target = static_cast<uint32_t*>(out.data);
  gdf::for_each_tile<tuning::threads, tuning::items>(out.length, [&](int64_t first, bool) {
#pragma unroll 1
    for (int i = 0; i < tuning::items; i++) {
      int64_t const row = gdf::row_of<tuning::threads>(first, i);
      bool head = row == 0;
      if (row > 0 && row < out.length) {
        head = sorting::compare_rows(in.column, row - 1, in.column, row, count, 0, 0) != 0;
      }
      uint32_t const word = __ballot_sync(~0u, head);
      if (gdf::lane() == 0 && row < out.length) { target[row >> 5] = word; }
    }
  });
}
