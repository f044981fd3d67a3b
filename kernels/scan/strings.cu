// scan::scan of strings: finds the row of the smallest or largest string up to each row. The strings are gathered
// afterwards.

#include <gdf/extreme_string.cuh>
#include <gdf/policy.cuh>
#include <gdf/scan_rows.cuh>

GDF_POLICY(scan_strings, 256, 4, 3);

namespace scan {

struct strings {
  gdf::extreme_string better;
  using value = gdf::best_string;
  static constexpr gdf::scan_source from = gdf::scan_source::numbers;
  static constexpr bool exact = false; // among equal strings, the first string is taken

  GDF_DEVICE value identity() const { return gdf::extreme_string::identity(); }
  GDF_DEVICE value operator()(const value& a, const value& b) const { return better(a, b); }
  GDF_DEVICE value take(int64_t row) const { return better.of(row); }
  template <class T>
  GDF_DEVICE T give(const value& found) const {
    return found.row < 0 ? 0 : found.row;
  }
};

} // namespace scan

/// Does the same as the kernels of scan.cu, for a string or binary column. The result is the row numbers of the
/// strings, as 64-bit integers, with the mask of the strings.
extern "C" __global__ void GDF_BOUNDS(scan_strings) GDF_VARIANT(scan, strings)
scan_strings_kernel(const __grid_constant__ gdf::column_in in,
                    const __grid_constant__ gdf::column_out out, int modes, uint32_t* status,
                    unsigned long long* values, gdf::scratch* scratch) {
  using namespace scan;
  gdf::scan_rows<scan_strings_tuning, int64_t>(in, out, strings{{in, (modes & gdf::second) != 0}}, modes,
                                               status, values, scratch);
}
