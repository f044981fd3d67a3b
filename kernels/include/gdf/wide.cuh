// Arithmetic of wide integers, and their conversion to floats.
#pragma once

#include "types.cuh"

namespace gdf {

GDF_DEVICE i256 magnitude(const i256& value) {
  return static_cast<long long>(value.word[3]) < 0 ? -value : value;
}

/// [thread] Returns the double nearest to the integer, ties to even.
GDF_DEVICE double nearest_double(const i256& value) {
  i256 const size = magnitude(value);
  int top = 3;
  while (top > 0 && size.word[top] == 0) { top--; }
  double result;
  if (top == 0) {
    result = __ull2double_rn(size.word[0]);
  } else {
    // The leading 64 bits of the number. The last of these bits is also set if any lower bit of the number is set.
    u64 const high = top == 3 ? size.word[3] : top == 2 ? size.word[2] : size.word[1];
    u64 const low = top == 3 ? size.word[2] : top == 2 ? size.word[1] : size.word[0];
    u64 const rest = top == 3 ? size.word[1] | size.word[0] : top == 2 ? size.word[0] : 0;
    int const shift = __clzll(static_cast<long long>(high));
    u64 const leading = shift == 0 ? high : high << shift | low >> (64 - shift);
    bool const sticky = (shift == 0 ? low : low << shift) != 0 || rest != 0;
    auto const exponent = static_cast<long long>(1023 + top * 64 - shift);
    result = __dmul_rn(__ull2double_rn(leading | (sticky ? 1 : 0)),
                       __longlong_as_double(exponent << 52));
  }
  return static_cast<long long>(value.word[3]) < 0 ? -result : result;
}

GDF_DEVICE double nearest_double(i128 value) { return nearest_double(to_i256(value)); }

GDF_DEVICE i256 times(const i256& a, const i256& b) {
  i256 result{{0, 0, 0, 0}};
#pragma unroll
  for (int i = 0; i < 4; i++) {
    u64 carry = 0;
#pragma unroll
    for (int j = 0; i + j < 4; j++) {
      u128 const sum =
        static_cast<u128>(a.word[i]) * b.word[j] + result.word[i + j] + carry;
      result.word[i + j] = static_cast<u64>(sum);
      carry = static_cast<u64>(sum >> 64);
    }
  }
  return result;
}

/// [thread] Returns value / 10^digits, rounded toward zero.
GDF_DEVICE i256 quotient_by_power(const i256& value, int digits) {
  bool const negative = static_cast<long long>(value.word[3]) < 0;
  i256 rest = magnitude(value);
  while (digits > 0) {
    uint32_t divisor = 1;
    for (int d = digits < 9 ? digits : 9; d > 0; d--) { divisor *= 10; }
    digits -= 9;
    u64 remainder = 0;
#pragma unroll
    for (int i = 3; i >= 0; i--) {
      u64 const upper = remainder << 32 | rest.word[i] >> 32;
      u64 const lower = (upper % divisor) << 32 | (rest.word[i] & 0xffffffffull);
      remainder = lower % divisor;
      rest.word[i] = (upper / divisor) << 32 | lower / divisor;
    }
  }
  return negative ? -rest : rest;
}

GDF_DEVICE i256 operator*(const i256& a, const i256& b) { return times(a, b); }

GDF_DEVICE i256 doubled(const i256& a, u64 low) {
  return {{a.word[0] << 1 | low, a.word[1] << 1 | a.word[0] >> 63, a.word[2] << 1 | a.word[1] >> 63,
           a.word[3] << 1 | a.word[2] >> 63}};
}

GDF_DEVICE bool is_below(const i256& a, const i256& b) {
  u128 const a_high = static_cast<u128>(a.word[3]) << 64 | a.word[2];
  u128 const b_high = static_cast<u128>(b.word[3]) << 64 | b.word[2];
  u128 const a_low = static_cast<u128>(a.word[1]) << 64 | a.word[0];
  u128 const b_low = static_cast<u128>(b.word[1]) << 64 | b.word[0];
  return a_high < b_high || (a_high == b_high && a_low < b_low);
}

/// [thread] Returns a / b, rounded toward zero. The quotient wraps around. If b is 0, the result is 0.
GDF_DEVICE i256 operator/(const i256& a, const i256& b) {
  i256 quotient = magnitude(a);
  i256 const divisor = magnitude(b);
  if ((divisor.word[0] | divisor.word[1] | divisor.word[2] | divisor.word[3]) == 0) { return {{0, 0, 0, 0}}; }
  if ((quotient.word[2] | quotient.word[3] | divisor.word[2] | divisor.word[3]) == 0) {
    u128 const whole = (static_cast<u128>(quotient.word[1]) << 64 | quotient.word[0]) /
                       (static_cast<u128>(divisor.word[1]) << 64 | divisor.word[0]);
    quotient = {{static_cast<u64>(whole), static_cast<u64>(whole >> 64), 0, 0}};
  } else {
    i256 rest{{0, 0, 0, 0}};
    int bits = 256;
    while (bits > 64 && quotient.word[3] == 0) {
      quotient = {{0, quotient.word[0], quotient.word[1], quotient.word[2]}};
      bits -= 64;
    }
    for (; bits > 0; bits--) {
      rest = doubled(rest, quotient.word[3] >> 63);
      bool const fits = !is_below(rest, divisor);
      if (fits) { rest = rest - divisor; }
      quotient = doubled(quotient, fits ? 1 : 0);
    }
  }
  return (a.word[3] ^ b.word[3]) >> 63 != 0 ? -quotient : quotient;
}

GDF_DEVICE i256 operator%(const i256& a, const i256& b) { return a - a / b * b; }

} // namespace gdf
