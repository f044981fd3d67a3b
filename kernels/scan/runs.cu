// groupby::scan: sums, products, minima and maxima of the rows of a run up to each row. As in CUB's ScanByKey, a
// scanned element is a value together with a flag that says whether a run begins among its rows. Values are 64-bit
// words for all types of rows.

#include <gdf/invalid_code.cuh>
#include <gdf/policy.cuh>
#include <gdf/scan_rows.cuh>

GDF_POLICY(scan_runs, 256, 8, 3);

namespace scan {

enum class run_operation : int32_t {
  sum,
  product,
  sum_floats,
  product_floats,
  largest,        // the largest of integers after `flip` is applied
  largest_floats, // the largest of keys of doubles after `flip` is applied
};

struct run_options {
  int32_t operation; // a run_operation
  int32_t exclusive;
  gdf::u64 flip; // makes the smallest value the largest value, and maps unsigned values to signed values
};

struct run_so_far {
  gdf::u64 word;
  gdf::u64 begins; // whether a run begins in these rows; the rows before it then do not count
};

struct runs {
  const gdf::column_in& in;
  const gdf::column_in& begins;
  const run_options& options;
  gdf::values<gdf::u64> rows;
  using value = run_so_far;
  static constexpr gdf::scan_source from = gdf::scan_source::numbers;
  static constexpr bool exact = false; // the order of the operands matters

  GDF_DEVICE runs(const gdf::column_in& in, const gdf::column_in& begins, const run_options& options)
    : in(in), begins(begins), options(options), rows(in) {}

  GDF_DEVICE run_operation operation() const { return static_cast<run_operation>(options.operation); }
  static GDF_DEVICE double real(gdf::u64 word) { return __longlong_as_double(static_cast<long long>(word)); }
  static GDF_DEVICE gdf::u64 bits(double number) { return static_cast<gdf::u64>(__double_as_longlong(number)); }

  GDF_DEVICE gdf::u64 nothing() const {
    switch (operation()) {
      case run_operation::product: return 1;
      case run_operation::product_floats: return bits(1.0);
      case run_operation::largest:
      case run_operation::largest_floats: return 1ull << 63;
      case run_operation::sum:
      case run_operation::sum_floats: return 0;
      default: return gdf::unreachable_code<gdf::u64>();
    }
  }
  GDF_DEVICE gdf::u64 combined(gdf::u64 a, gdf::u64 b) const {
    switch (operation()) {
      case run_operation::sum: return a + b;
      case run_operation::product: return a * b;
      case run_operation::sum_floats: return bits(__dadd_rn(real(a), real(b)));
      case run_operation::product_floats: return bits(__dmul_rn(real(a), real(b)));
      case run_operation::largest:
      case run_operation::largest_floats: return static_cast<long long>(a) < static_cast<long long>(b) ? b : a;
      default: return gdf::unreachable_code<gdf::u64>();
    }
  }
  GDF_DEVICE value identity() const { return {nothing(), 0}; }
  GDF_DEVICE value operator()(const value& a, const value& b) const {
    return b.begins != 0 ? b : value{combined(a.word, b.word), a.begins};
  }
  GDF_DEVICE value take(int64_t row) const {
    bool const first = gdf::element<bool>(begins, row);
    gdf::u64 word = nothing();
    // An exclusive scan uses the previous row of the run.
    int64_t const source = row - options.exclusive;
    if ((options.exclusive == 0 || !first) && gdf::is_valid(in, source)) {
      gdf::u64 own = rows[source];
      if (operation() == run_operation::largest_floats) {
        own = static_cast<gdf::u64>(gdf::ordered_key(real(own)));
      }
      word = combined(word, own ^ options.flip);
    }
    return {word, first ? 1ull : 0ull};
  }
  template <class T>
  GDF_DEVICE T give(const value& all) const {
    gdf::u64 const word = all.word ^ options.flip;
    if (operation() != run_operation::largest_floats) { return word; }
    return bits(gdf::of_ordered_key(static_cast<long long>(word)));
  }
};

} // namespace scan

/// Scans the runs of a column of 64-bit values, like the kernels of scan.cu. The result has a value for each row and no
/// mask. `modes` must state that null rows count as rows.
extern "C" __global__ void GDF_BOUNDS(scan_runs)
scan_runs_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_in begins,
                 const __grid_constant__ gdf::column_out out, const __grid_constant__ scan::run_options options,
                 int modes, uint32_t* status, unsigned long long* values, gdf::scratch* scratch) {
  gdf::scan_rows<scan_runs_tuning, gdf::u64>(in, out, scan::runs(in, begins, options), modes, status, values, scratch);
}
