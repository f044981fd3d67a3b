// unary::cast if the input or the result has 128 or 256 bits, and unary::cast between floats and decimals.

#include "cast.cuh"

namespace unary_cast {

/// A parameter of 128 bits, which the host passes as two words.
struct scale_128 {
  gdf::u64 low;
  gdf::u64 high;
};

/// The parameters of the conversion of a float to a decimal (see to_decimal).
struct decimal_scale {
  gdf::u64 power_low; // ten to the scale, for `exact`
  gdf::u64 power_high;
  double factor;      // ten to the magnitude of the scale, for the other modes
  int mode;
};

enum decimal_mode : int {
  exact = 0,       // scale from 0 to 22: integer arithmetic
  times = 1,       // a larger scale
  divided_by = 2,  // a negative scale
};

/// [thread] Returns the quotient, rounded toward zero.
GDF_DEVICE gdf::i128 quotient(gdf::i128 value, gdf::i128 divisor) {
  auto const low = static_cast<long long>(value);
  auto const low_divisor = static_cast<long long>(divisor);
  if (low == value && low_divisor == divisor) { return low / low_divisor; }
  return value / divisor;
}

/// A magnitude: `digits` times two to the power of `exponent`.
struct scaled {
  gdf::u128 digits;
  int exponent;
};

/// [thread] Returns |value| times ten to the power of the scale. In mode `exact`, a float that is nearest to a decimal
/// with this scale must count as that decimal. Half a unit in the last place of the float is therefore added before the
/// truncation.
GDF_DEVICE scaled scale_float(double value, const decimal_scale& scale, int precision, int min_value) {
  auto const bits = static_cast<gdf::u64>(__double_as_longlong(value)) & ~(1ull << 63);
  if (scale.mode != exact) {
    double const size = __longlong_as_double(static_cast<long long>(bits));
    double y = scale.mode == times ? __dmul_rn(size, scale.factor) : __ddiv_rn(size, scale.factor);
    auto word = static_cast<gdf::u64>(__double_as_longlong(y));
    // The factor is inexact, so a value just below an integer counts as this integer.
    if (scale.mode == times && y < 9007199254740992.0 && y > 0.0) { word += 1; }
    int const biased = static_cast<int>(word >> 52);
    gdf::u64 const fraction = word & ((1ull << 52) - 1);
    return {biased == 0 ? fraction : fraction | 1ull << 52, (biased == 0 ? 1 : biased) - 1075};
  }
  int const biased = static_cast<int>(bits >> 52);
  gdf::u64 const fraction = bits & ((1ull << 52) - 1);
  gdf::u64 const mantissa = biased == 0 ? fraction : fraction | 1ull << 52;
  int const exponent = (biased == 0 ? 1 : biased) - 1075;
  gdf::u128 const power = static_cast<gdf::u128>(scale.power_high) << 64 | scale.power_low;
  gdf::u128 const digits = static_cast<gdf::u128>(mantissa) * 2 * power; // below 2^54 * 10^22 < 2^128
  int const cut = 1 - exponent;
  if (cut > 0 && cut < 128) {
    int const unit = exponent + 53 - precision > min_value ? exponent + 53 - precision : min_value;
    gdf::u128 const half = (static_cast<gdf::u128>(1) << (unit - exponent)) * power;
    bool const inexact = (digits & ((static_cast<gdf::u128>(1) << cut) - 1)) != 0;
    if (inexact && half >> (cut - 1) == 0) { return {digits + half, -cut}; }
  }
  return {digits, -cut};
}

GDF_DEVICE int bit_length(gdf::u128 value) {
  auto const high = static_cast<gdf::u64>(value >> 64);
  return high != 0 ? 128 - __clzll(static_cast<long long>(high))
                   : 64 - __clzll(static_cast<long long>(static_cast<gdf::u64>(value)));
}

/// [thread] Returns the integer if it has at most `bits` bits. Otherwise all bits of the result are set, up to a
/// magnitude of 64, 128 or 255 bits.
GDF_DEVICE gdf::i256 to_integer(const scaled& value, int bits) {
  if (value.digits == 0 || value.exponent <= -128) { return {{0, 0, 0, 0}}; }
  if (bit_length(value.digits) + value.exponent > bits) {
    return {{~0ull, bits > 64 ? ~0ull : 0, bits > 128 ? ~0ull : 0, bits > 128 ? ~0ull >> 1 : 0}};
  }
  if (value.exponent <= 0) {
    gdf::u128 const whole = value.digits >> -value.exponent;
    return {{static_cast<gdf::u64>(whole), static_cast<gdf::u64>(whole >> 64), 0, 0}};
  }
  gdf::i256 shifted{{0, 0, 0, 0}};
  int const skip = value.exponent >> 6;
  int const shift = value.exponent & 63;
  auto const low = static_cast<gdf::u64>(value.digits);
  auto const high = static_cast<gdf::u64>(value.digits >> 64);
  gdf::u64 const part[3] = {low << shift, shift == 0 ? high : high << shift | low >> (64 - shift),
                            shift == 0 ? 0 : high >> (64 - shift)};
#pragma unroll
  for (int i = 0; i < 4; i++) {
#pragma unroll
    for (int p = 0; p < 3; p++) {
      if (i == p + skip) { shifted.word[i] = part[p]; }
    }
  }
  return shifted;
}

/// [thread] Converts a float to a decimal of `bits` bits and a sign.
GDF_DEVICE gdf::i256 to_decimal(double value, const decimal_scale& scale, int bits, int precision,
                                int min_value) {
  if (value != value) { return {{0, 0, 0, 0}}; }
  bool const negative = value < 0.0;
  gdf::i256 const most{{bits < 64 ? (1ull << bits) - 1 : ~0ull,
                        bits < 128 ? (bits > 64 ? (1ull << (bits - 64)) - 1 : 0) : ~0ull,
                        bits > 128 ? ~0ull : 0, bits > 128 ? ~0ull >> 1 : 0}};
  gdf::i256 size = most;
  bool overflow = isinf(value);
  if (!overflow) {
    scaled const exactly = scale_float(value, scale, precision, min_value);
    overflow = exactly.digits != 0 && bit_length(exactly.digits) + exactly.exponent > bits;
    if (!overflow) { size = to_integer(exactly, bits); }
  }
  if (!negative) { return size; }
  return overflow ? -most - gdf::i256{{1, 0, 0, 0}} : -size;
}

/// [thread] Checks that wide integers support the operation.
GDF_DEVICE void check_wide(int operation) {
  if (operation != multiply && operation != divide && operation != nonzero) { gdf::invalid_code(); }
}

} // namespace unary_cast

