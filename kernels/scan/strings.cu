// scan::scan of strings: which row has the smallest or largest string so far. The strings are gathered afterwards.

#include <gdf/policy.cuh>
#include <gdf/string_view.cuh>

#include "tile.cuh"

GDF_POLICY(scan_strings, 256, 4, 3);

namespace scan {

/// [thread] Below 0, 0, above 0. Called rarely, so that the code is there once.
__device__ __noinline__ int compare_rows(const gdf::column_in& in, int64_t a, int64_t b) {
  return gdf::compare(gdf::string_at(in, a), gdf::string_at(in, b));
}

/// The row that is best so far, with the first bytes of its string; row -1 before there is one.
struct best {
  int64_t row;
  gdf::u64 prefix;
};

/// Of equal strings the first: the left one.
struct extreme_string {
  const gdf::column_in& in;
  bool minimum;
  using value = best;
  static constexpr source from = source::numbers;
  static constexpr bool exact = false; // of equal strings the first

  GDF_DEVICE value identity() const { return {-1, 0}; }
  GDF_DEVICE value operator()(const value& a, const value& b) const {
    if (a.row < 0) { return b; }
    if (b.row < 0) { return a; }
    if (a.prefix != b.prefix) { return (a.prefix < b.prefix) == minimum ? a : b; }
    int const order = compare_rows(in, a.row, b.row);
    return order == 0 || (order < 0) == minimum ? a : b;
  }
  GDF_DEVICE value take(int64_t row) const {
    return {row, gdf::ordered8(gdf::string_at(in, row), 0)};
  }
  template <class T>
  GDF_DEVICE T give(const value& found) const {
    return found.row < 0 ? 0 : found.row;
  }
};

} // namespace scan

/// As the kernels of scan.cu, of a string or binary column. The result is the row numbers of the strings, as 64-bit
/// integers, with the mask of the strings.
extern "C" __global__ void GDF_BOUNDS(scan_strings) GDF_VARIANT(scan, strings)
scan_strings_kernel(const __grid_constant__ gdf::column_in in,
                    const __grid_constant__ gdf::column_out out, int modes, uint32_t* status,
                    unsigned long long* values, gdf::scratch* scratch) {
  using namespace scan;
  scan_rows<scan_strings_tuning, int64_t>(in, out, extreme_string{in, (modes & second) != 0}, modes,
                                          status, values, scratch);
}
