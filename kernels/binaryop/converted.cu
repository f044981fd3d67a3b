// binary_operation in a type that operands are converted to: mixed types, division (which makes
// nulls), shifts, largest and smallest, and all decimals and temporal types that need factors.

#include <gdf/number.cuh>

#include "operation.cuh"

namespace binary_converted {

using gdf::is_float;
using binaryop::is_integer;
using binaryop::is_scaled;

template <class C>
struct bits_of {
  using t = unsigned long long;
};
template <>
struct bits_of<gdf::i128> {
  using t = gdf::u128;
};

/// Integers of two's complement that wrap. Division by zero gives 0; the caller makes it null.
template <class C>
struct integers {
  using bits = typename bits_of<C>::t;

  static GDF_DEVICE C add(C a, C b) { return static_cast<C>(static_cast<bits>(a) + static_cast<bits>(b)); }
  static GDF_DEVICE C sub(C a, C b) { return static_cast<C>(static_cast<bits>(a) - static_cast<bits>(b)); }
  static GDF_DEVICE C mul(C a, C b) { return static_cast<C>(static_cast<bits>(a) * static_cast<bits>(b)); }
  static GDF_DEVICE bool negative(C a) {
    if constexpr (C{0} < static_cast<C>(-1)) { return false; } else { return a < C{0}; }
  }
  /// The smallest signed value has no opposite: dividing it by -1 wraps.
  static GDF_DEVICE bool opposes(C b) { return negative(b) && b == static_cast<C>(-1); }
  static GDF_DEVICE C div(C a, C b) {
    if (b == C{0}) { return C{0}; }
    return opposes(b) ? sub(C{0}, a) : a / b;
  }
  static GDF_DEVICE C mod(C a, C b) { return b == C{0} || opposes(b) ? C{0} : a % b; }
  static GDF_DEVICE C floor_div(C a, C b) {
    C const quotient = div(a, b);
    C const rest = sub(a, mul(quotient, b));
    bool const down = b != C{0} && rest != C{0} && negative(rest) != negative(b);
    return down ? sub(quotient, C{1}) : quotient;
  }
  static GDF_DEVICE C p_mod(C a, C b) {
    C const rest = mod(a, b);
    return negative(rest) && !negative(b) ? add(rest, b) : rest;
  }
  static GDF_DEVICE C py_mod(C a, C b) {
    C const rest = mod(a, b);
    return rest != C{0} && negative(rest) != negative(b) ? add(rest, b) : rest;
  }
  /// Of a negative power 0.
  static GDF_DEVICE C int_pow(C base, C power) {
    C product = negative(power) ? C{0} : C{1};
    for (C rest = negative(power) ? C{0} : power; rest != C{0}; rest >>= 1) {
      if ((rest & C{1}) != C{0}) { product = mul(product, base); }
      base = mul(base, base);
    }
    return product;
  }

