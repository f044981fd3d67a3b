// scan::ewma: exponentially weighted means. The weighted sum and the sum of weights up to a row are affine functions of
// the sums up to the previous row. The scan composes these functions.

#include <gdf/policy.cuh>
#include <gdf/scan_rows.cuh>

GDF_POLICY(ewma, 256, 4, 3);

namespace scan {

/// The affine functions of some consecutive rows.
struct decayed {
  double decay;
  double sum;
  double weights;
};

struct ewma_options {
  double decay; // decay of the weights per row
  int64_t finite; // not 0: the first row has all of the remaining weight, instead of the weight of one row
};

template <class T>
struct ewma {
  const gdf::column_in& in;
  const ewma_options& options;
  gdf::values<T> rows;
  using value = decayed;
  static constexpr gdf::scan_source from = gdf::scan_source::numbers;
  static constexpr bool exact = false;

  GDF_DEVICE ewma(const gdf::column_in& in, const ewma_options& options) : in(in), options(options), rows(in) {}
  GDF_DEVICE value identity() const { return {1.0, 0.0, 0.0}; }
  GDF_DEVICE value operator()(const value& a, const value& b) const {
    // A decay over many rows becomes 0, but an infinite sum stays infinite.
    double const carried = b.decay == 0.0 && isinf(a.sum) ? a.sum : __dmul_rn(b.decay, a.sum);
    return {__dmul_rn(a.decay, b.decay), __dadd_rn(carried, b.sum),
            __dadd_rn(__dmul_rn(b.decay, a.weights), b.weights)};
  }

  /// [thread] Returns the last valid row before `row`, or -1 if there is no such row.
  GDF_DEVICE int64_t last_valid(int64_t row) const {
    if (in.validity == nullptr) { return row - 1; }
    for (int64_t end = row; end > 0; end -= 32) {
      int64_t const first = end > 32 ? end - 32 : 0;
      uint32_t const valid = gdf::valid_word(in, first, end);
      if (valid != 0) { return first + 31 - __clz(static_cast<int>(valid)); }
    }
    return -1;
  }

  GDF_DEVICE value take(int64_t row) const {
    bool const valid = gdf::is_valid(in, row);
    double const number = static_cast<double>(rows[row]);
    if (options.finite == 0) { return {options.decay, valid ? number : 0.0, valid ? 1.0 : 0.0}; }
    if (!valid) { return identity(); }
    int64_t const last = last_valid(row);
    if (last < 0) { return {0.0, number, 1.0}; }
    // The weight of the previous mean is `decay` to the power of the number of rows since the last valid row. The new
    // mean is the weighted mean of the previous mean and the row.
    double const old = row - last == 1 ? options.decay : pow(options.decay, static_cast<double>(row - last));
    double const own = 1.0 - options.decay;
    double const both = old + own;
    return {old / both, own * number / both, own / both};
  }
  template <class O>
  GDF_DEVICE O give(const value& all) const {
    return static_cast<O>(__ddiv_rn(all.sum, all.weights));
  }
};

} // namespace scan

/// Scans a column of single or double precision, like the kernels of scan.cu. `out` has the same type and no mask.
/// `modes` must state that null rows count as rows.
extern "C" __global__ void GDF_BOUNDS(ewma)
ewma_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_out out,
            const __grid_constant__ scan::ewma_options options, int modes, uint32_t* status,
            unsigned long long* values, gdf::scratch* scratch) {
  using namespace scan;
  if (in.type == static_cast<int32_t>(gdf::type::f32)) {
    gdf::scan_rows<ewma_tuning, float>(in, out, ewma<float>(in, options), modes, status, values, scratch);
  } else {
    gdf::scan_rows<ewma_tuning, double>(in, out, ewma<double>(in, options), modes, status, values, scratch);
  }
}
