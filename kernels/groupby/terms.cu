// groupby of batches: what adds up of numbers of values, means and sums of squared differences from these.

#include <gdf/accessor.cuh>
#include <gdf/grid.cuh>
#include <gdf/policy.cuh>

GDF_POLICY(spread_terms, 256, 4, 4);

/// Of n (Int64), mean and m2 (Float64): n mean, n (mean - p), and n (mean - p)^2 + m2, where p is the first mean.
/// Zeros where one is null or n is none.
extern "C" __global__ void GDF_BOUNDS(spread_terms)
spread_terms_kernel(const __grid_constant__ gdf::column_in count, const __grid_constant__ gdf::column_in mean,
                    const __grid_constant__ gdf::column_in m2, double* weighted, double* shifted,
                    double* squares) {
  double pivot = gdf::is_valid(mean, 0) ? gdf::element<double>(mean, 0) : 0;
  if (!isfinite(pivot)) { pivot = 0; }
  gdf::for_each_index(count.length, [&](int64_t row) {
    int64_t const n = gdf::element<int64_t>(count, row);
    bool const valid = gdf::is_valid(count, row) && gdf::is_valid(mean, row) && gdf::is_valid(m2, row);
    double w = 0;
    double s = 0;
    double q = 0;
    if (valid && n > 0) {
      auto const number = static_cast<double>(n);
      double const m = gdf::element<double>(mean, row);
      double const difference = __dadd_rn(m, -pivot);
      w = __dmul_rn(number, m);
      s = __dmul_rn(number, difference);
      q = __dadd_rn(__dmul_rn(s, difference), gdf::element<double>(m2, row));
    }
    weighted[row] = w;
    shifted[row] = s;
    squares[row] = q;
  });
}
