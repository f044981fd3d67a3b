// The first bytes of a text in registers. The bytes are loaded once, and then hashed, compared or converted to a
// number.
#pragma once

#include "row_hash.cuh"

namespace gdf {

/// The first 4 * `words` bytes of a text, little-endian. Bytes after the end of the text are zero. `words` must be
/// even.
template <int words>
struct text_prefix {
  uint32_t word[words];

  GDF_DEVICE u64 pair(int k) const { return static_cast<u64>(word[2 * k + 1]) << 32 | word[2 * k]; }
};

/// [thread] Returns the bits of word `k` of a prefix that belong to a text of `size` bytes.
GDF_DEVICE uint32_t prefix_mask(int size, int k) {
  int const left = 8 * size - 32 * k;
  uint32_t mask;
  asm("bmsk.clamp.b32 %0, 0, %1;" : "=r"(mask) : "r"(left > 0 ? left : 0));
  return mask;
}

/// [thread] Loads a prefix byte by byte.
template <int words>
static __device__ __noinline__ text_prefix<words> load_prefix_bytes(const uint8_t* text, int size) {
  text_prefix<words> prefix = {};
#pragma unroll
  for (int k = 0; k < words; k++) {
#pragma unroll 1
    for (int i = 4 * k; i < 4 * k + 4 && i < size; i++) {
      prefix.word[k] |= static_cast<uint32_t>(__ldg(text + i)) << (8 * (i & 3));
    }
  }
  return prefix;
}

/// [thread] Loads the prefixes of the texts at `e`, which lie within [0, bytes).
///
/// The function reads whole words, but only inside [data, data + bytes).
template <int words, int items>
GDF_DEVICE void load_prefixes(const uint8_t* data, int64_t bytes, const extent (&e)[items],
                              text_prefix<words> (&prefix)[items]) {
  static_assert(words % 2 == 0);
  uint2 raw[items][words / 2 + 1];
  int size[items];
  int misalignment[items];
  bool partly[items];
#pragma unroll
  for (int i = 0; i < items; i++) {
    size[i] = e[i].size() < 4 * words ? static_cast<int>(e[i].size()) : 4 * words;
    misalignment[i] = static_cast<int>(reinterpret_cast<uintptr_t>(data + e[i].begin) & 7);
    int64_t const first = e[i].begin - misalignment[i];
    int const end = misalignment[i] + size[i];
    partly[i] = first < 0 || first + ((end + 7) & ~7) > bytes;
    auto const* const pairs = reinterpret_cast<const uint2*>(data + first);
#pragma unroll
    for (int k = 0; k <= words / 2; k++) {
      raw[i][k] = 8 * k < end && !partly[i] ? __ldg(pairs + k) : uint2{0, 0};
    }
  }
#pragma unroll
  for (int i = 0; i < items; i++) {
    bool const odd = misalignment[i] & 4;
    uint32_t shifted[words + 1];
#pragma unroll
    for (int k = 0; k <= words; k++) {
      uint2 const here = raw[i][k / 2];
      uint32_t const next = k % 2 == 0 ? here.y : k == words ? 0 : raw[i][k / 2 + 1].x;
      shifted[k] = odd ? next : k % 2 == 0 ? here.x : here.y;
    }
#pragma unroll
    for (int k = 0; k < words; k++) {
      prefix[i].word[k] =
        __funnelshift_r(shifted[k], shifted[k + 1], 8 * (misalignment[i] & 3)) & prefix_mask(size[i], k);
    }
  }
#pragma unroll
  for (int i = 0; i < items; i++) {
    if (partly[i] && size[i] > 0) { prefix[i] = load_prefix_bytes<words>(data + e[i].begin, size[i]); }
  }
}

/// [thread] Returns the hash of a text of at most 32 bytes.
GDF_DEVICE u64 hash_prefix(const text_prefix<8>& prefix, int size) {
  u64 h = static_cast<u64>(size);
  if (size > 0) { h = combine_hash(h ^ prefix.pair(1) * 0x9e3779b97f4a7c15ull, prefix.pair(0)); }
  if (size > 16) { h = combine_hash(h ^ prefix.pair(3) * 0x9e3779b97f4a7c15ull, prefix.pair(2)); }
  return h;
}

} // namespace gdf
