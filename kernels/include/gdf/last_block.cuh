// The block of a grid that ends last can finish the work of the grid, so that no second launch is needed. This file
// also has the function that posts words to the host.
#pragma once

#include "types.cuh"

namespace gdf {

/// [block] Returns true in the last of the `blocks` blocks that call the function, in all of its threads. Ticket `slot`
/// counts the calls, and is zero again after the last call. Operations use slots from 32 on, or 32 + blockIdx.y for a
/// ticket per column.
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
/// the host relies when it sees the word. The host waits for each word separately. Therefore the words need no order,
/// and no fence, which would take about a microsecond.
GDF_DEVICE void post(unsigned long long* mailbox, u64 value) {
  *static_cast<volatile unsigned long long*>(mailbox) = value;
}

} // namespace gdf
