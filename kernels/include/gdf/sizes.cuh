// Sums and products of sizes that may exceed any memory. They saturate at a bound, so that they do not wrap to small
// sizes.
#pragma once

#include "types.cuh"

namespace gdf {

/// The size that stands for all greater sizes of a row, a tile, or a column.
///
/// No memory has as many elements. 2^13 such sizes can be added without overflow.
constexpr u64 endless_size = 1ull << 50;

/// [thread] A size, at most endless_size.
GDF_DEVICE u64 bounded_size(u64 size) { return size < endless_size ? size : endless_size; }

/// [thread] The sum, or the greatest number.
GDF_DEVICE u64 saturating_add(u64 a, u64 b) {
  u64 const sum = a + b;
  return sum < a ? ~0ull : sum;
}

/// [thread] The product, or the greatest number.
GDF_DEVICE u64 saturating_multiply(u64 a, u64 b) { return __umul64hi(a, b) == 0 ? a * b : ~0ull; }

/// [thread] Adds to a sum of 2^31 sizes at most, of which 2^12 are added at a time. From endless_size on it only grows
/// by small ones.
GDF_DEVICE void add_to_sum(unsigned long long* sum, u64 size) {
  bool const is_small = size >> 32 == 0;
  if (is_small || *static_cast<volatile unsigned long long*>(sum) < endless_size) { atomicAdd(sum, bounded_size(size)); }
}

} // namespace gdf
