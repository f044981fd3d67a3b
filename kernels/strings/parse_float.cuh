// Parses decimal digits to the nearest float, ties to even. The algorithm is that of Lemire ("Number parsing at a
// gigabyte per second"), with a lower and an upper bound of the product. If both bounds do not round to the same float,
// the digits are compared with the number halfway between the two floats, in integers of up to 1088 bits.
#pragma once

#include "powers.cuh"

namespace strings {

/// The format of a floating-point type. The bias of its exponent is 1 - min_exponent.
struct float_format {
  int32_t bits;         // 32 or 64
  int32_t mantissa;     // number of mantissa bits, including the leading bit
  int32_t min_exponent; // the smallest exponent of normal numbers
  int32_t unused;
};

GDF_DEVICE u64 infinity_of(const float_format& p) { return static_cast<u64>(3 - 2 * p.min_exponent) << (p.mantissa - 1); }

/// [thread] Returns the float nearest to value * 2^exponent. `value` must not be 0.
GDF_DEVICE u64 nearest_float(u128 value, int exponent, const float_format& p) {
  auto const high = static_cast<u64>(value >> 64);
  auto const low = static_cast<u64>(value);
  int const top = high != 0 ? 127 - __clzll(static_cast<long long>(high)) : 63 - __clzll(static_cast<long long>(low));
  int const above = top + exponent - p.min_exponent;
  if (above > 2 - 2 * p.min_exponent) { return infinity_of(p); }
  int const shift = top - (p.mantissa - 1) + (above < 0 ? -above : 0);
  u64 mantissa = 0;
  if (shift <= 0) {
    mantissa = static_cast<u64>(value << -shift);
  } else if (shift < 128) {
    u128 const half = static_cast<u128>(1) << (shift - 1);
    u128 const rest = value & (half + (half - 1));
    mantissa = static_cast<u64>(value >> shift);
    if (rest > half || (rest == half && (mantissa & 1) != 0)) { mantissa++; }
  } else if (shift == 128) {
    mantissa = value > static_cast<u128>(1) << 127 ? 1 : 0;
  }
  // If rounding makes the mantissa the next power of two, the addition carries into the exponent.
  u64 const bits = (static_cast<u64>(above < 0 ? 0 : above) << (p.mantissa - 1)) + mantissa;
  u64 const infinity = infinity_of(p);
  return bits < infinity ? bits : infinity;
}

/// Reads the digits of a mantissa, beginning with the first digit that is not 0. After the last digit, the reader
/// returns zeros without end.
template <class Reader>
struct digit_reader {
  Reader reader;

  GDF_DEVICE explicit digit_reader(const Reader& mantissa) : reader(mantissa) {
    while (reader.peek() == '0' || reader.peek() == '.') { reader.skip(); }
  }

  GDF_DEVICE bool is_done() {
    if (reader.peek() == '.') { reader.skip(); }
    return reader.digit() > 9;
  }

  GDF_DEVICE uint32_t next() {
    if (is_done()) { return 0; }
    uint32_t const digit = reader.digit();
    reader.skip();
    return digit;
  }

