// Bits of the rows that a thread has in a warp's tile. Item i of a thread is the row base + 32 i + lane.
#pragma once

#include "elementwise.cuh"

namespace gdf {

/// [warp] Returns a bit for each item of the thread. Lane i of the warp has the word of item i.
template <int items>
GDF_DEVICE uint32_t item_bits(uint32_t word) {
  uint32_t result = 0;
#pragma unroll
  for (int i = 0; i < items; i++) { result |= (__shfl_sync(~0u, word, i) >> lane() & 1) << i; }
  return result;
}

/// [warp] Returns the validity of the thread's items among `rows` rows.
template <int items>
GDF_DEVICE uint32_t valid_items(const column_in& column, int64_t base, int64_t rows) {
  int64_t const mine = base + lane() * 32;
  return item_bits<items>(lane() < items && mine < rows ? valid_word(column, mine, rows) : 0);
}

/// [warp] Returns the values of the thread's items of a boolean column of `rows` rows.
template <int items>
GDF_DEVICE uint32_t boolean_items(const column_in& column, int64_t base, int64_t rows) {
  int64_t const mine = base + lane() * 32;
  return item_bits<items>(lane() < items && mine < rows ? boolean_word(column, mine, rows) : 0);
}

} // namespace gdf
