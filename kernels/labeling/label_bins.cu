// labeling::label_bins of numbers: the bin of each row, by a binary search among the left edges.

#include <gdf/elementwise.cuh>
#include <gdf/ordered.cuh>

GDF_POLICY(label_bins, 256, 4, 4);

namespace labeling {

enum edges : int32_t { left_inclusive = 1, right_inclusive = 2 };

/// [thread] Returns the bin of x, or -1 if x is in no bin.
template <class T>
GDF_DEVICE int32_t bin_of(const T& x, const gdf::values<T>& left, const gdf::values<T>& right, int64_t bins, int edges) {
  int64_t low = 0;
  int64_t high = bins;
  while (low < high) {
    int64_t const middle = (low + high) >> 1;
    T const edge = left[middle];
    bool const reached = edges & left_inclusive ? gdf::less_equal(edge, x) : gdf::less(edge, x);
    low = reached ? middle + 1 : low;
    high = reached ? high : middle;
  }
  if (low == 0) { return -1; }
  T const edge = right[low - 1];
  bool const inside = edges & right_inclusive ? gdf::less_equal(x, edge) : gdf::less(x, edge);
  return inside ? static_cast<int32_t>(low - 1) : -1;
}

} // namespace labeling

/// Writes the number of the bin of each row, as 32-bit integers. A row that is in no bin becomes null. `left` and
/// `right` have the edges of each bin, in ascending order and of the type of `in`.
extern "C" __global__ void GDF_BOUNDS(label_bins)
label_bins_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_in left,
                  const __grid_constant__ gdf::column_in right, int edges,
                  const __grid_constant__ gdf::column_out out, gdf::scratch* scratch) {
  gdf::by_number(in.type, [&]<class T>() {
    gdf::values<T> const from(left);
    gdf::values<T> const to(right);
    gdf::try_stored<T, int32_t, label_bins_tuning>(in, out, 1, 0, scratch, nullptr, [&](const T& x) {
      int32_t const bin = labeling::bin_of(x, from, to, left.length, edges);
      return gdf::attempt<int32_t>{bin, bin < 0 ? 1 : 0};
    });
  });
}
