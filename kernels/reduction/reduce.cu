// reduction::reduce: the kernels of each operation.

#include <gdf/policy.cuh>
#include <gdf/reduce.cuh>

#include "operation.cuh"

/// An item is a load, not a row: 8 bytes of one-byte rows, 16 bytes of wider rows, a row of more than 16 bytes, or a
/// word of 32 bits.
GDF_POLICY(reduction_reduce, 256, 4, 4);
/// The policy for 256-bit rows and variances, which take more registers.
GDF_POLICY(reduction_reduce_widest, 256, 4, 3);

/// Defines a kernel that reduces `in` to the only row of `out`. The kernel uses ticket 40 and partials.
#define GDF_REDUCTION(policy, name, masks_only, ...)                                      \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(reduction_reduce, name)       \
  reduction_##name##_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_out out, \
       reduction_reduce::options options, gdf::scratch* scratch) {                        \
    using namespace reduction_reduce;                                                     \
    gdf::reduce<policy##_tuning, masks_only>(in, out, __VA_ARGS__, options.fewest, scratch); \
  }                                                                                       \
  static_assert(true)

/// Reduces integers to integers of at most 64 bits.
GDF_REDUCTION(reduction_reduce, sum_words, false, words<arithmetic::sum>{});
GDF_REDUCTION(reduction_reduce, product_words, false, words<arithmetic::product>{});
GDF_REDUCTION(reduction_reduce, squares_words, false, words<arithmetic::squares>{});

/// Reduces floats to floats, and computes the mean of floats. Products and sums of squares also accept integers.
GDF_REDUCTION(reduction_reduce, sum_floats, false, floats<arithmetic::sum>{options});
GDF_REDUCTION(reduction_reduce, product_floats, false, floats<arithmetic::product>{options});
GDF_REDUCTION(reduction_reduce, squares_floats, false, floats<arithmetic::squares>{options});

/// Combines integers bit by bit.
GDF_REDUCTION(reduction_reduce, bitwise, false, bitwise{options});

/// Computes the variance or standard deviation of numbers, as a float.
GDF_REDUCTION(reduction_reduce_widest, variance, false, variance{options});

/// Reduces integers and decimals of at most 128 bits to such integers or decimals, or to floats.
GDF_REDUCTION(reduction_reduce, sum_wide, false, wide<arithmetic::sum>{options});
GDF_REDUCTION(reduction_reduce, product_wide, false, wide<arithmetic::product>{options});
GDF_REDUCTION(reduction_reduce, squares_wide, false, wide<arithmetic::squares>{options});

/// Sums decimals if the input or the result has 256 bits.
GDF_REDUCTION(reduction_reduce_widest, sum_widest, false, widest{options});

/// Computes the minimum or maximum of rows of up to 64, of 128 and of 256 bits.
GDF_REDUCTION(reduction_reduce, extreme_words, false, extreme_words{options.second != 0 ? -1ll : 0ll});
GDF_REDUCTION(reduction_reduce, extreme_wide, false,
              extreme_wide{options.second != 0 ? gdf::i128{-1} : gdf::i128{0}});
GDF_REDUCTION(reduction_reduce_widest, extreme_widest, false,
              extreme_widest{options.second != 0 ? ~0ull : 0ull});

/// Computes the minimum and the maximum of rows of up to 64 bits in one pass, as the only rows of `min_value` and of
/// `max_value`. The kernel uses ticket 40 and partials.
extern "C" __global__ void GDF_BOUNDS(reduction_reduce)
reduction_minmax_words_kernel(const __grid_constant__ gdf::column_in in,
                              const __grid_constant__ gdf::column_out min_value,
                              const __grid_constant__ gdf::column_out max_value,
                              reduction_reduce::options options, gdf::scratch* scratch) {
  using namespace reduction_reduce;
  both_extremes const op{};
  both_extremes::value all = both_extremes::identity();
  gdf::u64 count = 0;
  if (!gdf::reduce_grid<reduction_reduce_tuning, false>(in, op, all, count, scratch) || threadIdx.x != 0) { return; }
  bool const valid = static_cast<int64_t>(count) > options.fewest;
  gdf::write_one(extreme_words{-1}, in, min_value, all.min_value, count);
  gdf::write_one(extreme_words{0}, in, max_value, all.max_value, count);
  gdf::write_validity(min_value, valid);
  gdf::write_validity(max_value, valid);
}

/// Computes `any` or `all`, as a boolean.
GDF_REDUCTION(reduction_reduce, any_all, false, any_all{options.second != 0});

/// Counts the valid rows, or all rows, of a column of any type.
GDF_REDUCTION(reduction_reduce, count, true, counting{options.second != 0});
