// Finishing a grid's work in the block that happens to end last, instead of in a second launch; and
// posting words to the host.
#pragma once

#include "types.cuh"

namespace gdf {

/// [block] Counts the calls for ticket `slot` and returns true, in all threads, in the last of the `blocks` blocks
/// that call the function. Slots are 0 to 63. Operations use slots from 32 on, or `32 + blockIdx.y` for a ticket per
/// column. All threads of the last block see all that threads of the other blocks wrote before their calls, by plain
/// or volatile loads, but not by __ldg. The ticket is zero again afterwards.
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

/// [thread] Writes a word of a mailbox (mapped host memory). The word is written once, after all writes that the host
/// may rely on when it sees the word. The host looks at each word separately, so the order of the words does not
/// matter. A fence, which would take about a microsecond, is not needed.
GDF_DEVICE void post(unsigned long long* mailbox, u64 value) {
  *static_cast<volatile unsigned long long*>(mailbox) = value;
}

} // namespace gdf
