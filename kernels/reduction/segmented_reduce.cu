// reduction::segmented_reduce: the operations of reduce.cu, applied to each segment.

#include <gdf/policy.cuh>
#include <gdf/segmented.cuh>

#include "operation.cuh"

GDF_POLICY(reduction_segmented, 256, 4, 4);
/// The policy for 256-bit rows and variances, which take more registers.
GDF_POLICY(reduction_segmented_widest, 256, 4, 2);

/// Defines a kernel that reduces the segments of `in`; see gdf::reduce_segments. `in` must have at least one row, and
/// nothing may be broadcast. The last argument of the macro makes the operation from `options`.
#define GDF_SEGMENTED_REDUCTION(policy, name, masks_only, ...)                            \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(segmented_reduce, name)       \
  reduction_segmented_##name##_kernel(                                                    \
    const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_in offsets, \
    const __grid_constant__ gdf::column_out out, const __grid_constant__ reduction_reduce::options options, \
    const __grid_constant__ gdf::segmented_plan plan, gdf::scratch* scratch, unsigned long long* mailbox) { \
    using namespace reduction_reduce;                                                     \
    gdf::reduce_segments<policy##_tuning, masks_only>(in, offsets, out, __VA_ARGS__, plan, scratch, mailbox); \
  }                                                                                       \
  static_assert(true)

GDF_SEGMENTED_REDUCTION(reduction_segmented, sum_words, false, words<arithmetic::sum>{});
GDF_SEGMENTED_REDUCTION(reduction_segmented, product_words, false, words<arithmetic::product>{});
GDF_SEGMENTED_REDUCTION(reduction_segmented, squares_words, false, words<arithmetic::squares>{});
GDF_SEGMENTED_REDUCTION(reduction_segmented, sum_floats, false, floats<arithmetic::sum>{options});
GDF_SEGMENTED_REDUCTION(reduction_segmented, product_floats, false, floats<arithmetic::product>{options});
GDF_SEGMENTED_REDUCTION(reduction_segmented, squares_floats, false, floats<arithmetic::squares>{options});
GDF_SEGMENTED_REDUCTION(reduction_segmented, bitwise, false, bitwise{options});
GDF_SEGMENTED_REDUCTION(reduction_segmented_widest, variance, false, variance{options});
GDF_SEGMENTED_REDUCTION(reduction_segmented, sum_wide, false, wide<arithmetic::sum>{options});
GDF_SEGMENTED_REDUCTION(reduction_segmented, product_wide, false, wide<arithmetic::product>{options});
GDF_SEGMENTED_REDUCTION(reduction_segmented, squares_wide, false, wide<arithmetic::squares>{options});
GDF_SEGMENTED_REDUCTION(reduction_segmented_widest, sum_widest, false, widest{options});
GDF_SEGMENTED_REDUCTION(reduction_segmented, extreme_words, false,
                        extreme_words{options.second != 0 ? -1ll : 0ll});
GDF_SEGMENTED_REDUCTION(reduction_segmented, extreme_wide, false,
                        extreme_wide{options.second != 0 ? gdf::i128{-1} : gdf::i128{0}});
GDF_SEGMENTED_REDUCTION(reduction_segmented_widest, extreme_widest, false,
                        extreme_widest{options.second != 0 ? ~0ull : 0ull});
GDF_SEGMENTED_REDUCTION(reduction_segmented, any_all, false, any_all{options.second != 0});
GDF_SEGMENTED_REDUCTION(reduction_segmented, count, true, counting{options.second != 0});
