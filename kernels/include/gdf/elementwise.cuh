// Kernels that compute a row of the result from each row of the input.
#pragma once

#include "count.cuh"
#include "grid.cuh"
#include "number.cuh"
#include "policy.cuh"
#include "vector.cuh"

namespace gdf {

/// [thread] Returns the first row (`base`) of this warp in the tile that begins at row `first`.
///
/// The rows of a warp have `items` consecutive mask words. Word i belongs to the rows [base + 32 i, base + 32 i + 32).
/// Lane i writes word i of a bit-packed result, so that stores coalesce.
template <int items>
GDF_DEVICE int64_t warp_rows(int64_t first) {
  return first + int64_t{warp()} * (32 * items);
}

/// [warp] Packs a boolean property of the warp's rows into words. Lane i gets word i.
template <int items, class Holds>
GDF_DEVICE uint32_t collect(Holds&& holds) {
  uint32_t mine = 0;
#pragma unroll
  for (int i = 0; i < items; i++) {
    uint32_t const word = __ballot_sync(~0u, holds(i));
    if (lane() == i) { mine = word; }
  }
  return mine;
}

template <int items>
GDF_DEVICE void store_bits(const column_out& out, int64_t base, uint32_t bits) {
  int64_t const row = base + lane() * 32;
  if (lane() < items && row < out.length) {
    static_cast<uint32_t*>(out.data)[row >> 5] = bits & low_bits(out.length - row);
  }
}

/// [thread] Writes the mask word of a lane, for the lanes i < items, and returns the number of valid rows of that word.
template <int items>
GDF_DEVICE uint32_t store_mask(const column_out& out, int64_t base, uint32_t bits) {
  int64_t const row = base + lane() * 32;
  if (out.validity == nullptr || lane() >= items || row >= out.length) { return 0; }
  out.validity[row >> 5] = bits;
  return __popc(bits);
}

template <int items>
GDF_DEVICE uint32_t load_valid(const column_in& in, int64_t base, int64_t limit) {
  return lane() < items ? valid_word(in, base + lane() * 32, limit) : 0;
}

/// [block] Applies f to each row. The result has the width of the input, and is null in the same rows.
template <class T, class tuning, class Function>
GDF_DEVICE void map_runs(const column_in& in, const column_out& out,
                        scratch* scratch, Function&& f) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  constexpr int n = sizeof(T) >= 16 ? 1 : 16 / static_cast<int>(sizeof(T));
  constexpr int chunks = items / n;
  constexpr int most = sizeof(T) > 16 ? 2 : 4;
  constexpr int batch = chunks < most ? chunks : most; // accesses in flight
  static_assert(chunks * n == items && chunks % batch == 0);
  values<T> const rows(in);
  T* const data = static_cast<T*>(out.data);
  const column_in* const inputs[1] = {&in};
  uint32_t valid = 0;
  for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
#pragma unroll 1
    for (int chunk = 0; chunk < chunks; chunk += batch) {
      run<T, n> a[batch];
#pragma unroll
      for (int c = 0; c < batch; c++) {
        int64_t const row = run_row<threads, n>(first, chunk + c);
        if (row < out.length) { a[c] = load_run<n>(rows, row, out.length); }
      }
#pragma unroll
      for (int c = 0; c < batch; c++) {
#pragma unroll
        for (int i = 0; i < n; i++) { a[c].row[i] = f(a[c].row[i]); }
      }
#pragma unroll
      for (int c = 0; c < batch; c++) {
        int64_t const row = run_row<threads, n>(first, chunk + c);
        if (row < out.length) { store_run<n>(data, row, out.length, a[c]); }
      }
    }
    valid += and_validity<threads, items>(out, inputs, first);
  });
  post_null_count<threads>(scratch, out, valid);
}

/// [block] In each warp, loads rows of the `n` inputs as C, writes the mask, and calls `body(rows, base)`.
///
/// The body may use warp-wide functions such as ballots.
template <class C, class tuning, int n, class Body>
GDF_DEVICE void map_words(const column_in* const (&inputs)[n], const column_out& out, scratch* scratch,
                          Body&& body) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  uint32_t valid = 0;
  for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const base = warp_rows<items>(first);
    if (base >= out.length) { return; } // the whole warp
    C rows[n][items];
