// Finishing a grid's work in the block that happens to end last, instead of in a second launch; and
// posting words to the host.
#pragma once

#include "types.cuh"

namespace gdf {

/// [block] True, in all threads, in the last of `blocks` blocks that call it on `slot` (0 to 63;
/// operations use 32 and up, or `32 + blockIdx.y` for a ticket per column). What any thread of the
/// other blocks wrote before its call is then visible to all threads of the last one (through plain
/// or volatile loads, not __ldg). The ticket is zero again afterwards.
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

/// [thread] Writes a word of a mailbox (mapped host memory), once, after all that the host may conclude
/// from it. The host looks at each word by itself, so that words need no order among each other, and no
/// fence, which would take about a microsecond.
GDF_DEVICE void post(unsigned long long* mailbox, u64 value) {
  *static_cast<volatile unsigned long long*>(mailbox) = value;
}

} // namespace gdf
