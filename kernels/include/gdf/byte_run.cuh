// Bytes from several sources, which a thread writes to shared memory one after the other.
#pragma once

#include "byte_stage.cuh"

namespace gdf {

/// A sequence of bytes that is written to shared memory, which must be zero before. `end` writes the last word.
struct byte_run {
  uint8_t* stage; // a multiple of 4
  uint32_t to; // the next word
  uint32_t bits; // the number of bits in `low`, below 32
  uint32_t low;

  GDF_DEVICE byte_run(uint8_t* stage, uint32_t place) : stage(stage), to(place & ~3u), bits((place & 3) * 8), low(0) {}

  /// [thread] Appends the lowest `n` (0 to 4) bytes of a word. The other bytes of the word must be zero.
  GDF_DEVICE void put(uint32_t word, uint32_t n) {
    uint32_t const high = __funnelshift_l(word, 0, bits);
    low |= word << bits;
    bits += 8 * n;
    if (bits >= 32) {
      join_word(stage, to, low);
      low = high;
      to += 4;
      bits -= 32;
    }
  }

  /// [thread] Does the same as put, for 0 to 8 bytes.
  GDF_DEVICE void put_eight(u64 bytes, uint32_t n) {
    auto const first = static_cast<uint32_t>(bytes);
    auto const second = static_cast<uint32_t>(bytes >> 32);
    uint32_t const middle = __funnelshift_l(first, second, bits);
    uint32_t const high = __funnelshift_l(second, 0, bits);
    low |= first << bits;
    bits += 8 * n;
    if (bits >= 32) {
      join_word(stage, to, low);
      if (bits >= 64) { join_word(stage, to + 4, middle); }
      low = bits >= 64 ? high : middle;
      to += bits >> 5 << 2;
      bits &= 31;
    }
  }

  GDF_DEVICE void end() {
    if (bits != 0) { join_word(stage, to, low); }
  }
};

} // namespace gdf