  /// [thread] Returns the next `count` digits as a number.
  GDF_DEVICE u64 next(int count) {
    u64 value = 0;
    for (; count > 0; count--) { value = value * 10 + next(); }
    return value;
  }
};

constexpr int big_words = 17;

/// [thread] Computes words * factor + add in place.
GDF_DEVICE u64 multiply_add(u64 (&words)[big_words], int count, u64 factor, u64 add) {
  for (int i = 0; i < count; i++) {
    u128 const sum = static_cast<u128>(words[i]) * factor + add;
    words[i] = static_cast<u64>(sum);
    add = static_cast<u64>(sum >> 64);
  }
  return add;
}

GDF_DEVICE u64 word_of(u64 value, int shift, int i) {
  int const by = shift - 64 * i;
  return by <= -64 || by >= 64 ? 0 : by < 0 ? value >> -by : value << by;
}

/// [thread] Compares 0.ddd... * 10^point with half * 2^exponent, where ddd... are the digits. The result is negative, 0
/// or positive.
template <class Reader>
GDF_DEVICE int compare_digits(digit_reader<Reader> digits, int64_t point, u64 half, int exponent) {
  constexpr u64 ten_19 = 10000000000000000000ull;
  u64 words[big_words];
  if (exponent >= 0) {
    for (int i = 0; i < big_words; i++) { words[i] = 0; }
    for (int64_t left = point; left > 0;) {
      u64 value = 0;
      u64 power = 1;
      for (int n = 0; n < 19 && left > 0; n++, left--) {
        value = value * 10 + digits.next();
        power *= 10;
      }
      multiply_add(words, big_words, power, value);
    }
    for (int i = big_words - 1; i >= 0; i--) {
      u64 const of_half = word_of(half, exponent, i);
      if (words[i] != of_half) { return words[i] < of_half ? -1 : 1; }
    }
    while (!digits.is_done()) {
      if (digits.next() != 0) { return 1; }
    }
    return 0;
  }
  u64 const whole = exponent > -64 ? half >> -exponent : 0;
  u64 const of_text = digits.next(point > 0 ? static_cast<int>(point) : 0);
  if (of_text != whole) { return of_text < whole ? -1 : 1; }
  int const count = (63 - exponent) / 64;
  for (int i = 0; i < count; i++) { words[i] = word_of(half, 64 * count + exponent, i); }
  for (int64_t zeros = point < 0 ? -point : 0;;) {
    int const skipped = zeros < 19 ? static_cast<int>(zeros) : 19;
    zeros -= skipped;
    u64 const of_half = multiply_add(words, count, ten_19, 0);
    u64 const found = digits.next(19 - skipped);
    if (found != of_half) { return found < of_half ? -1 : 1; }
    if (zeros == 0 && digits.is_done()) {
      u64 rest = 0;
      for (int i = 0; i < count; i++) { rest |= words[i]; }
      return rest == 0 ? 0 : -1;
    }
  }
}

/// [thread] Parses inf, infinity or nan. Returns false for other texts.
template <class Reader>
GDF_DEVICE bool parse_special(Reader reader, const float_format& p, u64& bits) {
  u64 letters = 0;
  int count = 0;
  for (; !reader.is_done() && count < 8; count++) {
    letters = letters << 8 | reader.peek() | 0x20;
    reader.skip();
  }
  if (!reader.is_done()) { return false; }
  bits = infinity_of(p);
  if (count == 3 && letters == 0x6e616e) { bits |= u64{1} << (p.mantissa - 2); } // nan
  return (count == 3 && (letters == 0x6e616e || letters == 0x696e66)) || (count == 8 && letters == 0x696e66696e697479ull);
}

/// [thread] Parses a text as a float, with the syntax of Rust's str::parse. Returns false for other texts.
template <class Reader>
GDF_DEVICE bool parse_float(Reader reader, const float_format& p, u64& bits) {
  bool const minus = reader.take('-');
  if (!minus) { reader.take('+'); }
  u64 const sign = minus ? u64{1} << (p.bits - 1) : 0;
  if (reader.digit() > 9 && reader.peek() != '.') {
    bool const is_special = parse_special(reader, p, bits);
    bits |= sign;
    return is_special;
  }
  Reader const mantissa = reader;
  u64 value = 0; // the first 19 digits
  int count = 0;
  int64_t scale = 0;
  bool any = false;
  bool point = false;
  bool more = false; // whether digits other than 0 follow the first 19
  for (; !reader.is_done(); reader.skip()) {
    if (!point && reader.peek() == '.') {
      point = true;
      continue;
    }
    uint32_t const digit = reader.digit();
    if (digit > 9) { break; }
    any = true;
    if (count == 19) {
      more |= digit != 0;
      scale += point ? 0 : 1;
      continue;
    }
    count += value != 0 || digit != 0 ? 1 : 0;
    value = value * 10 + digit;
    scale -= point ? 1 : 0;
  }
  if (!any) { return false; }
  if (reader.take('e') || reader.take('E')) {
    bool const below = reader.take('-');
    if (!below) { reader.take('+'); }
    if (reader.digit() > 9) { return false; }
    int64_t exponent = 0;
    for (; reader.digit() < 10; reader.skip()) {
      if (exponent < 0x10000) { exponent = exponent * 10 + reader.digit(); } // str::parse also ignores more digits
    }
    scale += below ? -exponent : exponent;
  }
  if (!reader.is_done()) { return false; }
  bits = sign;
  if (value == 0 || scale < -345) { return true; } // less than half of the smallest float
  if (scale > 308) {
    bits |= infinity_of(p);
    return true;
  }
  auto const power = static_cast<int>(scale);
  u128 const factor = highest_bits_of_power(power);
  int const shift = __clzll(static_cast<long long>(value));
  u64 const scaled = value << shift;
  u128 const low = static_cast<u128>(static_cast<u64>(factor)) * scaled;
  u128 const product = static_cast<u128>(static_cast<u64>(factor >> 64)) * scaled + static_cast<u64>(low >> 64);
  u128 upper = product + (is_exact_power(power) ? (static_cast<u64>(low) != 0 ? 1 : 0) : 2);
  if (more) { upper += (static_cast<u128>(static_cast<u64>(factor >> 64)) << shift) + (u64{2} << shift); }
  if (upper < product) { upper = ~static_cast<u128>(0); }
  int const exponent = log2_of_power(power) - 127 + 64 - shift;
  u64 found = nearest_float(product, exponent, p);
  if (found != nearest_float(upper, exponent, p)) {
    int const field = static_cast<int>(found >> (p.mantissa - 1));
    u64 const fraction = found & ((u64{1} << (p.mantissa - 1)) - 1);
    u64 const of_found = field == 0 ? fraction : fraction | u64{1} << (p.mantissa - 1);
    int const of_bit = p.min_exponent - (p.mantissa - 1) + (field == 0 ? 0 : field - 1);
    int const order = compare_digits(digit_reader<Reader>(mantissa), count + scale, 2 * of_found + 1, of_bit - 1);
    if (order > 0 || (order == 0 && (found & 1) != 0)) { found++; }
  }
  bits |= found;
  return true;
}

} // namespace strings
