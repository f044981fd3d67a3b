// A barrier for all blocks of a cooperative launch. The barrier divides the launch into passes, and each pass sees
// everything that the previous passes have written.
#pragma once

#include "last_block.cuh"

namespace gdf {

/// The barrier counts arrivals in ticket `slot` of the scratch memory. The ticket is zero before the launch. All blocks
/// must call `wait` the same number of times. Each block then calls `end`, which uses ticket `slot + 1` and resets both
/// tickets to zero.
struct grid_barrier {
  scratch* memory;
  int slot;
  uint32_t target = 0;

  /// [block] Waits until all blocks have called the function the same number of times.
  ///
  /// Data that other blocks wrote before must not be loaded through the read-only cache (__ldg), which is not
  /// invalidated.
  GDF_DEVICE void wait() {
    uint32_t const blocks = gridDim.x * gridDim.y;
    target += blocks;
    __syncthreads();
    if (blocks > 1 && threadIdx.x == 0) {
      __threadfence();
      atomicAdd(&memory->tickets[slot], 1u);
      while (*static_cast<const volatile uint32_t*>(&memory->tickets[slot]) < target) { __nanosleep(40); }
      __threadfence();
    }
    __syncthreads();
  }

  GDF_DEVICE bool end() const {
    bool const last = is_last_block(memory, slot + 1, gridDim.x * gridDim.y);
    if (last && threadIdx.x == 0) { memory->tickets[slot] = 0; }
    return last;
  }
};

} // namespace gdf
