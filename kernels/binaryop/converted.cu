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
};

/// Shifts of a value of |width| bits (8 to 64, negative: signed) held in 64.
template <class C>
struct shifts {
  int unused;
  int mask;
  bool has_sign;

  GDF_DEVICE explicit shifts(int width)
    : unused(64 - (width < 0 ? -width : width)),
      mask((width < 0 ? -width : width) - 1),
      has_sign(width < 0) {}

  GDF_DEVICE int amount(C by) const { return static_cast<int>(by) & mask; }
  GDF_DEVICE C extended(gdf::u64 value) const {
    gdf::u64 const high = value << unused;
    return has_sign ? static_cast<C>(static_cast<long long>(high) >> unused)
                    : static_cast<C>(high >> unused);
  }
  GDF_DEVICE C left(C a, C b) const { return extended(static_cast<gdf::u64>(a) << amount(b)); }
  GDF_DEVICE C right(C a, C b) const {
    return extended(has_sign
                      ? static_cast<gdf::u64>(static_cast<long long>(a) >> amount(b))
                      : static_cast<gdf::u64>(a) >> amount(b));
  }
  GDF_DEVICE C right_unsigned(C a, C b) const {
    gdf::u64 const low = static_cast<gdf::u64>(a) << unused >> unused;
    return extended(low >> amount(b));
  }
};

GDF_DEVICE float remainder_of(float a, float b) { return fmodf(a, b); }
GDF_DEVICE double remainder_of(double a, double b) { return fmod(a, b); }
GDF_DEVICE float rounded_down(float a) { return floorf(a); }
GDF_DEVICE double rounded_down(double a) { return floor(a); }

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
  switch (how.code) {
    case binaryop::maximum: each(a, b, [](C x, C y) { return x > y ? x : y; }); return;
    case binaryop::minimum: each(a, b, [](C x, C y) { return x < y ? x : y; }); return;
    default: break;
  }
  if constexpr (is_integer<C>) {
    using of = integers<C>;
    switch (how.code) {
      case binaryop::add: each(a, b, [](C x, C y) { return of::add(x, y); }); return;
      case binaryop::sub: each(a, b, [](C x, C y) { return of::sub(x, y); }); return;
      case binaryop::mul: each(a, b, [](C x, C y) { return of::mul(x, y); }); return;
      case binaryop::div: each(a, b, [](C x, C y) { return of::div(x, y); }); return;
      case binaryop::floor_div: each(a, b, [](C x, C y) { return of::floor_div(x, y); }); return;
      case binaryop::mod: each(a, b, [](C x, C y) { return of::mod(x, y); }); return;
      case binaryop::p_mod: each(a, b, [](C x, C y) { return of::p_mod(x, y); }); return;
      case binaryop::py_mod: each(a, b, [](C x, C y) { return of::py_mod(x, y); }); return;
      case binaryop::bit_and: each(a, b, [](C x, C y) { return x & y; }); return;
      case binaryop::bit_or: each(a, b, [](C x, C y) { return x | y; }); return;
      case binaryop::bit_xor: each(a, b, [](C x, C y) { return x ^ y; }); return;
      default: break;
    }
    if constexpr (sizeof(C) == 8) {
      shifts<C> const by(how.bits);
      switch (how.code) {
        case binaryop::shift_left: each(a, b, [&](C x, C y) { return by.left(x, y); }); return;
        case binaryop::shift_right: each(a, b, [&](C x, C y) { return by.right(x, y); }); return;
        default: each(a, b, [&](C x, C y) { return by.right_unsigned(x, y); }); return;
      }
    }
  } else if constexpr (is_float<C>) {
    switch (how.code) {
      case binaryop::add: each(a, b, [](C x, C y) { return x + y; }); return;
      case binaryop::sub: each(a, b, [](C x, C y) { return x - y; }); return;
      case binaryop::mul: each(a, b, [](C x, C y) { return x * y; }); return;
      case binaryop::div: each(a, b, [](C x, C y) { return x / y; }); return;
      case binaryop::floor_div: each(a, b, [](C x, C y) { return rounded_down(x / y); }); return;
      case binaryop::mod: each(a, b, [](C x, C y) { return remainder_of(x, y); }); return;
      case binaryop::p_mod:
        each(a, b, [](C x, C y) {
          C const rest = remainder_of(x, y);
          return rest < C{0} ? remainder_of(rest + y, y) : rest;
        });
        return;
      default:
        each(a, b, [](C x, C y) { return remainder_of(remainder_of(x, y) + y, y); });
        return;
    }
  } else {
    switch (how.code) {
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
    int64_t const base = binaryop::warp_rows<items>(first);
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
      if (divides) {
#pragma unroll
        for (int i = 0; i < items; i++) {
          uint32_t const word = __ballot_sync(~0u, b[i] == C{0});
          if (gdf::lane() == i) { zeros = word; }
        }
      }
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
    valid += binaryop::store_mask<items>(out, base, bits & ~zeros);
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
