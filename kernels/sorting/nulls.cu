// Completes a sorted column after its nulls were removed and its values were sorted.

#include <gdf/bits.cuh>
#include <gdf/grid.cuh>
#include <gdf/policy.cuh>

GDF_POLICY(sort_nulls, 256, 8, 4);

/// Writes the mask and the null count of a column of `rows` rows, and zeros as the values of null rows. The rows from
/// `first` to `end` are valid.
extern "C" __global__ void GDF_BOUNDS(sort_nulls)
sort_nulls_kernel(void* column, int words, uint32_t* mask, unsigned long long* null_count,
                  gdf::row_count rows, int64_t first, int64_t end) {
  auto* const values = static_cast<uint32_t*>(column);
  int64_t const before = first * words;
  int64_t const after = (rows - end) * words;
  gdf::for_each_index(before + after, [&](int64_t i) {
    values[i < before ? i : end * words + (i - before)] = 0;
  });
  gdf::for_each_index(gdf::words_for(rows), [&](int64_t w) {
    mask[w] = gdf::low_bits(end - w * 32) & ~gdf::low_bits(first - w * 32);
  });
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *null_count = static_cast<unsigned long long>(rows - (end - first));
  }
}
