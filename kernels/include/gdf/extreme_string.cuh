// The operation of reductions and scans of strings.
#pragma once

#include "string_view.cuh"

namespace gdf {

static __device__ __noinline__ int compare_strings(const column_in& in, int64_t a, int64_t b) {
  return compare(string_at(in, a), string_at(in, b));
}

/// The best row so far, and the first bytes of its string. The row is -1 before the first row.
struct best_string {
  int64_t row;
  u64 prefix;
};

/// The operation that returns the better of two rows.
struct extreme_string {
  const column_in& in;
  bool minimum;

  GDF_DEVICE static best_string identity() { return {-1, 0}; }

  GDF_DEVICE best_string of(int64_t row) const { return {row, ordered8(string_at(in, row), 0)}; }

  GDF_DEVICE best_string operator()(const best_string& a, const best_string& b) const {
    if (a.row < 0) { return b; }
    if (b.row < 0) { return a; }
    if (a.prefix != b.prefix) { return (a.prefix < b.prefix) == minimum ? a : b; }
    int const order = compare_strings(in, a.row, b.row);
    if (order == 0) { return a.row < b.row ? a : b; }
    return (order < 0) == minimum ? a : b;
  }
};

} // namespace gdf
