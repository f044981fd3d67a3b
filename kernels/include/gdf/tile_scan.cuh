// Computes positions from sizes that depend on data, in two launches. The first launch writes one count per tile. Its
// last block turns the counts into first positions and posts the total. The second launch writes the results of tile t
// from position counts[t] on.
#pragma once

#include "block_sum.cuh"
#include "last_block.cuh"
#include "sizes.cuh"

namespace gdf {

namespace tile_scan_detail {

/// Loads two counts at an even index from the L2 cache, because other blocks have written the counts. The compiler must
/// not move the loads before the ticket.
GDF_DEVICE ulonglong2 load_pair(const unsigned long long* counts, bool pairs, bool first,
                                bool second) {
  ulonglong2 pair{0, 0};
  if (pairs && second) {
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(pair.x), "=l"(pair.y)
                 : "l"(counts)
                 : "memory");
  } else {
    if (first) { pair.x = *static_cast<const volatile unsigned long long*>(counts); }
    if (second) { pair.y = *static_cast<const volatile unsigned long long*>(counts + 1); }
  }
  return pair;
}

GDF_DEVICE void store_pair(unsigned long long* counts, bool pairs, bool first, bool second,
                           ulonglong2 pair) {
  if (pairs && second) {
    *reinterpret_cast<ulonglong2*>(counts) = pair;
  } else {
    if (first) { counts[0] = pair.x; }
    if (second) { counts[1] = pair.y; }
  }
}

} // namespace tile_scan_detail

template <int threads, int vectors = 8>
GDF_DEVICE u64 scan_in_place(unsigned long long* counts, int64_t n) {
  namespace detail = tile_scan_detail;
  constexpr int warps = threads / 32;
  __shared__ u64 warp_total[warps];
  int const lane = static_cast<int>(threadIdx.x & 31);
  int const warp = static_cast<int>(threadIdx.x >> 5);
  bool const pairs = (reinterpret_cast<uintptr_t>(counts) & 15) == 0;
  u64 carry = 0;
  for (int64_t round = 0; round < n; round += int64_t{threads} * vectors * 2) {
    int64_t const mine = round + int64_t{warp} * (32 * vectors * 2) + lane * 2;
    ulonglong2 value[vectors];
    u64 before[vectors];
#pragma unroll
    for (int k = 0; k < vectors; k++) {
      int64_t const i = mine + k * 64;
      value[k] = detail::load_pair(counts + i, pairs, i < n, i + 1 < n);
    }
    u64 total = 0; // the total of the vectors of the warp so far
#pragma unroll
    for (int k = 0; k < vectors; k++) {
      value[k].x = bounded_size(value[k].x);
      value[k].y = bounded_size(value[k].y);
      u64 const sum = value[k].x + value[k].y;
      u64 const inclusive = warp_inclusive_sum(sum);
      before[k] = total + inclusive - sum;
      total += __shfl_sync(~0u, inclusive, 31);
    }
    __syncthreads(); // the totals of the previous round have been read
    if (lane == 0) { warp_total[warp] = total; }
    __syncthreads();
    u64 below = carry;
#pragma unroll
    for (int w = 0; w < warps; w++) {
      below += w < warp ? warp_total[w] : 0;
      carry = saturating_add(carry, warp_total[w]);
    }
#pragma unroll
    for (int k = 0; k < vectors; k++) {
      int64_t const i = mine + k * 64;
      u64 const position = below + before[k];
      detail::store_pair(counts + i, pairs, i < n, i + 1 < n,
                         ulonglong2{position, position + value[k].x});
    }
  }
  return carry;
}

/// [block] Scans the counts of tiles in place and posts the total. Every block of the grid calls the function after it
/// has written the counts of its tiles, and the last block does the work. `slot` is an unused ticket, at least 32.
template <int threads, int vectors = 8>
GDF_DEVICE void finish_tile_counts(scratch* scratch, int slot, uint32_t blocks,
                                   unsigned long long* counts, int64_t tiles,
                                   unsigned long long* mailbox) {
  if (!is_last_block(scratch, slot, blocks)) { return; }
  u64 const total = scan_in_place<threads, vectors>(counts, tiles);
  if (threadIdx.x == 0) { post(mailbox, total); }
}

} // namespace gdf
