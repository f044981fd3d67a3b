// Copies to shared memory that pass no registers, and, of compute capability 9.0, barriers at which threads arrive and wait apart.
#pragma once

#include "types.cuh"

namespace gdf {

/// [thread] An address in shared memory as instructions take it.
GDF_DEVICE uint32_t shared_address(const void* address) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(address));
}

/// [thread] Copies a word of 4, 8 or 16 bytes to shared memory. The thread has it after `await_words`.
template <class T>
GDF_DEVICE void copy_word(T* to, const T* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(T) == 16) { // past the first cache
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

/// [thread] Waits for all copies by `copy_word` that the thread has asked for.
GDF_DEVICE void await_words() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

/// [warp] Has bytes fetched to the second cache, at most 4 KiB from `begin` on.
GDF_DEVICE void prefetch_bytes(const uint8_t* begin, const uint8_t* end) {
  const uint8_t* const line = begin + (threadIdx.x & 31) * 128;
  if (line < end) { asm volatile("prefetch.global.L2 [%0];" : : "l"(line)); }
}

#if __CUDA_ARCH__ >= 900

/// A barrier in shared memory whose phases end when so many threads have arrived and the bytes announced have come. Phases are waited
/// for by their parity: the first one is 0.
struct phase_barrier {
  u64 state;

  /// [thread] Of one thread, before a barrier of the block and `publish_barriers`.
  GDF_DEVICE void init(uint32_t arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(shared_address(&state)), "r"(arrivals) : "memory");
  }

  /// [thread] What the thread has written before, those see that have waited.
  GDF_DEVICE void arrive() {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" : : "r"(shared_address(&state)) : "memory");
  }

  /// [thread] The phase waits for so many bytes by `copy_bulk`. Before the arrival of the thread.
  GDF_DEVICE void expect(uint32_t bytes) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
                 :
                 : "r"(shared_address(&state)), "r"(bytes)
                 : "memory");
  }

  /// [thread] The phase waits for the copies by `copy_word` that the thread has asked for. Before its arrival.
  GDF_DEVICE void expect_words() {
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" : : "r"(shared_address(&state)) : "memory");
  }

  /// [thread] Until the phase of that parity has ended.
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

/// [thread] Of the thread that has initialized barriers: copies may arrive at them.
GDF_DEVICE void publish_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory"); }

/// [thread] Copies `bytes` to shared memory, a multiple of 16, as are the addresses; `barrier` has been told to expect them.
GDF_DEVICE void copy_bulk(void* to, const void* from, uint32_t bytes, phase_barrier& barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               :
               : "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(&barrier.state))
               : "memory");
}

/// [thread] What the thread has read and written in shared memory so far comes before copies that are asked for once it has arrived.
GDF_DEVICE void before_copies() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }

#endif

} // namespace gdf
