// is_sorted: compares each row with the next row, column by column up to the first difference.

#include <type_traits>

#include <gdf/policy.cuh>

#include "key.cuh"

GDF_POLICY(is_sorted, 256, 4, 4);

namespace sorting_test {

using namespace sorting;
using tuning = is_sorted_tuning;

constexpr int max_keys = 64;

struct keys {
  gdf::column_in at[max_keys];
  u64 descending; // a bit per column
  u64 nulls_first;
};

} // namespace sorting_test

/// Posts 1 if a row is less than the previous row, otherwise 0. There must be at least two rows. The kernel uses ticket
/// 32 and zeroed[0].
extern "C" __global__ void GDF_BOUNDS(is_sorted)
is_sorted_kernel(const __grid_constant__ sorting_test::keys in, int count, gdf::row_count rows,
                 gdf::scratch* scratch, unsigned long long* mailbox) {
  using namespace sorting_test;
  gdf::u64* const found = &scratch->zeroed[0];
  bool wrong = false;
  gdf::for_each_index(rows - 1, [&](int64_t i) {
    if (!wrong) { wrong = compare_rows(in.at, i + 1, in.at, i, count, in.descending, in.nulls_first) < 0; }
  });
  if (__syncthreads_or(wrong) && threadIdx.x == 0) { atomicOr(found, 1ull); }
  if (!gdf::is_last_block(scratch, 32, gridDim.x)) { return; }
  if (threadIdx.x == 0) { gdf::post(mailbox, atomicExch(found, 0ull)); }
}
