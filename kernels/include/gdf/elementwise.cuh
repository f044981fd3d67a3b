// A row of the result for each row of the input: loads, stores, masks and null counts of such kernels,
// see crates/gdf-detail/src/engine/elementwise/README.md.
#pragma once

#include "count.cuh"
#include "grid.cuh"
#include "number.cuh"
#include "policy.cuh"
#include "vector.cuh"

namespace gdf {

/// [block] f of each row, for results of the input's width and with its nulls. Runs of 16 bytes (one row where it is wider), `chunks` of them per thread and tile.
template <class T, class tuning, class Function>
GDF_DEVICE void map_runs(const column_in& in, const column_out& out,
                        scratch* scratch, Function&& f) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  constexpr int n = sizeof(T) >= 16 ? 1 : 16 / static_cast<int>(sizeof(T));
  constexpr int chunks = items / n;
  static_assert(chunks * n == items);
  values<T> const rows(in);
  T* const data = static_cast<T*>(out.data);
  const column_in* const inputs[1] = {&in};
  uint32_t valid = 0;
  for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    run<T, n> a[chunks];
#pragma unroll
    for (int c = 0; c < chunks; c++) {
      int64_t const row = run_row<threads, n>(first, c);
      if (row < out.length) { a[c] = load_run<n>(rows, row, out.length); }
    }
#pragma unroll
    for (int c = 0; c < chunks; c++) {
#pragma unroll
      for (int i = 0; i < n; i++) { a[c].row[i] = f(a[c].row[i]); }
    }
#pragma unroll
    for (int c = 0; c < chunks; c++) {
      int64_t const row = run_row<threads, n>(first, c);
      if (row < out.length) { store_run<n>(data, row, out.length, a[c]); }
    }
    valid += and_validity<threads, items>(out, inputs, first);
  });
  post_null_count<threads>(scratch, out, valid);
}

/// [block] Each warp loads rows as C, calls `f(rows, base)`, which may vote, and writes the mask.
template <class C, class tuning, class Body>
GDF_DEVICE void map_words(const column_in& in, const column_out& out,
                         scratch* scratch, Body&& body) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  uint32_t valid = 0;
  for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const base = first + int64_t{warp()} * (32 * items);
    if (base >= out.length) { return; } // the whole warp
    C rows[items];
    load_rows(in, base, out.length, rows);
    int64_t const row = base + lane() * 32;
    if (lane() < items && row < out.length && out.validity != nullptr) {
      uint32_t const bits = valid_word(in, row, out.length);
      out.validity[row >> 5] = bits;
      valid += __popc(bits);
    }
    body(rows, base);
  });
  post_null_count<threads>(scratch, out, valid);
}

} // namespace gdf

/// GDF_MAP1(policy, family, variant, C, O, P, body): a kernel that makes a row of O of each row `x`,
/// which is a number of any type that becomes C (load_rows), with parameters `p` of type P; the nulls
/// of the input are those of the result. The body returns the row. Rows of another type than O are
/// not written.
#define GDF_MAP1(policy, family, variant, C, O, P, ...)                                             \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(family, variant)                        \
  family##_##variant##_kernel(const __grid_constant__ gdf::column_in in,                            \
                              const __grid_constant__ gdf::column_out out,                          \
                              const __grid_constant__ P p, gdf::scratch* scratch) {                 \
    if (gdf::width_of(out.type) != static_cast<int>(sizeof(O))) { return; }                         \
    constexpr int items = policy##_tuning::items;                                                   \
    gdf::map_words<C, policy##_tuning>(in, out, scratch, [&](C(&rows)[items], int64_t base) {       \
      auto const one = [&](C x) -> O __VA_ARGS__;                                                   \
      O results[items];                                                                             \
      _Pragma("unroll") for (int i = 0; i < items; i++) { results[i] = one(rows[i]); }              \
      gdf::store_as<O>(out, base, results);                                                         \
    });                                                                                             \
  }                                                                                                 \
  static_assert(true)
