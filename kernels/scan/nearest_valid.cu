// replace::replace_nulls_by_policy: finds the nearest valid row before or after each row. Another launch then gathers
// the rows with these numbers.

#include <gdf/policy.cuh>
#include <gdf/scan_rows.cuh>

GDF_POLICY(nearest_valid, 512, 8, 2);

namespace scan {

/// Finds the last valid row in the order of the scan.
template <bool from_end>
struct nearest_valid {
  int64_t length;
  using value = gdf::u64;
  static constexpr gdf::scan_source from =
    from_end ? gdf::scan_source::numbers_from_end : gdf::scan_source::numbers;
  static constexpr bool exact = true;
  GDF_DEVICE value identity() const { return 0; }
  GDF_DEVICE value operator()(value a, value b) const { return a < b ? b : a; }
  GDF_DEVICE value take(int64_t row) const { return static_cast<value>(row) + 1; }
  template <class T>
  GDF_DEVICE T give(value last) const {
    if constexpr (from_end) {
      return static_cast<T>(last == 0 ? ~0ull : static_cast<value>(length) - last);
    } else {
      return static_cast<T>(last - 1);
    }
  }
};

template <bool from_end>
GDF_DEVICE void find_nearest(const gdf::column_in& in, const gdf::column_out& out, int modes, uint32_t* status,
                             unsigned long long* values, gdf::scratch* scratch) {
  nearest_valid<from_end> const op{in.length};
  if (gdf::width_of(out.type) == 4) {
    gdf::scan_rows<nearest_valid_tuning, uint32_t>(in, out, op, modes, status, values, scratch);
  } else {
    gdf::scan_rows<nearest_valid_tuning, gdf::u64>(in, out, op, modes, status, values, scratch);
  }
}

} // namespace scan

/// Scans a column of any type, like the kernels of scan.cu. Each row of the result is the number of the last valid row
/// up to that row. If there is no such row, all bits are set.
extern "C" __global__ void GDF_BOUNDS(nearest_valid) GDF_VARIANT(scan, preceding_valid)
scan_preceding_valid_kernel(const __grid_constant__ gdf::column_in in,
                            const __grid_constant__ gdf::column_out out, int modes, uint32_t* status,
                            unsigned long long* values, gdf::scratch* scratch) {
  scan::find_nearest<false>(in, out, modes, status, values, scratch);
}

/// Does the same as scan_preceding_valid_kernel, with the first valid row from each row on.
extern "C" __global__ void GDF_BOUNDS(nearest_valid) GDF_VARIANT(scan, following_valid)
scan_following_valid_kernel(const __grid_constant__ gdf::column_in in,
                            const __grid_constant__ gdf::column_out out, int modes, uint32_t* status,
                            unsigned long long* values, gdf::scratch* scratch) {
  scan::find_nearest<true>(in, out, modes, status, values, scratch);
}
