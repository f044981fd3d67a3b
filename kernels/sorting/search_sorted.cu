// search::{lower_bound, upper_bound}: a binary search per row.

#include <type_traits>

#include <gdf/policy.cuh>
#include <gdf/table.cuh>

#include "key.cuh"

GDF_POLICY(search_sorted, 256, 1, 4);

/// For each row of `needles`, writes the number of rows of the sorted `haystack` that are less than the needle. If
/// `upper` is not 0, the kernel writes the number of rows that are not greater than the needle. `needles` and
/// `haystack` have `count` columns.
extern "C" __global__ void GDF_BOUNDS(search_sorted)
search_sorted_kernel(const __grid_constant__ gdf::table_in<32> haystack, gdf::row_count rows,
                     const __grid_constant__ gdf::table_in<32> needles, int count, unsigned long long descending,
                     unsigned long long nulls_first, int upper, const __grid_constant__ gdf::column_out out) {
  bool const is_wide = gdf::width_of(out.type) == 8;
  gdf::for_each_index(out.length, [&](int64_t needle) {
    int64_t low = 0;
    int64_t high = rows;
    while (low < high) {
      int64_t const middle = (low + high) >> 1;
      int const order =
        sorting::compare_rows(haystack.column, middle, needles.column, needle, count, descending, nulls_first);
      bool const is_before = upper != 0 ? order <= 0 : order < 0;
      low = is_before ? middle + 1 : low;
      high = is_before ? high : middle;
    }
    if (is_wide) {
      static_cast<gdf::u64*>(out.data)[needle] = static_cast<gdf::u64>(low);
    } else {
      static_cast<uint32_t*>(out.data)[needle] = static_cast<uint32_t>(low);
    }
  });
}
