// binary_operation, unary_operation and cast with checks for results that do not fit and for divisors that are zero.

#include "functors.cuh"

GDF_POLICY(binary_checked, 256, 4, 2);
GDF_POLICY(binary_checked_wide, 256, 1, 2);

namespace checked {

/// The reason why a row fails. The values are the bits of the field `failure` of gdf::attempt.
enum failure : int32_t { overflow = 1, zero_divisor = 2 };

struct checks {
  int32_t code;     // an operator of `arithmetic`, from `add` to `py_mod`
  int32_t absolute; // 1: the result is the absolute value
  int32_t floors;   // 1: the division by `down` rounds towards negative infinity
  int32_t bounded;  // floats: 1 if the result is an integer
  int32_t nulls;    // failures that make the result null
  int32_t reports;  // failures that are reported to the host
  gdf::u64 lhs[4];  // 256 bits: factors of the operands
  gdf::u64 rhs[4];
  gdf::u64 up[4];   // 256 bits: factor of the result
  gdf::u64 down[4]; // 256 bits: divisor of the result
  gdf::u64 lower[4];
  gdf::u64 upper[4];
  double lowest_float; // floats: lower bound (inclusive) of the truncated result
  double above_float; // floats: upper bound (exclusive) of the truncated result
};

GDF_DEVICE gdf::i256 wide(const gdf::u64 (&words)[4]) { return {{words[0], words[1], words[2], words[3]}}; }

GDF_DEVICE gdf::i128 narrow(const gdf::u64 (&words)[4]) {
  return static_cast<gdf::i128>(static_cast<gdf::u128>(words[1]) << 64 | words[0]);
}

GDF_DEVICE bool is_division(int32_t code) { return code >= binaryop::div && code <= binaryop::py_mod; }

/// [thread] Returns the quotient or the remainder of integers, according to `code`. The quotient wraps around.
template <class C>
GDF_DEVICE C divided(int32_t code, const C& x, const C& y) {
  using of = binaryop::integers<C>;
  switch (code) {
    case binaryop::div: return of::div(x, y);
    case binaryop::floor_div: return of::floor_div(x, y);
    case binaryop::mod: return of::mod(x, y);
    case binaryop::p_mod: return of::p_mod(x, y);
    case binaryop::py_mod: return of::py_mod(x, y);
    default: return gdf::invalid_code<C>();
  }
}

/// [thread] Computes the exact result of an operation on operands of at most 64 bits. The product of two unsigned
/// operands may exceed 128 signed bits. In this case it wraps to a value below the range of every result type.
GDF_DEVICE gdf::attempt<gdf::i128> exact(gdf::i128 x, gdf::i128 y, const checks& p) {
  using of = binaryop::integers<gdf::i128>;
  gdf::i128 value = p.code == binaryop::add   ? of::add(x, y)
                    : p.code == binaryop::sub ? of::sub(x, y)
                    : p.code == binaryop::mul ? of::mul(x, y)
                                              : divided(p.code, x, y);
  if (p.absolute != 0 && value < 0) { value = -value; }
  bool const fits = value >= narrow(p.lower) && value <= narrow(p.upper);
  bool const zero = is_division(p.code) && y == 0;
  return {value, zero ? zero_divisor : fits ? 0 : overflow};
}

GDF_DEVICE bool is_negative(const gdf::i256& value) { return value.word[3] >> 63 != 0; }

GDF_DEVICE int bit_length(const gdf::i256& size) {
#pragma unroll
  for (int i = 3; i >= 0; i--) {
    if (size.word[i] != 0) { return 64 * i + 64 - __clzll(static_cast<long long>(size.word[i])); }
  }
  return 0;
}

/// [thread] Returns a * b.
GDF_DEVICE gdf::i256 product(const gdf::i256& a, const gdf::i256& b, bool& over) {
  if (b == gdf::i256{{1, 0, 0, 0}}) { return a; }
  gdf::i256 const x = gdf::magnitude(a);
  gdf::i256 const y = gdf::magnitude(b);
  gdf::i256 const size = x * y;
  bool const negative = is_negative(a) != is_negative(b);
  int const bits = bit_length(x) + bit_length(y);
  // Only one product of 257 bits fits: the least value, which is the product of two powers of two.
  bool const is_min = negative && size == gdf::i256{{0, 0, 0, 1ull << 63}};
  over |= bits > 257 || ((bits == 257 || is_negative(size)) && !is_min);
  return negative ? -size : size;
}

GDF_DEVICE gdf::attempt<gdf::i256> exact(const gdf::i256& lhs, const gdf::i256& rhs, const checks& p) {
  bool over = false;
  gdf::i256 const one{{1, 0, 0, 0}};
  gdf::i256 const zero{{0, 0, 0, 0}};
  gdf::i256 const x = product(lhs, wide(p.lhs), over);
  gdf::i256 const y = product(rhs, wide(p.rhs), over);
  gdf::i256 value = zero;
  if (p.code == binaryop::add || p.code == binaryop::sub) {
    value = p.code == binaryop::add ? x + y : x - y;
    bool const alike = is_negative(x) == (is_negative(y) == (p.code == binaryop::add));
    over |= alike && is_negative(value) != is_negative(x);
  } else if (p.code == binaryop::mul) {
    value = product(x, y, over);
  } else {
    value = divided(p.code, x, y);
  }
  value = product(value, wide(p.up), over);
  gdf::i256 const down = wide(p.down);
  if (down != one) {
    value = p.floors != 0 ? binaryop::integers<gdf::i256>::floor_div(value, down) : value / down;
  }
  if (p.absolute != 0 && is_negative(value)) { value = -value; }
  bool const fits = !over && value >= wide(p.lower) && value <= wide(p.upper);
  bool const by_zero = is_division(p.code) && rhs == zero;
  return {value, by_zero ? zero_divisor : fits ? 0 : overflow};
}

/// [thread] Computes the result of an operation in floating point.
template <class C>
GDF_DEVICE gdf::attempt<C> floating(C x, C y, const checks& p) {
  using fp = binaryop::floats<C>;
  C value;
  switch (p.code) {
    case binaryop::add: value = x + y; break;
    case binaryop::sub: value = x - y; break;
    case binaryop::mul: value = x * y; break;
    case binaryop::div: value = x / y; break;
    case binaryop::floor_div: value = fp::floor(x / y); break;
    case binaryop::mod: value = fp::mod(x, y); break;
    case binaryop::p_mod: value = fp::p_mod(x, y); break;
    case binaryop::py_mod: value = fp::mod(fp::mod(x, y) + y, y); break;
    default: return gdf::invalid_code<gdf::attempt<C>>();
  }
  double const whole = ::trunc(static_cast<double>(value));
  bool const fits = p.bounded == 0 || (whole >= p.lowest_float && whole < p.above_float);
  bool const fails = ((p.nulls | p.reports) & zero_divisor) != 0; // otherwise the result is infinite or NaN
  bool const zero = fails && is_division(p.code) && y == C{0};
  return {value, zero ? zero_divisor : fits ? 0 : overflow};
}

} // namespace checked

GDF_TRY_MAP2(binary_checked, binary_checked, f32, float, checked::checks, { return checked::floating(x, y, p); });

GDF_TRY_MAP2(binary_checked, binary_checked, f64, double, checked::checks, { return checked::floating(x, y, p); });

GDF_TRY_MAP2(binary_checked_wide, binary_checked, i128, gdf::i128, checked::checks, { return checked::exact(x, y, p); });

GDF_TRY_MAP2(binary_checked_wide, binary_checked, i256, gdf::i256, checked::checks, { return checked::exact(x, y, p); });