#pragma unroll
    for (int k = 0; k < n; k++) { load_rows(*inputs[k], base, out.length, rows[k]); }
    if (out.validity != nullptr) {
      uint32_t bits = ~0u;
#pragma unroll
      for (int k = 0; k < n; k++) { bits &= load_valid<items>(*inputs[k], base, out.length); }
      valid += store_mask<items>(out, base, bits);
    }
    body(rows, base);
  });
  post_null_count<threads>(scratch, out, valid);
}

template <class C, class tuning, class Body>
GDF_DEVICE void map_words(const column_in& in, const column_out& out, scratch* scratch, Body&& body) {
  const column_in* const inputs[1] = {&in};
  map_words<C, tuning>(inputs, out, scratch,
                       [&](C(&rows)[1][tuning::items], int64_t base) { body(rows[0], base); });
}

/// Represents the row type of the output. Results are computed as C and then converted to the type of the output.
struct as_output {};

/// The return type of a functor that computes in C and returns rows of O.
template <class C, class O>
struct result_type {
  using t = O;
};
template <class C>
struct result_type<C, as_output> {
  using t = C;
};

/// [block] Computes a row of O, or a bit if O is bool, from each row of the inputs.
///
/// `body(each)` chooses the functor and calls each(functor) once. The code therefore branches on the functor once for
/// all rows of a thread.
template <class C, class O, class tuning, int n, class Body>
GDF_DEVICE void map_each(const column_in* const (&inputs)[n], const column_out& out, scratch* scratch, Body&& body) {
  static_assert(n >= 1 && n <= 3);
  constexpr bool is_bits = is_same<O, bool>;
  constexpr bool converts = is_same<O, as_output>;
  if (converts ? false : is_bits ? out.type != static_cast<int32_t>(type::boolean) : width_of(out.type) != static_cast<int>(sizeof(O))) {
    return;
  }
  constexpr int items = tuning::items;
  map_words<C, tuning>(inputs, out, scratch, [&](C(&rows)[n][items], int64_t base) {
    typename result_type<C, O>::t results[items];
    body([&](auto&& f) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        if constexpr (n == 1) { results[i] = f(rows[0][i]); }
        if constexpr (n == 2) { results[i] = f(rows[0][i], rows[1][i]); }
        if constexpr (n == 3) { results[i] = f(rows[0][i], rows[1][i], rows[2][i]); }
      }
    });
    if constexpr (converts) {
      store_rows(out, base, results);
    } else if constexpr (is_bits) {
      store_bits<items>(out, base, collect<items>([&](int i) { return results[i]; }));
    } else {
      store_as<O>(out, base, results);
    }
  });
}

template <class C, class O, class tuning, int n, class Function>
GDF_DEVICE void map_rows(const column_in* const (&inputs)[n], const column_out& out, scratch* scratch,
                         Function&& f) {
  map_each<C, O, tuning>(inputs, out, scratch, [&](auto&& each) { each(f); });
}

/// The result of a functor that may fail on a row.
template <class C>
struct attempt {
  C value;
  int32_t failure; // 0, or the bit of the kind of failure: 1 or 2
};

/// [block] Executes the loop of try_rows and try_stored.
///
/// A row becomes null if its failure is in `nulls`. A failure that is in `reports` is reported to the host, unless an
/// input is null in that row.
template <class C, class O, class tuning, int n, class Each>
GDF_DEVICE void attempt_rows(const column_in* const (&inputs)[n], const column_out& out, int32_t nulls, int32_t reports,
                             scratch* scratch, unsigned long long* mailbox, Each&& each) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  uint32_t valid = 0;
  uint32_t reported[2] = {0, 0};
  for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const base = warp_rows<items>(first);
    if (base >= out.length) { return; } // the whole warp
    C rows[items];
    int32_t failures[items];
    each(base, rows, failures);
    if constexpr (is_same<O, as_output>) {
      store_rows(out, base, rows);
    } else {
      store_as<O>(out, base, rows);
    }
    uint32_t bits = ~0u;
