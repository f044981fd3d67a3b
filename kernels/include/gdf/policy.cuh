// The tuning of an operation is written once, next to its kernels. The kernels use it as a C++ type, for launch bounds
// and tile sizes. The host reads it as a symbol of the image, to compute the size of the grid.
#pragma once

#include "types.cuh"

/// GDF_POLICY(op, threads, items, blocks_per_multiprocessor) defines, at global scope and outside `extern "C"`:
///   struct op_tuning { threads, items, blocks, tile }   constants of the kernels
///   extern "C" __device__ const int op_policy[3]         the same constants, which the host reads
/// `threads` is at most 1024. It is a multiple of 32, so that a warp owns whole words of a mask.
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

/// GDF_BOUNDS(op) expands to the `__launch_bounds__` of a kernel with the policy of `op`.
#define GDF_BOUNDS(op) __launch_bounds__(op##_tuning::threads, op##_tuning::blocks)

/// GDF_VARIANT is written between GDF_BOUNDS and the name of a kernel that belongs to a family. All kernels of a family
/// have the same parameters, and the host chooses among them by `variant`.
#define GDF_VARIANT(family, variant)

/// GDF_SHARED(type) follows a struct that the host fills in device memory. The struct is not part of the parameters of
/// a kernel, so `cargo xtask codegen` finds it by this macro. Only `cargo xtask codegen` reads the macro.
#define GDF_SHARED(type) static_assert(sizeof(type) > 0)
