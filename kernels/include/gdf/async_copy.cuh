// Asynchronous copies to shared memory that bypass registers. For compute capability 9.0, the file also has barriers at
// which threads arrive and wait by separate operations.
#pragma once

#include "types.cuh"

namespace gdf {

/// [thread] Returns the 32-bit address of shared memory, as instructions take it.
GDF_DEVICE uint32_t shared_address(const void* address) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(address));
}

/// [thread] Copies a word of 4, 8 or 16 bytes to shared memory. The thread can read it after `await_words`.
template <class T>
GDF_DEVICE void copy_word(T* to, const T* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(T) == 16) { // bypasses the L1 cache
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(shared_address(to)), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                 :
                 : "r"(shared_address(to)), "l"(from), "n"(sizeof(T))
                 : "memory");
  }
#else
  *to = *from;
#endif
}

/// [thread] Waits for all copies that the thread has started by `copy_word`.
GDF_DEVICE void await_words() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

/// [warp] Prefetches bytes to the L2 cache, at most 4 KiB from `begin` on.
GDF_DEVICE void prefetch_bytes(const uint8_t* begin, const uint8_t* end) {
  const uint8_t* const line = begin + (threadIdx.x & 31) * 128;
  if (line < end) { asm volatile("prefetch.global.L2 [%0];" : : "l"(line)); }
}

#if __CUDA_ARCH__ >= 900

/// A barrier (mbarrier) in shared memory.
///
/// A phase ends when the given number of threads have arrived and all announced bytes have been copied. A thread waits
/// for a phase by its parity. The parity of the first phase is 0.
struct phase_barrier {
  u64 state;

  /// [thread] Initializes the barrier. One thread calls this function, before `publish_barriers` and a barrier of the
  /// block.
  GDF_DEVICE void init(uint32_t arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(shared_address(&state)), "r"(arrivals) : "memory");
  }

  /// [thread] Arrives at the barrier. Threads that have waited for the phase see all earlier writes of this thread.
  GDF_DEVICE void arrive() {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" : : "r"(shared_address(&state)) : "memory");
  }

  /// [thread] Announces that `copy_bulk` will copy a number of bytes. The phase waits until they have been copied. The
  /// thread must not have arrived yet.
  GDF_DEVICE void expect(uint32_t bytes) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
                 :
                 : "r"(shared_address(&state)), "r"(bytes)
                 : "memory");
  }

  /// [thread] Makes the phase wait for the copies that the thread has started by `copy_word`. The thread must not have
  /// arrived yet.
  GDF_DEVICE void expect_words() {
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" : : "r"(shared_address(&state)) : "memory");
  }

  /// [thread] Waits until the phase with parity `parity` has ended.
  GDF_DEVICE void wait(uint32_t parity) {
    asm volatile(
      "{\n"
      ".reg .pred ended;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared.b64 ended, [%0], %1;\n"
      "@!ended bra again;\n"
      "}\n"
      :
      : "r"(shared_address(&state)), "r"(parity)
      : "memory");
  }
};

/// [thread] Makes barriers visible to asynchronous copies. The thread that has initialized the barriers calls this
/// function.
GDF_DEVICE void publish_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory"); }

/// [thread] Copies `bytes` bytes to shared memory. The size and the addresses must be multiples of 16.
///
/// The thread must have announced the bytes to `barrier` by `expect`.
GDF_DEVICE void copy_bulk(void* to, const void* from, uint32_t bytes, phase_barrier& barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               :
               : "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(&barrier.state))
               : "memory");
}

/// [thread] Orders the earlier accesses of this thread to shared memory before later asynchronous copies. The copies
/// must be started after the thread has arrived at a barrier.
GDF_DEVICE void before_copies() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }

#endif

} // namespace gdf
