// The kernels of the digit passes, one for each combination of the types of keys, values and positions.

#include <gdf/policy.cuh>

#include "onesweep.cuh"

namespace sorting_pass {

constexpr int resident(int threads, int blocks) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return blocks * threads > 1024 ? 1024 / threads : blocks;
#else
  return threads > 0 ? blocks : 0;
#endif
}

} // namespace sorting_pass

// Defines sort_pass_<name>_kernel, see onesweep.cuh. The grid has a block per tile, and `storage` is the dynamic shared
// memory.
#define SORT_PASS(name, Key, Value, Offset, threads, items, blocks)                               \
  GDF_POLICY(sort_pass_##name, threads, items, blocks);                                           \
  extern "C" __global__ void __launch_bounds__(threads, sorting_pass::resident(threads, blocks))  \
    GDF_VARIANT(sort_pass, name)                                                                  \
    sort_pass_##name##_kernel(const __grid_constant__ sorting_pass::work work) {                  \
    using pass = sorting_pass::onesweep<Key, Value, Offset, threads, items>;                      \
    extern __shared__ unsigned long long sort_pass_storage[];                                     \
    pass::run(*reinterpret_cast<typename pass::storage*>(sort_pass_storage), work);               \
  }                                                                                               \
  static_assert(true)

SORT_PASS(k32, uint32_t, sorting_pass::none, uint32_t, 384, 23, 3);
SORT_PASS(k32_v32, uint32_t, uint32_t, uint32_t, 512, 20, 2);
SORT_PASS(k32_v64, uint32_t, unsigned long long, uint32_t, 384, 15, 2);
SORT_PASS(k64, unsigned long long, sorting_pass::none, uint32_t, 384, 20, 2);
SORT_PASS(k64_v32, unsigned long long, uint32_t, uint32_t, 384, 16, 2);
SORT_PASS(k64_v64, unsigned long long, unsigned long long, uint32_t, 384, 12, 2);

SORT_PASS(k32_wide, uint32_t, sorting_pass::none, unsigned long long, 384, 24, 2);
SORT_PASS(k32_v64_wide, uint32_t, unsigned long long, unsigned long long, 384, 14, 2);
SORT_PASS(k64_wide, unsigned long long, sorting_pass::none, unsigned long long, 384, 19, 2);
SORT_PASS(k64_v64_wide, unsigned long long, unsigned long long, unsigned long long, 384, 12, 2);
