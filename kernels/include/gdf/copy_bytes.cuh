// Copies ranges of bytes between any addresses at the speed of memory.
#pragma once

#include "types.cuh"

namespace gdf {

namespace copy_detail {

template <int alignment>
GDF_DEVICE uint4 load16(const uint8_t* p) {
  if constexpr (alignment == 16) {
    return *reinterpret_cast<const uint4*>(p);
  } else if constexpr (alignment == 8) {
    auto const* const half = reinterpret_cast<const uint2*>(p);
    uint2 const low = half[0];
    uint2 const high = half[1];
    return uint4{low.x, low.y, high.x, high.y};
  } else if constexpr (alignment == 4) {
    auto const* const word = reinterpret_cast<const uint32_t*>(p);
    return uint4{__ldg(word), __ldg(word + 1), __ldg(word + 2), __ldg(word + 3)};
  } else {
    auto const misalignment = static_cast<int>(reinterpret_cast<uintptr_t>(p) & 3);
    auto const* const word = reinterpret_cast<const uint32_t*>(p - misalignment);
    int const shift = misalignment * 8;
    uint32_t part[5];
#pragma unroll
    for (int i = 0; i < 5; i++) { part[i] = __ldg(word + i); }
    return uint4{__funnelshift_r(part[0], part[1], shift), __funnelshift_r(part[1], part[2], shift),
                 __funnelshift_r(part[2], part[3], shift), __funnelshift_r(part[3], part[4], shift)};
  }
}

/// Copies `units` units of sixteen bytes. `target` must be a multiple of 16.
template <int threads, int items, int alignment>
GDF_DEVICE void copy_units(uint8_t* target, const uint8_t* source, int64_t units) {
  auto* const to = reinterpret_cast<uint4*>(target);
  for (int64_t first = threadIdx.x; first < units; first += threads * items) {
    uint4 unit[items];
#pragma unroll
    for (int k = 0; k < items; k++) {
      int64_t const i = first + k * threads;
      if (i < units) { unit[k] = load16<alignment>(source + i * 16); }
    }
#pragma unroll
    for (int k = 0; k < items; k++) {
      int64_t const i = first + k * threads;
      if (i < units) { to[i] = unit[k]; }
    }
  }
}

} // namespace copy_detail

/// [block] Copies `bytes` bytes from `source` to `target`. The ranges must not overlap, and the addresses need not be
/// aligned. The function accesses no byte outside of the two ranges, and does not synchronize. No block of the grid may
/// write the bytes that are read.
template <int threads, int items>
GDF_DEVICE void copy_bytes(uint8_t* target, const uint8_t* source, int64_t bytes) {
  static_assert(threads >= 32); // there are at most 15 bytes before the units, and at most 18 bytes after them
  auto head = static_cast<int64_t>((16 - (reinterpret_cast<uintptr_t>(target) & 15)) & 15);
  if (head > bytes) { head = bytes; }
  int64_t const body = bytes - head;
  uint8_t* const to = target + head;
  const uint8_t* const from = source + head;
  auto const misalignment = static_cast<int>(reinterpret_cast<uintptr_t>(from) & 15);
  int64_t units = body >> 4;
  if (misalignment == 0) {
    copy_detail::copy_units<threads, items, 16>(to, from, units);
  } else if ((misalignment & 7) == 0) {
    copy_detail::copy_units<threads, items, 8>(to, from, units);
  } else if ((misalignment & 3) == 0) {
    copy_detail::copy_units<threads, items, 4>(to, from, units);
  } else {
    int const past = 4 - (misalignment & 3); // number of bytes of the last word after the last unit
    units = body > past ? (body - past) >> 4 : 0;
    copy_detail::copy_units<threads, items, 1>(to, from, units);
  }
  int64_t const i = threadIdx.x;
  if (i < head) { target[i] = __ldg(source + i); }
  int64_t const done = units * 16;
  if (i < body - done) { to[done + i] = __ldg(from + done + i); }
}

} // namespace gdf
