// The preparation of the digit passes of a radix sort.
#pragma once

#include "key.cuh"

namespace sorting {

constexpr int digits = 256;
constexpr int max_passes = 8;

/// The state of the passes. `counts` has max_passes * 256 words, which are zero before and after the kernel.
struct sweep {
  unsigned long long* counts;
  void* offsets;           // 256 first positions per pass, of 64 bits if `wide`, otherwise of 32 bits
  uint32_t* lookback; // the look-back words of the first pass
  int64_t lookback_words;
  uint32_t* tickets;       // one per launch of a pass
  int32_t ticket_count;
  int32_t passes;
  int32_t wide;
  int32_t first_bit;       // lowest bit of the written keys that the passes sort by
  unsigned long long* mailbox; // if not null, receives how many rows have the most frequent digit of each pass
};
static_assert(sizeof(sweep) == 64);

/// The digit counts of one block, in shared memory. Each counter has `1 << shift` copies, at most 32, so that fewer
/// lanes update the same word.
struct digit_counts {
  uint32_t* bins;
  int shift;
};

/// The number of words of the digit counts in a kernel without dynamic shared memory.
constexpr int count_words = max_passes * digits * 4;
GDF_DEVICE digit_counts counts_in(uint32_t* words, int bytes) { return {words, bytes == 4 ? 3 : 2}; }

/// [block] Clears the counts. Every block calls this function before the first `count_digits`.
template <int threads>
GDF_DEVICE void begin_sweep(const sweep& state, const digit_counts& counts) {
  for (int i = threadIdx.x; i < state.passes * digits << counts.shift; i += threads) {
    counts.bins[i] = 0;
  }
  gdf::for_each_index(state.lookback_words, [&](int64_t i) { state.lookback[i] = 0; });
  gdf::for_each_index(state.ticket_count, [&](int64_t i) { state.tickets[i] = 0; });
  __syncthreads();
}

/// [thread] Counts the digits of a key.
template <bool all = false, class Key>
GDF_DEVICE void count_digits(const sweep& state, const digit_counts& counts, Key key) {
  int const copy = gdf::lane() & ((1 << counts.shift) - 1);
#pragma unroll
  for (int pass = 0; pass < static_cast<int>(sizeof(Key)); pass++) {
    if (all || pass < state.passes) {
      int const digit = static_cast<int>(key >> (8 * pass)) & (digits - 1);
      atomicAdd(&counts.bins[((pass * digits + digit) << counts.shift) + copy], 1u);
    }
  }
}

/// [block] Finishes the counts. Every block of the grid calls this function when its keys are counted. gridDim.y must
/// be 1. The function uses ticket 32.
template <int threads>
GDF_DEVICE void finish_sweep(const sweep& state, const digit_counts& counts,
                             gdf::scratch* scratch) {
  static_assert(threads % digits == 0);
  __syncthreads();
  int const copies = 1 << counts.shift;
  for (int i = threadIdx.x; i < state.passes * digits; i += threads) {
    uint32_t count = 0;
    for (int c = 0; c < copies; c++) { // each lane begins at another bank
      count += counts.bins[(i << counts.shift) + ((c + gdf::lane()) & (copies - 1))];
    }
    if (count != 0) { atomicAdd(state.counts + i, static_cast<u64>(count)); }
  }
  if (!gdf::is_last_block(scratch, 32, gridDim.x)) { return; }
  __shared__ unsigned long long most[max_passes];
  if (threadIdx.x < max_passes) { most[threadIdx.x] = 0; }
#pragma unroll 1
  for (int pass = 0; pass < state.passes; pass++) {
    int const i = pass * digits + static_cast<int>(threadIdx.x);
    bool const mine = threadIdx.x < digits;
    u64 const count = mine ? static_cast<volatile unsigned long long*>(state.counts)[i] : 0;
    u64 total;
    u64 const first = gdf::block_exclusive_sum<threads>(count, total);
    if (!mine) { continue; }
    if (state.mailbox != nullptr) { atomicMax(&most[pass], static_cast<unsigned long long>(count)); }
    state.counts[i] = 0;
    if (state.wide != 0) {
      static_cast<u64*>(state.offsets)[i] = first;
    } else {
      static_cast<uint32_t*>(state.offsets)[i] = static_cast<uint32_t>(first);
    }
  }
  if (state.mailbox == nullptr) { return; } // the condition is the same in all threads
  __syncthreads();
  if (threadIdx.x < state.passes) { gdf::post(state.mailbox + threadIdx.x, most[threadIdx.x]); }
}

} // namespace sorting
