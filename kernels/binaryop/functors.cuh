// Functors of arithmetic operations that are longer than an expression.
#pragma once

#include "operation.cuh"

namespace binaryop {

template <class C>
struct bits_of {
  using t = unsigned long long;
};
template <>
struct bits_of<gdf::i128> {
  using t = gdf::u128;
};
template <>
struct bits_of<gdf::i256> {
  using t = gdf::i256;
};

/// Integers in two's complement, whose results wrap around. Division by zero gives 0, and the caller makes the row
/// null.
template <class C>
struct integers {
  using bits = typename bits_of<C>::t;

  static GDF_DEVICE C add(C a, C b) { return static_cast<C>(static_cast<bits>(a) + static_cast<bits>(b)); }
  static GDF_DEVICE C sub(C a, C b) { return static_cast<C>(static_cast<bits>(a) - static_cast<bits>(b)); }
  static GDF_DEVICE C mul(C a, C b) { return static_cast<C>(static_cast<bits>(a) * static_cast<bits>(b)); }
  static GDF_DEVICE bool negative(C a) {
    if constexpr (gdf::is_same<C, gdf::i256>) {
      return a.word[3] >> 63 != 0;
    } else if constexpr (C{0} < static_cast<C>(-1)) { return false; } else { return a < C{0}; }
  }
  /// Returns whether b is -1.
  static GDF_DEVICE bool opposes(C b) { return negative(b) && b == sub(C{0}, C{1}); }
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
  /// The result of a negative power is 0.
  static GDF_DEVICE C int_pow(C base, C power) {
    C product = negative(power) ? C{0} : C{1};
    for (C rest = negative(power) ? C{0} : power; rest != C{0}; rest >>= 1) {
      if ((rest & C{1}) != C{0}) { product = mul(product, base); }
      base = mul(base, base);
    }
    return product;
  }

  /// [thread] Returns the amount of a shift, modulo the number of bits of the shifted type. A negative width stands for
  /// a signed type.
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
    if constexpr (sizeof(C) != 8) { return gdf::invalid_code<C>(); }
    return extended(static_cast<gdf::u64>(a) << amount(b, width), width);
  }
  static GDF_DEVICE C shift_right(C a, C b, int width) {
    if constexpr (sizeof(C) != 8) { return gdf::invalid_code<C>(); }
    return extended(width < 0
                      ? static_cast<gdf::u64>(static_cast<long long>(a) >> amount(b, width))
                      : static_cast<gdf::u64>(a) >> amount(b, width), width);
  }
  static GDF_DEVICE C shift_right_unsigned(C a, C b, int width) {
    if constexpr (sizeof(C) != 8) { return gdf::invalid_code<C>(); }
    int const unused = 64 - (width < 0 ? -width : width);
    return extended(static_cast<gdf::u64>(a) << unused >> unused >> amount(b, width), width);
  }
};

/// The functor of an operator that a type does not support.
template <class C>
struct no_functor {
  GDF_DEVICE operator C() const { return gdf::invalid_code<C>(); }
};

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
  /// `pow` and `log_base` are computed only in double precision.
  static GDF_DEVICE float pow(float, float) { return gdf::invalid_code<float>(); }
  static GDF_DEVICE double pow(double a, double b) { return ::pow(a, b); }
  static GDF_DEVICE float log_base(float, float) { return gdf::invalid_code<float>(); }
  static GDF_DEVICE double log_base(double a, double b) { return ::log(a) / ::log(b); }
  static GDF_DEVICE float atan2(float, float) { return gdf::invalid_code<float>(); }
  static GDF_DEVICE double atan2(double a, double b) { return ::atan2(a, b); }
};

} // namespace binaryop
