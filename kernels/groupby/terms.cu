// groupby of batches: converts the counts, means and sums of squared differences of batches to values that can be
// summed.

#include <gdf/accessor.cuh>
#include <gdf/grid.cuh>
#include <gdf/policy.cuh>

GDF_POLICY(spread_terms, 256, 4, 4);

/// Writes n * mean to `sums` and n * mean^2 + m2 to `squares`. The columns n (Int64), mean and m2 (Float64) have the
/// same length. If a value of a row is null or n is at most 0, both results are 0.
extern "C" __global__ void GDF_BOUNDS(spread_terms)
spread_terms_kernel(const __grid_constant__ gdf::column_in count, const __grid_constant__ gdf::column_in mean,
                    const __grid_constant__ gdf::column_in m2, double* sums, double* squares) {
  gdf::for_each_index(count.length, [&](int64_t row) {
    int64_t const n = gdf::element<int64_t>(count, row);
    bool const valid = gdf::is_valid(count, row) && gdf::is_valid(mean, row) && gdf::is_valid(m2, row);
    double sum = 0;
    double square = 0;
    if (valid && n > 0) {
      double const m = gdf::element<double>(mean, row);
      sum = __dmul_rn(static_cast<double>(n), m);
      square = __dadd_rn(__dmul_rn(sum, m), gdf::element<double>(m2, row));
    }
    sums[row] = sum;
    squares[row] = square;
  });
}
