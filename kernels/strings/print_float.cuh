// The shortest decimal digits that are parsed to the same float. If there are several such strings of digits, the one
// nearest to the float is chosen (Giulietti, "The Schubfach way to render doubles").
#pragma once

#include "powers.cuh"

namespace strings {

/// The number digits * 10^exponent. The last digit is not 0.
struct decimal_digits {
  u64 digits;
  int exponent;
};

/// [thread] Returns the highest 64 bits of g * value. The last of these bits is also set if the 64 bits below are
/// greater than 1.
GDF_DEVICE u64 round_to_odd(u128 g, u64 value) {
  u128 const low = static_cast<u128>(static_cast<u64>(g)) * value;
  u128 const high = static_cast<u128>(static_cast<u64>(g >> 64)) * value + static_cast<u64>(low >> 64);
  return static_cast<u64>(high >> 64) | (static_cast<u64>(high) > 1 ? 1 : 0);
}

/// [thread] Returns the shortest digits of mantissa * 2^exponent.
GDF_DEVICE decimal_digits shortest_digits(u64 mantissa, int exponent, bool closer) {
  decimal_digits result{};
  if (exponent <= 0 && exponent > -64 && (mantissa & ((u64{1} << -exponent) - 1)) == 0 && mantissa >> -exponent != 0) {
    result = {mantissa >> -exponent, 0}; // a whole number
  } else {
    u64 const outside = mantissa & 1; // bounds belong to floats with even mantissas
    int const k = (exponent * 1262611 - (closer ? 524031 : 0)) >> 22;
    int const h = exponent + log2_of_power(-k) + 1;
    u128 const g = highest_bits_of_power(-k) + (is_exact_power(-k) ? 0 : 1);
    u64 const lower = round_to_odd(g, (4 * mantissa - (closer ? 1 : 2)) << h) + outside;
    u64 const value = round_to_odd(g, (4 * mantissa) << h);
    u64 const upper = round_to_odd(g, (4 * mantissa + 2) << h) - outside;
    u64 const s = value / 4;
    u64 const ten = s / 10 * 10;
    bool const ten_inside = lower <= 4 * ten;
    bool const next_ten_inside = 4 * ten + 40 <= upper;
    if (s >= 10 && ten_inside != next_ten_inside) {
      result = {ten / 10 + (next_ten_inside ? 1 : 0), k + 1};
    } else {
      bool const inside = lower <= 4 * s;
      bool const next_inside = 4 * s + 4 <= upper;
      u64 const middle = 4 * s + 2;
      bool const up = inside != next_inside ? next_inside : value > middle || (value == middle && (s & 1) != 0);
      result = {s + (up ? 1 : 0), k};
    }
  }
  while (result.digits % 10 == 0) {
    result.digits /= 10;
    result.exponent++;
  }
  return result;
}

} // namespace strings
