// Sums and exclusive scans of integers over a warp or a block, and maxima and bitwise or over a warp. These functions
// compile faster than CUB's and suffice for counting.
#pragma once

#include "types.cuh"

namespace gdf {

GDF_DEVICE uint32_t warp_sum(uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(~0u, value);
#else
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) { value += __shfl_xor_sync(~0u, value, step); }
  return value;
#endif
}

GDF_DEVICE u64 warp_sum(u64 value) {
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) { value += __shfl_xor_sync(~0u, value, step); }
  return value;
}

GDF_DEVICE uint32_t warp_max(uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(~0u, value);
#else
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) { value = max(value, __shfl_xor_sync(~0u, value, step)); }
  return value;
#endif
}
GDF_DEVICE u64 warp_max(u64 value) {
  uint32_t const high = warp_max(static_cast<uint32_t>(value >> 32));
  bool const among = static_cast<uint32_t>(value >> 32) == high;
  return u64{high} << 32 | warp_max(among ? static_cast<uint32_t>(value) : 0u);
}

GDF_DEVICE uint32_t warp_or(uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(~0u, value);
#else
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) { value |= __shfl_xor_sync(~0u, value, step); }
  return value;
#endif
}
GDF_DEVICE u64 warp_or(u64 value) {
  return u64{warp_or(static_cast<uint32_t>(value >> 32))} << 32 | warp_or(static_cast<uint32_t>(value));
}

/// [warp] Returns the sum of the values of this lane and of all lower lanes.
template <class T>
GDF_DEVICE T warp_inclusive_sum(T value) {
#pragma unroll
  for (int step = 1; step < 32; step <<= 1) {
    T const below = __shfl_up_sync(~0u, value, step);
    if (static_cast<int>(threadIdx.x & 31) >= step) { value += below; }
  }
  return value;
}

/// [block] Returns the sum of the values of all threads of the block, in every thread of warp 0.
template <int threads, class T>
GDF_DEVICE T block_sum(T value) {
  constexpr int warps = threads / 32;
  value = warp_sum(value);
  if constexpr (warps > 1) {
    __shared__ T partial[warps];
    __syncthreads(); // threads may still read `partial` from a previous call
    if ((threadIdx.x & 31) == 0) { partial[threadIdx.x >> 5] = value; }
    __syncthreads();
    if (threadIdx.x < 32) { value = warp_sum(threadIdx.x < warps ? partial[threadIdx.x] : T{0}); }
  }
  return value;
}

/// [block] Returns, in each thread, the sum of the values of all lower threads. `total` becomes the sum of the
/// block's values, in every thread.
template <int threads, class T>
GDF_DEVICE T block_exclusive_sum(T value, T& total) {
  constexpr int warps = threads / 32;
  __shared__ T partial[warps];
  T const inclusive = warp_inclusive_sum(value);
  __syncthreads(); // threads may still read `partial` from a previous call
  if ((threadIdx.x & 31) == 31) { partial[threadIdx.x >> 5] = inclusive; }
  __syncthreads();
  if constexpr (warps > 8) { // each warp adds the sums of all warps, one sum per lane
    int const lane = static_cast<int>(threadIdx.x & 31);
    T const sum = lane < warps ? partial[lane] : T{0};
    T const up_to = warp_inclusive_sum(sum);
    total = __shfl_sync(~0u, up_to, 31);
    return __shfl_sync(~0u, up_to - sum, static_cast<int>(threadIdx.x >> 5)) + inclusive - value;
  }
  T below = 0;
  total = 0;
#pragma unroll
  for (int w = 0; w < warps; w++) {
    T const sum = partial[w];
    below += w < static_cast<int>(threadIdx.x >> 5) ? sum : T{0};
    total += sum;
  }
  return below + inclusive - value;
}

/// [block] Does the same as block_exclusive_sum, for sizes that are mostly small. If all sizes are below 2^23 and the
/// block has at most 256 threads, sizes are added with 32-bit arithmetic.
template <int threads>
GDF_DEVICE u64 block_exclusive_sum_of_sizes(u64 value, u64& total) {
  if constexpr (threads > 256) { return block_exclusive_sum<threads>(value, total); }
  constexpr int warps = threads / 32;
  __shared__ uint32_t partial[warps];
  auto const size = static_cast<uint32_t>(value);
  uint32_t const inclusive = warp_inclusive_sum(size);
  __syncthreads(); // threads may still read `partial` from a previous call
  if ((threadIdx.x & 31) == 31) { partial[threadIdx.x >> 5] = inclusive; }
  if (!__syncthreads_and(value < 1u << 23)) { return block_exclusive_sum<threads>(value, total); }
  uint32_t below = 0;
  uint32_t all = 0;
#pragma unroll
  for (int w = 0; w < warps; w++) {
    if (w == static_cast<int>(threadIdx.x >> 5)) { below = all; }
    all += partial[w];
  }
  total = all;
  return below + inclusive - size;
}

} // namespace gdf
