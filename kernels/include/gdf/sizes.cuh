// Sums and products of sizes that may exceed any memory. The results saturate at a bound, so that large sizes do not
// wrap to small sizes.
#pragma once

#include "types.cuh"

namespace gdf {

/// The size that stands for all greater sizes of a row, a tile, or a column.
///
/// No memory has this number of elements. 2^13 such sizes can be added without overflow.
constexpr u64 endless_size = 1ull << 50;

/// [thread] Returns the smaller of a size and endless_size.
GDF_DEVICE u64 bounded_size(u64 size) { return size < endless_size ? size : endless_size; }

/// [thread] Returns the sum. If the sum overflows, the result is the greatest number.
GDF_DEVICE u64 saturating_add(u64 a, u64 b) {
  u64 const sum = a + b;
  return sum < a ? ~0ull : sum;
}

/// [thread] Returns the product. If the product overflows, the result is the greatest number.
GDF_DEVICE u64 saturating_multiply(u64 a, u64 b) { return __umul64hi(a, b) == 0 ? a * b : ~0ull; }

/// [thread] Adds a size to a sum. At most 2^31 sizes are added to a sum, and at most 2^12 sizes are added at the same
/// time.
GDF_DEVICE void add_to_sum(unsigned long long* sum, u64 size) {
  bool const is_small = size >> 32 == 0;
  if (is_small || *static_cast<volatile unsigned long long*>(sum) < endless_size) { atomicAdd(sum, bounded_size(size)); }
}

} // namespace gdf
