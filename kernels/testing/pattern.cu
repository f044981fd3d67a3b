// Kernels for tests only.
#include <gdf/policy.cuh>

GDF_POLICY(pattern, 128, 1, 1);

namespace {

// Spins for about `nanoseconds`. If other code uses the same memory without waiting for this kernel, both run at the
// same time.
GDF_DEVICE void spin(long long nanoseconds) {
  long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
}

} // namespace

// Spins, then writes `value` to all bytes. The grid is one block.
extern "C" __global__ void GDF_BOUNDS(pattern) pattern_write_kernel(unsigned char* bytes, long long length, int value,
                                                long long nanoseconds) {
  spin(nanoseconds);
  for (long long i = threadIdx.x; i < length; i += blockDim.x) {
    bytes[i] = static_cast<unsigned char>(value);
  }
}

// Spins, then adds the number of bytes that are not `value` to *violations. The grid is one block.
extern "C" __global__ void GDF_BOUNDS(pattern) pattern_check_kernel(const unsigned char* bytes, long long length,
                                                int value, long long nanoseconds,
                                                unsigned long long* violations) {
  spin(nanoseconds);
  for (long long i = threadIdx.x; i < length; i += blockDim.x) {
    if (*static_cast<const volatile unsigned char*>(bytes + i) != value) {
      atomicAdd(violations, 1ull);
    }
  }
}

// Reads an address that belongs to no allocation.
extern "C" __global__ void GDF_BOUNDS(pattern) pattern_fault_kernel(unsigned long long* sink) {
  *sink = *reinterpret_cast<const volatile unsigned long long*>(0x10ull);
}
