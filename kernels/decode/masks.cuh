// Masks, of which different blocks write the bits of their rows.
#pragma once

#include <gdf/grid.cuh>

namespace decode {

/// [block] Writes the bits of a tile, which begin at any bit of the mask. A word that other tiles share is combined
/// with what they write.
template <int words>
GDF_DEVICE void store_mask(uint32_t* mask, const uint32_t (&bits)[words], int64_t bit, int rows) {
  int const thread = static_cast<int>(threadIdx.x);
  int const lead = static_cast<int>(bit & 31);
  if (thread * 32 >= lead + rows) { return; }
  uint32_t const before = thread == 0 ? 0 : bits[thread - 1];
  uint32_t const word = __funnelshift_l(before, bits[thread], static_cast<uint32_t>(lead));
  uint32_t* const out = mask + (bit >> 5) + thread;
  bool const whole = lead + rows >= thread * 32 + 32 && (thread > 0 || lead == 0);
  if (whole) {
    *out = word;
  } else if (word != 0) {
    atomicOr(out, word);
  }
}

} // namespace decode
