// rolling: aggregates of windows. Some kernels build a level of aggregates, and other kernels write a row for each
// window.

#include <gdf/policy.cuh>

#include "aggregations.cuh"

GDF_POLICY(window_level, 256, 1, 4);
GDF_POLICY(window_rows, 256, 1, 4);
GDF_POLICY(window_tiles, 256, 16, 8);
GDF_POLICY(short_windows, 256, 4, 5);
GDF_POLICY(fixed_windows, 256, 8, 4);
GDF_POLICY(medium_windows, 256, 8, 5);
GDF_POLICY(medium_float_extremes, 256, 8, 4);
GDF_POLICY(long_windows, 128, 8, 8);

/// Builds level `number` (from 1 on) of `in`, which has rows and is not broadcast. The lower levels must have been
/// built. `values` has three values for each unit of each level up to this one.
#define GDF_WINDOW_LEVEL(name, ...)                                                                       \
  extern "C" __global__ void GDF_BOUNDS(window_level) GDF_VARIANT(window_level, name)                     \
  window_level_##name##_kernel(const __grid_constant__ gdf::column_in in,                                 \
                               const __grid_constant__ gdf::window_plan plan, int unit, int number,       \
                               int last, unsigned long long* values, unsigned long long* counts) {        \
    rolling::__VA_ARGS__ const op(in, plan);                                                              \
    gdf::build_windows(in, op, {values, counts}, unit, number, last != 0);                                \
  }                                                                                                       \
  static_assert(true)

/// Writes a row of `out` for each window of `plan`. `values` and `counts` have the levels of the plan.
#define GDF_WINDOW_ROWS(name, ...)                                                                        \
  extern "C" __global__ void GDF_BOUNDS(window_rows) GDF_VARIANT(window_rows, name)                       \
  window_rows_##name##_kernel(const __grid_constant__ gdf::column_in in,                                  \
                              const __grid_constant__ gdf::column_in lower,                               \
                              const __grid_constant__ gdf::column_in upper,                               \
                              const __grid_constant__ gdf::column_out out,                                \
                              const __grid_constant__ gdf::window_plan plan, unsigned long long* values,  \
                              unsigned long long* counts, gdf::scratch* scratch) {                        \
    rolling::__VA_ARGS__ const op(in, plan);                                                              \
    gdf::window_bounds const bounds(plan, lower, upper, in.length);                                       \
    gdf::roll_windows<window_rows_tuning>(in, bounds, out, op, {values, counts}, scratch);                \
  }                                                                                                       \
  static_assert(true)

/// Does the same as the kernels of GDF_WINDOW_ROWS, for windows that have at most window_direct rows of `in`. The
/// kernels do not support windows that relative columns bound.
#define GDF_SHORT_WINDOWS(name, ...)                                                                      \
  extern "C" __global__ void GDF_BOUNDS(short_windows) GDF_VARIANT(short_windows, name)                   \
  short_windows_##name##_kernel(const __grid_constant__ gdf::column_in in,                                \
                                const __grid_constant__ gdf::column_in lower,                             \
                                const __grid_constant__ gdf::column_in upper,                             \
                                const __grid_constant__ gdf::column_out out,                              \
                                const __grid_constant__ gdf::window_plan plan, gdf::scratch* scratch) {   \
    using tuning = short_windows_tuning;                                                                  \
    __shared__ rolling::name::value tile_rows[tuning::tile + gdf::window_direct];                         \
    gdf::window_bounds const bounds(plan, lower, upper, in.length);                                       \
    auto const roll = [&](const auto& op) {                                                               \
      gdf::roll_short_windows<tuning>(in, bounds, out, op, tile_rows, scratch);                           \
    };                                                                                                    \
    __VA_ARGS__                                                                                           \
  }                                                                                                       \
  static_assert(true)

/// Builds level 1 with units of window_tile rows. The kernels of GDF_WINDOW_LEVEL build the other levels.
#define GDF_WINDOW_TILES(name, ...)                                                                       \
  extern "C" __global__ void GDF_BOUNDS(window_tiles) GDF_VARIANT(window_tiles, name)                     \
  window_tiles_##name##_kernel(const __grid_constant__ gdf::column_in in,                                 \
                               const __grid_constant__ gdf::window_plan plan, int last,                   \
                               unsigned long long* values, unsigned long long* counts) {                  \
    rolling::__VA_ARGS__ const op(in, plan);                                                              \
    gdf::build_tiles<window_tiles_tuning>(in, op, {values, counts}, last != 0);                           \
  }                                                                                                       \
  static_assert(true)

/// Does the same as the kernels of GDF_WINDOW_ROWS, for windows of 2 to window_direct rows whose bounds are constants.
#define GDF_FIXED_WINDOWS(name, ...)                                                                      \
  extern "C" __global__ void GDF_BOUNDS(fixed_windows) GDF_VARIANT(fixed_windows, name)                   \
  fixed_windows_##name##_kernel(const __grid_constant__ gdf::column_in in,                                \
                                const __grid_constant__ gdf::column_out out,                              \
                                const __grid_constant__ gdf::window_plan plan, gdf::scratch* scratch) {   \
    rolling::__VA_ARGS__ const op(in, plan);                                                              \
    gdf::roll_fixed_windows<fixed_windows_tuning>(in, plan, out, op, scratch);                            \
  }                                                                                                       \
  static_assert(true)

