// binary_operation in a type to which operands are converted.

#include <gdf/number.cuh>

#include "functors.cuh"

namespace binary_converted {

using gdf::is_float;
using binaryop::floats;
using binaryop::integers;
using binaryop::is_integer;
using binaryop::is_scaled;

/// [thread] Multiplies by factor number `which`, unless the factor is 1.
template <class C, int items>
GDF_DEVICE void scale(const binaryop::operation& how, int which, C (&rows)[items]) {
  if (!binaryop::is_one(how, which)) {
    C const factor = binaryop::factor<C>(how, which);
#pragma unroll
    for (int i = 0; i < items; i++) { rows[i] = binaryop::times(rows[i], factor); }
  }
}

template <class C, int items, class F>
GDF_DEVICE void each(C (&a)[items], const C (&b)[items], F&& f) {
#pragma unroll
  for (int i = 0; i < items; i++) { a[i] = f(a[i], b[i]); }
}

template <class C, int items>
GDF_DEVICE void apply(const binaryop::operation& how, C (&a)[items], const C (&b)[items]) {
#define BINARY_INTEGER_CASE(name, integer, floating) \
  case binaryop::name: each(a, b, [&](C x, C y) { return static_cast<C>(integer); }); return;
#define BINARY_FLOAT_CASE(name, integer, floating) \
  case binaryop::name: each(a, b, [&](C x, C y) { return static_cast<C>(floating); }); return;
  constexpr binaryop::no_functor<C> none;
  if constexpr (is_integer<C>) {
    using of = integers<C>;
    switch (how.code) {
      BINARY_ARITHMETIC(BINARY_INTEGER_CASE)
      default: gdf::invalid_code();
    }
  } else if constexpr (is_float<C>) {
    using fp = floats<C>;
    switch (how.code) {
      BINARY_ARITHMETIC(BINARY_FLOAT_CASE)
      default: gdf::invalid_code();
    }
  } else {
    switch (how.code) {
      case binaryop::add: each(a, b, [](C x, C y) { return x + y; }); return;
      case binaryop::maximum: each(a, b, [](C x, C y) { return x > y ? x : y; }); return;
      case binaryop::minimum: each(a, b, [](C x, C y) { return x < y ? x : y; }); return;
      case binaryop::sub: each(a, b, [](C x, C y) { return x - y; }); return;
      case binaryop::mul: each(a, b, [](C x, C y) { return x * y; }); return;
      case binaryop::div: each(a, b, integers<C>::div); return;
      case binaryop::floor_div: each(a, b, integers<C>::floor_div); return;
      case binaryop::mod: each(a, b, integers<C>::mod); return;
      case binaryop::p_mod: each(a, b, integers<C>::p_mod); return;
      case binaryop::py_mod: each(a, b, integers<C>::py_mod); return;
      default: gdf::invalid_code();
    }
  }
}

/// [block] Computes all rows. Warps work independently, and the block is not synchronized before the end.
template <class C, class tuning>
GDF_DEVICE void compute(const gdf::column_in& lhs, const gdf::column_in& rhs,
                        const gdf::column_out& out, const binaryop::operation& how,
                        gdf::scratch* scratch) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  bool const chooses = how.code == binaryop::maximum || how.code == binaryop::minimum;
  bool const divides =
    !is_float<C> && how.code >= binaryop::div && how.code <= binaryop::py_mod;
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const base = gdf::warp_rows<items>(first);
    if (base >= out.length) { return; }
    C a[items];
    C b[items];
    gdf::load_pair(lhs, rhs, base, out.length, a, b);
    binaryop::valid_words known{0, 0};
    if (chooses || out.validity != nullptr) {
      known = binaryop::load_valid<items>(lhs, rhs, base, out.length);
    }
    uint32_t zeros = 0;
    if constexpr (!is_float<C>) {
      if (divides) { zeros = gdf::collect<items>([&](int i) { return b[i] == C{0}; }); }
    }
    if constexpr (is_scaled<C>) {
      scale(how, 0, a);
      scale(how, 1, b);
    }
    if (chooses) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        bool const left = __shfl_sync(~0u, known.lhs, i) >> gdf::lane() & 1;
        bool const right = __shfl_sync(~0u, known.rhs, i) >> gdf::lane() & 1;
        if (!left) { a[i] = b[i]; }
        if (!right) { b[i] = a[i]; }
      }
    }
    apply(how, a, b);
    if constexpr (is_scaled<C>) { scale(how, 2, a); }
    if constexpr (is_scaled<C>) {
      if (!binaryop::is_one(how, 3)) {
        C const divisor = binaryop::factor<C>(how, 3);
#pragma unroll
        for (int i = 0; i < items; i++) { a[i] = integers<C>::div(a[i], divisor); }
      }
    }
    gdf::store_rows(out, base, a);
    uint32_t const bits = chooses ? known.lhs | known.rhs : known.lhs & known.rhs;
    valid += gdf::store_mask<items>(out, base, bits & ~zeros);
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}

} // namespace binary_converted

/// Defines a kernel that computes out[r] = lhs[r] op rhs[r] in type C, for out.length rows.
#define BINARY_CONVERTED(name, C, threads, items, blocks)                                       \
  GDF_POLICY(binary_converted_##name, threads, items, blocks);                                  \
  extern "C" __global__ void GDF_BOUNDS(binary_converted_##name) GDF_VARIANT(binary_operation, converted_##name) \
    binary_converted_##name##_kernel(                                                           \
      const __grid_constant__ gdf::column_in lhs, const __grid_constant__ gdf::column_in rhs,   \
      const __grid_constant__ gdf::column_out out,                                              \
      const __grid_constant__ binaryop::operation how, gdf::scratch* scratch) {                 \
    binary_converted::compute<C, binary_converted_##name##_tuning>(lhs, rhs, out, how, scratch); \
  }

BINARY_CONVERTED(i64, int64_t, 256, 4, 4)
BINARY_CONVERTED(u64, uint64_t, 256, 4, 4)
BINARY_CONVERTED(f32, float, 256, 4, 4)
BINARY_CONVERTED(f64, double, 256, 4, 2)
BINARY_CONVERTED(i128, gdf::i128, 256, 2, 3)
BINARY_CONVERTED(i256, gdf::i256, 256, 1, 2)
