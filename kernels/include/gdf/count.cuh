// Null counts, which the kernel that writes the mask also computes. No second launch is needed, and no memory has to be
// cleared before.
#pragma once

#include "accessor.cuh"
#include "block_sum.cuh"

namespace gdf {

/// [thread] Adds the number of `valid` rows that a block has counted, for the column with the given `slot` (below 32).
///
/// One thread of each of the gridDim.x blocks calls this function. The last of these threads writes the null count. The
/// number of blocks and the number of rows share a word, so there must be fewer than 2^24 blocks and fewer than 2^40
/// rows.
GDF_DEVICE void add_valid_rows(scratch* scratch, int slot, const column_out& out, u64 valid) {
  if (out.null_count == nullptr) { return; }
  constexpr int shift = 40;
  u64* const counter = &scratch->counts[slot];
  u64 const before = atomicAdd(counter, 1ull << shift | valid);
  if (before >> shift == gridDim.x - 1) {
    u64 const total = (before + valid) & ((1ull << shift) - 1);
    *out.null_count = static_cast<u64>(out.length) - total;
    *counter = 0;
  }
}

/// [block] Adds the valid rows of a block to those of column blockIdx.y. `valid` is the number that a thread has
/// counted. The last block writes the null count. Every block of the grid calls the function once, even if it has no
/// rows.
template <int threads>
GDF_DEVICE void post_null_count(scratch* scratch, const column_out& out, uint32_t valid) {
  if (out.null_count == nullptr) { return; }
  u64 const mine = block_sum<threads>(static_cast<u64>(valid));
  if (threadIdx.x == 0) {
    add_valid_rows(scratch, static_cast<int>(blockIdx.y), out, mine);
  }
}

/// [block] Writes the mask words of the tile at `first` if the result has a mask. A row is valid if it is valid in all
/// inputs.
template <int threads, int items, int inputs>
GDF_DEVICE uint32_t and_validity(const column_out& out, const column_in* const (&in)[inputs],
                                 int64_t first) {
  constexpr int words = threads * items / 32;
  if (out.validity == nullptr) { return 0; }
  uint32_t valid = 0;
#pragma unroll
  for (int w = 0; w < words; w += threads) {
    int const word = w + static_cast<int>(threadIdx.x);
    int64_t const row = first + int64_t{word} * 32;
    if (word < words && row < out.length) {
      uint32_t bits = ~0u;
#pragma unroll
      for (int i = 0; i < inputs; i++) { bits &= valid_word(*in[i], row, out.length); }
      out.validity[row >> 5] = bits;
      valid += __popc(bits);
    }
  }
  return valid;
}

/// [warp] Writes the mask word of the warp's 32 rows from `row` on. `valid` must be false in lanes past the end.
GDF_DEVICE uint32_t store_valid_word(const column_out& out, int64_t row, bool valid) {
  uint32_t const bits = __ballot_sync(~0u, valid);
  if ((threadIdx.x & 31) != 0 || out.validity == nullptr) { return 0; }
  out.validity[row >> 5] = bits;
  return __popc(bits);
}

} // namespace gdf