/// Does the same as unary_cast_scaled64_kernel if the input or the result has 128 bits. The result may also be boolean.
/// Division rounds toward zero.
extern "C" __global__ void GDF_BOUNDS(unary_cast_wide)
unary_cast_scaled128_kernel(const __grid_constant__ gdf::column_in in,
                            const __grid_constant__ gdf::column_out out, int operation,
                            unary_cast::scale_128 factor, gdf::scratch* scratch) {
  using namespace unary_cast;
  auto const by =
    static_cast<gdf::i128>(static_cast<gdf::u128>(factor.high) << 64 | factor.low);
  check_wide(operation);
  each_row<gdf::i128>(in, out, scratch, [&](int64_t row, gdf::i128 value) {
    if (operation == nonzero) { return value != 0; }
    store_128(out, row,
              operation == multiply ? static_cast<gdf::i128>(static_cast<gdf::u128>(value) *
                                                             static_cast<gdf::u128>(by))
                                    : quotient(value, by));
    return false;
  });
}

/// Does the same as unary_cast_scaled128_kernel if the input or the result has 256 bits. The divisor is ten to the
/// power of `digits`.
extern "C" __global__ void GDF_BOUNDS(unary_cast_wide)
unary_cast_scaled256_kernel(const __grid_constant__ gdf::column_in in,
                            const __grid_constant__ gdf::column_out out, int operation,
                            gdf::i256 factor, int digits, gdf::scratch* scratch) {
  using namespace unary_cast;
  check_wide(operation);
  each_row<gdf::i256>(in, out, scratch, [&](int64_t row, gdf::i256 value) {
    if (operation == nonzero) { return value != gdf::i256{{0, 0, 0, 0}}; }
    value = operation == multiply ? gdf::times(value, factor) : gdf::quotient_by_power(value, digits);
    if (out.type == static_cast<int32_t>(gdf::type::i256)) {
      gdf::store_run<1>(static_cast<gdf::i256*>(out.data) + row, gdf::run<gdf::i256, 1>{{value}});
    } else {
      store_128(out, row,
                static_cast<gdf::i128>(static_cast<gdf::u128>(value.word[1]) << 64 | value.word[0]));
    }
    return false;
  });
}

/// Casts decimals of any width to floats. The double nearest to the unscaled integer is multiplied or divided by
/// `power`, and then rounded to the result type.
extern "C" __global__ void GDF_BOUNDS(unary_cast_wide)
unary_cast_from_decimal_kernel(const __grid_constant__ gdf::column_in in,
                               const __grid_constant__ gdf::column_out out, double power,
                               int divides, gdf::scratch* scratch) {
  using namespace unary_cast;
  each_row<gdf::i256>(in, out, scratch, [&](int64_t row, const gdf::i256& value) {
    double const integer = gdf::nearest_double(value);
    double const result = divides != 0 ? __ddiv_rn(integer, power) : __dmul_rn(integer, power);
    switch (static_cast<gdf::type>(out.type)) {
      case gdf::type::f16: static_cast<uint16_t*>(out.data)[row] = to_half(result); break;
      case gdf::type::f32: static_cast<float*>(out.data)[row] = static_cast<float>(result); break;
      default: static_cast<double*>(out.data)[row] = result; break;
    }
    return false;
  });
}

/// Casts floats to decimals of any width (see to_decimal).
extern "C" __global__ void GDF_BOUNDS(unary_cast_wide)
unary_cast_to_decimal_kernel(const __grid_constant__ gdf::column_in in,
                             const __grid_constant__ gdf::column_out out,
                             unary_cast::decimal_scale scale, gdf::scratch* scratch) {
  using namespace unary_cast;
  int const bits = gdf::width_of(out.type) * 8 - 1;
  bool const is_half = in.type == static_cast<int32_t>(gdf::type::f16);
  bool const is_single = in.type == static_cast<int32_t>(gdf::type::f32);
  int const precision = is_half ? 11 : is_single ? 24 : 53;
  int const min_value = is_half ? -24 : is_single ? -149 : -1074;
  each_row<double>(in, out, scratch, [&](int64_t row, double number) {
    gdf::i256 const value = to_decimal(number, scale, bits, precision, min_value);
    if (bits > 127) {
      gdf::store_run<1>(static_cast<gdf::i256*>(out.data) + row, gdf::run<gdf::i256, 1>{{value}});
    } else {
      store_128(out, row,
                static_cast<gdf::i128>(static_cast<gdf::u128>(value.word[1]) << 64 | value.word[0]));
    }
    return false;
  });
}