/// Does the same as the kernels of GDF_WINDOW_ROWS, for windows of more than window_unit and at most window_warp rows
/// whose bounds are constants.
#define GDF_MEDIUM_WINDOWS(policy, name, ...)                                                             \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(medium_windows, name)                         \
  medium_windows_##name##_kernel(const __grid_constant__ gdf::column_in in,                               \
                                 const __grid_constant__ gdf::column_out out,                             \
                                 const __grid_constant__ gdf::window_plan plan, gdf::scratch* scratch) {  \
    using tuning = policy##_tuning;                                                                       \
    using op_type = rolling::__VA_ARGS__;                                                                 \
    __shared__ gdf::staged_rows<op_type::value, tuning::tile + gdf::window_warp> staged;                  \
    op_type const op(in, plan);                                                                           \
    gdf::roll_medium_windows<tuning>(in, plan, out, op, staged, scratch);                                 \
  }                                                                                                       \
  static_assert(true)

/// Does the same as the kernels of GDF_WINDOW_ROWS, for windows of more than window_warp rows whose bounds are
/// constants. The kernels of GDF_WINDOW_TILES must have built the first level.
#define GDF_LONG_WINDOWS(name, op_type, ...)                                                              \
  extern "C" __global__ void GDF_BOUNDS(long_windows) GDF_VARIANT(long_windows, name)                     \
  long_windows_##name##_kernel(const __grid_constant__ gdf::column_in in,                                 \
                               const __grid_constant__ gdf::column_out out,                               \
                               const __grid_constant__ gdf::window_plan plan, unsigned long long* values, \
                               unsigned long long* counts, gdf::scratch* scratch) {                       \
    using tuning = long_windows_tuning;                                                                   \
    __shared__ gdf::staged_rows<rolling::op_type::value, tuning::tile + gdf::window_tile> staged[2];      \
    auto const roll = [&](const auto& op) {                                                               \
      gdf::roll_long_windows<tuning>(in, plan, out, op, {values, counts}, staged, scratch);               \
    };                                                                                                    \
    __VA_ARGS__                                                                                           \
  }                                                                                                       \
  static_assert(true)

/// Aggregates 64-bit integers, finds minima and maxima of doubles, and counts rows of any type.
GDF_WINDOW_LEVEL(words, words);
GDF_WINDOW_ROWS(words, words);

/// Aggregates the same types as window_rows_words_kernel, and does not count rows.
GDF_SHORT_WINDOWS(words, if (plan.operation == rolling::sum) {
  roll(rolling::known_words<true>(in, plan));
} else {
  roll(rolling::known_words<false>(in, plan));
});

/// Computes sums and means of integers, minima and maxima of integers, or minima and maxima of doubles. The kernels are
/// separate, because the registers would not suffice for a common kernel.
GDF_WINDOW_TILES(sums, known_words<true>);
GDF_FIXED_WINDOWS(sums, known_words<true>);
GDF_MEDIUM_WINDOWS(medium_windows, sums, known_words<true>);
GDF_LONG_WINDOWS(sums, words, roll(rolling::known_words<true>(in, plan)););
GDF_WINDOW_TILES(extremes, extremes<false>);
GDF_FIXED_WINDOWS(extremes, extremes<false>);
GDF_MEDIUM_WINDOWS(medium_windows, extremes, extremes<false>);
GDF_LONG_WINDOWS(extremes, words, if (plan.operation == rolling::minimum) {
  roll(rolling::plain_extremes<true>(in, plan));
} else {
  roll(rolling::plain_extremes<false>(in, plan));
});
GDF_WINDOW_TILES(float_extremes, extremes<true>);
GDF_FIXED_WINDOWS(float_extremes, extremes<true>);
GDF_MEDIUM_WINDOWS(medium_float_extremes, float_extremes, extremes<true>);
GDF_LONG_WINDOWS(float_extremes, words, roll(rolling::extremes<true>(in, plan)););

/// Aggregates 128-bit integers.
GDF_WINDOW_LEVEL(wide, wide<gdf::i128>);
GDF_WINDOW_ROWS(wide, wide<gdf::i128>);

/// Aggregates 256-bit integers.
GDF_WINDOW_LEVEL(widest, wide<gdf::i256>);
GDF_WINDOW_ROWS(widest, wide<gdf::i256>);

/// Computes sums and means of doubles.
GDF_WINDOW_LEVEL(floats, floats);
GDF_WINDOW_ROWS(floats, floats);

GDF_WINDOW_TILES(floats, floats);
GDF_SHORT_WINDOWS(floats, roll(rolling::floats(in, plan)););
GDF_FIXED_WINDOWS(floats, floats);
GDF_MEDIUM_WINDOWS(medium_windows, floats, floats);
GDF_LONG_WINDOWS(floats, floats, roll(rolling::floats(in, plan)););

/// Computes variances of doubles.
GDF_WINDOW_LEVEL(moments, moments);
GDF_WINDOW_ROWS(moments, moments);

/// Aggregates strings and binary. The results are row numbers.
GDF_WINDOW_LEVEL(strings, strings);
GDF_WINDOW_ROWS(strings, strings);
