// The tuning of an operation, written once beside its kernels: a C++ type for launch bounds and tile
// sizes, and a symbol of the image that the host reads to size its grid.
#pragma once

#include "types.cuh"

/// GDF_POLICY(op, threads, items, blocks_per_multiprocessor): at global scope, outside `extern "C"`.
///   struct op_tuning { threads, items, blocks, tile }   constants of the kernels
///   extern "C" __device__ const int op_policy[3]         read by the host
/// `threads` is a multiple of 32 (so a warp owns whole mask words), at most 1024.
#define GDF_POLICY(op, threads_, items_, blocks_)                                       \
  struct op##_tuning {                                                                  \
    static constexpr int threads = (threads_);                                          \
    static constexpr int items = (items_);                                              \
    static constexpr int blocks = (blocks_);                                            \
    static constexpr int tile = threads * items;                                        \
    static_assert(threads % 32 == 0 && threads >= 32 && threads <= 1024 && items >= 1); \
  };                                                                                    \
  extern "C" {                                                                          \
  extern __device__ const int op##_policy[3];                                           \
  __device__ const int op##_policy[3] = {(threads_), (items_), (blocks_)};              \
  }                                                                                     \
  static_assert(true)

/// `__launch_bounds__` of a kernel with that policy: GDF_BOUNDS(op) between `__global__ void` and
/// the kernel's name.
#define GDF_BOUNDS(op) __launch_bounds__(op##_tuning::threads, op##_tuning::blocks)

/// Between GDF_BOUNDS and the name of a kernel that is one of a family, all of which have the same
/// parameters: the host chooses among them by `variant`. Read by `cargo xtask codegen` alone.
#define GDF_VARIANT(family, variant)

/// GDF_SHARED(type): behind a struct that the host fills in device memory, so that no kernel's
/// parameters lead to it. Read by `cargo xtask codegen` alone.
#define GDF_SHARED(type) static_assert(sizeof(type) > 0)