  /// Shifts of a value of |width| bits (8 to 64, negative: signed) held in 64; there are none of others.
  static GDF_DEVICE int amount(C by, int width) {
    return static_cast<int>(by) & ((width < 0 ? -width : width) - 1);
  }
  static GDF_DEVICE C extended(gdf::u64 value, int width) {
    int const unused = 64 - (width < 0 ? -width : width);
    gdf::u64 const high = value << unused;
    return width < 0 ? static_cast<C>(static_cast<long long>(high) >> unused)
                     : static_cast<C>(high >> unused);
  }
  static GDF_DEVICE C shift_left(C a, C b, int width) {
    if constexpr (sizeof(C) != 8) { return a; }
    return extended(static_cast<gdf::u64>(a) << amount(b, width), width);
  }
  static GDF_DEVICE C shift_right(C a, C b, int width) {
    if constexpr (sizeof(C) != 8) { return a; }
    return extended(width < 0
                      ? static_cast<gdf::u64>(static_cast<long long>(a) >> amount(b, width))
                      : static_cast<gdf::u64>(a) >> amount(b, width), width);
  }
  static GDF_DEVICE C shift_right_unsigned(C a, C b, int width) {
    if constexpr (sizeof(C) != 8) { return a; }
    int const unused = 64 - (width < 0 ? -width : width);
    return extended(static_cast<gdf::u64>(a) << unused >> unused >> amount(b, width), width);
  }
};

/// Floats of either precision.
template <class C>
struct floats {
  static GDF_DEVICE float mod(float a, float b) { return fmodf(a, b); }
  static GDF_DEVICE double mod(double a, double b) { return fmod(a, b); }
  static GDF_DEVICE float floor(float a) { return floorf(a); }
  static GDF_DEVICE double floor(double a) { return ::floor(a); }
  static GDF_DEVICE C p_mod(C a, C b) {
    C const rest = mod(a, b);
    return rest < C{0} ? mod(rest + b, b) : rest;
  }
  /// The functions below are worked out in double precision only.
  static GDF_DEVICE float pow(float a, float) { return a; }
  static GDF_DEVICE double pow(double a, double b) { return ::pow(a, b); }
  static GDF_DEVICE float log_base(float a, float) { return a; }
  static GDF_DEVICE double log_base(double a, double b) { return ::log(a) / ::log(b); }
  static GDF_DEVICE float atan2(float a, float) { return a; }
  static GDF_DEVICE double atan2(double a, double b) { return ::atan2(a, b); }
};

/// [thread] Multiplies by factor `which`, unless it is 1.
template <class C, int items>
GDF_DEVICE void scale(const binaryop::operation& how, int which, C (&rows)[items]) {
  if (!binaryop::is_one(how, which)) {
    C const factor = binaryop::factor<C>(how, which);
#pragma unroll
    for (int i = 0; i < items; i++) { rows[i] = binaryop::times(rows[i], factor); }
  }
}

/// [thread] r = f(a, b), row by row.
template <class C, int items, class F>
GDF_DEVICE void each(C (&a)[items], const C (&b)[items], F&& f) {
#pragma unroll
  for (int i = 0; i < items; i++) { a[i] = f(a[i], b[i]); }
}

/// [thread] a = a op b.
template <class C, int items>
GDF_DEVICE void apply(const binaryop::operation& how, C (&a)[items], const C (&b)[items]) {
#define BINARY_INTEGER_CASE(name, integer, floating) \
  case binaryop::name: each(a, b, [&](C x, C y) { return static_cast<C>(integer); }); return;
#define BINARY_FLOAT_CASE(name, integer, floating) \
  case binaryop::name: each(a, b, [&](C x, C y) { return static_cast<C>(floating); }); return;
  if constexpr (is_integer<C>) {
    using of = integers<C>;
    switch (how.code) { BINARY_ARITHMETIC(BINARY_INTEGER_CASE) }
  } else if constexpr (is_float<C>) {
    using fp = floats<C>;
    switch (how.code) { BINARY_ARITHMETIC(BINARY_FLOAT_CASE) }
  } else {
    switch (how.code) {
      case binaryop::maximum: each(a, b, [](C x, C y) { return x > y ? x : y; }); return;
      case binaryop::minimum: each(a, b, [](C x, C y) { return x < y ? x : y; }); return;
      case binaryop::sub: each(a, b, [](C x, C y) { return x - y; }); return;
      case binaryop::mul: each(a, b, [](C x, C y) { return binaryop::times(x, y); }); return;
      default: each(a, b, [](C x, C y) { return x + y; }); return;
    }
  }
}

/// [block] All rows. Warps leave the tiles apart: nothing synchronizes the block before the end.
template <class C, class tuning>
GDF_DEVICE void compute(const gdf::column_in& lhs, const gdf::column_in& rhs,
                        const gdf::column_out& out, const binaryop::operation& how,
                        gdf::scratch* scratch) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  bool const chooses = how.code == binaryop::maximum || how.code == binaryop::minimum;
  bool const divides =
    is_integer<C> && how.code >= binaryop::div && how.code <= binaryop::py_mod;
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
    if constexpr (is_integer<C>) {
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
    if constexpr (gdf::is_same<C, gdf::i128>) {
      if (!binaryop::is_one(how, 3)) {
        gdf::i128 const divisor = binaryop::factor<gdf::i128>(how, 3);
#pragma unroll
        for (int i = 0; i < items; i++) { a[i] = integers<gdf::i128>::div(a[i], divisor); }
      }
    }
    gdf::store_rows(out, base, a);
    uint32_t const bits = chooses ? known.lhs | known.rhs : known.lhs & known.rhs;
    valid += gdf::store_mask<items>(out, base, bits & ~zeros);
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}

} // namespace binary_converted

/// out[r] = lhs[r] op rhs[r], worked out as C (out.length rows; an operand may be broadcast); null
/// where an operand is, and where an integer is divided by zero; for the largest and the smallest
/// where both are.
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