#pragma unroll
    for (int k = 0; k < n; k++) { bits &= load_valid<items>(*inputs[k], base, out.length); }
    uint32_t const failed = nulls != 0 ? collect<items>([&](int i) { return (failures[i] & nulls) != 0; }) : 0;
    if (reports != 0) {
      reported[0] |= bits & collect<items>([&](int i) { return (failures[i] & reports & 1) != 0; });
      reported[1] |= bits & collect<items>([&](int i) { return (failures[i] & reports & 2) != 0; });
    }
    valid += store_mask<items>(out, base, bits & ~failed);
  });
  if (reported[0] != 0) { *static_cast<volatile unsigned long long*>(mailbox) = 1; }
  if (reported[1] != 0) { *static_cast<volatile unsigned long long*>(mailbox + 1) = 1; }
  post_null_count<threads>(scratch, out, valid);
}

/// [block] Does the same as map_rows, for two inputs and a functor that returns an `attempt`.
template <class C, class tuning, class Function>
GDF_DEVICE void try_rows(const column_in& lhs, const column_in& rhs, const column_out& out, int32_t nulls,
                         int32_t reports, scratch* scratch, unsigned long long* mailbox, Function&& f) {
  constexpr int items = tuning::items;
  const column_in* const inputs[2] = {&lhs, &rhs};
  attempt_rows<C, as_output, tuning>(
    inputs, out, nulls, reports, scratch, mailbox, [&](int64_t base, C(&rows)[items], int32_t(&failures)[items]) {
      C b[items];
      load_pair(lhs, rhs, base, out.length, rows, b);
#pragma unroll
      for (int i = 0; i < items; i++) {
        attempt<C> const row = f(rows[i], b[i]);
        rows[i] = row.value;
        failures[i] = row.failure;
      }
    });
}

/// [block] Does the same as try_rows, for one input.
template <class T, class O, class tuning, class Function>
GDF_DEVICE void try_stored(const column_in& in, const column_out& out, int32_t nulls, int32_t reports, scratch* scratch,
                           unsigned long long* mailbox, Function&& f) {
  constexpr int items = tuning::items;
  const column_in* const inputs[1] = {&in};
  attempt_rows<O, O, tuning>(inputs, out, nulls, reports, scratch, mailbox,
                             [&](int64_t base, O(&rows)[items], int32_t(&failures)[items]) {
                               T stored[items];
                               load_stored(in, base, out.length, stored);
#pragma unroll
                               for (int i = 0; i < items; i++) {
                                 attempt<O> const row = f(stored[i]);
                                 rows[i] = row.value;
                                 failures[i] = row.failure;
                               }
                             });
}

} // namespace gdf

/// A family of operators is a macro TABLE(OPERATOR). It expands to OPERATOR(name, functor...) for each operator:
///   enum code : int32_t { TABLE(GDF_OPERATOR_CODE) };   defines the codes, which `cargo xtask codegen` reads
///   switch (code) { TABLE(CASE) }                       calls the functors; each file defines its own CASE
#define GDF_OPERATOR_CODE(name, ...) name,

/// GDF_MAP1(policy, family, variant, C, O, P, body) defines a kernel that computes a row of O from each row `x` of the
/// input. The input may have any numeric type, and its rows are converted to C (load_rows). The result is null where
/// the input is null.
#define GDF_MAP1(policy, family, variant, C, O, P, ...)                                             \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(family, variant)                        \
  family##_##variant##_kernel(const __grid_constant__ gdf::column_in in,                            \
                              const __grid_constant__ gdf::column_out out,                          \
                              const __grid_constant__ P p, gdf::scratch* scratch) {                 \
    const gdf::column_in* const inputs[1] = {&in};                                                  \
    gdf::map_rows<C, O, policy##_tuning>(inputs, out, scratch, [&](C x) -> gdf::result_type<C, O>::t __VA_ARGS__);          \
  }                                                                                                 \
  static_assert(true)

