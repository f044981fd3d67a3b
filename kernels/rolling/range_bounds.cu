// rolling: finds the begin or the end of range windows. A range window contains the rows whose values are close enough
// to the value of the current row. The search starts at the current row with steps that double, so that its cost does
// not exceed the length of the window.

#include <gdf/number.cuh>
#include <gdf/policy.cuh>
#include <gdf/windows.cuh>

GDF_POLICY(range_bounds, 256, 1, 6);

namespace rolling {

struct range_plan {
  int32_t behind;      // not 0: search the end of the window (the row after its last row) instead of its first row
  int32_t open;        // not 0: rows at exactly the distance `delta` are excluded
  int32_t descending;
  int32_t nulls_first;
  int32_t lower;       // not 0: there is a column with the first rows of the groups
  int32_t upper;       // not 0: there is a column with the last rows of the groups
};

template <class C>
GDF_DEVICE bool is_nan(const C& value) {
  if constexpr (gdf::is_float<C>) {
    return value != value;
  } else {
    return false;
  }
}

/// [thread] Compares two values.
template <class C>
GDF_DEVICE int compare(const C& a, const C& b) {
  if (is_nan(a) || is_nan(b)) { return (is_nan(a) ? 1 : 0) - (is_nan(b) ? 1 : 0); }
  return a < b ? -1 : b < a ? 1 : 0;
}

/// [thread] Returns value + delta or value - delta.
template <class C>
GDF_DEVICE C moved(const C& value, const C& delta, bool up) {
  if constexpr (gdf::is_float<C>) {
    bool const finite = value - value == C{0};
    return !finite ? value : up ? value + delta : value - delta;
  } else {
    using bits = gdf::u128;
    C const last = static_cast<C>(~bits{0} >> 1);
    if (up) {
      if (delta > 0 && value > last - delta) { return last; }
      if (delta < 0 && value < -last - 1 - delta) { return -last - 1; }
      return value + delta;
    }
    if (delta > 0 && value < -last - 1 + delta) { return -last - 1; }
    if (delta < 0 && value > last + delta) { return last; }
    return value - delta;
  }
}

template <class C>
GDF_DEVICE C number_at(const gdf::column_in& in, int64_t row) {
  C value{};
  gdf::by_stored<C>(in.type, [&]<class S>() { value = gdf::widen<C>(gdf::element<S>(in, row)); });
  return value;
}

/// [block] Finds the bounds of all windows. Values are converted to C.
template <class C>
GDF_DEVICE void find_bounds(const gdf::column_in& in, const gdf::column_in& lower, const gdf::column_in& upper,
                            const gdf::column_in& delta, const gdf::column_out& out, const range_plan& p) {
  gdf::index_reader const firsts(lower);
  gdf::index_reader const lasts(upper);
  bool const has_delta = gdf::is_valid(delta, 0);
  C const distance = number_at<C>(delta, 0);
  gdf::for_each_index(out.length, [&](int64_t row) {
    int64_t low = p.lower != 0 ? firsts[row] : 0;
    int64_t high = p.upper != 0 ? lasts[row] + 1 : out.length;
    bool const null = !gdf::is_valid(in, row);
    bool const up = (p.behind != 0) != (p.descending != 0);
    C const target = null ? C{} : moved(number_at<C>(in, row), distance, up);
    bool const skips_equal = null ? p.behind != 0 : (p.behind != 0) != (p.open != 0);
    auto const is_before = [&](int64_t at) {
      bool const other = !gdf::is_valid(in, at);
      int order = 0;
      if (other != null) {
        order = other == (p.nulls_first != 0) ? -1 : 1;
      } else if (!null) {
        order = compare(number_at<C>(in, at), target);
        order = p.descending != 0 ? -order : order;
      }
      return order < 0 || (skips_equal && order == 0);
    };
    if (!has_delta) {
      low = p.behind != 0 ? low : high;
      high = low;
    } else if (is_before(row)) {
      low = row + 1;
      for (int64_t step = 1; low < high; step <<= 1) {
        int64_t const at = high - low < step ? high : low + step;
        if (!is_before(at - 1)) {
          high = at - 1;
          break;
        }
        low = at;
      }
    } else {
      high = row;
      for (int64_t step = 1; low < high; step <<= 1) {
        int64_t const at = high - low < step ? low : high - step;
        if (is_before(at)) {
          low = at + 1;
          break;
        }
        high = at;
      }
    }
    while (low < high) {
      int64_t const middle = (low + high) >> 1;
      bool const before = is_before(middle);
      low = before ? middle + 1 : low;
      high = before ? high : middle;
    }
    gdf::store_index(out.data, out.type, row, low);
  });
}

} // namespace rolling

#define GDF_RANGE_BOUNDS(name, ...)                                                                       \
  extern "C" __global__ void GDF_BOUNDS(range_bounds) GDF_VARIANT(range_bounds, name)                     \
  range_bounds_##name##_kernel(const __grid_constant__ gdf::column_in in,                                 \
                               const __grid_constant__ gdf::column_in lower,                              \
                               const __grid_constant__ gdf::column_in upper,                              \
                               const __grid_constant__ gdf::column_in delta,                              \
                               const __grid_constant__ gdf::column_out out,                               \
                               const __grid_constant__ rolling::range_plan plan) {                        \
    rolling::find_bounds<__VA_ARGS__>(in, lower, upper, delta, out, plan);                                \
  }                                                                                                       \
  static_assert(true)

/// Writes, for each row of `in`, the first row of its window, or the row after the last row of its window. `in` is
/// ordered within groups. `delta` is one broadcast row of the type of `in`, or of the same width.
GDF_RANGE_BOUNDS(integers, gdf::i128);

/// Does the same as range_bounds_integers_kernel, for floats.
GDF_RANGE_BOUNDS(floats, double);
