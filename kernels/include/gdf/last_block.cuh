// Lets the block of a grid that ends last finish the work of the grid, instead of a second launch. Also posts words to
// the host.
#pragma once

#include "types.cuh"

namespace gdf {

/// [block] Counts the calls for ticket `slot`, and returns true, in all threads, in the last of the `blocks` blocks
/// that call the function. Slots are 0 to 63. Operations use slots from 32 on, or `32 + blockIdx.y` for a ticket per
/// column. The threads of the last block see everything that the threads of the other blocks wrote before their calls,
/// by plain or volatile loads, but not by __ldg. The ticket is zero again afterwards.
GDF_DEVICE bool is_last_block(scratch* scratch, int slot, uint32_t blocks) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    uint32_t const ticket = atomicAdd(&scratch->tickets[slot], 1u);
    last = ticket == blocks - 1;
    if (last) { scratch->tickets[slot] = 0; }
  }
  __syncthreads();
  bool const result = last;
  if (result) { __threadfence(); }
  __syncthreads(); // a second call may write `last` again
  return result;
}

/// [thread] Writes a word of a mailbox, which is mapped host memory. A word is written once, after all writes on which
/// the host may rely when it sees the word. The host waits for each word separately, so the order of the words does not
/// matter. A fence is therefore not needed, which would take about a microsecond.
GDF_DEVICE void post(unsigned long long* mailbox, u64 value) {
  *static_cast<volatile unsigned long long*>(mailbox) = value;
}

} // namespace gdf