/// GDF_MAP2 does the same as GDF_MAP1, for rows `x` and `y` of two inputs, each of which may be broadcast. The result
/// is null where an input is null.
#define GDF_MAP2(policy, family, variant, C, O, P, ...)                                             \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(family, variant)                        \
  family##_##variant##_kernel(const __grid_constant__ gdf::column_in lhs,                           \
                              const __grid_constant__ gdf::column_in rhs,                           \
                              const __grid_constant__ gdf::column_out out,                          \
                              const __grid_constant__ P p, gdf::scratch* scratch) {                 \
    const gdf::column_in* const inputs[2] = {&lhs, &rhs};                                           \
    gdf::map_rows<C, O, policy##_tuning>(inputs, out, scratch, [&](C x, C y) -> gdf::result_type<C, O>::t __VA_ARGS__);     \
  }                                                                                                 \
  static_assert(true)

/// GDF_MAP1_EACH and GDF_MAP2_EACH do the same as GDF_MAP1 and GDF_MAP2, for several functors. The body chooses the
/// functor and calls each(functor).
#define GDF_MAP1_EACH(policy, family, variant, C, O, P, ...)                                        \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(family, variant)                        \
  family##_##variant##_kernel(const __grid_constant__ gdf::column_in in,                            \
                              const __grid_constant__ gdf::column_out out,                          \
                              const __grid_constant__ P p, gdf::scratch* scratch) {                 \
    const gdf::column_in* const inputs[1] = {&in};                                                  \
    gdf::map_each<C, O, policy##_tuning>(inputs, out, scratch, [&](auto&& each) __VA_ARGS__);       \
  }                                                                                                 \
  static_assert(true)
#define GDF_MAP2_EACH(policy, family, variant, C, O, P, ...)                                        \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(family, variant)                        \
  family##_##variant##_kernel(const __grid_constant__ gdf::column_in lhs,                           \
                              const __grid_constant__ gdf::column_in rhs,                           \
                              const __grid_constant__ gdf::column_out out,                          \
                              const __grid_constant__ P p, gdf::scratch* scratch) {                 \
    const gdf::column_in* const inputs[2] = {&lhs, &rhs};                                           \
    gdf::map_each<C, O, policy##_tuning>(inputs, out, scratch, [&](auto&& each) __VA_ARGS__);       \
  }                                                                                                 \
  static_assert(true)

/// GDF_MAP3 does the same as GDF_MAP2, for rows `x`, `y` and `z` of three inputs.
#define GDF_MAP3(policy, family, variant, C, O, P, ...)                                             \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(family, variant)                        \
  family##_##variant##_kernel(const __grid_constant__ gdf::column_in first,                         \
                              const __grid_constant__ gdf::column_in second,                        \
                              const __grid_constant__ gdf::column_in third,                         \
                              const __grid_constant__ gdf::column_out out,                          \
                              const __grid_constant__ P p, gdf::scratch* scratch) {                 \
    const gdf::column_in* const inputs[3] = {&first, &second, &third};                              \
    gdf::map_rows<C, O, policy##_tuning>(inputs, out, scratch, [&](C x, C y, C z) -> gdf::result_type<C, O>::t __VA_ARGS__); \
  }                                                                                                 \
  static_assert(true)

/// GDF_TRY_MAP2(policy, family, variant, C, P, body) does the same as GDF_MAP2, for an operation that may fail on a
/// row. The body returns a gdf::attempt<C>.
#define GDF_TRY_MAP2(policy, family, variant, C, P, ...)                                            \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(family, variant)                        \
  family##_##variant##_kernel(const __grid_constant__ gdf::column_in lhs,                           \
                              const __grid_constant__ gdf::column_in rhs,                           \
                              const __grid_constant__ gdf::column_out out,                          \
                              const __grid_constant__ P p, gdf::scratch* scratch,                   \
                              unsigned long long* mailbox) {                                        \
    gdf::try_rows<C, policy##_tuning>(lhs, rhs, out, p.nulls, p.reports, scratch, mailbox,          \
                                      [&](C x, C y) -> gdf::attempt<C> __VA_ARGS__);                \
  }                                                                                                 \
  static_assert(true)
