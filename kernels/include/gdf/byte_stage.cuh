// Bytes of rows that are assembled in shared memory and stored in words.
#pragma once

#include "grid.cuh"

namespace gdf {

/// Bytes in shared memory that are to be stored at consecutive addresses from `target` on.
///
/// The first byte has the same address modulo 16 as `target`.
struct byte_stage {
  uint8_t* bytes; // a multiple of 16
  uint8_t* target;
  uint32_t fill;

  GDF_DEVICE byte_stage(uint8_t* bytes, uint8_t* target) : bytes(bytes), target(target), fill(lead()) {}

  /// [thread] Returns the position of the first byte within the unit of 16 bytes that contains it.
  GDF_DEVICE uint32_t lead() const { return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(target) & 15); }

  GDF_DEVICE void skip(u64 size) {
    target += size;
    fill = lead();
  }

  /// [warp] Stores all bytes in the stage.
  GDF_DEVICE void flush() {
    uint32_t const from = lead();
    if (fill == from) { return; }
    uint32_t const last = fill & ~15u; // the end of the units of 16 bytes that are full
    uint8_t* const words = target - from;
    __syncwarp();
    for (uint32_t at = (from == 0 ? 0 : 16) + lane() * 16; at < last; at += 512) {
      *reinterpret_cast<uint4*>(words + at) = *reinterpret_cast<const uint4*>(bytes + at);
      *reinterpret_cast<uint4*>(bytes + at) = uint4{};
    }
    // The lower 16 lanes store the bytes before the first full unit of 16 bytes, unless these bytes are part of the
    // last unit. The upper 16 lanes store the bytes after the last full unit.
    uint32_t const loose = lane() < 16 ? lane() : last + lane() - 16;
    if ((lane() >= 16 || (from != 0 && last != 0)) && loose >= from && loose < fill) {
      words[loose] = bytes[loose];
      bytes[loose] = 0;
    }
    __syncwarp();
    skip(fill - from);
  }
};

/// [warp] Sets the first `size` bytes to zero. If `target` is not null, the bytes are first stored at `target`.
///
/// `bytes` must be a multiple of 16.
GDF_DEVICE void flush_to(uint8_t* target, uint8_t* bytes, uint32_t size) {
  if (size == 0) { return; }
  __syncwarp();
  if (target != nullptr) {
    auto const lead = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(target) & 15);
    uint32_t const end = lead + size;
    uint32_t const last = end & ~15u; // the end of the units of 16 bytes that are full
    uint32_t const shift = (0u - lead & 3) * 8;
    const uint8_t* const from = bytes - lead; // the source of the first word
    uint8_t* const to = target - lead;
    for (uint32_t at = (lead == 0 ? 0 : 16) + lane() * 16; at < last; at += 512) {
      if (lead == 0) {
        *reinterpret_cast<uint4*>(to + at) = *reinterpret_cast<const uint4*>(from + at);
      } else {
        auto const* const words = reinterpret_cast<const uint32_t*>(bytes + (at - lead & ~3u));
        uint32_t const middle[3] = {words[1], words[2], words[3]};
        *reinterpret_cast<uint4*>(to + at) =
          uint4{__funnelshift_r(words[0], middle[0], shift), __funnelshift_r(middle[0], middle[1], shift),
                __funnelshift_r(middle[1], middle[2], shift), __funnelshift_r(middle[2], words[4], shift)};
      }
    }
    // The lower 16 lanes store the bytes before the first full unit of 16 bytes, unless these bytes are part of the
    // last unit. The upper 16 lanes store the bytes after the last full unit.
    uint32_t const loose = lane() < 16 ? lane() : last + lane() - 16;
    if ((lane() >= 16 || (lead != 0 && last != 0)) && loose >= lead && loose < end) { to[loose] = from[loose]; }
    __syncwarp();
  }
  for (uint32_t at = lane() * 16; at < size; at += 512) { *reinterpret_cast<uint4*>(bytes + at) = uint4{}; }
  __syncwarp();
}

/// [thread] Merges bits into a word. Other threads may write to other bits of the word at the same time.
GDF_DEVICE void join_word(uint8_t* stage, uint32_t place, uint32_t bits) {
  atomicOr(reinterpret_cast<uint32_t*>(stage + place), bits);
}

/// [thread] Writes `size` bytes, at least one, to stage + at, where memory is zero.
///
/// `word(i)` is word i of the source, counted from the word that has the first bytes.
template <class Word>
GDF_DEVICE void put_words(uint8_t* stage, uint32_t at, uint32_t size, uint32_t shift, Word&& word) {
  uint32_t const end = at + size;
  uint32_t to = at & ~3u;
  uint32_t high = word(1);
  uint32_t bits = __funnelshift_r(word(0), high, shift) & ~0u << ((at & 3) * 8);
  if (to + 4 < end) {
    join_word(stage, to, bits);
    uint32_t i = 2;
#pragma unroll 1
    for (to += 4; to + 8 < end; to += 8) {
      uint32_t const middle = word(i);
      uint32_t const last = word(i + 1);
      *reinterpret_cast<uint32_t*>(stage + to) = __funnelshift_r(high, middle, shift);
      *reinterpret_cast<uint32_t*>(stage + to + 4) = __funnelshift_r(middle, last, shift);
      high = last;
      i += 2;
    }
    if (to + 4 < end) {
      uint32_t const low = high;
      high = word(i++);
      *reinterpret_cast<uint32_t*>(stage + to) = __funnelshift_r(low, high, shift);
      to += 4;
    }
    bits = __funnelshift_r(high, word(i), shift);
  }
  join_word(stage, to, bits & ~0u >> ((to + 4 - end) * 8));
}

/// [thread] Does the same as put_words, for bytes in global memory. The function reads only bytes before `limit`.
GDF_DEVICE void put_bytes(uint8_t* stage, uint32_t at, const uint8_t* data, uint32_t size, const uint8_t* limit) {
  if (size == 0) { return; }
  auto const begin = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(data) & 3);
  uint32_t const last = (begin + size - 1) >> 2;
  auto const* const words = reinterpret_cast<const uint32_t*>(data - begin);
  if (reinterpret_cast<const uint8_t*>(words + last + 1) > limit) {
    for (uint32_t i = 0; i < size; i++) { stage[at + i] = __ldg(data + i); }
    return;
  }
  uint32_t const before = begin < (at & 3) ? 1 : 0;
  put_words(stage, at, size, ((begin - at) & 3) * 8, [&](uint32_t i) {
    uint32_t const number = i == 0 ? 0 : i - before;
    return __ldg(words + (number < last ? number : last));
  });
}

} // namespace gdf
